//! [`Keyed`]: a limiter of many keys.

#[cfg(all(test, not(zset_loom)))]
mod tests;

use std::borrow::Borrow;
use std::boxed::Box;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::mem;
use std::path::{Path, PathBuf};
use std::string::String;
use std::sync::Arc;
use std::time::Duration;
use std::vec::Vec;

use super::hold::Place;
use super::lines::Lines;
use super::observer::{Observer, Observers};
use super::registry::{Locked, Registry, default_shards};
use super::{
    Decision, Funnel, Limiter, Quota, SingleQuota, Throttle, ThrottleError, Verdict, WaitReady,
};
use crate::at::timed;
use crate::sync::{Mutex, SpinLock, lock};
use crate::{At, Clock, MonotonicClock, RandomState, Timestamp};

/// A limiter of many keys, shared by threads: an algorithm `L`, and its state for each key.
///
/// Keys are distributed over shards, each with its own lock. When the table of a shard grows, all
/// of its entries are moved, and other calls for keys of the shard wait. By default, keys are
/// hashed with a random seed ([`RandomState`]), so an attacker who does not know the seed cannot
/// choose colliding keys. Calls take a borrowed key, such as `&str` for `String` or `Arc<str>`: see
/// [`ToKey`].
///
/// A key occupies memory from its first check, record or hold of units until it is
/// [reset](Self::reset) or swept. A sweep removes idle keys. A key is idle if no check under the
/// limiter's quotas, or those of its calls, can distinguish it from a new key. A
/// [`refund`](Self::refund) may distinguish the two. Each new key sweeps a few idle keys, and
/// [`sweep`](Self::sweep) sweeps on demand. [`with_max_keys`](Self::with_max_keys) bounds the
/// number of keys.
///
/// Sweeping a key discards its history. If a period is set later, or passed by a
/// [call](Self::check_with) for the first time, the key's earlier units do not count under that
/// period.
///
/// A [`Hold`](super::Hold) reserves units that may turn out not to count. Until this is known,
/// every check and peek counts them like units on record.
///
/// A clock that steps back never grants more, since each shard uses the latest time of a check,
/// record, hold or sweep of its keys. A peek does not advance this time. The durations of a
/// [`Decision`] still count from the time of the call.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FakeClock, Funnel, Keyed, Quota, SlidingWindow};
///
/// let clock = FakeClock::new();
/// let per_minute = SlidingWindow::new(Quota::new(2, Duration::from_secs(60))?);
/// let payments = Keyed::<String, _>::new(per_minute).with_clock(clock.clone());
/// assert!(payments.check("ann").is_allowed());
/// assert!(payments.check("ann").is_allowed());
/// assert!(!payments.check("ann").is_allowed());
/// assert!(payments.check("bob").is_allowed());
/// clock.advance(Duration::from_secs(60));
/// assert!(payments.check("ann").is_allowed());
///
/// // Ten per minute for each user and action, and up to three at once.
/// let quota = Quota::new(10, Duration::from_secs(60))?;
/// let funnel = Funnel::new(quota).with_capacity(3)?;
/// let actions = Keyed::<(u64, String), _>::new(funnel).with_clock(clock.clone());
/// assert!(actions.check_n(&(7, "pay"), 3).is_allowed());
/// let denied = actions.check(&(7, "pay"));
/// assert_eq!(denied.retry_after(), Some(Duration::from_secs(6)));
/// assert!(actions.check(&(7, "refund")).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub struct Keyed<K, L: Limiter, C = MonotonicClock, H = RandomState> {
    keys: Registry<K, L, H>,
    /// The state shared by keys without room, if the policy is [`WhenFull::SharedBucket`].
    shared: Option<Shared<L>>,
    /// Locked while the algorithm changes: two concurrent changes could leave different algorithms
    /// in different shards.
    changing: Mutex<()>,
    clock: C,
    observers: Observers,
    pub(super) lines: Lines<K>,
}

impl<K: Eq + Hash, L: Limiter> Keyed<K, L> {
    /// Makes a limiter without keys. **O(1)**.
    pub fn new(limiter: L) -> Self {
        Keyed {
            keys: Registry::new(limiter, RandomState::new(), usize::MAX, default_shards()),
            shared: None,
            changing: Mutex::new(()),
            clock: MonotonicClock::new(),
            observers: Observers::default(),
            lines: Lines::default(),
        }
    }
}

/// Builder methods, which must be called before the limiter is in use.
impl<K: Eq + Hash, L: Limiter, C, H: BuildHasher> Keyed<K, L, C, H> {
    /// Returns the limiter with a different clock. **O(1)**.
    pub fn with_clock<C2>(self, clock: C2) -> Keyed<K, L, C2, H> {
        let Keyed { keys, shared, changing, observers, lines, .. } = self;
        Keyed { keys, shared, changing, clock, observers, lines }
    }

    /// Returns the limiter with a different hasher, discarding any keys. **O(1)**.
    pub fn with_hasher<H2: BuildHasher>(self, hasher: H2) -> Keyed<K, L, C, H2> {
        let Keyed { keys, shared, changing, clock, observers, .. } = self;
        let keys = Registry::new(keys.copy_limiter(), hasher, keys.max_keys, default_shards());
        Keyed { keys, shared, changing, clock, observers, lines: Lines::default() }
    }

    /// Returns the limiter with a bound on the number of keys, and a policy for new keys above it.
    /// **O(1)**.
    ///
    /// The policy applies only if no key is idle; otherwise an idle key is swept to make room. A
    /// key in use is never swept. Finding an idle key, for a check or a peek, takes **O(log n)**
    /// amortized.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Keyed, Quota, SlidingWindow, WhenFull};
    ///
    /// let window = SlidingWindow::new(Quota::new(2, Duration::from_secs(60))?);
    /// let limiter = Keyed::<u32, _>::new(window).with_max_keys(1, WhenFull::RefuseNew);
    /// assert!(limiter.check(&1).is_allowed());
    /// assert!(!limiter.check(&2).is_allowed());
    /// assert!(limiter.check(&1).is_allowed());
    ///
    /// let limiter = Keyed::<u32, _>::new(window).with_max_keys(1, WhenFull::SharedBucket);
    /// assert!(limiter.check_n(&1, 2).is_allowed());
    /// assert!(limiter.check(&2).is_allowed());
    /// assert!(limiter.check(&3).is_allowed());
    /// assert!(!limiter.check(&2).is_allowed()); // 2 and 3 share a window
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn with_max_keys(mut self, max_keys: usize, when_full: WhenFull) -> Self {
        self.keys.max_keys = max_keys;
        self.shared = match when_full {
            WhenFull::RefuseNew => None,
            WhenFull::SharedBucket => Some(Shared::new(self.keys.copy_limiter())),
        };
        self
    }

    /// Returns the limiter with an observer of its decisions; [`Observer`] lists which. **O(1)**.
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers = Observers::of(observer);
        self
    }
}

impl<K: Eq + Hash, L: Limiter, C, H: BuildHasher> Keyed<K, L, C, H> {
    /// Returns the algorithm. **O(1)**.
    pub fn limiter(&self) -> L {
        self.keys.copy_limiter()
    }

    /// Changes the algorithm, e.g. one quota of [`Limits`](super::Limits). Units already allowed
    /// stay on record, but another variant of [`AnyLimiter`](super::AnyLimiter) drops them. For
    /// what a funnel carries over, see [`check_with`](Self::check_with).
    ///
    /// **O(n log n)** for n keys, or **O(shards)** for a [`Funnel`], locking one shard at a time.
    ///
    /// A key with units on record in a sliding window is idle once they are older than the longest
    /// period so far.
    #[expect(clippy::needless_pass_by_value, reason = "it is the argument of `Direct` too")]
    pub fn set_limiter(&self, limiter: L) {
        self.set(|own| own.clone_from(&limiter));
    }

    /// Calls `refund` on the state of a key, and returns the number of units refunded.
    pub(super) fn refund_by<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        refund: impl FnOnce(&L, &mut L::State) -> u32,
    ) -> u32 {
        self.keys.lock(key, Timestamp::ZERO).shorten(refund).unwrap_or(0)
    }

    fn set(&self, mut set: impl FnMut(&mut L)) {
        let _changing = lock(&self.changing);
        self.keys.set(&mut set);
        if let Some(shared) = &self.shared {
            shared.set(set);
        }
    }
}

impl<K: Eq + Hash, L: SingleQuota, C, H: BuildHasher> Keyed<K, L, C, H> {
    /// Returns the quota of each key. **O(1)**.
    ///
    /// Every algorithm but [`Limits`](super::Limits), which has several, has a quota.
    pub fn quota(&self) -> Quota {
        self.keys.copy_limiter().quota()
    }

    /// Changes the quota of all keys and, with a [`Funnel`], the capacity, at the cost of
    /// [`set_limiter`](Self::set_limiter); units already allowed stay on record. For the effect of
    /// a changed period, and for what a funnel carries over, see [`check_with`](Self::check_with).
    pub fn set_quota(&self, quota: impl Into<L::Terms>) {
        let terms = quota.into();
        self.set(|limiter| limiter.set_quota(terms));
    }

    /// Like [`refund`](Self::refund) and at the same cost, for units that were allowed under
    /// another quota.
    pub fn refund_with<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        quota: impl Into<L::Terms>,
        n: u32,
    ) -> u32 {
        let terms = quota.into();
        self.refund_by(key, |limiter, state| limiter.refund_with(state, terms, n))
    }
}

timed!(impl[K: Eq + Hash, L: Limiter, C: Clock, H: BuildHasher] Keyed<K, L, C, H> {
    /// Allows one unit of a key, or denies it. **O(1)** expected to find the key, plus the cost of
    /// its limiter; **O(log n)** amortized for a new key.
    #[inline]
    pub fn check<Q: ToKey<K> + ?Sized>(&self, key: &Q) -> Decision {
        self.check_n(key, 1)
    }

    /// Like [`check`](Self::check) and at the same cost, for `n` units, which are allowed together
    /// or all denied; 0 units are always allowed, and insert no key.
    #[inline]
    pub fn check_n<Q: ToKey<K> + ?Sized>(&self, key: &Q, n: u32) -> Decision {
        let (keyed, now) = self.timed();
        let with_held = |limiter: &L, state: &mut _, held, now| limiter.hold_n(state, n, held, now);
        // Most calls are for one unit. With a constant `n`, the compiler makes a copy of the code
        // that needs fewer instructions.
        if n == 1 {
            let check = |limiter: &L, state: &mut _, now| limiter.check_n(state, 1, now);
            return keyed.check_by(key, 1, now, check, with_held);
        }
        let check = |limiter: &L, state: &mut _, now| limiter.check_n(state, n, now);
        keyed.check_by(key, n, now, check, with_held)
    }

    /// Returns what [`check`](Self::check) would return, without recording a unit or inserting a
    /// key. **O(1)** expected to find the key, plus the cost of its limiter.
    pub fn peek<Q: ToKey<K> + ?Sized>(&self, key: &Q) -> Decision {
        self.peek_n(key, 1)
    }

    /// Like [`peek`](Self::peek) and at the same cost, but returns what [`check_n`](Self::check_n)
    /// would return.
    pub fn peek_n<Q: ToKey<K> + ?Sized>(&self, key: &Q, n: u32) -> Decision {
        let (keyed, now) = self.timed();
        keyed.peek_own(key, n, now)
    }

    /// Returns whether the limit of a key is reached, i.e. whether not even one unit would be
    /// allowed. Costs as much as a peek.
    ///
    /// For a key without room, this reports on the shared state, or returns `true` if new keys are
    /// refused.
    pub fn over_limit<Q: ToKey<K> + ?Sized>(&self, key: &Q) -> bool {
        self.peek_n(key, 0).remaining == 0
    }

    /// Records `n` units of a key, even beyond the limit; 0 units insert no key. Costs as much as a
    /// check.
    ///
    /// # Errors
    ///
    /// [`KeysFull`] if the key is new, there is no room for it, and new keys are refused.
    pub fn record<Q: ToKey<K> + ?Sized>(&self, key: &Q, n: u32) -> Result<(), KeysFull> {
        if n == 0 {
            return Ok(());
        }
        let (keyed, now) = self.timed();
        let record = |limiter: &L, state: &mut L::State, _, now| limiter.record(state, n, now);
        keyed.change(keyed.keys.lock(key, now), record, |_, _| ()).map_err(|_| KeysFull)
    }

    /// Examines about `budget` keys that may be idle, removes those that are, and returns their
    /// number.
    ///
    /// The budget is divided among the shards, rounded up for each. **O(b log n)** amortized for a
    /// budget of b, and at least **O(shards)**. As with a check, later calls never use an earlier
    /// time, so do not sweep at a time in the future.
    pub fn sweep(&self, budget: usize) -> usize {
        let (keyed, now) = self.timed();
        let swept = keyed.keys.sweep(now, budget);
        keyed.observers.swept(swept);
        swept
    }
});

timed!(impl[K: Eq + Hash, L: SingleQuota, C: Clock, H: BuildHasher] Keyed<K, L, C, H> {
    /// Like [`check_n`](Self::check_n) and at the same cost, with a different quota for this call.
    ///
    /// It is for tiers, and for quotas from a database. If the algorithm is a funnel, pass a
    /// [`Funnel`] to set the capacity as well. All calls share the history of the key: units
    /// allowed under one quota count under the others, until the key is swept. A different count or
    /// capacity in each call is exact, except that a funnel carries over a time (see below). A
    /// changed period is exact where the times of units are known, and otherwise errs on the side
    /// of denying:
    ///
    /// | limiter | a changed period |
    /// |---|---|
    /// | [`SlidingWindow`](super::SlidingWindow#exactness) | exact up to the longest period so far |
    /// | [`Funnel`] | exact: the time at which the funnel is empty carries over |
    /// | [`WindowCounter`](super::WindowCounter), [`FixedWindow`](super::FixedWindow) | each unit counts in the latest window in which it may have been allowed |
    ///
    /// So counters whose periods alternate on one key may deny much more than either quota; a
    /// sliding window or a funnel does not.
    ///
    /// A key is idle once none of its units counts under any period that was used with it,
    /// including the limiter's own; after [`set_quota`](Keyed::set_quota), that is the new one.
    /// Once the key is swept, a call with another period treats it as new, although a window of
    /// that period may still contain units:
    ///
    /// - in a sliding window, with a period longer than all others;
    /// - in a counter, with a period that divides none of the others.
    ///
    /// To avoid this, make the limiter with the longest period, and let all others divide it. A
    /// counter remembers its own period and one other. If there are more, it remembers the longest
    /// of them, and keeps the key up to a window longer.
    ///
    /// A funnel carries over the time at which it is empty, not the number of units. After 1 unit
    /// of 1 a minute, a quota of 3 a minute denies for 20 seconds, where a window allows 2 units at
    /// once. So a user who upgrades may have to wait first: with a window, the higher quota counts
    /// at once.
    ///
    /// [`Limits`](super::Limits), which have several quotas, do not have this method.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Keyed, Quota, SlidingWindow};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(60))?;
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// let funnels = Keyed::<u32, _>::new(Funnel::new(quota));
    /// assert!(funnels.check_with(&1, generous, 5).is_allowed());
    /// let windows = Keyed::<u32, _>::new(SlidingWindow::new(quota));
    /// assert!(windows.check_with(&1, generous, 4).is_allowed());
    /// // The four units count under the other quota too.
    /// assert!(!windows.check(&1).is_allowed());
    /// assert!(windows.check_with(&1, generous, 1).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn check_with<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        quota: impl Into<L::Terms>,
        n: u32,
    ) -> Decision {
        let terms = quota.into();
        let (keyed, now) = self.timed();
        let check = |limiter: &L, state: &mut _, now| limiter.check_with(state, terms, n, now);
        keyed.check_by(key, n, now, check, |limiter, state, held, now| {
            limiter.hold_with(state, terms, n, held, now)
        })
    }

    /// Like [`peek`](Self::peek) and at the same cost, but returns what
    /// [`check_with`](Self::check_with) would return.
    pub fn peek_with<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        quota: impl Into<L::Terms>,
        n: u32,
    ) -> Decision {
        let terms = quota.into();
        let (keyed, now) = self.timed();
        let peek = |limiter: &L, state: &_, now| limiter.peek_with(state, terms, n, now);
        keyed.peek_by(key, n, now, peek, |limiter, state, held, now| {
            limiter.hold_with(state, terms, n, held, now)
        })
    }
});

impl<K: Eq + Hash, L: Limiter, C: Clock, H: BuildHasher> Keyed<K, L, C, H> {
    /// Returns the limiter at time `now`, for the calls that depend on the time: its clock is not
    /// read. **O(1)**.
    #[inline]
    pub fn at(&self, now: Timestamp) -> At<'_, Self> {
        At::new(self, now)
    }

    /// Waits until units of a key are allowed, either by blocking or as a future. **O(1)**.
    #[doc(alias = "until_ready")]
    pub fn wait_ready<'a, Q: ToKey<K> + ?Sized>(
        &'a self,
        key: &'a Q,
    ) -> WaitReady<'a, K, L, C, H, Q> {
        WaitReady::new(self, key)
    }

    /// Refunds the `n` newest units of a key, or all on record if they are fewer. Returns the
    /// number refunded. **O(log n)** expected, plus the cost of its limiter: for a sliding window,
    /// **O(1)** per entry affected, during which other calls for keys of the shard wait.
    ///
    /// These are the newest units of all calls for the key, not those of a particular call. If
    /// another call was allowed in the meantime, the older of the two stays on record, and stops
    /// counting earlier. A funnel does not record single units: `n` intervals of the limiter's
    /// quota leak out at once. Units taken from the shared state of keys without room are not
    /// refunded.
    ///
    /// A refund does not depend on the time: units are on record until a later check of the key
    /// finds them too old, or until the key is swept. So an idle key may refund units where a new
    /// one has none. After [`set_quota`](Self::set_quota) to a shorter period, the log of a key
    /// that was not swept keeps units for the longest period so far, including units allowed later.
    pub fn refund<Q: ToKey<K> + ?Sized>(&self, key: &Q, n: u32) -> u32 {
        self.refund_by(key, |limiter, state| limiter.refund(state, n))
    }

    /// Removes a key, with its history, and returns whether it was present. **O(log n)** expected,
    /// plus the cost of its limiter.
    ///
    /// A key with units that are [held](super::Hold) stays, with only these.
    pub fn reset<Q: ToKey<K> + ?Sized>(&self, key: &Q) -> bool {
        self.keys.remove(key)
    }

    /// Returns the number of keys, including idle ones that have not been swept yet. **O(1)**.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no keys. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the clock. **O(1)**.
    pub fn clock(&self) -> &C {
        &self.clock
    }

    /// Panics with a description if an invariant is violated. For tests. **O(n log n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.keys.check_invariants();
    }

    #[inline]
    fn timed(&self) -> (&Self, Timestamp) {
        (self, self.clock.now())
    }

    /// Decides on `n` units of a key, and reports the decision. `check` decides and records; if
    /// other units of the key are held, `with_held` decides first, without recording.
    #[inline]
    pub(super) fn check_by<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
        check: impl Fn(&L, &mut L::State, Timestamp) -> Decision + Copy,
        with_held: impl Fn(&L, &mut L::State, u64, Timestamp) -> Decision,
    ) -> Decision {
        let checked = self
            .keys
            .get(key, now, |limiter, state, counted| (check(limiter, state, counted), counted));
        let observers = &self.observers;
        match checked {
            Ok((decision, counted)) if counted <= now => observers.report(n, decision),
            Ok((decision, counted)) => observers.report(n, decision.counted_from(now, counted)),
            Err(locked) => observers.report(n, self.check_rare(n, now, locked, check, with_held)),
        }
    }

    /// Decides on a key that is absent or has held units.
    #[cold]
    fn check_rare<'a, Q: ToKey<K> + ?Sized>(
        &'a self,
        n: u32,
        now: Timestamp,
        locked: Locked<'a, K, L, Q>,
        check: impl Fn(&L, &mut L::State, Timestamp) -> Decision,
        with_held: impl Fn(&L, &mut L::State, u64, Timestamp) -> Decision,
    ) -> Decision {
        let locked = locked.or_held();
        let decide = |limiter: &L, state: &mut L::State, held, counted| {
            let decision = if held == 0 {
                check(limiter, state, counted)
            } else {
                let decision = with_held(limiter, state, held, counted);
                if decision.is_allowed() {
                    // The units were allowed even when held units counted as taken. This check,
                    // which ignores held units, allows them too, and records them.
                    let _ = check(limiter, state, counted);
                }
                decision
            };
            decision.counted_from(now, counted)
        };
        if n == 0 && !locked.is_present() {
            // A call for 0 units records nothing, so do not insert the key.
            return self.peek_absent(n, now, locked, |limiter, state, held, counted| {
                decide(limiter, &mut state.clone(), held, counted)
            });
        }
        let peek = |limiter: &L, counted| {
            let mut new = L::NEW;
            check(limiter, &mut new, counted)
        };
        self.change(locked, decide, peek)
            .unwrap_or_else(|(new, retry_at)| refused(new, n, now, retry_at))
    }

    /// Holds units of a key if they are allowed under `terms`, or under the limiter's own if
    /// `None`; see [`Hold`](super::Hold).
    pub(super) fn hold<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        terms: Option<Funnel>,
        n: u32,
        now: Timestamp,
    ) -> (Decision, Place) {
        if n == 0 {
            // Nothing is held, so the place does not matter.
            return (self.preview(key, terms, 0, now), Place::Key);
        }
        let decide = |limiter: &L, state: &mut L::State, held, counted| {
            hold_under(limiter, terms, state, (n, held), counted).counted_from(now, counted)
        };
        let holds = |decision: &Decision| if decision.is_allowed() { n } else { 0 };
        let bucket = |limiter: &L, now| {
            let peek = || peek_under(limiter, terms, &L::NEW, n, now);
            self.shared.as_ref().ok_or_else(peek)
        };
        let own = self.keys.get_or_insert(self.keys.lock(key, now), decide, holds, bucket);
        let (decision, place, swept) = match own {
            Ok((decision, swept)) => (decision, Place::Key, swept),
            Err(full) => {
                self.observers.full(full.swept);
                match full.without_room {
                    Ok(shared) => {
                        let decision = shared.change(full.now, |limiter, state, held, now| {
                            let decision = decide(limiter, state, *held, now);
                            *held += u64::from(holds(&decision));
                            decision
                        });
                        (decision, Place::Shared, 0)
                    }
                    Err(new) => (refused(new, n, now, full.retry_at), Place::Key, 0),
                }
            }
        };
        let release = || match holds(&decision) {
            0 => {}
            held => _ = self.settle(key, terms, place, (held, 0), now),
        };
        // If an observer panics, the caller does not get the hold, so this guard releases the
        // units.
        let released_on_panic = OnDrop(release);
        self.observers.swept(swept);
        let decision = self.observers.report(n, decision);
        mem::forget(released_on_panic);
        (decision, place)
    }

    /// Ends a hold of `held` units, `charged` of which are recorded, under one lock. Returns the
    /// number of the others.
    pub(super) fn settle<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        terms: Option<Funnel>,
        place: Place,
        (held, charged): (u32, u32),
        now: Timestamp,
    ) -> u32 {
        let charge = |limiter: &L, state: &mut L::State, now| {
            if charged == 0 {
                return;
            }
            match terms.and_then(|terms| limiter.under(terms)) {
                Some(limiter) => limiter.charge(state, charged, now),
                None => limiter.charge(state, charged, now),
            }
        };
        match (place, &self.shared) {
            (Place::Shared, Some(shared)) => {
                shared.change(self.keys.newest(key, now), |limiter, state, units, now| {
                    charge(limiter, state, now);
                    *units -= u64::from(held);
                });
            }
            _ => self.keys.lock(key, now).settle(held, charge),
        }
        held - charged
    }

    /// Changes the state of a key, inserting the key if it is absent, or the state shared by keys
    /// without room. `change` receives the number of held units and the effective time. If the key
    /// is refused, the error has the result of `peek` and the time to retry.
    fn change<'a, Q: ToKey<K> + ?Sized, R, T>(
        &'a self,
        locked: Locked<'a, K, L, Q>,
        change: impl Fn(&L, &mut L::State, u64, Timestamp) -> R,
        peek: impl Fn(&L, Timestamp) -> T,
    ) -> Result<R, (T, Timestamp)> {
        let bucket = |limiter: &L, now| self.shared.as_ref().ok_or_else(|| peek(limiter, now));
        match self.keys.get_or_insert(locked, &change, |_| 0, bucket) {
            Ok((result, swept)) => {
                self.observers.swept(swept);
                Ok(result)
            }
            Err(full) => {
                self.observers.full(full.swept);
                let shared = full.without_room.map_err(|new| (new, full.retry_at))?;
                Ok(shared.change(full.now, |limiter, state, held, now| {
                    change(limiter, state, *held, now)
                }))
            }
        }
    }

    /// Returns the decision on `n` units by the limiter's own quota.
    fn peek_own<Q: ToKey<K> + ?Sized>(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        let peek = |limiter: &L, state: &_, now| limiter.peek_n(state, n, now);
        self.peek_by(key, n, now, peek, |limiter, state, held, now| {
            limiter.hold_n(state, n, held, now)
        })
    }

    /// Returns the decision on `n` units under `terms`, or under the limiter's own if `None`.
    pub(super) fn preview<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        terms: Option<Funnel>,
        n: u32,
        now: Timestamp,
    ) -> Decision {
        let peek = |limiter: &L, state: &_, now| peek_under(limiter, terms, state, n, now);
        self.peek_by(key, n, now, peek, |limiter, state, held, now| {
            hold_under(limiter, terms, state, (n, held), now)
        })
    }

    /// Returns the decision of `peek`, at the effective time, on the state of a key: a new state if
    /// the key is absent, or the shared state if there is no room for it. If units are held,
    /// `with_held` decides instead, on a copy of the state.
    pub(super) fn peek_by<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
        peek: impl Fn(&L, &L::State, Timestamp) -> Decision,
        with_held: impl Fn(&L, &mut L::State, u64, Timestamp) -> Decision,
    ) -> Decision {
        let peek = |limiter: &L, state: &L::State, held, counted| {
            let decision = if held == 0 {
                peek(limiter, state, counted)
            } else {
                with_held(limiter, &mut state.clone(), held, counted)
            };
            decision.counted_from(now, counted)
        };
        let mut locked = self.keys.lock(key, now);
        let counted = locked.now;
        match locked.entry() {
            Some((limiter, state, held)) => peek(limiter, state, held, counted),
            None => self.peek_absent(n, now, locked, peek),
        }
    }

    /// Returns the decision of `peek` on a key that is absent.
    fn peek_absent<Q: ToKey<K> + ?Sized>(
        &self,
        n: u32,
        now: Timestamp,
        locked: Locked<'_, K, L, Q>,
        peek: impl Fn(&L, &L::State, u64, Timestamp) -> Decision,
    ) -> Decision {
        let counted = locked.now;
        let new = peek(locked.limiter(), &L::NEW, 0, counted);
        // `has_room` unlocks the shard, so the shard and the shared bucket are not locked at the
        // same time.
        match (self.keys.has_room(locked), &self.shared) {
            (Ok(()), _) => new,
            (Err(_), Some(shared)) => shared.read(counted, peek),
            (Err(retry_at), None) => refused(new, n, now, retry_at),
        }
    }
}

/// A borrowed form of a key. An owned key is made from it only when the key is inserted.
///
/// A key that is `Clone` is its own borrowed form. `String`, `OsString`, `PathBuf` and `Vec` also
/// have their usual borrowed forms, e.g. `str`. A `Box` or an `Arc` of such a form, e.g.
/// `Arc<str>`, is borrowed as that form. A key of two or three parts, some of them strings, is
/// borrowed as a tuple: `(u64, &str)` for `(u64, String)`. For your own key type, implement the
/// trait for its borrowed form.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use zset_std::{Keyed, Quota, SlidingWindow, ToKey};
///
/// let once = SlidingWindow::new(Quota::new(1, Duration::from_secs(60))?);
/// let users = Keyed::<Arc<str>, _>::new(once);
/// assert!(users.check("ann").is_allowed());
///
/// let limiter = Keyed::<(u64, String), _>::new(once);
/// assert!(limiter.check(&(7, "pay")).is_allowed());
/// assert!(!limiter.check(&(7, "pay".to_string())).is_allowed());
///
/// /// A user and a path, without an allocation. It hashes as the key does.
/// #[derive(Hash)]
/// struct Request<'a>(u64, &'a [u8]);
///
/// impl ToKey<(u64, Arc<[u8]>)> for Request<'_> {
///     fn is_key(&self, (user, path): &(u64, Arc<[u8]>)) -> bool {
///         (self.0, self.1) == (*user, &**path)
///     }
///
///     fn to_key(&self) -> (u64, Arc<[u8]>) {
///         (self.0, self.1.into())
///     }
/// }
///
/// let requests = Keyed::<(u64, Arc<[u8]>), _>::new(once);
/// assert!(requests.check(&Request(7, b"/a")).is_allowed());
/// assert!(!requests.check(&Request(7, b"/a")).is_allowed());
/// assert!(requests.check(&Request(7, b"/b")).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait ToKey<K>: Hash {
    /// Returns whether `key` is the key that [`to_key`](Self::to_key) makes.
    fn is_key(&self, key: &K) -> bool;

    /// Makes the key, which must have the same hash as `self`.
    fn to_key(&self) -> K;
}

impl<K: Clone + Eq + Hash> ToKey<K> for K {
    #[inline]
    fn is_key(&self, key: &K) -> bool {
        self == key
    }

    fn to_key(&self) -> K {
        self.clone()
    }
}

/// Implements [`ToKey`] for unsized types.
macro_rules! to_key {
    ($($owned:ty, $borrowed:ty $(, $item:ident)?;)*) => {$(
        to_key!(impl $owned, $borrowed $(, $item)?);
        to_key!(impl Box<$borrowed>, $borrowed $(, $item)?);
        to_key!(impl Arc<$borrowed>, $borrowed $(, $item)?);
    )*};
    (impl $key:ty, $borrowed:ty $(, $item:ident)?) => {
        impl$(<$item: Clone + Eq + Hash>)? ToKey<$key> for $borrowed {
            #[inline]
            fn is_key(&self, key: &$key) -> bool {
                self == Borrow::<$borrowed>::borrow(key)
            }

            fn to_key(&self) -> $key {
                self.into()
            }
        }
    };
}

to_key! {
    String, str;
    OsString, OsStr;
    PathBuf, Path;
    Vec<T>, [T], T;
}

/// Implements [`ToKey`] for tuples with at least one `&str`. Tuples without one are their own
/// borrowed form already, so an implementation for parts of any type would overlap with that.
macro_rules! tuple_to_key {
    ($(<$($same:ident),*; $($string:ident),*>
        $key:tt, $borrowed:ty, $($kind:ident $index:tt),*;)*) => {$(
        impl<$($same: Clone + Eq + Hash,)* $($string),*> ToKey<$key> for $borrowed
        where
            $(str: ToKey<$string>),*
        {
            #[inline]
            fn is_key(&self, key: &$key) -> bool {
                $(tuple_to_key!($kind self.$index).is_key(&key.$index))&&*
            }

            fn to_key(&self) -> $key {
                ($(tuple_to_key!($kind self.$index).to_key()),*)
            }
        }
    )*};
    (same $part:expr) => { (&$part) };
    (string $part:expr) => { $part };
}

tuple_to_key! {
    <A; S> (A, S), (A, &str), same 0, string 1;
    <A; S> (S, A), (&str, A), string 0, same 1;
    <; S, T> (S, T), (&str, &str), string 0, string 1;
    <A, B; S> (A, B, S), (A, B, &str), same 0, same 1, string 2;
    <A, B; S> (A, S, B), (A, &str, B), same 0, string 1, same 2;
    <A, B; S> (S, A, B), (&str, A, B), string 0, same 1, same 2;
    <A; S, T> (A, S, T), (A, &str, &str), same 0, string 1, string 2;
    <A; S, T> (S, A, T), (&str, A, &str), string 0, same 1, string 2;
    <A; S, T> (S, T, A), (&str, &str, A), string 0, string 1, same 2;
    <; S, T, U> (S, T, U), (&str, &str, &str), string 0, string 1, string 2;
}

impl<K, L: Limiter, C: fmt::Debug, H> fmt::Debug for Keyed<K, L, C, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("clock", &self.clock).finish_non_exhaustive()
    }
}

/// What happens to a new key when the limiter has its maximum number of keys and none is idle.
///
/// An attacker who can choose keys can use up all the room. Even then, a key in use is never
/// removed for a new one, since that would discard its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenFull {
    /// The new key is denied. `retry_after` is then an estimate: the earliest time at which some
    /// key may be idle.
    RefuseNew,
    /// The new key shares one additional limiter with all other keys without room.
    /// This does not keep each key to its limit: a key that later gets its own room starts as new,
    /// whatever it has used of the shared limiter.
    SharedBucket,
}

/// The error returned when units of a new key are recorded and there is no room for the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysFull;

impl fmt::Display for KeysFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("limiter has no room for another key")
    }
}

impl Error for KeysFull {}

timed!(impl[K: Eq + Hash, C: Clock, H: BuildHasher] Keyed<K, Funnel, C, H> {
    /// Implements redis-cell's `CL.THROTTLE key max_burst count period quantity`: `count` units per
    /// `period` seconds, and up to `max_burst + 1` at once.
    /// **O(1)** expected; **O(log n)** amortized for a new key.
    ///
    /// # Errors
    ///
    /// [`ThrottleError`] if an argument is invalid; the limiter is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Keyed, Quota};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?;
    /// let funnels = Keyed::<String, _>::new(Funnel::new(quota));
    /// let throttle = funnels.throttle("ann", 4, 1, 1, 5)?;
    /// assert_eq!((throttle.limited, throttle.limit, throttle.remaining), (false, 5, 0));
    /// assert_eq!((throttle.retry_after, throttle.reset_after), (-1, 5));
    /// assert!(funnels.throttle("ann", 4, 1, 0, 1).is_err());
    /// # Ok::<(), zset_std::limit::ThrottleError>(())
    /// ```
    pub fn throttle<Q: ToKey<K> + ?Sized>(
        &self,
        key: &Q,
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
    ) -> Result<Throttle, ThrottleError> {
        let (funnel, n) = Throttle::arguments(max_burst, count, period, quantity)?;
        Ok(self.check_with(key, funnel, n).into())
    }
});

/// Peeks under `terms`, or under the limiter's own if `None`.
fn peek_under<L: Limiter>(
    limiter: &L,
    terms: Option<Funnel>,
    state: &L::State,
    n: u32,
    now: Timestamp,
) -> Decision {
    match terms.and_then(|terms| limiter.under(terms)) {
        Some(limiter) => limiter.peek_n(state, n, now),
        None => limiter.peek_n(state, n, now),
    }
}

/// Decides on `n` units while `held` others are held, under `terms`, or the limiter's own if
/// `None`.
pub(super) fn hold_under<L: Limiter>(
    limiter: &L,
    terms: Option<Funnel>,
    state: &mut L::State,
    (n, held): (u32, u64),
    now: Timestamp,
) -> Decision {
    match terms.and_then(|terms| limiter.under(terms)) {
        Some(limiter) => limiter.hold_n(state, n, held, now),
        None => limiter.hold_n(state, n, held, now),
    }
}

/// Returns the decision on `n` units of a refused key, given the decision that a new key would get.
fn refused(peeked: Decision, n: u32, now: Timestamp, retry_at: Timestamp) -> Decision {
    let wait = retry_at.saturating_duration_since(now).max(Duration::from_nanos(1));
    let verdict = match peeked.verdict {
        Verdict::Never => Verdict::Never,
        _ if n == 0 => Verdict::Allowed,
        _ => Verdict::Denied { retry_after: wait },
    };
    Decision { verdict, limit: peeked.limit, remaining: 0, reset_after: wait }
}

/// Calls a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The state shared by all keys without room. Like each shard, it has its own copy of the
/// algorithm. The copies are changed one by one.
struct Shared<L: Limiter>(SpinLock<Bucket<L>>);

struct Bucket<L: Limiter> {
    limiter: L,
    state: L::State,
    /// The units that are held.
    held: u64,
    /// The latest time that the bucket has seen. Keys of all shards use the bucket, so no single
    /// shard knows this time.
    newest: Timestamp,
}

impl<L: Limiter> Shared<L> {
    fn new(limiter: L) -> Self {
        let (state, held, newest) = (L::NEW, 0, Timestamp::ZERO);
        Shared(SpinLock::new(Bucket { limiter, state, held, newest }))
    }

    /// Changes the algorithm, and adapts the state if necessary.
    fn set(&self, set: impl FnOnce(&mut L)) {
        let Bucket { limiter, state, .. } = &mut *self.0.lock();
        let before = limiter.clone();
        set(limiter);
        if L::ADAPTS {
            limiter.adapt(state, &before);
        }
    }

    /// Changes the state and the number of held units; `change` receives the effective time.
    fn change<R>(
        &self,
        now: Timestamp,
        change: impl FnOnce(&L, &mut L::State, &mut u64, Timestamp) -> R,
    ) -> R {
        let Bucket { limiter, state, held, newest } = &mut *self.0.lock();
        *newest = now.max(*newest);
        change(limiter, state, held, *newest)
    }

    /// Reads the state and the number of held units; `read` receives the effective time.
    fn read<R>(&self, now: Timestamp, read: impl FnOnce(&L, &L::State, u64, Timestamp) -> R) -> R {
        let Bucket { limiter, state, held, newest } = &*self.0.lock();
        read(limiter, state, *held, now.max(*newest))
    }
}
