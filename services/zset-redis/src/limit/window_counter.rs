//! [`WindowCounter`] on a server: the script returns the units of the previous and of the current
//! window.

use zset_std::limit::sliding_out;
use zset_std::{SingleQuota, WindowCounter};

use super::numbers::Numbers;
use super::rule::{Algorithm, One, Rule, State, script, waits};
use crate::script::NANOS_PER_MICRO;
use crate::{Failure, UnsupportedQuota};

pub(super) struct OnServer;

impl One for WindowCounter {
    fn rule(&self) -> Result<Rule, UnsupportedQuota> {
        Rule::new(&OnServer, self.quota().into())
    }
}

impl Algorithm for OnServer {
    script!("window_counter");

    fn state(
        &self,
        rule: &Rule,
        numbers: &mut Numbers<'_>,
        units: [u32; 2],
    ) -> Result<State, Failure> {
        let (counted, previous, current) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let elapsed = counted % rule.period;
        let weighed = u128::from(previous) * u128::from(rule.period - elapsed);
        // The weighted count is at most `previous`, so the cast is lossless.
        let weighed = weighed.div_ceil(rule.period.into()) as u64;
        let remaining = u64::from(rule.limit).saturating_sub(weighed.saturating_add(current));
        let [period, elapsed] = [rule.period, elapsed].map(|micros| micros * NANOS_PER_MICRO);
        let waits = waits(units, remaining, |n| {
            let most = u64::from(rule.limit - n);
            match most.checked_sub(current) {
                // The units fit in this window, once the weight of the previous window is small
                // enough.
                Some(room) => sliding_out(previous, room, period).saturating_sub(elapsed),
                // The units fit in the next window, once the weight of this one is small enough.
                None => period - elapsed + sliding_out(current, most, period),
            }
        });
        let used = previous.saturating_add(current);
        Ok(State { counted, used, remaining, waits })
    }
}
