//! Tests how often a call hashes its key, and how often it acquires a lock.

use std::cell::Cell;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem;

use super::*;
use crate::sync::LOCKS;
use crate::{Hold, KeyedLimiter};

std::thread_local! {
    static HASHES: Cell<usize> = const { Cell::new(0) };
}

/// A hasher whose hash is the key itself. It counts the hashes.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are `u64`");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        HASHES.set(HASHES.get() + 1);
        self.0
    }
}

type Funnels = Keyed<u64, Funnel, MonotonicClock, BuildHasherDefault<Same>>;

/// Returns a key in the given shard.
fn key(shard: u64, number: u64) -> u64 {
    shard << 32 | number
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::ZERO.saturating_add(Duration::from_secs(seconds))
}

fn quota() -> Quota {
    Quota::new(2, Duration::from_secs(60)).unwrap()
}

/// Keys that `limiter` inserts, each in its own shard.
const PRESENT: [u64; 2] = [0, 1 << 32];

/// Returns a limiter with keys in two shards, which are idle after 30 seconds.
fn limiter(max_keys: usize, when_full: WhenFull) -> Funnels {
    let limiter = Keyed::new(Funnel::new(quota())).with_hasher(BuildHasherDefault::default());
    let limiter = limiter.with_max_keys(max_keys, when_full);
    for key in PRESENT {
        assert!(limiter.at(at(0)).check(&key).is_allowed());
    }
    limiter
}

/// Returns how often a call hashes a key, and how often it acquires a lock.
fn count(call: impl FnOnce()) -> (usize, usize) {
    HASHES.set(0);
    LOCKS.set(0);
    call();
    (HASHES.get(), LOCKS.get())
}

/// A call for a key, with its name.
type Call = (&'static str, fn(&Funnels, u64));

/// Calls that decide on a key or record units. For a key without room, they use the shared state.
const DECISIONS: [Call; 12] = [
    ("check", |it, key| _ = it.at(at(1)).check(&key)),
    ("check_n", |it, key| _ = it.at(at(1)).check_n(&key, 3)),
    ("check_n of none", |it, key| _ = it.at(at(1)).check_n(&key, 0)),
    ("check_with", |it, key| _ = it.at(at(1)).check_with(&key, quota(), 1)),
    ("throttle", |it, key| _ = it.at(at(1)).throttle(&key, 1, 1, 60, 1)),
    ("peek", |it, key| _ = it.at(at(1)).peek(&key)),
    ("peek_n", |it, key| _ = it.at(at(1)).peek_n(&key, 0)),
    ("peek_with", |it, key| _ = it.at(at(1)).peek_with(&key, quota(), 1)),
    ("over_limit", |it, key| _ = it.at(at(1)).over_limit(&key)),
    ("record", |it, key| _ = it.at(at(1)).record(&key, 1)),
    ("decide", |it, key| _ = it.decide(&key, 1, at(1))),
    ("hold", |it, key| mem::forget(Hold::new(it.at(at(1)), &key, 1))),
];

/// Calls that only change a key that is present.
const CHANGES: [Call; 3] = [
    ("refund", |it, key| _ = it.refund(&key, 1)),
    ("refund_with", |it, key| _ = it.refund_with(&key, quota(), 1)),
    ("reset", |it, key| _ = it.reset(&key)),
];

#[test]
fn every_call_hashes_its_key_once_and_locks_its_shard_once() {
    for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
        for (max_keys, key) in [(10, 0), (10, key(0, 1)), (2, 0), (2, key(0, 1)), (2, key(2, 0))] {
            let has_no_room = max_keys == 2 && !PRESENT.contains(&key);
            let locks_bucket = has_no_room && when_full == WhenFull::SharedBucket;
            for (calls, bucket) in [(&DECISIONS[..], locks_bucket), (&CHANGES, false)] {
                for (name, call) in calls {
                    let limiter = limiter(max_keys, when_full);
                    let counts = count(|| call(&limiter, key));
                    let expected = (1, 1 + usize::from(bucket));
                    assert_eq!(counts, expected, "{name} of {key:x}, {max_keys}, {when_full:?}");
                    limiter.check_invariants();
                }
            }
            let limiter = limiter(max_keys, when_full);
            if let (_, Some(hold)) = Hold::new(limiter.at(at(1)), &key, 1) {
                assert_eq!(count(|| hold.charge(1)), (1, 1), "the end of a hold");
            }
        }
    }
}

#[test]
fn calls_without_a_key_or_units_do_not_hash() {
    let limiter = limiter(2, WhenFull::RefuseNew);
    assert_eq!(count(|| assert!(limiter.record(&0, 0).is_ok())), (0, 0));
    let (hashes, _) = count(|| assert_eq!(limiter.at(at(30)).sweep(usize::MAX), 2));
    assert_eq!(hashes, 0);
    let (hashes, _) = count(|| limiter.set_quota(quota()));
    assert_eq!(hashes, 0);
}

#[test]
fn a_table_grows_without_hashing_its_keys() {
    let limiter = limiter(usize::MAX, WhenFull::RefuseNew);
    let counts = count(|| {
        for number in 1..1000 {
            assert!(limiter.at(at(0)).check(&key(0, number)).is_allowed());
        }
    });
    assert_eq!(counts, (999, 999));
}

/// A call unlocks the shard of the new key while it searches other shards: the search may be long,
/// and two searching threads could deadlock. So it locks the shard again to insert the key.
#[test]
fn a_shard_is_locked_again_only_if_an_idle_key_is_in_another() {
    for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
        for (new, locks, locks_to_peek) in [(key(0, 1), 1, 1), (key(2, 0), 3, 2)] {
            let limiter = limiter(2, when_full);
            let peek = count(|| assert!(limiter.at(at(30)).peek(&new).is_allowed()));
            assert_eq!(peek, (1, locks_to_peek), "a peek at {new:x}");
            let check = count(|| assert!(limiter.at(at(30)).check(&new).is_allowed()));
            assert_eq!(check, (1, locks), "a check of {new:x}");
            limiter.check_invariants();
        }
        // The deadlines of both keys have passed, but neither is idle.
        let (limiter, new) = (limiter(2, when_full), key(2, 0));
        assert!(PRESENT.iter().all(|key| limiter.at(at(1)).check(key).is_allowed()));
        let check = count(|| _ = limiter.at(at(30)).check(&new));
        assert_eq!(check, (1, 3 + usize::from(when_full == WhenFull::SharedBucket)));
    }
}
