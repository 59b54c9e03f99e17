//! [`Rule`]: one limit of a key.

use std::time::Duration;

use zset_std::limit::Throttle;
use zset_std::{Funnel, Quota, SingleQuota};

use super::state::pack;
use crate::script::{MOST, NANOS_PER_MICRO};
use crate::{LimiterError, UnsupportedQuota};

/// Periods are shorter, so the end of the window after the next is exact too.
const LONGEST_PERIOD: u64 = (1 << 51) - 1;

/// One limit of a key: a quota and its algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub(super) kind: Kind,
    pub(super) quota: Quota,
    /// The maximum number of units allowed at once: the capacity of a funnel.
    pub(super) limit: u32,
    /// In microseconds.
    pub(super) period: u64,
    /// How long a log is kept, in microseconds: the limiter's period, which is longer than that of
    /// the quota of some calls.
    horizon: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    SlidingWindow,
    Funnel,
    FixedWindow,
    WindowCounter,
}

impl Kind {
    pub(super) const ALL: [Kind; 4] =
        [Kind::SlidingWindow, Kind::Funnel, Kind::FixedWindow, Kind::WindowCounter];

    /// Returns the name in keys and scripts.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::SlidingWindow => "sliding_window",
            Kind::Funnel => "funnel",
            Kind::FixedWindow => "fixed_window",
            Kind::WindowCounter => "window_counter",
        }
    }
}

impl Rule {
    /// Returns the rule of an algorithm with these terms; only a funnel uses their capacity.
    pub(crate) fn new(kind: Kind, terms: Funnel) -> Result<Rule, UnsupportedQuota> {
        let quota = terms.quota();
        let nanos = quota.period().as_nanos();
        if nanos % u128::from(NANOS_PER_MICRO) != 0 {
            return Err(UnsupportedQuota::PeriodTooFine);
        }
        // A quota is at most 146 years.
        let period = (nanos / u128::from(NANOS_PER_MICRO)) as u64;
        let limit = if kind == Kind::Funnel { terms.capacity() } else { quota.count() };
        let rule = Rule { kind, quota, limit, period, horizon: period };
        let is_long = period > LONGEST_PERIOD || rule.leaking(limit).0 > LONGEST_PERIOD;
        if is_long { Err(UnsupportedQuota::PeriodTooLong) } else { Ok(rule) }
    }

    /// Returns the rule for a call with its own terms.
    pub(super) fn with(self, terms: Funnel) -> Result<Rule, UnsupportedQuota> {
        let rule = Rule::new(self.kind, terms)?;
        let has_history = match self.kind {
            Kind::SlidingWindow => rule.period <= self.horizon,
            Kind::Funnel => true,
            Kind::FixedWindow | Kind::WindowCounter => rule.period == self.period,
        };
        let rule = Rule { horizon: self.horizon, ..rule };
        if has_history { Ok(rule) } else { Err(UnsupportedQuota::OtherPeriod) }
    }

    /// Returns the rule and the number of units given by the arguments of `CL.THROTTLE`.
    pub(super) fn throttle(numbers: [i64; 4]) -> Result<(Rule, u32), LimiterError> {
        let [max_burst, count, period, quantity] = numbers;
        let (funnel, n) = Throttle::arguments(max_burst, count, period, quantity)?;
        Ok((Rule::new(Kind::Funnel, funnel)?, n))
    }

    /// Returns the last part of the rule's key.
    pub(super) fn suffix(&self, index: usize) -> String {
        format!("{}:{index}", self.kind.name())
    }

    /// Returns the packed numbers of the rule; `burst` is the smallest limit of the decision.
    pub(super) fn numbers(&self, n: u32, burst: u32) -> Vec<u8> {
        let (period, count) = (self.period, self.quota.count().into());
        match self.kind {
            Kind::SlidingWindow => {
                let horizon = (self.horizon > period).then_some(self.horizon);
                pack([period, count, burst.into()].into_iter().chain(horizon))
            }
            Kind::Funnel => {
                let [(pour_whole, pour_part), (most_whole, most_part)] =
                    [n, self.limit].map(|units| self.leaking(units));
                pack([count, pour_whole, pour_part, most_whole, most_part])
            }
            Kind::FixedWindow | Kind::WindowCounter => pack([period, count]),
        }
    }

    /// Returns the time in which units leak out: `.0 + .1 / count` microseconds, at most [`MOST`].
    fn leaking(&self, units: u32) -> (u64, u64) {
        let count = u128::from(self.quota.count());
        let volume = u128::from(units) * u128::from(self.period);
        match u64::try_from(volume / count) {
            // The remainder is less than the count.
            Ok(whole) if whole < MOST => (whole, (volume % count) as u64),
            _ => (MOST, 0),
        }
    }
}

/// Returns a time in microseconds, rounded up, and at most [`MOST`].
pub(super) fn whole_micros(time: Duration) -> u64 {
    let micros = time.as_nanos().div_ceil(NANOS_PER_MICRO.into());
    u64::try_from(micros).map_or(LONGEST_PERIOD, |micros| micros.min(LONGEST_PERIOD))
}

/// Returns the last part of the key of a penalty: the types of all limits, so that penalties of one
/// name with different algorithms share no blocks.
pub(super) fn penalty_suffix(rules: &[Rule]) -> String {
    let kinds: Vec<_> = rules.iter().map(|rule| rule.kind.name()).collect();
    kinds.join("+") + ":penalty"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(count: u32, micros: u64) -> Funnel {
        Funnel::new(Quota::new(count, Duration::from_micros(micros)).unwrap())
    }

    #[test]
    fn quotas_that_cannot_be_exact_are_errors() {
        let fine = Funnel::new(Quota::new(1, Duration::from_nanos(1500)).unwrap());
        assert_eq!(Rule::new(Kind::SlidingWindow, fine), Err(UnsupportedQuota::PeriodTooFine));
        assert!(Rule::new(Kind::FixedWindow, micros(1, LONGEST_PERIOD)).is_ok());
        let long = micros(1, LONGEST_PERIOD + 1);
        assert_eq!(Rule::new(Kind::WindowCounter, long), Err(UnsupportedQuota::PeriodTooLong));
        // The capacity takes twice the period to leak out.
        let deep = micros(2, LONGEST_PERIOD).with_capacity(4).unwrap();
        assert_eq!(Rule::new(Kind::Funnel, deep), Err(UnsupportedQuota::PeriodTooLong));
        assert!(Rule::new(Kind::SlidingWindow, deep).is_ok());
    }

    #[test]
    fn a_call_has_a_quota_for_which_there_is_history() {
        let (own, shorter, longer) = (micros(2, 10), micros(9, 9), micros(9, 11));
        let log = Rule::new(Kind::SlidingWindow, own).unwrap();
        assert!(log.with(micros(9, 10)).is_ok() && log.with(shorter).is_ok());
        assert_eq!(log.with(longer), Err(UnsupportedQuota::OtherPeriod));
        for counter in [
            Rule::new(Kind::FixedWindow, own).unwrap(),
            Rule::new(Kind::WindowCounter, own).unwrap(),
        ] {
            assert!(counter.with(micros(9, 10)).is_ok());
            assert_eq!(counter.with(shorter), Err(UnsupportedQuota::OtherPeriod));
            assert_eq!(counter.with(longer), Err(UnsupportedQuota::OtherPeriod));
        }
        let funnel = Rule::new(Kind::Funnel, own).unwrap();
        assert!(funnel.with(shorter).is_ok() && funnel.with(longer).is_ok());
        let fine = Funnel::new(Quota::new(1, Duration::from_nanos(1500)).unwrap());
        assert_eq!(funnel.with(fine), Err(UnsupportedQuota::PeriodTooFine));
    }

    #[test]
    fn leaking_takes_whole_microseconds_and_a_part() {
        let rule = Rule::new(Kind::Funnel, micros(3, 10)).unwrap();
        assert_eq!(rule.leaking(1), (3, 1));
        assert_eq!(rule.leaking(2), (6, 2));
        assert_eq!(rule.leaking(3), (10, 0));
        let long = Rule::new(Kind::Funnel, micros(1, LONGEST_PERIOD)).unwrap();
        assert_eq!(long.leaking(u32::MAX), (MOST, 0));
    }
}
