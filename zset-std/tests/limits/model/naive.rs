//! A naive limiter for one key, which keeps a list of all units that it has allowed.
//!
//! Times have 128 bits, so that they can exceed [`Timestamp::MAX`](zset_std::Timestamp::MAX).

use super::{CENTURY, Funnel, Rate};

/// The limiters to model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Models a `SlidingWindow`.
    Log,
    /// Models a `WindowCounter`.
    Counter,
    /// Models a `FixedWindow`.
    Fixed,
    /// Models a `Funnel`.
    Funnel,
}

/// Units that passed together.
#[derive(Clone, Copy, Debug)]
struct Passed {
    at: u64,
    units: u64,
    /// In a funnel, the time in which the units leak out, in sixtieths of a nanosecond. It is
    /// negative for a refund.
    volume: i128,
    /// In a funnel, the level was rounded up to a multiple of this step before these units passed.
    step: i128,
    /// In a log, whether a check has found the units to be older than every period so far.
    forgotten: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Naive {
    kind: Kind,
    passed: Vec<Passed>,
    /// In a log, the longest period so far.
    horizon: u64,
    /// The effective time of the latest check.
    checked: u64,
    /// The time of a quota change after which the limiter may err, but only on the side of denying.
    inexact_at: Option<u64>,
}

/// A funnel's volumes are measured in these parts of a nanosecond.
const PARTS: i128 = 60;

/// Returns the smallest difference in time that a quota distinguishes, in parts of a nanosecond.
fn step(quota: Funnel) -> i128 {
    PARTS / i128::from(quota.count())
}

fn round_up(time: i128, step: i128) -> i128 {
    // The time may be negative after refunds, so the remainder must be Euclidean.
    time + (-time).rem_euclid(step)
}

fn period(quota: Funnel) -> u64 {
    u64::try_from(quota.period().as_nanos()).unwrap()
}

impl Naive {
    pub(super) fn new(kind: Kind, quota: Funnel) -> Self {
        let horizon = period(quota);
        Naive { kind, passed: Vec::new(), horizon, checked: 0, inexact_at: None }
    }

    pub(super) fn is_counter(&self) -> bool {
        matches!(self.kind, Kind::Counter | Kind::Fixed)
    }

    pub(super) fn limit(&self, quota: Funnel) -> u32 {
        match self.kind {
            Kind::Log | Kind::Counter | Kind::Fixed => quota.count(),
            Kind::Funnel => quota.capacity(),
        }
    }

    /// Returns the time in which a unit leaks out of a funnel.
    fn interval(quota: Funnel) -> i128 {
        // The interval is exact, because counts divide 60.
        i128::from(period(quota)) * step(quota)
    }

    /// Returns the time at which a funnel will be empty, rounded up to the quota's step.
    fn empty_at(&self, quota: Funnel) -> i128 {
        let empty_at = self.passed.iter().fold(0, |empty_at, passed| {
            round_up(empty_at.max(i128::from(passed.at) * PARTS), passed.step) + passed.volume
        });
        round_up(empty_at, step(quota))
    }

    /// Returns the sum of the units whose time satisfies the predicate.
    fn sum(&self, is_wanted: impl Fn(u64) -> bool) -> u128 {
        let wanted = self.passed.iter().filter(|passed| is_wanted(passed.at));
        wanted.map(|passed| u128::from(passed.units)).sum()
    }

    /// Returns whether `n` units pass at this time.
    pub(super) fn passes(&self, quota: Funnel, n: u32, at: u128) -> bool {
        let limit = u128::from(self.limit(quota));
        let period = u128::from(period(quota));
        let window = |at: u128| at / period;
        let n = u128::from(n);
        match self.kind {
            Kind::Log => {
                let used = self.sum(|time| at - u128::from(time) < period);
                // All forgotten units count from the time of the newest of them.
                let forgotten = || self.passed.iter().filter(|passed| passed.forgotten);
                let latest = forgotten().map(|passed| u128::from(passed.at)).max();
                let is_within = latest.is_some_and(|latest| at - latest < period);
                let older = forgotten().filter(|passed| at - u128::from(passed.at) >= period);
                let older: u128 = older.map(|passed| u128::from(passed.units)).sum();
                used + n + if is_within { older } else { 0 } <= limit
            }
            Kind::Counter => {
                let now = window(at);
                let current = self.sum(|time| window(time.into()) == now);
                let previous = self.sum(|time| window(time.into()) + 1 == now);
                let weighed = (previous * (period - at % period)).div_ceil(period);
                current + weighed + n <= limit
            }
            Kind::Fixed => self.sum(|time| window(time.into()) == window(at)) + n <= limit,
            Kind::Funnel => {
                let at = i128::try_from(at).unwrap() * PARTS;
                let inside = (self.empty_at(quota) - at).max(0);
                let limit = i128::try_from(limit).unwrap();
                let n = i128::try_from(n).unwrap();
                inside + n * Self::interval(quota) <= limit * Self::interval(quota)
            }
        }
    }

    /// Returns whether the limiter must decide exactly like this model. Otherwise, it may deny
    /// more.
    pub(super) fn is_exact(&self, quota: Funnel, at: u64) -> bool {
        let Some(inexact_at) = self.inexact_at else { return true };
        let windows = at / period(quota) - inexact_at / period(quota);
        match self.kind {
            Kind::Log | Kind::Funnel => true,
            Kind::Counter => windows >= 2,
            Kind::Fixed => windows >= 1,
        }
    }

    /// Records the time of a check.
    pub(super) fn advance(&mut self, now: u64) {
        self.checked = now;
        let horizon = self.horizon;
        self.passed.iter_mut().for_each(|passed| passed.forgotten |= now - passed.at >= horizon);
    }

    /// Records that a call rounds a funnel's level up to the step of its quota.
    pub(super) fn round(&mut self, quota: Funnel) {
        let step = step(quota);
        if self.kind == Kind::Funnel && self.passed.last().is_some_and(|last| last.step != step) {
            self.passed.push(Passed { at: 0, units: 0, volume: 0, step, forgotten: false });
        }
    }

    /// Extends the horizon to a quota's period, if that is longer.
    pub(super) fn widen(&mut self, quota: Funnel) {
        if self.kind != Kind::Log || period(quota) <= self.horizon {
            return;
        }
        self.horizon = period(quota);
        let forgotten = self.passed.iter().filter(|passed| passed.forgotten);
        let Some(latest) = forgotten.map(|passed| passed.at).max() else { return };
        // If the restored units are too old even for the longer period, the next check forgets them
        // again.
        for passed in self.passed.iter_mut().filter(|passed| passed.forgotten) {
            passed.at = latest;
            passed.forgotten = false;
        }
    }

    pub(super) fn set_quota(&mut self, old: Funnel, new: Funnel) {
        if self.passed.is_empty() {
            self.horizon = period(new);
        }
        self.widen(new);
        let is_inexact = match self.kind {
            Kind::Log | Kind::Funnel => false,
            Kind::Counter | Kind::Fixed => period(old) != period(new),
        };
        // An empty list does not make an inexact limiter exact: a refund may have removed units
        // from the list that the limiter had already forgotten.
        if is_inexact && (!self.passed.is_empty() || self.inexact_at.is_some()) {
            self.inexact_at = Some(self.checked);
        }
    }

    /// Returns whether units can be recorded: a funnel keeps no more than leaks out in 146 years.
    pub(super) fn can_record(&self, quota: Funnel) -> bool {
        self.kind != Kind::Funnel || period(quota) < CENTURY
    }

    pub(super) fn push(&mut self, quota: Funnel, n: u32, at: u64) {
        let (volume, step) = (i128::from(n) * Self::interval(quota), step(quota));
        if n > 0 {
            self.passed.push(Passed { at, units: n.into(), volume, step, forgotten: false });
        }
    }

    /// Returns how many of `n` units can be refunded.
    pub(super) fn refundable(&self, quota: Funnel, n: u32) -> u32 {
        let window = |at: u64| at / period(quota);
        let now = window(self.checked);
        let units = match self.kind {
            Kind::Log => {
                let kept = self.passed.iter().filter(|passed| !passed.forgotten);
                kept.map(|passed| u128::from(passed.units)).sum()
            }
            Kind::Counter => self.sum(|at| now - window(at) < 2),
            Kind::Fixed => self.sum(|at| now == window(at)),
            Kind::Funnel => {
                let inside = self.empty_at(quota) - i128::from(self.checked) * PARTS;
                (inside.max(0) / Self::interval(quota)).try_into().unwrap()
            }
        };
        units.min(n.into()).try_into().unwrap()
    }

    /// Refunds the newest units, or the volume of `n` units in a funnel.
    pub(super) fn refund(&mut self, quota: Funnel, n: u32) {
        if self.kind == Kind::Funnel {
            // A refund of more than the level needs no special case: the funnel is then empty.
            let (volume, step) = (-i128::from(n) * Self::interval(quota), step(quota));
            self.passed.push(Passed { at: 0, units: 0, volume, step, forgotten: false });
            return;
        }
        // An inexact limiter may also refund units that have already left its window.
        let is_exact = self.is_exact(quota, self.checked);
        let mut missing = u64::from(if is_exact { self.refundable(quota, n) } else { n });
        for passed in self.passed.iter_mut().rev() {
            let taken = passed.units.min(missing);
            passed.units -= taken;
            missing -= taken;
        }
        self.passed.retain(|passed| passed.units > 0);
    }

    pub(super) fn reset(&mut self, quota: Funnel) {
        self.passed.clear();
        self.horizon = period(quota);
        self.inexact_at = None;
    }

    /// Returns the time from which a key is idle.
    pub(super) fn idle_at(&self, quota: Funnel) -> u128 {
        let period = u128::from(period(quota));
        let window = u128::from(self.checked) / period;
        let is_in = |window: u128| self.sum(|at| u128::from(at) / period == window) > 0;
        match self.kind {
            Kind::Log => {
                let kept = self.passed.iter().filter(|passed| !passed.forgotten);
                let last = kept.map(|passed| u128::from(passed.at)).max();
                last.map_or(0, |last| last + u128::from(self.horizon))
            }
            Kind::Counter if is_in(window) => (window + 2) * period,
            Kind::Counter if window > 0 && is_in(window - 1) => (window + 1) * period,
            Kind::Fixed if is_in(window) => (window + 1) * period,
            Kind::Counter | Kind::Fixed => 0,
            Kind::Funnel => {
                let empty_at = self.empty_at(quota);
                let is_empty = empty_at <= i128::from(self.checked) * PARTS;
                u128::try_from(if is_empty { 0 } else { round_up(empty_at, PARTS) / PARTS })
                    .unwrap()
            }
        }
    }
}
