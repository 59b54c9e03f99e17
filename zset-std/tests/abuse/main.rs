//! Someone makes up keys, millions of them, against a limiter with a bound on its keys: its memory
//! stays as it is, and it forgets nobody. In a binary of its own for its allocator.
//!
//! `cargo test -p zset-std --release --test abuse -- --nocapture` shows the bytes.

mod counting;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use counting::{in_use, take_peak};
use zset_std::{Funnels, Observer, Quota, RandomState, SlidingWindow, Timestamp, WhenFull};

/// The keys that come to each limiter. A debug build takes microseconds for each, so there they are
/// ten million for all limiters together.
const KEYS: u64 = if cfg!(debug_assertions) { 2_500_000 } else { 10_000_000 };

/// So many come at a time.
const EACH_TIME: u64 = 20;

/// From one time to the next.
const STEP: Duration = Duration::from_micros(20);

/// How long a key is in use: ten times as many come in that time as there is room for.
const PERIOD: Duration = Duration::from_secs(1);

const MAX_KEYS: usize = 100_000;

/// The first keys are those of clients that come again whenever they may, before the others.
const REGULARS: u64 = 1000;

/// By this one, there has been no room for long.
const WARM: u64 = 300_000;

/// How much memory may grow later. A table whose keys come and go doubles once, since what has gone
/// leaves gaps that are cleaned up only while half of it is empty; and while it doubles, its old
/// memory is in use too.
const FACTOR: usize = 3;

trait Limiter {
    fn allows(&self, key: u64, now: Timestamp) -> bool;
    fn len(&self) -> usize;
    fn check_invariants(&self);
}

macro_rules! limiter {
    ($limiter:ident) => {
        impl Limiter for $limiter<u64> {
            fn allows(&self, key: u64, now: Timestamp) -> bool {
                self.check_n_at(&key, 1, now).is_allowed()
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

limiter!(Funnels);
limiter!(SlidingWindow);

#[derive(Default)]
struct Refusals(AtomicU64);

impl Observer for Refusals {
    fn refused(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The keys for which there was room, by the time from which on they are idle.
struct InUse {
    keys: VecDeque<(u64, Timestamp)>,
    random: usize,
}

impl InUse {
    fn new() -> Self {
        // All its memory is taken now, before anything is measured.
        InUse { keys: VecDeque::with_capacity(MAX_KEYS + 1), random: 0 }
    }

    fn push(&mut self, key: u64, now: Timestamp) {
        self.keys.push_back((key, now.saturating_add(PERIOD)));
    }

    /// Takes out a key that is idle by now.
    fn pop_idle(&mut self, now: Timestamp) -> Option<u64> {
        let &(key, idle_at) = self.keys.front()?;
        if idle_at > now {
            return None;
        }
        self.keys.pop_front();
        Some(key)
    }

    fn any(&mut self) -> u64 {
        // The constants of Knuth's MMIX.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = self.random.wrapping_add(1_442_695_040_888_963_407);
        self.keys[(self.random >> 33) % self.keys.len()].0
    }
}

fn attack<L: Limiter>(name: &str, make: impl FnOnce(Arc<Refusals>) -> L) {
    let mut keys = InUse::new();
    // The first hasher makes what all seeds come from.
    let _ = RandomState::new();
    let refusals = Arc::new(Refusals::default());
    let before = in_use();
    take_peak();
    let limiter = make(refusals.clone());
    let (mut now, mut admitted, mut warm) = (Timestamp::ZERO, 0, 0);
    for key in 0..KEYS {
        if key % EACH_TIME == 0 {
            now = now.saturating_add(STEP);
            while let Some(key) = keys.pop_idle(now) {
                if key < REGULARS {
                    assert!(limiter.allows(key, now), "another has got its place");
                    keys.push(key, now);
                }
            }
        }
        let refused = refusals.0.load(Ordering::Relaxed);
        let allowed = limiter.allows(key, now);
        if refusals.0.load(Ordering::Relaxed) == refused {
            assert!(allowed, "a new key is denied");
            keys.push(key, now);
            admitted += 1;
        }
        assert!(limiter.len() <= MAX_KEYS);
        if key % EACH_TIME == 0 {
            assert!(!limiter.allows(keys.any(), now), "what has passed is forgotten");
        }
        if key == WARM {
            warm = take_peak().abs_diff(before);
        }
    }
    let most = take_peak().abs_diff(before);
    limiter.check_invariants();
    for &(key, _) in &keys.keys {
        assert!(!limiter.allows(key, now), "what has passed is forgotten");
    }
    drop(limiter);
    assert_eq!(in_use(), before, "a leak");

    println!(
        "{name}: {KEYS} keys, {admitted} of them let in; {warm} bytes at first, later at most \
         {most}, which is {} a key",
        most / MAX_KEYS,
    );
    assert!(most <= warm * FACTOR, "memory grows");
    // Keys that are idle go, so that there is room again.
    let periods = KEYS / EACH_TIME * STEP.as_micros() as u64 / PERIOD.as_micros() as u64;
    assert!(admitted > periods * (MAX_KEYS as u64 - REGULARS) * 9 / 10, "room stays empty");
}

fn quota() -> Quota {
    Quota::new(1, PERIOD).unwrap()
}

#[test]
fn memory_of_funnels_that_refuse_keys_is_bounded() {
    attack("funnels that refuse keys", |refusals| {
        Funnels::new(quota()).with_max_keys(MAX_KEYS, WhenFull::RefuseNew).with_observer(refusals)
    });
}

#[test]
fn memory_of_funnels_with_a_shared_bucket_is_bounded() {
    attack("funnels with a shared bucket", |refusals| {
        Funnels::new(quota())
            .with_max_keys(MAX_KEYS, WhenFull::SharedBucket)
            .with_observer(refusals)
    });
}

#[test]
fn memory_of_sliding_windows_that_refuse_keys_is_bounded() {
    attack("sliding windows that refuse keys", |refusals| {
        SlidingWindow::new(quota())
            .with_max_keys(MAX_KEYS, WhenFull::RefuseNew)
            .with_observer(refusals)
    });
}

#[test]
fn memory_of_sliding_windows_with_a_shared_bucket_is_bounded() {
    attack("sliding windows with a shared bucket", |refusals| {
        SlidingWindow::new(quota())
            .with_max_keys(MAX_KEYS, WhenFull::SharedBucket)
            .with_observer(refusals)
    });
}
