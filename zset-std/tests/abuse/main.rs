//! Sends up to ten million made-up keys to limiters that bound the number of keys. A limiter must
//! use bounded memory, and must not forget any unit. A second test measures how much memory each
//! limiter needs per key.
//!
//! This is a separate test binary because it replaces the global allocator.
//!
//! To print the measurements, use `cargo test -p zset-std --release --test abuse -- --nocapture`.

mod counting;

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use counting::{in_use, take_peak};
use zset_std::limit::{Block, Penalty};
use zset_std::{
    AnyLimiter, FixedWindow, Funnel, Hold, Keyed, Limiter, Observer, Quota, RandomState,
    SlidingWindow, Timestamp, WhenFull, WindowCounter,
};

/// The number of keys sent to each limiter. A debug build needs microseconds per key, so it sends
/// fewer keys, to limiters with less room. The keys still arrive over several periods.
const KEYS: u64 = if cfg!(debug_assertions) { 400_000 } else { 10_000_000 };

const MAX_KEYS: usize = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

/// The number of keys per time step.
const EACH_TIME: u64 = 20;

/// The time between steps.
const STEP: Duration = Duration::from_micros(20);

/// How long a key is in use. In that time, ten times as many keys arrive as there is room for.
const PERIOD: Duration = Duration::from_micros(10 * MAX_KEYS as u64);

/// The number of regular clients, which have the first keys. They call again as soon as their keys
/// are idle, before all other clients.
const REGULARS: u64 = MAX_KEYS as u64 / 100;

/// When this key arrives, the limiter has long been full.
const WARM: u64 = 3 * MAX_KEYS as u64;

/// The factor by which memory may grow afterwards. A table with constant churn doubles once:
/// removals leave tombstones, which are cleaned up only while at most half of the table is in use.
/// While the table doubles, its old memory is still allocated.
const FACTOR: usize = 3;

#[derive(Default)]
struct Refusals(AtomicU64);

impl Observer for Refusals {
    fn refused(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The keys admitted by the limiter, in the order in which they become idle.
struct InUse {
    keys: VecDeque<(u64, Timestamp)>,
    random: usize,
}

impl InUse {
    fn new() -> Self {
        // Allocates all memory of the deque before the measurement starts.
        InUse { keys: VecDeque::with_capacity(MAX_KEYS + 1), random: 0 }
    }

    fn push(&mut self, key: u64, now: Timestamp) {
        self.keys.push_back((key, now.saturating_add(PERIOD)));
    }

    /// Removes and returns the first key if it is idle.
    fn pop_idle(&mut self, now: Timestamp) -> Option<u64> {
        let &(key, idle_at) = self.keys.front()?;
        if idle_at > now {
            return None;
        }
        self.keys.pop_front();
        Some(key)
    }

    fn any(&mut self) -> u64 {
        // A linear congruential generator with the constants of Knuth's MMIX.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = self.random.wrapping_add(1_442_695_040_888_963_407);
        self.keys[(self.random >> 33) % self.keys.len()].0
    }
}

/// Sends `KEYS` keys to a limiter that allows one unit per key and period.
fn attack<L: Limiter>(name: &str, algorithm: fn(Quota) -> L, when_full: WhenFull) {
    let mut keys = InUse::new();
    // Creates a hash builder first, so that the one-time initialization of its seed is not
    // measured.
    let _ = RandomState::new();
    let refusals = Arc::new(Refusals::default());
    let before = in_use();
    take_peak();
    let limiter = Keyed::<u64, _>::new(algorithm(Quota::new(1, PERIOD).unwrap()))
        .with_max_keys(MAX_KEYS, when_full)
        .with_observer(refusals.clone());
    let allows = |key: u64, now| limiter.at(now).check_n(&key, 1).is_allowed();
    let (mut now, mut admitted, mut warm) = (Timestamp::ZERO, 0, 0);
    for key in 0..KEYS {
        if key % EACH_TIME == 0 {
            now = now.saturating_add(STEP);
            while let Some(key) = keys.pop_idle(now) {
                if key < REGULARS {
                    assert!(allows(key, now), "another key has taken its room");
                    keys.push(key, now);
                }
            }
        }
        let refused = refusals.0.load(Ordering::Relaxed);
        let allowed = allows(key, now);
        if refusals.0.load(Ordering::Relaxed) == refused {
            assert!(allowed, "a new key was denied");
            keys.push(key, now);
            admitted += 1;
        }
        assert!(limiter.len() <= MAX_KEYS);
        if key % EACH_TIME == 0 {
            assert!(!allows(keys.any(), now), "units were forgotten");
        }
        if key == WARM {
            warm = take_peak().abs_diff(before);
        }
    }
    let most = take_peak().abs_diff(before);
    limiter.check_invariants();
    for &(key, _) in &keys.keys {
        assert!(!allows(key, now), "units were forgotten");
    }
    drop(limiter);
    assert_eq!(in_use(), before, "a leak");

    println!(
        "{name}: {KEYS} keys, {admitted} of them admitted; {warm} bytes at first, at most \
         {most}, or {} per key",
        most / MAX_KEYS,
    );
    assert!(most <= warm * FACTOR, "memory has grown");
    // So many keys can be admitted only if idle keys were swept to make room for new ones.
    let periods = KEYS / EACH_TIME * STEP.as_micros() as u64 / PERIOD.as_micros() as u64;
    assert!(admitted > periods * (MAX_KEYS as u64 - REGULARS) * 9 / 10, "room was left unused");
}

#[test]
fn memory_of_funnels_that_refuse_keys_is_bounded() {
    attack("funnels that refuse keys", Funnel::new, WhenFull::RefuseNew);
}

#[test]
fn memory_of_funnels_with_a_shared_bucket_is_bounded() {
    attack("funnels with a shared bucket", Funnel::new, WhenFull::SharedBucket);
}

#[test]
fn memory_of_sliding_windows_that_refuse_keys_is_bounded() {
    attack("sliding windows that refuse keys", SlidingWindow::new, WhenFull::RefuseNew);
}

#[test]
fn memory_of_sliding_windows_with_a_shared_bucket_is_bounded() {
    attack("sliding windows with a shared bucket", SlidingWindow::new, WhenFull::SharedBucket);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn states_take_as_much_as_the_readme_says() {
    const fn bytes<L: Limiter>() -> usize {
        size_of::<L::State>()
    }

    assert_eq!(bytes::<SlidingWindow>(), 64);
    assert_eq!(bytes::<Funnel>(), 24);
    assert_eq!(bytes::<WindowCounter>(), 32);
    assert_eq!(bytes::<FixedWindow>(), 32);
    assert_eq!(bytes::<AnyLimiter>(), 40);
    assert_eq!(bytes::<Penalty<Funnel>>(), 24 + 8);
}

/// Prints the memory per key. Each key is checked once; in the last two rows, it also has a denial
/// or a held unit. A release build uses as many keys as docs/many-machines.md. The bounds hold for
/// any number of keys.
#[test]
fn a_key_takes_as_much_as_the_guide_says() {
    const MANY: u64 = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };

    fn measure<L: Limiter>(
        name: &str,
        most: usize,
        algorithm: L,
        second: impl Fn(&Keyed<u64, L>, u64),
    ) {
        let _ = RandomState::new();
        let before = in_use();
        let limiter = Keyed::<u64, _>::new(algorithm);
        for key in 0..MANY {
            assert!(limiter.check(&key).is_allowed());
            second(&limiter, key);
        }
        let bytes = in_use().abs_diff(before) / MANY as usize;
        println!("{name}: {bytes} bytes a key, of {MANY} keys");
        assert!(bytes <= most, "{name}: {bytes} bytes a key");
    }

    fn none<L: Limiter>(_: &Keyed<u64, L>, _: u64) {}

    let day = |count| Quota::new(count, Duration::from_secs(24 * 3600)).unwrap();
    let (funnel, window) = (Funnel::new(day(1)), SlidingWindow::new(day(1)));
    let penalty = Penalty::new(funnel, Block::after(NonZeroU32::MIN, PERIOD));
    measure("Funnel", 120, funnel, none);
    measure("SlidingWindow", 280, window, none);
    measure("FixedWindow", 140, FixedWindow::new(day(1)), none);
    measure("WindowCounter", 140, WindowCounter::new(day(1)), none);
    measure("AnyLimiter of a funnel", 160, AnyLimiter::from(funnel), none);
    measure("AnyLimiter of a window", 300, AnyLimiter::from(window), none);
    measure("Penalty of a funnel", 140, penalty, none);
    measure("Penalty of a funnel, after a denial", 190, penalty, |limiter, key| {
        assert!(!limiter.check(&key).is_allowed());
    });
    measure("Funnel, with a unit held", 150, Funnel::new(day(2)), |limiter, key| {
        let (_, hold) = Hold::new(limiter, &key, 1);
        std::mem::forget(hold.unwrap());
    });
}
