//! [`Funnel`] on a server: the script returns how long the contents of the funnel take to leak out:
//! `whole + part / count` microseconds.

use zset_std::Funnel;

use super::numbers::{Numbers, pack};
use super::rule::{Algorithm, One, Rule, State, script, waits};
use crate::script::NANOS_PER_MICRO;
use crate::{Failure, UnsupportedQuota};

pub(super) struct OnServer;

impl One for Funnel {
    fn rule(&self) -> Result<Rule, UnsupportedQuota> {
        Rule::new(&OnServer, *self)
    }
}

impl Algorithm for OnServer {
    script!("funnel");

    fn limit(&self, terms: Funnel) -> u32 {
        terms.capacity()
    }

    /// Always true: the server stores the time at which the funnel is empty, which applies under
    /// every quota.
    fn has_history(&self, _: &Rule, _: u64) -> bool {
        true
    }

    fn numbers(&self, rule: &Rule, n: u32, _: u32) -> Vec<u8> {
        let [(pour_whole, pour_part), (most_whole, most_part)] =
            [n, rule.limit].map(|units| rule.leaking(units));
        pack([rule.count.into(), pour_whole, pour_part, most_whole, most_part])
    }

    fn state(
        &self,
        rule: &Rule,
        numbers: &mut Numbers<'_>,
        units: [u32; 2],
    ) -> Result<State, Failure> {
        let (counted, whole, part) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let (count, period) = (u128::from(rule.count), u128::from(rule.period));
        // The volume is in units times microseconds: a unit has a volume of `period`.
        let volume = u128::from(whole) * count + u128::from(part);
        let space = |units: u32| u128::from(units) * period;
        let used = u64::try_from(volume / period).unwrap_or(u64::MAX);
        // The result is at most the capacity, so the cast is lossless.
        let remaining = (space(rule.limit).saturating_sub(volume) / period) as u64;
        let waits = waits(units, remaining, |n| {
            let excess = volume.saturating_sub(space(rule.limit - n));
            let nanos = (excess * u128::from(NANOS_PER_MICRO)).div_ceil(count);
            u64::try_from(nanos).unwrap_or(u64::MAX)
        });
        Ok(State { counted, used, remaining, waits })
    }
}
