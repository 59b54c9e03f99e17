//! [`Funnels`]: a funnel for each of many keys.

mod quotas;

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::lines::Lines;
use super::observer::{Observer, Observers};
use super::overflow::{Overflow, refused};
use super::registry::{DefaultHashBuilder, Registry, default_shards};
use super::word::{Pace, Word};
use super::{Decision, Quota, UntilReady};
use crate::{Clock, MonotonicClock, Timestamp};

/// A funnel for each key, for threads to share: the leaky bucket as a service has it, in one word a
/// key.
///
/// A call takes its shard's lock for a few nanoseconds. Intervals between units are rounded up to a
/// quarter of a nanosecond: towards denial, by less than that for each unit. What
/// [`Keyed`](super::Keyed) says of keys, hashing, sweeping and clocks holds here too. For one key
/// alone, and to the last fraction, there is [`Funnel`](super::Funnel).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FakeClock, Funnels, Quota};
///
/// // Ten a minute for each user and action, three of them at once.
/// let clock = FakeClock::new();
/// let quota = Quota::new(10, Duration::from_secs(60))?.with_capacity(3)?;
/// let payments = Funnels::<(u64, &str)>::new(quota).with_clock(clock.clone());
/// assert!(payments.check_n(&(7, "pay"), 3).is_allowed());
/// let denied = payments.check(&(7, "pay"));
/// assert_eq!(denied.retry_after(), Some(Duration::from_secs(6)));
/// assert!(payments.check(&(7, "refund")).is_allowed());
/// clock.advance(Duration::from_secs(6));
/// assert!(payments.check(&(7, "pay")).is_allowed());
/// # Ok::<(), zset_std::QuotaError>(())
/// ```
pub struct Funnels<K, C = MonotonicClock, H = DefaultHashBuilder> {
    keys: Registry<K, Word, Pace, H>,
    /// What the keys share for which there is no room.
    shared: Option<Word>,
    clock: C,
    observers: Observers,
    pub(super) lines: Lines<K>,
}

impl<K: Eq + Hash> Funnels<K> {
    /// Makes a limiter of which every key has this quota.
    ///
    /// # Examples
    ///
    /// See [`Funnels`].
    pub fn new(quota: Quota) -> Self {
        Funnels::with_hasher(quota, DefaultHashBuilder::new())
    }
}

impl<K: Eq + Hash, H: BuildHasher> Funnels<K, MonotonicClock, H> {
    /// Does what [`new`](Funnels::new) does, with a hasher for the keys.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::RandomState;
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?;
    /// let funnels: Funnels<u32, _, _> = Funnels::with_hasher(quota, RandomState::new());
    /// assert!(funnels.is_empty());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn with_hasher(quota: Quota, hasher: H) -> Self {
        Funnels {
            keys: Registry::new(Pace::new(quota), hasher, usize::MAX, default_shards()),
            shared: None,
            clock: MonotonicClock::new(),
            observers: Observers::default(),
            lines: Lines::default(),
        }
    }
}

/// Making it as one likes, before its first use.
impl<K: Eq + Hash, C, H: BuildHasher> Funnels<K, C, H> {
    /// Returns the limiter with another clock.
    ///
    /// # Examples
    ///
    /// See [`Funnels`].
    pub fn with_clock<C2>(self, clock: C2) -> Funnels<K, C2, H> {
        let Funnels { keys, shared, observers, lines, .. } = self;
        Funnels { keys, shared, clock, observers, lines }
    }

    /// Returns the limiter with a bound on the number of keys, and what happens to a new key beyond
    /// it. A key that is in use never goes for a new one.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Overflow, Quota};
    ///
    /// let quota = Quota::new(2, Duration::from_secs(60))?;
    /// let funnels = Funnels::<u32>::new(quota).with_max_keys(1, Overflow::SharedBucket);
    /// assert!(funnels.check_n(&1, 2).is_allowed());
    /// assert!(funnels.check_n(&2, 1).is_allowed());
    /// assert!(funnels.check_n(&3, 1).is_allowed());
    /// assert!(!funnels.check_n(&2, 1).is_allowed()); // 2 and 3 share a funnel
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn with_max_keys(mut self, max_keys: usize, overflow: Overflow) -> Self {
        self.keys.set_max_keys(max_keys);
        self.shared = match overflow {
            Overflow::RefuseNew => None,
            Overflow::SharedBucket => Some(Word::new()),
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

impl<K: Eq + Hash, C: Clock, H: BuildHasher> Funnels<K, C, H> {
    /// Pours one unit into a key's funnel, if there is space.
    ///
    /// # Examples
    ///
    /// See [`Funnels`].
    #[inline]
    pub fn check<Q>(&self, key: &Q) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_n_at(key, 1, self.clock.now())
    }

    /// Pours `n` units into a key's funnel, if there is space for all of them; 0 units pass always.
    ///
    /// # Examples
    ///
    /// See [`Funnels`].
    #[inline]
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
    /// use zset_std::{Funnels, Quota, Timestamp};
    ///
    /// let funnels = Funnels::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(funnels.check_n_at(&1, 2, Timestamp::ZERO).remaining, 3);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    #[inline]
    pub fn check_n_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.pour(key, None, n, now)
    }

    /// Returns what [`check_n`](Self::check_n) would answer, if there is room for the key; nothing
    /// goes in, and no key is made.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota};
    ///
    /// let funnels = Funnels::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(funnels.peek(&1, 2).remaining, 3);
    /// assert!(funnels.is_empty());
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
        self.peek_pace(key, None, n, now)
    }

    /// Takes `n` units out of a key's funnel again, or what is in it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{FakeClock, Funnels, Quota};
    ///
    /// let quota = Quota::new(5, Duration::from_secs(60))?;
    /// let funnels = Funnels::<u32>::new(quota).with_clock(FakeClock::new());
    /// assert!(funnels.check_n(&1, 5).is_allowed());
    /// funnels.refund(&1, 2);
    /// assert_eq!(funnels.peek(&1, 0).remaining, 2);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn refund<Q>(&self, key: &Q, n: u32)
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.get(key, Timestamp::ZERO, |word, pace, _| {
            if let Some(word) = word {
                word.refund(*pace, n);
            }
        });
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
    /// use zset_std::{Funnels, Quota};
    ///
    /// let funnels = Funnels::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(funnels.check(&1).is_allowed());
    /// assert!(funnels.reset(&1));
    /// assert!(funnels.check(&1).is_allowed());
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
    /// See [`Keyed::sweep`](super::Keyed::sweep).
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
    /// See [`Keyed::clock`](super::Keyed::clock).
    pub fn clock(&self) -> &C {
        &self.clock
    }

    /// Pours by the quota of all keys, or by another.
    #[inline]
    fn pour<Q>(&self, key: &Q, other: Option<Pace>, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let outcome = self.keys.get(key, now, |word, pace, now| {
            let pace = other.unwrap_or(*pace);
            match word {
                Some(word) => Some(word.pour(pace, n, now)),
                // Nothing is to be remembered of it.
                None if n == 0 => Some(Word::new().peek(pace, 0, now)),
                None => None,
            }
        });
        if let Some(outcome) = outcome {
            let decision = outcome.decision();
            self.observers.decided(outcome.is_allowed());
            decision
        } else {
            let decision = self.pour_new(key, other, n, now);
            self.observers.decided(decision.is_allowed());
            decision
        }
    }

    fn peek_pace<Q>(&self, key: &Q, other: Option<Pace>, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.get(key, now, |word, pace, now| {
            let pace = other.unwrap_or(*pace);
            word.map_or(&Word::new(), |word| word).peek(pace, n, now).decision()
        })
    }

    /// Decides on a key that was not there a moment ago.
    #[cold]
    fn pour_new<Q>(&self, key: &Q, other: Option<Pace>, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let pour = |word: &mut Word, pace: &Pace, now| word.pour(other.unwrap_or(*pace), n, now);
        match self.keys.get_or_insert(key, now, |_| Word::new(), pour) {
            Ok((outcome, evicted)) => {
                self.observers.evicted(evicted);
                outcome.decision()
            }
            Err(full) => {
                self.observers.evicted(full.evicted);
                self.observers.refused();
                self.keys.get(key, now, |_, pace, now| {
                    let pace = other.unwrap_or(*pace);
                    match &self.shared {
                        Some(shared) => shared.pour_shared(pace, n, now).decision(),
                        None => refused(Word::new().peek(pace, n, now).decision(), now, &full),
                    }
                })
            }
        }
    }

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.keys.check();
    }
}

impl<K, C: fmt::Debug, H> fmt::Debug for Funnels<K, C, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Funnels").field("clock", &self.clock).finish_non_exhaustive()
    }
}
