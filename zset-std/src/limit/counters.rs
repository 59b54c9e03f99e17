//! [`FixedWindow`] and [`WindowCounter`]: limiters in constant memory. A `FixedWindow` counts the
//! units in one window, and a `WindowCounter` in two.
//!
//! Most keys are checked only with the limiter's own period. Their state is `Counts::Plain`. A key
//! that is checked with other periods needs a larger state, `Counts::Apart`.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::array;
use core::borrow::{Borrow, BorrowMut};
use core::time::Duration;

use super::limiter::Under;
use super::{Decision, Funnel, Limiter, Quota, SingleQuota, Verdict};
use crate::Timestamp;

/// A counter that restarts at every multiple of the period.
///
/// It is the simplest limiter, but it can allow **twice the limit** almost at once: the whole limit
/// at the end of one window, and again at the start of the next. It is meant as a baseline for
/// comparison. [`SlidingWindow`](super::SlidingWindow) and [`Funnel`](super::Funnel) have no such
/// boundary. For the effect of a changed period, see [`WindowCounter`](WindowCounter#quotas).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Direct, FixedWindow, Quota, Timestamp};
///
/// let mut window = Direct::new(FixedWindow::new(Quota::new(100, Duration::from_secs(1))?));
/// let end = Timestamp::from_nanos(999_999_999);
/// assert!(window.check_n(100, end).is_allowed());
/// // One nanosecond later, 100 more: 200 within two nanoseconds.
/// assert!(window.check_n(100, end.saturating_add(Duration::from_nanos(1))).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedWindow {
    quota: Quota,
}

/// An approximate sliding window in constant memory: for long windows and large limits.
///
/// It counts units in windows that start at multiples of the period. The count of the previous
/// window is multiplied by the part of it that a sliding window would still cover, as if its units
/// were spread evenly. Cloudflare described this in "How we built rate limiting capable of scaling
/// to millions of domains" (2017):
///
/// ```text
///      previous           current
/// ├────────────────┼────────────────┤
///        ├──────────────────┤ now          previous * 9/16 + current, rounded up
/// ```
///
/// **Error**: if the units of the previous window came late in it, some periods may contain more
/// allowed units than the limit, but less than twice the limit. If they came early, fewer units
/// than the limit are allowed. In a test with a limit of 100 and random arrivals at twice the
/// permitted rate, no period contains more than 120 units. With smaller limits, random arrivals
/// exceed the limit by a larger part.
///
/// # Quotas
///
/// The times of single units are not recorded. So if the period changes, or a call uses a different
/// period, each unit counts in the latest window of the new period in which it may have been
/// allowed. This errs on the side of denying.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Direct, Quota, Timestamp, WindowCounter};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let quota = Quota::new(1_000_000, Duration::from_secs(86_400))?;
/// let mut counter = Direct::new(WindowCounter::new(quota));
/// assert!(counter.check_n(1_000_000, at(0)).is_allowed());
/// // Six hours into the next day, three quarters of them still count.
/// assert_eq!(counter.peek_n(0, at(86_400 + 21_600)).remaining, 250_000);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowCounter {
    quota: Quota,
}

/// Implements a limiter that counts units in `$windows` windows.
macro_rules! counter {
    ($limiter:ident, $windows:literal) => {
        impl $limiter {
            /// Makes the algorithm. **O(1)**.
            pub const fn new(quota: Quota) -> Self {
                $limiter { quota }
            }

            /// Returns the quota. **O(1)**.
            pub const fn quota(self) -> Quota {
                self.quota
            }
        }

        impl Limiter for $limiter {
            type State = Counts<$windows>;

            const NEW: Self::State = Counts::NEW;

            const ADAPTS: bool = true;

            #[inline]
            fn check_n(&self, counts: &mut Self::State, n: u32, now: Timestamp) -> Decision {
                counts.check(self.quota, n, now)
            }

            fn peek_n(&self, counts: &Self::State, n: u32, now: Timestamp) -> Decision {
                counts.exact(self.quota).peek(self.quota, self.quota, n, now)
            }

            fn record(&self, counts: &mut Self::State, n: u32, now: Timestamp) {
                counts.change(self.quota, |counts| counts.record(self.quota, n, now));
            }

            /// Refunds at most the units that count at the time of the latest call.
            fn refund(&self, counts: &mut Self::State, n: u32) -> u32 {
                counts.change(self.quota, |counts| counts.refund(n))
            }

            fn idle_from(&self, counts: &Self::State) -> Timestamp {
                counts.exact(self.quota).idle_from(self.quota)
            }

            fn adapt(&self, counts: &mut Self::State, before: &Self) {
                let mut exact = counts.exact(before.quota);
                exact.change_period(self.quota);
                counts.keep(exact);
            }

            fn terms(&self) -> Option<Funnel> {
                Some(self.quota.into())
            }

            fn under(&self, terms: Funnel) -> Option<impl Limiter<State = Self::State>> {
                Some(Under { limiter: *self, terms: terms.quota() })
            }
        }

        impl SingleQuota for $limiter {
            type Terms = Quota;

            fn quota(&self) -> Quota {
                self.quota
            }

            fn set_quota(&mut self, quota: Quota) {
                self.quota = quota;
            }

            fn check_with(
                &self,
                counts: &mut Self::State,
                quota: Quota,
                n: u32,
                now: Timestamp,
            ) -> Decision {
                counts.change(self.quota, |counts| counts.check(self.quota, quota, n, now))
            }

            fn peek_with(
                &self,
                counts: &Self::State,
                quota: Quota,
                n: u32,
                now: Timestamp,
            ) -> Decision {
                counts.exact(self.quota).peek(self.quota, quota, n, now)
            }
        }
    };
}

counter!(FixedWindow, 1);
counter!(WindowCounter, 2);

/// The units in the latest windows: the state of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counts<const WINDOWS: usize> {
    /// The state of a key whose calls have all used the limiter's own period, if the counts fit
    /// into 32 bits.
    Plain {
        /// See [`Exact`].
        newest: Timestamp,
        units: [u32; WINDOWS],
        forgotten: u32,
        forgotten_latest: Timestamp,
    },
    /// Any other state.
    Apart(Apart<WINDOWS>),
}

/// On the heap if the `alloc` feature is enabled: there may be millions of keys, and few need these
/// counts.
#[cfg(feature = "alloc")]
type Apart<const WINDOWS: usize> = Box<Exact<WINDOWS>>;
#[cfg(not(feature = "alloc"))]
type Apart<const WINDOWS: usize> = Exact<WINDOWS>;

impl<const WINDOWS: usize> Counts<WINDOWS> {
    const NEW: Self = Counts::Plain {
        newest: Timestamp::ZERO,
        units: [0; WINDOWS],
        forgotten: 0,
        forgotten_latest: Timestamp::ZERO,
    };

    /// Returns the exact counts; `own` is the limiter's quota.
    #[inline]
    fn exact(&self, own: Quota) -> Exact<WINDOWS> {
        match *self {
            Counts::Plain { newest, units, forgotten, forgotten_latest } => Exact {
                period: own.period_in_nanos(),
                others: OtherPeriods::NONE,
                units: units.map(u64::from),
                forgotten: Forgotten { units: forgotten.into(), latest: forgotten_latest },
                newest,
            },
            Counts::Apart(ref apart) => *Borrow::<Exact<WINDOWS>>::borrow(apart),
        }
    }

    /// Stores the exact counts.
    #[inline]
    fn keep(&mut self, exact: Exact<WINDOWS>) {
        let Exact { others, units, forgotten, newest, .. } = exact;
        let most = units.iter().fold(forgotten.units, |most, units| most | units);
        // If calls have used no other periods, the period is the limiter's own.
        if most <= u32::MAX.into() && others.is_none() {
            *self = Counts::Plain {
                newest,
                units: units.map(|units| units as u32),
                forgotten: forgotten.units as u32,
                forgotten_latest: forgotten.latest,
            };
        } else {
            self.keep_apart(exact);
        }
    }

    #[cold]
    fn keep_apart(&mut self, exact: Exact<WINDOWS>) {
        if let Counts::Apart(apart) = self {
            *BorrowMut::<Exact<WINDOWS>>::borrow_mut(apart) = exact;
            return;
        }
        #[cfg(feature = "alloc")]
        let exact = Box::new(exact);
        *self = Counts::Apart(exact);
    }

    /// Decides by the limiter's quota.
    #[inline]
    fn check(&mut self, own: Quota, n: u32, now: Timestamp) -> Decision {
        if let Counts::Plain { newest, units, .. } = self {
            // `now` is never before `newest`. The condition is true if both are in the same window.
            // The remainder costs little here, since `decide` computes it too.
            if now.as_nanos().saturating_sub(newest.as_nanos())
                <= now.as_nanos() % own.period_in_nanos()
            {
                let decision = decide(own, n, units.map(u64::from), now);
                if decision.is_allowed() {
                    // The sum cannot overflow: it is at most the limit.
                    units[0] += n;
                }
                *newest = now;
                return decision;
            }
        }
        self.check_exactly(own, n, now)
    }

    #[cold]
    #[inline(never)]
    fn check_exactly(&mut self, own: Quota, n: u32, now: Timestamp) -> Decision {
        self.change(own, |counts| counts.check(own, own, n, now))
    }

    /// Changes the counts; `own` is the limiter's quota.
    fn change<R>(&mut self, own: Quota, change: impl FnOnce(&mut Exact<WINDOWS>) -> R) -> R {
        let mut exact = self.exact(own);
        let result = change(&mut exact);
        self.keep(exact);
        result
    }
}

/// The counts of a key whose calls may have any periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact<const WINDOWS: usize> {
    /// The period of the windows, in nanoseconds: the period of the quota used last.
    period: u64,
    /// The periods that calls have used, except the limiter's own.
    others: OtherPeriods,
    /// The units in the window of `newest`, followed by those in the window before it.
    units: [u64; WINDOWS],
    /// The units in earlier windows.
    forgotten: Forgotten,
    /// The time of the latest call.
    newest: Timestamp,
}

impl<const WINDOWS: usize> Exact<WINDOWS> {
    /// Changes the period of the windows to that of `quota`; `own` is the limiter's quota.
    #[inline]
    fn use_period(&mut self, own: Quota, quota: Quota) {
        if quota.period_in_nanos() == self.period {
            return;
        }
        if quota.period() != own.period() {
            self.others = self.others.with(quota.period_in_nanos());
        }
        self.change_period(quota);
    }

    #[cold]
    fn change_period(&mut self, quota: Quota) {
        // Groups of units, each with the latest time at which its units may have been allowed.
        let counted: [_; WINDOWS] =
            array::from_fn(|window| (self.latest_in(window), self.units[window]));
        let groups = counted.into_iter().chain(self.forgotten.within(u64::MAX, self.newest));
        self.clear();
        self.period = quota.period_in_nanos();
        for (latest, units) in groups {
            let window = usize::try_from(self.window(self.newest) - self.window(latest));
            match window.ok().and_then(|window| self.units.get_mut(window)) {
                Some(count) => *count = (*count + units).min(MOST_UNITS),
                None => self.forgotten.add(units, latest),
            }
        }
    }

    fn clear(&mut self) {
        (self.units, self.forgotten) = ([0; WINDOWS], Forgotten::NONE);
    }

    /// Decides by `quota`, the quota of the call. `own` is the limiter's quota.
    #[inline]
    fn check(&mut self, own: Quota, quota: Quota, n: u32, now: Timestamp) -> Decision {
        self.use_period(own, quota);
        self.advance(now);
        let decision = decide(quota, n, self.units, now);
        if decision.is_allowed() {
            self.units[0] += u64::from(n);
        }
        decision
    }

    fn peek(&self, own: Quota, quota: Quota, n: u32, now: Timestamp) -> Decision {
        if quota.period_in_nanos() != self.period {
            let mut changed = *self;
            changed.use_period(own, quota);
            return changed.peek(own, quota, n, now);
        }
        let units = self.units_after(self.window(now) - self.window(self.newest));
        decide(quota, n, units, now)
    }

    fn record(&mut self, own: Quota, n: u32, now: Timestamp) {
        self.use_period(own, own);
        self.advance(now);
        self.units[0] = (self.units[0] + u64::from(n)).min(MOST_UNITS);
    }

    fn refund(&mut self, n: u32) -> u32 {
        let mut rest = u64::from(n);
        for units in &mut self.units {
            let refunded = rest.min(*units);
            *units -= refunded;
            rest -= refunded;
        }
        n - rest as u32
    }

    /// Returns the index of the window that contains `time`.
    fn window(&self, time: Timestamp) -> u64 {
        time.as_nanos() / self.period
    }

    /// Returns the latest time at which units of `self.units[window]` may have been allowed.
    fn latest_in(&self, window: usize) -> Timestamp {
        if window == 0 {
            return self.newest;
        }
        let next = self.window(self.newest).saturating_sub(window as u64 - 1);
        Timestamp::from_nanos((next * self.period).saturating_sub(1))
    }

    /// Returns the units in the latest windows once some more windows have passed.
    fn units_after(&self, passed: u64) -> [u64; WINDOWS] {
        array::from_fn(|window| {
            (window as u64).checked_sub(passed).map_or(0, |window| self.units[window as usize])
        })
    }

    /// Records a time that is not before `newest`, and moves on to the window of that time.
    fn advance(&mut self, now: Timestamp) {
        let passed = self.window(now) - self.window(self.newest);
        for window in 0..WINDOWS {
            if passed >= (WINDOWS - window) as u64 {
                self.forgotten.add(self.units[window], self.latest_in(window));
            }
        }
        self.units = self.units_after(passed);
        self.newest = now;
    }

    /// Returns the latest time at which a unit may have been allowed, if there are any.
    fn latest(&self) -> Option<Timestamp> {
        let windows = (0..WINDOWS).filter(|&window| self.units[window] > 0);
        windows.map(|window| self.latest_in(window)).chain(self.forgotten.latest()).max()
    }

    /// Returns the time from which no unit counts in any window, for any period used so far. `own`
    /// is the limiter's quota. A check never makes this time earlier.
    fn idle_from(&self, own: Quota) -> Timestamp {
        let Some(latest) = self.latest() else { return Timestamp::ZERO };
        let after = |start: u64, period: u64| {
            Timestamp::from_nanos(start.saturating_add(WINDOWS as u64 * period))
        };
        let over = |period: u64| after(latest.as_nanos() - latest.as_nanos() % period, period);
        let own = over(own.period_in_nanos());
        match self.others.longest() {
            None => own,
            Some(period) if self.others.is_one() => own.max(over(period)),
            // By this time, the units do not count under any shorter period either.
            Some(period) => own.max(after(latest.as_nanos(), period)),
        }
    }
}

/// Decides by the units in the latest windows of the quota's period.
#[inline]
fn decide<const WINDOWS: usize>(
    quota: Quota,
    n: u32,
    mut units: [u64; WINDOWS],
    now: Timestamp,
) -> Decision {
    let (limit, period) = (quota.count(), quota.period_in_nanos());
    let elapsed = now.as_nanos() % period;
    let rest = period - elapsed;
    let (current, previous) = (units[0], units.get(1).copied());
    let weighed = previous.map_or(0, |previous| {
        // The cast is lossless: the result is at most `previous`.
        (u128::from(previous) * u128::from(rest)).div_ceil(period.into()) as u64
    });
    // After a change to a smaller quota, the units may exceed the limit.
    let room = u64::from(limit).saturating_sub(weighed + current);
    let verdict = if n > limit {
        Verdict::Never
    } else if n == 0 || u64::from(n) <= room {
        Verdict::Allowed
    } else {
        let wanted = u64::from(limit - n);
        let retry_after = match (previous, wanted.checked_sub(current)) {
            // The call is allowed in the next window, where none of the units in this window count.
            (None, _) => rest,
            // The call is allowed in this window, once the previous window weighs little enough.
            (Some(previous), Some(room)) => sliding_out(previous, room, period) - elapsed,
            // The call is allowed in the next window, once this window weighs little enough.
            (Some(_), None) => rest + sliding_out(current, wanted, period),
        };
        Verdict::Denied { retry_after: Duration::from_nanos(retry_after) }
    };
    let taken = if verdict == Verdict::Allowed { u64::from(n) } else { 0 };
    units[0] += taken;
    // The whole limit is available once the newest units no longer count.
    let newest = units.iter().position(|&units| units > 0);
    let reset_after = newest.map_or(0, |window| rest + (WINDOWS - 1 - window) as u64 * period);
    Decision {
        verdict,
        limit,
        // The cast is lossless: the result is at most the limit.
        remaining: (room - taken) as u32,
        reset_after: Duration::from_nanos(reset_after),
    }
}

/// The periods that calls have used: the longest of them, and whether there are others. This fits
/// into one word, which keeps the state of a key small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OtherPeriods(u64);

impl OtherPeriods {
    const NONE: OtherPeriods = OtherPeriods(0);

    /// This bit is set if there are other, shorter periods. It is free, since every period is below
    /// 2^62.
    const SEVERAL: u64 = 1 << 63;

    /// Adds a period, in nanoseconds.
    fn with(self, period: u64) -> Self {
        match self.longest() {
            None => OtherPeriods(period),
            Some(longest) if longest == period => self,
            Some(longest) => OtherPeriods(longest.max(period) | Self::SEVERAL),
        }
    }

    fn is_none(self) -> bool {
        self == Self::NONE
    }

    fn longest(self) -> Option<u64> {
        Some(self.0 & !Self::SEVERAL).filter(|&period| period > 0)
    }

    /// Returns whether there are no periods besides the longest.
    fn is_one(self) -> bool {
        self.0 & Self::SEVERAL == 0
    }
}

/// Returns how many nanoseconds of a window must pass until the `units` of the previous window
/// count as at most `room`.
pub fn sliding_out(units: u64, room: u64, period: u64) -> u64 {
    if units <= room {
        return 0;
    }
    let allowed = u128::from(room) * u128::from(period) / u128::from(units);
    // `allowed` is less than the period, since `room` is less than `units`.
    period - allowed as u64
}

/// The largest number of units counted: above any limit, and small enough that sums cannot
/// overflow.
pub(super) const MOST_UNITS: u64 = u64::MAX / 4;

/// The number of units that a limiter has forgotten, and a time by which all of them were allowed.
///
/// The units may count again under a quota with a longer period. The limiter then assumes that all
/// of them were allowed as late as possible, which errs on the side of denying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forgotten {
    units: u64,
    /// None of the units was allowed after this time.
    latest: Timestamp,
}

impl Forgotten {
    pub(super) const NONE: Forgotten = Forgotten { units: 0, latest: Timestamp::ZERO };

    /// Adds units, none of which was allowed after `latest`.
    pub(super) fn add(&mut self, units: u64, latest: Timestamp) {
        if units > 0 {
            self.units = self.units.saturating_add(units).min(MOST_UNITS);
            self.latest = self.latest.max(latest);
        }
    }

    /// Returns the units and the time at which they count, if they may be less than `period`
    /// nanoseconds old.
    pub(super) fn within(&self, period: u64, now: Timestamp) -> Option<(Timestamp, u64)> {
        let age = now.as_nanos().saturating_sub(self.latest.as_nanos());
        (self.units > 0 && age < period).then_some((self.latest, self.units))
    }

    /// Returns a time by which all of the units were allowed, if there are any.
    pub(super) fn latest(&self) -> Option<Timestamp> {
        (self.units > 0).then_some(self.latest)
    }
}
