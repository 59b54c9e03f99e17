//! [`Keyed`]: a limiter for each of many keys.

mod check;
mod check_with;
mod keys;

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::lines::Lines;
use super::observer::{Observer, Observers};
use super::registry::{Registry, default_shards};
use super::when_full::{Shared, WhenFull};
use super::{KeyState, Limiter, Quota, SingleQuota};
use crate::{MonotonicClock, RandomState, Timestamp};

/// A limiter `L` for each key, shared by threads.
///
/// Keys are distributed over shards, each with its own lock. They are hashed with a random seed
/// ([`RandomState`], unless another hasher is given), so an attacker cannot choose colliding keys.
/// A key occupies memory from its first call until a sweep finds it idle, i.e. indistinguishable
/// from a new one to every check. Only [`refund`](Self::refund) may distinguish the two. Each new
/// key sweeps a few others, and [`sweep`](Self::sweep) sweeps on demand.
/// [`with_max_keys`](Self::with_max_keys) bounds the number of keys. Evicting a key discards its
/// history, even for a quota with a longer period that is set later.
///
/// A clock that steps back never grants more: each shard uses the latest time it has seen. The
/// durations of a [`Decision`](super::Decision) still count from the time of the call.
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
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub struct Keyed<K, L: KeyState, C = MonotonicClock, H = RandomState> {
    pub(super) keys: Registry<K, L, H>,
    /// The state shared by keys without room, if the policy is [`WhenFull::SharedBucket`].
    shared: Option<Shared<L>>,
    clock: C,
    observers: Observers,
    pub(super) lines: Lines<K>,
}

impl<K: Eq + Hash, L: Limiter> Keyed<K, L> {
    /// Makes a limiter in which every key starts as a clone of `new`. **O(1)**.
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
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn of(new: L) -> Self {
        Self::of_settings(new)
    }
}

impl<K: Eq + Hash, L: KeyState> Keyed<K, L> {
    pub(super) fn of_settings(settings: L::Settings) -> Self {
        Keyed {
            keys: Registry::new(settings, RandomState::new(), usize::MAX, default_shards()),
            shared: None,
            clock: MonotonicClock::new(),
            observers: Observers::default(),
            lines: Lines::default(),
        }
    }
}

/// Builder methods, to be called before the limiter is in use.
impl<K: Eq + Hash, L: KeyState, C, H: BuildHasher> Keyed<K, L, C, H> {
    /// Returns the limiter with a different clock. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{FakeClock, Quota, SlidingWindow};
    ///
    /// let clock = FakeClock::new();
    /// let per_second = Quota::new(1, Duration::from_secs(1))?;
    /// let limiter = SlidingWindow::<u32>::new(per_second).with_clock(clock.clone());
    /// assert!(limiter.check(&1).is_allowed());
    /// assert!(!limiter.check(&1).is_allowed());
    /// clock.advance(Duration::from_secs(1));
    /// assert!(limiter.check(&1).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn with_clock<C2>(self, clock: C2) -> Keyed<K, L, C2, H> {
        let Keyed { keys, shared, observers, lines, .. } = self;
        Keyed { keys, shared, clock, observers, lines }
    }

    /// Returns the limiter with a different hasher, discarding any keys. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::RandomState;
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_hasher(RandomState::new());
    /// assert!(limiter.check(&7).is_allowed());
    /// assert!(!limiter.check(&7).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn with_hasher<H2: BuildHasher>(self, hasher: H2) -> Keyed<K, L, C, H2> {
        let Keyed { keys, shared, clock, observers, .. } = self;
        let (settings, max_keys) = (keys.copy_settings(), keys.max_keys());
        let keys = Registry::new(settings, hasher, max_keys, default_shards());
        Keyed { keys, shared, clock, observers, lines: Lines::default() }
    }

    /// Returns the limiter with a bound on the number of keys, and a policy for new keys beyond it.
    /// **O(1)**.
    ///
    /// The policy applies only if no key is idle; otherwise an idle key is evicted to make room. A key
    /// in use is never evicted. Finding an idle key, for a check or a peek, takes **O(log n)**
    /// amortized.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{WhenFull, Quota, SlidingWindow};
    ///
    /// let quota = Quota::new(2, Duration::from_secs(60))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_max_keys(1, WhenFull::RefuseNew);
    /// assert!(limiter.check(&1).is_allowed());
    /// assert!(!limiter.check(&2).is_allowed());
    /// assert!(limiter.check(&1).is_allowed());
    ///
    /// let limiter = SlidingWindow::<u32>::new(quota).with_max_keys(1, WhenFull::SharedBucket);
    /// assert!(limiter.check_n(&1, 2).is_allowed());
    /// assert!(limiter.check(&2).is_allowed());
    /// assert!(limiter.check(&3).is_allowed());
    /// assert!(!limiter.check(&2).is_allowed()); // 2 and 3 share a window
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn with_max_keys(mut self, max_keys: usize, when_full: WhenFull) -> Self {
        self.keys.set_max_keys(max_keys);
        self.shared = match when_full {
            WhenFull::RefuseNew => None,
            WhenFull::SharedBucket => Some(Shared::new(L::new(&self.keys.copy_settings()))),
        };
        self
    }

    /// Returns the limiter with an observer of its decisions. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use zset_std::{Observer, Quota, SlidingWindow};
    ///
    /// struct Log;
    ///
    /// impl Observer for Log {
    ///     fn denied(&self) {
    ///         println!("denied");
    ///     }
    /// }
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_observer(Arc::new(Log));
    /// assert!(limiter.check(&1).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers = Observers::of(observer);
        self
    }
}

impl<K: Eq + Hash, L: SingleQuota, C, H: BuildHasher> Keyed<K, L, C, H> {
    /// Returns the quota of each key. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(60))?;
    /// assert_eq!(SlidingWindow::<u32>::new(quota).quota(), quota);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn quota(&self) -> Quota {
        self.keys.copy_settings().quota()
    }

    /// Changes the quota of all keys; units already allowed stay on record. **O(n log n)** for n keys,
    /// locking one shard at a time.
    ///
    /// For the effect on each key, see its limiter's method, such as
    /// [`WindowLog::set_quota`](super::WindowLog::set_quota). With that one, a key with units on record
    /// is idle once they are older than the longest period so far.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(limiter.check(&1).is_allowed());
    /// limiter.set_quota(Quota::new(3, Duration::from_secs(60))?);
    /// assert_eq!(limiter.peek(&1, 0).remaining, 2);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn set_quota(&self, quota: Quota) {
        self.keys.set_all(|new| new.set_quota(quota), |limiter| limiter.set_quota(quota));
        if let Some(shared) = &self.shared {
            shared.change(Timestamp::ZERO, |limiter, _| limiter.set_quota(quota));
        }
    }
}

impl<K, L: KeyState, C: fmt::Debug, H> fmt::Debug for Keyed<K, L, C, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("clock", &self.clock).finish_non_exhaustive()
    }
}
