//! [`Rule`], one limit of a key, and [`Algorithm`], which defines how scripts apply a rule.

use std::fmt;
use std::time::Duration;

use zset_std::Funnel;

use super::numbers::{Numbers, pack};
use crate::script::{MOST, NANOS_PER_MICRO};
use crate::{Failure, UnsupportedQuota};

/// The longest period, in microseconds. Times are below 2^52, so even the end of the window after
/// the next is below 2^53, i.e. exact.
const LONGEST_PERIOD: u64 = (1 << 51) - 1;

/// An algorithm with a single limit.
pub trait One {
    fn rule(&self) -> Result<Rule, UnsupportedQuota>;
}

/// An algorithm on a server: its script, and how the numbers of the script are written and read.
pub(super) trait Algorithm: Send + Sync {
    /// Returns the name of the algorithm in keys and scripts.
    fn name(&self) -> &'static str;

    /// Returns the source of the [parts](super::scripts) of its scripts.
    fn source(&self) -> &'static str;

    /// Returns the maximum number of units allowed at once; only a funnel uses the capacity.
    fn limit(&self, terms: Funnel) -> u32 {
        terms.quota().count()
    }

    /// Returns whether a call may have this period, given the limiter's own rule. By default, only
    /// the limiter's own period is allowed: counters do not store the times of single units, which
    /// another window would need.
    fn has_history(&self, own: &Rule, period: u64) -> bool {
        period == own.period
    }

    /// Returns the packed numbers of a rule for `n` units. `burst` is the smallest limit of the
    /// decision. By default, the numbers are the period and the limit.
    fn numbers(&self, rule: &Rule, _n: u32, _burst: u32) -> Vec<u8> {
        pack([rule.period, rule.limit.into()])
    }

    /// Reads the state of a rule after a decision. `units` are the units of the call, and `burst`;
    /// both are at most the limit.
    fn state(
        &self,
        rule: &Rule,
        numbers: &mut Numbers<'_>,
        units: [u32; 2],
    ) -> Result<State, Failure>;
}

/// Defines the name and the source of an [`Algorithm`]: the script file of that name.
macro_rules! script {
    ($name:literal) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn source(&self) -> &'static str {
            include_str!(concat!("../scripts/", $name, ".lua"))
        }
    };
}

pub(super) use script;

impl fmt::Debug for dyn Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The state of a rule after a decision.
#[derive(Debug)]
pub(super) struct State {
    /// The time of the decision, in microseconds: the latest recorded time if that is later than
    /// now.
    pub(super) counted: u64,
    /// The units that a refund can return.
    pub(super) used: u64,
    /// The number of units that would be allowed now.
    pub(super) remaining: u64,
    /// The nanoseconds after `counted` until the units of the call fit, and until the limit of the
    /// decision fits.
    pub(super) waits: [u64; 2],
}

/// Returns the wait for each number of units: zero if that many remain, otherwise the result of
/// `wait`.
pub(super) fn waits(units: [u32; 2], remaining: u64, wait: impl Fn(u32) -> u64) -> [u64; 2] {
    units.map(|n| if u64::from(n) <= remaining { 0 } else { wait(n) })
}

impl State {
    /// Converts a wait from `counted` to a wait from `now`.
    pub(super) fn counted_from(&self, now: u64, wait: u64) -> Duration {
        if wait == 0 {
            return Duration::ZERO;
        }
        // If the clock is before the latest recorded time, the caller must also wait for the clock
        // to catch up.
        let lag = self.counted.saturating_sub(now).saturating_mul(NANOS_PER_MICRO);
        Duration::from_nanos(wait.saturating_add(lag))
    }
}

/// One limit of a key: a quota and its algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub(super) algorithm: &'static dyn Algorithm,
    /// The number of units replenished in a period.
    pub(super) count: u32,
    /// The maximum number of units allowed at once: the capacity of a funnel.
    pub(super) limit: u32,
    /// The period of the quota, in microseconds.
    pub(super) period: u64,
    /// How long a log is kept, in microseconds: the limiter's period, even if the quota of a call
    /// has a shorter one.
    pub(super) horizon: u64,
}

impl Rule {
    /// Returns the rule of an algorithm with these terms.
    pub(super) fn new(
        algorithm: &'static dyn Algorithm,
        terms: Funnel,
    ) -> Result<Rule, UnsupportedQuota> {
        let nanos = terms.quota().period().as_nanos();
        if nanos % u128::from(NANOS_PER_MICRO) != 0 {
            return Err(UnsupportedQuota::PeriodTooFine);
        }
        // The period of a quota is less than 2^64 ns, so the cast is lossless.
        let period = (nanos / u128::from(NANOS_PER_MICRO)) as u64;
        let (count, limit) = (terms.quota().count(), algorithm.limit(terms));
        let rule = Rule { algorithm, count, limit, period, horizon: period };
        let is_long = period > LONGEST_PERIOD || rule.leaking(limit).0 > LONGEST_PERIOD;
        if is_long { Err(UnsupportedQuota::PeriodTooLong) } else { Ok(rule) }
    }

    /// Returns the rule for a call with its own terms.
    pub(super) fn with(&self, terms: Funnel) -> Result<Rule, UnsupportedQuota> {
        let rule = Rule::new(self.algorithm, terms)?;
        if !self.algorithm.has_history(self, rule.period) {
            return Err(UnsupportedQuota::OtherPeriod);
        }
        Ok(Rule { horizon: self.horizon, ..rule })
    }

    /// Returns the last part of the rule's key.
    pub(super) fn suffix(&self, index: usize) -> String {
        format!("{}:{index}", self.algorithm.name())
    }

    /// Returns the time in which units leak out: `.0 + .1 / count` microseconds, at most [`MOST`].
    pub(super) fn leaking(&self, units: u32) -> (u64, u64) {
        let count = u128::from(self.count);
        let volume = u128::from(units) * u128::from(self.period);
        match u64::try_from(volume / count) {
            // The remainder is less than the count, so the cast is lossless.
            Ok(whole) if whole < MOST => (whole, (volume % count) as u64),
            _ => (MOST, 0),
        }
    }
}

/// Returns a time in microseconds, rounded up, and at most [`LONGEST_PERIOD`].
pub(super) fn whole_micros(time: Duration) -> u64 {
    let micros = time.as_nanos().div_ceil(NANOS_PER_MICRO.into());
    u64::try_from(micros).map_or(LONGEST_PERIOD, |micros| micros.min(LONGEST_PERIOD))
}

/// Returns the last part of a penalty's key. It names the types of all limits, so penalties with
/// the same name but different algorithms do not share blocks.
pub(super) fn penalty_suffix(rules: &[Rule]) -> String {
    let kinds: Vec<_> = rules.iter().map(|rule| rule.algorithm.name()).collect();
    kinds.join("+") + ":penalty"
}

#[cfg(test)]
mod tests {
    use zset_std::{FixedWindow, Quota, SlidingWindow, WindowCounter};

    use super::super::sliding_window;
    use super::*;

    fn quota(count: u32, micros: u64) -> Quota {
        Quota::new(count, Duration::from_micros(micros)).unwrap()
    }

    #[test]
    fn quotas_that_cannot_be_exact_are_errors() {
        let fine = Quota::new(1, Duration::from_nanos(1500)).unwrap();
        let error = |limiter: &dyn One| limiter.rule().unwrap_err();
        assert_eq!(error(&SlidingWindow::new(fine)), UnsupportedQuota::PeriodTooFine);
        assert!(FixedWindow::new(quota(1, LONGEST_PERIOD)).rule().is_ok());
        let long = WindowCounter::new(quota(1, LONGEST_PERIOD + 1));
        assert_eq!(error(&long), UnsupportedQuota::PeriodTooLong);
        // A full funnel of this capacity takes twice the period to leak out.
        let deep = Funnel::new(quota(2, LONGEST_PERIOD)).with_capacity(4).unwrap();
        assert_eq!(error(&deep), UnsupportedQuota::PeriodTooLong);
        assert!(Rule::new(&sliding_window::OnServer, deep).is_ok());
    }

    #[test]
    fn a_call_has_a_quota_for_which_there_is_history() {
        let [own, shorter, longer] = [10, 9, 11].map(|micros| quota(2, micros));
        let error = |rule: &Rule, quota: Quota| rule.with(quota.into()).err();
        let log = SlidingWindow::new(own).rule().unwrap();
        assert_eq!((error(&log, quota(9, 10)), error(&log, shorter)), (None, None));
        assert_eq!(error(&log, longer), Some(UnsupportedQuota::OtherPeriod));
        let counters: [&dyn One; 2] = [&FixedWindow::new(own), &WindowCounter::new(own)];
        for counter in counters.map(|counter| counter.rule().unwrap()) {
            assert_eq!(error(&counter, quota(9, 10)), None);
            assert_eq!(error(&counter, shorter), Some(UnsupportedQuota::OtherPeriod));
            assert_eq!(error(&counter, longer), Some(UnsupportedQuota::OtherPeriod));
        }
        let funnel = Funnel::new(own).rule().unwrap();
        assert_eq!((error(&funnel, shorter), error(&funnel, longer)), (None, None));
        let fine = Quota::new(1, Duration::from_nanos(1500)).unwrap();
        assert_eq!(error(&funnel, fine), Some(UnsupportedQuota::PeriodTooFine));
    }

    #[test]
    fn leaking_takes_whole_microseconds_and_a_part() {
        let rule = Funnel::new(quota(3, 10)).rule().unwrap();
        assert_eq!(rule.leaking(1), (3, 1));
        assert_eq!(rule.leaking(2), (6, 2));
        assert_eq!(rule.leaking(3), (10, 0));
        let long = Funnel::new(quota(1, LONGEST_PERIOD)).rule().unwrap();
        assert_eq!(long.leaking(u32::MAX), (MOST, 0));
    }
}
