//! [`SlidingWindow`] on a server: the script returns the units in the window, and the times of the
//! entries that must leave the window before more units fit.

use zset_std::{SingleQuota, SlidingWindow};

use super::numbers::{Numbers, pack};
use super::rule::{Algorithm, One, Rule, State, script};
use crate::script::NANOS_PER_MICRO;
use crate::{Failure, UnsupportedQuota};

pub(super) struct OnServer;

impl One for SlidingWindow {
    fn rule(&self) -> Result<Rule, UnsupportedQuota> {
        Rule::new(&OnServer, self.quota().into())
    }
}

impl Algorithm for OnServer {
    script!("sliding_window");

    /// The log is kept for the limiter's period.
    fn has_history(&self, own: &Rule, period: u64) -> bool {
        period <= own.horizon
    }

    fn numbers(&self, rule: &Rule, _: u32, burst: u32) -> Vec<u8> {
        let horizon = (rule.horizon > rule.period).then_some(rule.horizon);
        pack([rule.period, rule.limit.into(), burst.into()].into_iter().chain(horizon))
    }

    fn state(&self, rule: &Rule, numbers: &mut Numbers<'_>, _: [u32; 2]) -> Result<State, Failure> {
        let (counted, used) = (numbers.next()?, numbers.next()?);
        // Each is the time of the last entry that must leave the window: before the units of the
        // call fit, and before the limit of the decision fits. `None` if no entry must leave.
        let last = [numbers.next_or_none()?, numbers.next_or_none()?];
        let waits = last.map(|entry| {
            let age = entry.map_or(u64::MAX, |time| counted.saturating_sub(time));
            rule.period.saturating_sub(age) * NANOS_PER_MICRO
        });
        Ok(State { counted, used, remaining: u64::from(rule.limit).saturating_sub(used), waits })
    }
}
