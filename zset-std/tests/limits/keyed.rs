//! Keyed limiters: each key is as its own limiter, whatever happens to the others.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;
use zset_std::{Funnel, Funnels, Keyed, Limits, Observer, Overflow, SlidingWindow, WindowLog};

proptest! {
    #![proptest_config(config())]

    /// Sweeping, and other keys, change no answer.
    #[test]
    fn every_key_is_as_a_limiter_of_its_own(
        quota in quotas(),
        calls in prop::collection::vec((0..4u8, steps(), 0..22u32, 0..3usize), 0..120),
    ) {
        let windows = SlidingWindow::<u8>::new(quota);
        let both: Keyed<u8, _> = Keyed::of(Limits::all([WindowLog::new(quota)]));
        let mut logs: HashMap<u8, WindowLog> = HashMap::new();
        let (mut now, mut newest) = (Timestamp::ZERO, Timestamp::ZERO);
        for (key, (quarters, nanos), n, budget) in calls {
            now = step(now, quota, quarters, nanos);
            // What a shard was told last counts, and a sweep tells all of them.
            windows.sweep_at(0, now);
            both.sweep_at(0, now);
            newest = newest.max(now);
            let log = logs.entry(key).or_insert_with(|| WindowLog::new(quota));
            let expected = log.check_n_at(n, newest);
            prop_assert_eq!(windows.check_n_at(&key, n, now), expected);
            prop_assert_eq!(both.check_n_at(&key, n, now), expected);
            windows.sweep_at(budget * 100, now);
            windows.check_invariants();
            prop_assert_eq!(windows.peek_at(&key, 1, now), log.peek_at(1, newest));
        }
        // In the end all go.
        windows.sweep_at(usize::MAX, Timestamp::MAX);
        prop_assert!(windows.is_empty());
    }

    /// The intervals of these quotas are whole ticks, so the word is exact.
    #[test]
    fn every_funnel_is_as_one_of_its_own(
        interval in 1..5_000_000u64,
        capacity in 1..20u32,
        calls in prop::collection::vec((0..4u8, steps(), 0..22u32, 0..3usize), 0..120),
    ) {
        let quota = Quota::new(1, Duration::from_nanos(interval)).unwrap();
        let quota = quota.with_capacity(capacity).unwrap();
        let funnels = Funnels::<u8>::new(quota);
        let mut own: HashMap<u8, Funnel> = HashMap::new();
        let (mut now, mut newest) = (Timestamp::ZERO, Timestamp::ZERO);
        for (key, (quarters, nanos), n, budget) in calls {
            now = step(now, quota, quarters, nanos);
            funnels.sweep_at(0, now);
            newest = newest.max(now);
            let funnel = own.entry(key).or_insert_with(|| Funnel::new(quota));
            prop_assert_eq!(funnels.peek_at(&key, n, now), funnel.peek_at(n, newest));
            prop_assert_eq!(funnels.check_n_at(&key, n, now), funnel.watering_at(n, newest));
            funnels.sweep_at(budget * 100, now);
            funnels.check_invariants();
            prop_assert_eq!(funnels.peek_at(&key, 1, now), funnel.peek_at(1, newest));
        }
    }

    #[test]
    fn a_denial_of_several_limits_takes_nothing_off_any(
        a in quotas(),
        b in quotas(),
        calls in prop::collection::vec((steps(), 0..14u32), 0..80),
    ) {
        use zset_std::Limiter;
        let mut limits = Limits::all([WindowLog::new(a), WindowLog::new(b)]);
        let mut logs = [WindowLog::new(a), WindowLog::new(b)];
        let mut now = Timestamp::ZERO;
        for ((quarters, nanos), n) in calls {
            now = step(now, a, quarters, nanos);
            let allowed = logs.iter().all(|log| log.peek_at(n, now).is_allowed());
            let longest = logs.iter().map(|log| log.peek_at(n, now).retry_after()).max();
            let never = logs.iter().any(|log| log.peek_at(n, now).retry_after().is_none());
            let peeked = limits.peek_at(n, now);
            let decision = limits.check_n_at(n, now);
            prop_assert_eq!(peeked, decision);
            prop_assert_eq!(decision.is_allowed(), allowed);
            prop_assert_eq!(decision.retry_after(), if never { None } else { longest.unwrap() });
            // Even of no units, so that both have been told the time.
            let n = if allowed { n } else { 0 };
            let remaining = logs.iter_mut().map(|log| log.check_n_at(n, now).remaining).min();
            prop_assert_eq!(Some(decision.remaining), remaining);
        }
    }
}

#[test]
fn threads_admit_exactly_the_limit() {
    let rounds = 300;
    for threads in [2, 4, 8] {
        let quota = Quota::new(10, Duration::from_secs(60)).unwrap();
        let funnels = Funnels::<usize>::new(quota);
        let windows = SlidingWindow::<usize>::new(quota);
        let (by_funnel, by_window) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for round in 0..rounds {
                        for _ in 0..8 {
                            let now = Timestamp::ZERO;
                            let allowed = funnels.check_n_at(&round, 1, now).is_allowed();
                            by_funnel.fetch_add(allowed.into(), Ordering::Relaxed);
                            let allowed = windows.check_n_at(&round, 1, now).is_allowed();
                            by_window.fetch_add(allowed.into(), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let calls = (threads * 8).min(10);
        assert_eq!(by_funnel.into_inner(), rounds * calls, "{threads} threads");
        assert_eq!(by_window.into_inner(), rounds * calls, "{threads} threads");
        funnels.check_invariants();
        windows.check_invariants();
    }
}

#[test]
fn there_are_never_more_keys_than_the_most() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let funnels = Funnels::<u32>::new(quota).with_max_keys(100, Overflow::RefuseNew);
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
    // One that is in use never goes for another.
    let windows = SlidingWindow::<u32>::new(quota).with_max_keys(1, Overflow::RefuseNew);
    assert!(windows.check_n_at(&1, 1, now).is_allowed());
    assert!(!windows.check_n_at(&2, 1, now).is_allowed());
    assert!(!windows.check_n_at(&1, 1, now).is_allowed());
    let later = after(now, Duration::from_secs(60));
    assert!(windows.check_n_at(&2, 1, later).is_allowed());
}

/// Panics when asked to be a key, and when compared.
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
fn a_panic_under_a_lock_blocks_nobody() {
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
fn an_observer_is_told_of_everything() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let counts = Arc::new(Counts::default());
    let funnels = Funnels::<u32>::new(quota)
        .with_max_keys(1, Overflow::RefuseNew)
        .with_observer(counts.clone());
    let now = Timestamp::ZERO;
    let decisions = [1, 1, 2].map(|key| funnels.check_n_at(&key, 1, now).is_allowed());
    assert_eq!(decisions, [true, false, false]);
    assert_eq!(funnels.sweep_at(9, after(now, Duration::from_secs(60))), 1);
    let told = [&counts.allowed, &counts.denied, &counts.evicted, &counts.refused];
    assert_eq!(told.map(|count| count.load(Ordering::Relaxed)), [1, 2, 1, 1]);
}
