//! [`Keyed`]: a limiter for each of many keys.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::lines::Lines;
use super::observer::{Observer, Observers};
use super::overflow::{Overflow, refused};
use super::registry::{DefaultHashBuilder, Full, Registry, State, default_shards};
use super::{Decision, Limiter, Quota, UntilReady, WindowLog};
use crate::sync::SpinLock;
use crate::{Clock, MonotonicClock, Timestamp};

/// A limiter `L` for each key, for threads to share.
///
/// Keys lie in shards with a lock each. They are hashed with a seed that nobody knows
/// ([`DefaultHashBuilder`], unless another is given), so that nobody can make them collide. A key takes memory from its
/// first call until it is idle, that is as good as new, and a sweep comes by: each new key sweeps a
/// little, and so does [`sweep`](Self::sweep). [`with_max_keys`](Self::with_max_keys) bounds them.
///
/// A clock that steps back never grants more: what a key's shard was told last counts.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FakeClock, Quota, SlidingWindow};
///
/// let clock = FakeClock::new();
/// let per_minute = Quota::new(2, Duration::from_secs(60))?;
/// let payments = SlidingWindow::<String>::new(per_minute).with_clock(clock.clone());
/// assert!(payments.check("ann").is_allowed());
/// assert!(payments.check("ann").is_allowed());
/// assert!(!payments.check("ann").is_allowed());
/// assert!(payments.check("bob").is_allowed());
/// clock.advance(Duration::from_secs(60));
/// assert!(payments.check("ann").is_allowed());
/// # Ok::<(), zset_std::QuotaError>(())
/// ```
pub struct Keyed<K, L, C = MonotonicClock, H = DefaultHashBuilder> {
    /// The settings are what a new key starts as.
    keys: Registry<K, L, L, H>,
    /// What the keys share for which there is no room.
    shared: Option<SpinLock<L>>,
    clock: C,
    observers: Observers,
    pub(super) lines: Lines<K>,
}

/// An exact sliding window for each key: see [`WindowLog`] and [`Keyed`].
pub type SlidingWindow<K, C = MonotonicClock, H = DefaultHashBuilder> = Keyed<K, WindowLog, C, H>;

impl<K: Eq + Hash> SlidingWindow<K> {
    /// Makes a limiter of which every key has this quota.
    ///
    /// # Examples
    ///
    /// See [`Keyed`].
    pub fn new(quota: Quota) -> Self {
        Keyed::of(WindowLog::new(quota))
    }
}

impl<K: Eq + Hash, L: Limiter> Keyed<K, L> {
    /// Makes a limiter of which every key starts as a clone of `new`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Keyed, Quota, WindowCounter};
    ///
    /// let quota = Quota::new(1_000_000, Duration::from_secs(86_400))?;
    /// let requests: Keyed<u32, _> = Keyed::of(WindowCounter::new(quota));
    /// assert!(requests.check(&7).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn of(new: L) -> Self {
        Keyed::with_hasher(new, DefaultHashBuilder::new())
    }
}

impl<K: Eq + Hash, L: Limiter, H: BuildHasher> Keyed<K, L, MonotonicClock, H> {
    /// Does what [`of`](Keyed::of) does, with a hasher for the keys.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::RandomState;
    /// use std::time::Duration;
    /// use zset_std::{Keyed, Quota, WindowLog};
    ///
    /// let log = WindowLog::new(Quota::new(1, Duration::from_secs(1))?);
    /// let limiter: Keyed<u32, _, _, _> = Keyed::with_hasher(log, RandomState::new());
    /// assert!(limiter.is_empty());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn with_hasher(new: L, hasher: H) -> Self {
        Keyed {
            keys: Registry::new(new, hasher, usize::MAX, default_shards()),
            shared: None,
            clock: MonotonicClock::new(),
            observers: Observers::default(),
            lines: Lines::default(),
        }
    }
}

/// Making it as one likes, before its first use.
impl<K: Eq + Hash, L: Limiter, C, H: BuildHasher> Keyed<K, L, C, H> {
    /// Returns the limiter with another clock.
    ///
    /// # Examples
    ///
    /// See [`Keyed`].
    pub fn with_clock<C2>(self, clock: C2) -> Keyed<K, L, C2, H> {
        let Keyed { keys, shared, observers, lines, .. } = self;
        Keyed { keys, shared, clock, observers, lines }
    }

    /// Returns the limiter with a bound on the number of keys, and what happens to a new key beyond
    /// it. A key that is in use never goes for a new one.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Overflow, Quota, SlidingWindow};
    ///
    /// let quota = Quota::new(2, Duration::from_secs(60))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_max_keys(1, Overflow::RefuseNew);
    /// assert!(limiter.check(&1).is_allowed());
    /// assert!(!limiter.check(&2).is_allowed());
    /// assert!(limiter.check(&1).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn with_max_keys(mut self, max_keys: usize, overflow: Overflow) -> Self {
        self.keys.set_max_keys(max_keys);
        self.shared = match overflow {
            Overflow::RefuseNew => None,
            Overflow::SharedBucket => Some(SpinLock::new(self.keys.settings())),
        };
        self
    }

    /// Returns the limiter with an observer of what it decides.
    ///
    /// # Examples
    ///
    /// See [`Observer`].
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers = Observers::of(observer);
        self
    }
}

impl<K: Eq + Hash, L: Limiter, C: Clock, H: BuildHasher> Keyed<K, L, C, H> {
    /// Lets one unit of a key pass, or denies it.
    ///
    /// # Examples
    ///
    /// See [`Keyed`].
    pub fn check<Q>(&self, key: &Q) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_n_at(key, 1, self.clock.now())
    }

    /// Lets `n` units of a key pass together, or denies all of them; 0 units pass always.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert!(limiter.check_n(&1, 5).is_allowed());
    /// assert!(!limiter.check_n(&1, 1).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_n<Q>(&self, key: &Q, n: u32) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_n_at(key, n, self.clock.now())
    }

    /// Does what [`check_n`](Self::check_n) does, at a time. No key is made for 0 units.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow, Timestamp};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(limiter.check_n_at(&1, 2, Timestamp::ZERO).remaining, 3);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_n_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let decision = if n == 0 {
            self.peek_at(key, 0, now)
        } else {
            self.decide(key, n, now, |limiter, now| limiter.check_n_at(n, now))
        };
        self.observers.decided(decision.is_allowed());
        decision
    }

    /// Returns what [`check_n`](Self::check_n) would answer, if there is room for the key; nothing
    /// passes, and no key is made.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(limiter.peek(&1, 2).remaining, 3);
    /// assert!(limiter.is_empty());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn peek<Q>(&self, key: &Q, n: u32) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.peek_at(key, n, self.clock.now())
    }

    /// Does what [`peek`](Self::peek) does, at a time.
    ///
    /// # Examples
    ///
    /// As with [`peek`](Self::peek).
    pub fn peek_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.get(key, now, |limiter, new, now| {
            limiter.map_or(new, |limiter| limiter).peek_at(n, now)
        })
    }

    /// Waits until units of a key pass: on this thread, or as a future.
    ///
    /// # Examples
    ///
    /// See [`UntilReady`].
    pub fn until_ready<'a, Q>(&'a self, key: &'a Q) -> UntilReady<'a, Self, Q>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        UntilReady::new(self, key)
    }

    /// Forgets a key; returns whether it was there.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(limiter.check(&1).is_allowed());
    /// assert!(limiter.reset(&1));
    /// assert!(limiter.check(&1).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn reset<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.remove(key)
    }

    /// Looks at up to about `budget` keys that may be idle by now, and lets those go that are;
    /// returns how many.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{FakeClock, Quota, SlidingWindow};
    ///
    /// let clock = FakeClock::new();
    /// let quota = Quota::new(1, Duration::from_secs(60))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_clock(clock.clone());
    /// assert!(limiter.check(&1).is_allowed());
    /// assert_eq!(limiter.sweep(100), 0);
    /// clock.advance(Duration::from_secs(60));
    /// assert_eq!(limiter.sweep(100), 1);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn sweep(&self, budget: usize) -> usize {
        self.sweep_at(budget, self.clock.now())
    }

    /// Does what [`sweep`](Self::sweep) does, at a time.
    ///
    /// # Examples
    ///
    /// As with [`sweep`](Self::sweep).
    pub fn sweep_at(&self, budget: usize, now: Timestamp) -> usize {
        let evicted = self.keys.sweep(now, budget);
        self.observers.evicted(evicted);
        evicted
    }

    /// Returns the number of keys, idle ones that have not gone yet among them.
    ///
    /// # Examples
    ///
    /// See [`peek`](Self::peek).
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no keys.
    ///
    /// # Examples
    ///
    /// See [`peek`](Self::peek).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Clock, FakeClock, Quota, SlidingWindow, Timestamp};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_clock(FakeClock::new());
    /// assert_eq!(limiter.clock().now(), Timestamp::ZERO);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn clock(&self) -> &C {
        &self.clock
    }

    /// Tells the observer.
    pub(super) fn tell(&self, decision: &Decision) {
        self.observers.decided(decision.is_allowed());
    }

    /// Changes the limiter of a key that is there.
    pub(super) fn change_existing<Q, R>(
        &self,
        key: &Q,
        change: impl FnOnce(&mut L) -> R,
    ) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.get_mut(key, change)
    }

    /// Changes the limiters of all keys, and what new ones start as.
    pub(super) fn change_all(&self, mut change: impl FnMut(&mut L)) {
        self.keys.set(&mut change);
        self.keys.for_each_mut(&mut change);
        if let Some(shared) = &self.shared {
            change(&mut shared.lock());
        }
    }

    /// Changes the limiter of a key, which starts as new if it is not there yet, or what it shares.
    pub(super) fn change<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        change: impl Fn(&mut L, Timestamp) -> R,
    ) -> Result<R, Full>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        match self.keys.get_or_insert(key, now, L::clone, |limiter, _, now| change(limiter, now)) {
            Ok((result, evicted)) => {
                self.observers.evicted(evicted);
                Ok(result)
            }
            Err(full) => {
                self.observers.evicted(full.evicted);
                self.observers.refused();
                self.shared.as_ref().map(|shared| change(&mut shared.lock(), now)).ok_or(full)
            }
        }
    }

    /// Decides on a key, which starts as new if it is not there yet, or on what it shares if there
    /// is no room for it.
    pub(super) fn decide<Q>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
        check: impl Fn(&mut L, Timestamp) -> Decision,
    ) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.change(key, now, check).unwrap_or_else(|full| {
            let peeked = self.keys.settings().peek_at(n, now);
            refused(peeked, now, &full)
        })
    }

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.keys.check();
    }
}

impl<L: Limiter> State for L {
    fn idle_at(&self) -> Timestamp {
        super::limiter::private::Sealed::idle_at(self)
    }
}

impl<K, L, C: fmt::Debug, H> fmt::Debug for Keyed<K, L, C, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("clock", &self.clock).finish_non_exhaustive()
    }
}
