//! Keyed limiters: each key has its own limiter, unaffected by other keys.

mod panics;
mod room;
mod threads;

use std::borrow::Borrow;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use zset_std::{Decision, FixedWindow, Funnels, Keyed, Observer, SlidingWindow, WhenFull};

/// The methods common to both kinds of keyed limiters.
trait KeyedLimiter<K> {
    fn make(
        quota: Quota,
        max_keys: usize,
        when_full: WhenFull,
        observer: Arc<dyn Observer>,
    ) -> Self;
    fn check_n_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized;
    fn peek_at<Q: Eq + Hash + ?Sized>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>;
    fn refund<Q: Eq + Hash + ?Sized>(&self, key: &Q, n: u32)
    where
        K: Borrow<Q>;
    fn reset<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>;
    fn sweep_at(&self, budget: usize, now: Timestamp) -> usize;
    fn len(&self) -> usize;
    fn check_invariants(&self);
}

macro_rules! keyed_limiter {
    ($limiter:ident) => {
        impl<K: Eq + Hash> KeyedLimiter<K> for $limiter<K> {
            fn make(
                quota: Quota,
                max_keys: usize,
                when_full: WhenFull,
                observer: Arc<dyn Observer>,
            ) -> Self {
                $limiter::new(quota).with_max_keys(max_keys, when_full).with_observer(observer)
            }

            fn check_n_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
            where
                K: Borrow<Q>,
                Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
            {
                self.check_n_at(key, n, now)
            }

            fn peek_at<Q: Eq + Hash + ?Sized>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
            where
                K: Borrow<Q>,
            {
                self.peek_at(key, n, now)
            }

            fn refund<Q: Eq + Hash + ?Sized>(&self, key: &Q, n: u32)
            where
                K: Borrow<Q>,
            {
                let _ = self.refund(key, n);
            }

            fn reset<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
            where
                K: Borrow<Q>,
            {
                self.reset(key)
            }

            fn sweep_at(&self, budget: usize, now: Timestamp) -> usize {
                self.sweep_at(budget, now)
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn check_invariants(&self) {
                self.check_invariants();
            }
        }
    };
}

keyed_limiter!(Funnels);
keyed_limiter!(SlidingWindow);

#[test]
fn the_number_of_keys_never_exceeds_the_maximum() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let funnels = Funnels::<u32>::new(quota).with_max_keys(100, WhenFull::RefuseNew);
    let mut now = Timestamp::ZERO;
    let mut admitted = 0;
    for key in 0..10_000 {
        admitted += u32::from(funnels.check_n_at(&key, 1, now).is_allowed());
        assert!(funnels.len() <= 100);
        now = after(now, Duration::from_millis(100));
    }
    funnels.check_invariants();
    // A hundred a minute, for 1000 seconds.
    assert!((1600..=1800).contains(&admitted), "{admitted}");
    // A key in use is never evicted for another.
    let windows = SlidingWindow::<u32>::new(quota).with_max_keys(1, WhenFull::RefuseNew);
    assert!(windows.check_n_at(&1, 1, now).is_allowed());
    assert!(!windows.check_n_at(&2, 1, now).is_allowed());
    assert!(!windows.check_n_at(&1, 1, now).is_allowed());
    let later = after(now, Duration::from_secs(60));
    assert!(windows.check_n_at(&2, 1, later).is_allowed());
}

#[test]
fn a_key_that_is_reset_repeatedly_leaves_nothing_behind() {
    fn forget<L: KeyedLimiter<u32>>() {
        let quota = Quota::new(1, Duration::from_secs(1_000)).unwrap();
        let limiter = L::make(quota, 10, WhenFull::RefuseNew, Arc::new(Counts::default()));
        for round in 0..2_000 {
            assert!(limiter.check_n_at(&7, 1, at(0)).is_allowed());
            assert!(limiter.check_n_at(&(round % 5), 0, at(0)).is_allowed());
            assert!(limiter.reset(&7) && !limiter.reset(&7));
            limiter.check_invariants();
        }
        // The key is evicted when it is idle, regardless of its earlier deadlines.
        assert!(limiter.check_n_at(&7, 1, at(10)).is_allowed());
        assert_eq!(limiter.sweep_at(10_000, at(1_009)), 0);
        assert!(!limiter.check_n_at(&7, 1, at(1_009)).is_allowed());
        assert_eq!(limiter.sweep_at(10_000, at(1_010)), 1);
        limiter.check_invariants();
    }
    forget::<Funnels<u32>>();
    forget::<SlidingWindow<u32>>();
}

/// A refund makes a key idle before its deadline.
#[test]
fn a_refunded_key_makes_room_after_others_are_reset() {
    fn forget<L: KeyedLimiter<u32>>() {
        const KEYS: u32 = 2_000;
        let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
        let observer = Arc::new(Counts::default());
        let limiter = L::make(quota, KEYS as usize, WhenFull::RefuseNew, observer);
        for key in 0..KEYS {
            assert!(limiter.check_n_at(&key, 1, at(0)).is_allowed());
        }
        for key in 0..KEYS {
            if key % 8 == 0 {
                limiter.refund(&key, 1);
            } else {
                limiter.reset(&key);
            }
        }
        limiter.check_invariants();
    }
    forget::<SlidingWindow<u32>>();
    forget::<Funnels<u32>>();
}

#[test]
fn colliding_keys_are_distinct_and_evicted_when_idle() {
    #[derive(Default)]
    struct Same;

    impl Hasher for Same {
        fn finish(&self) -> u64 {
            5
        }

        fn write(&mut self, _: &[u8]) {}
    }

    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let limiter: SlidingWindow<u32, _, BuildHasherDefault<Same>> =
        SlidingWindow::new(quota).with_hasher(BuildHasherDefault::default());
    for key in 0..50_u32 {
        assert!(limiter.check_n_at(&key, 1, at(key.into())).is_allowed());
        assert!(!limiter.check_n_at(&key, 1, at(key.into())).is_allowed());
    }
    assert!(limiter.reset(&30));
    limiter.check_invariants();
    for second in 50..120_u32 {
        let left = (0..50).filter(|&key| key != 30 && key + 60 > second).count();
        limiter.sweep_at(10_000, at(second.into()));
        limiter.check_invariants();
        assert_eq!(limiter.len(), left, "at {second}");
    }
}

/// The keys are in different shards.
#[test]
fn a_refused_key_waits_until_another_is_idle() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let funnels = Funnels::<u32>::new(quota).with_max_keys(1, WhenFull::RefuseNew);
    assert!(funnels.check_n_at(&0, 1, Timestamp::ZERO).is_allowed());
    for key in 1..100 {
        let retry_after = funnels.check_n_at(&key, 1, at(20)).retry_after();
        assert_eq!(retry_after, Some(Duration::from_secs(40)));
    }
    // An evicted key no longer counts as idle.
    assert!(funnels.check_n_at(&1, 1, at(60)).is_allowed());
    for key in 2..100 {
        let retry_after = funnels.check_n_at(&key, 1, at(80)).retry_after();
        assert_eq!(retry_after, Some(Duration::from_secs(40)));
    }
}

/// A key whose comparison panics if either side is 13.
#[derive(Clone, Debug)]
struct Key(u32);

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        assert!(self.0 != 13 && other.0 != 13, "unlucky");
        self.0 == other.0
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[test]
fn a_panic_under_a_lock_does_not_block_later_calls() {
    let quota = Quota::new(2, Duration::from_secs(60)).unwrap();
    let windows = SlidingWindow::<Key>::new(quota);
    assert!(windows.check(&Key(13)).is_allowed());
    for _ in 0..3 {
        let panicked = catch_unwind(AssertUnwindSafe(|| windows.check(&Key(13))));
        assert!(panicked.is_err());
    }
    for key in 0..13 {
        assert!(windows.check(&Key(key)).is_allowed());
        assert!(windows.check(&Key(key)).is_allowed());
        assert!(!windows.check(&Key(key)).is_allowed());
    }
    assert_eq!(windows.len(), 14);
}

#[derive(Default)]
struct Counts {
    allowed: AtomicUsize,
    denied: AtomicUsize,
    evicted: AtomicUsize,
    refused: AtomicUsize,
}

impl Observer for Counts {
    fn allowed(&self) {
        self.allowed.fetch_add(1, Ordering::Relaxed);
    }

    fn denied(&self) {
        self.denied.fetch_add(1, Ordering::Relaxed);
    }

    fn evicted(&self, keys: usize) {
        self.evicted.fetch_add(keys, Ordering::Relaxed);
    }

    fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn an_observer_is_notified_of_every_event() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let counts = Arc::new(Counts::default());
    let funnels = Funnels::<u32>::new(quota)
        .with_max_keys(1, WhenFull::RefuseNew)
        .with_observer(counts.clone());
    let now = Timestamp::ZERO;
    let decisions = [1, 1, 2].map(|key| funnels.check_n_at(&key, 1, now).is_allowed());
    assert_eq!(decisions, [true, false, false]);
    assert_eq!(funnels.sweep_at(9, after(now, Duration::from_secs(60))), 1);
    let told = [&counts.allowed, &counts.denied, &counts.evicted, &counts.refused];
    assert_eq!(told.map(|count| count.load(Ordering::Relaxed)), [1, 2, 1, 1]);
}

/// An idle key that was not evicted decides as a new one, but may refund units that a new one has
/// not.
#[test]
fn an_idle_key_differs_from_a_new_one_only_in_refunds() {
    let quota = |seconds| Quota::new(5, Duration::from_secs(seconds)).unwrap();
    let new_or_idle = |limiter: &SlidingWindow<u32>, now| {
        for n in 0..7 {
            assert_eq!(limiter.peek_at(&1, n, now), limiter.peek_at(&2, n, now));
        }
    };
    // The units are on record until a check finds them too old.
    let windows = SlidingWindow::<u32>::new(quota(60));
    let funnels = Funnels::<u32>::new(quota(60));
    assert!(windows.check_at(&1, at(0)).is_allowed() && funnels.check_at(&1, at(0)).is_allowed());
    new_or_idle(&windows, at(60));
    assert_eq!((windows.refund(&1, 1), windows.refund(&2, 1)), (1, 0));
    assert_eq!((funnels.refund(&1, 1), funnels.refund(&2, 1)), (1, 0));

    // A log that had units under a longer period keeps later ones for as long. In a limiter of its own, so
    // that a check of one key does not sweep the other.
    let [idle, new] = [(); 2].map(|()| SlidingWindow::<u32>::new(quota(60)));
    assert!(idle.check_at(&1, at(0)).is_allowed());
    for windows in [&idle, &new] {
        windows.set_quota(quota(1));
    }
    for n in 0..7 {
        assert_eq!(idle.peek_at(&1, n, at(100)), new.peek_at(&1, n, at(100)));
    }
    for windows in [&idle, &new] {
        assert!(windows.check_at(&1, at(100)).is_allowed());
        assert_eq!(windows.check_n_at(&1, 0, at(105)).remaining, 5);
    }
    assert_eq!((idle.refund(&1, 1), new.refund(&1, 1)), (1, 0));

    // Unless it is evicted in between.
    assert!(idle.check_at(&1, at(200)).is_allowed());
    assert_eq!(idle.sweep_at(usize::MAX, at(300)), 1);
    assert!(idle.check_at(&1, at(300)).is_allowed());
    assert_eq!(idle.check_n_at(&1, 0, at(305)).remaining, 5);
    assert_eq!(idle.refund(&1, 1), 0);
}
