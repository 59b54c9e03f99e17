//! Tests that explore all interleavings of a few threads with loom. Run them with `.ci/run loom`.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::time::Duration;

use super::{Decision, Funnel, Hold, Keyed, Quota, SlidingWindow, WhenFull};
use crate::sync::explore::{explore, explore_interrupting, start};
use crate::{MonotonicClock, Timestamp};

/// In nanoseconds.
const PERIOD: u64 = 60;

fn quota(count: u32) -> Quota {
    Quota::new(count, Duration::from_nanos(PERIOD)).unwrap()
}

type Hasher = BuildHasherDefault<DefaultHasher>;

/// The common interface of both kinds of limiters. Times are in nanoseconds.
trait Explored: Send + Sync + Sized + 'static {
    fn new(count: u32) -> Self;
    fn with_max_keys(self, max_keys: usize, when_full: WhenFull) -> Self;
    fn check(&self, key: u64, now: u64) -> Decision;
    /// Holds a unit, charges or releases it, and returns whether it was allowed.
    fn hold(&self, key: u64, now: u64, is_charged: bool) -> bool;
    fn sweep(&self, now: u64) -> usize;
    fn set_count(&self, count: u32);
    fn len(&self) -> usize;
    fn check_invariants(&self);

    fn allows(&self, key: u64, now: u64) -> bool {
        self.check(key, now).is_allowed()
    }
}

macro_rules! keyed_limiter {
    ($limiter:ty, $algorithm:expr) => {
        impl Explored for $limiter {
            fn new(count: u32) -> Self {
                Keyed::new($algorithm(quota(count))).with_hasher(Hasher::default())
            }

            fn with_max_keys(self, max_keys: usize, when_full: WhenFull) -> Self {
                self.with_max_keys(max_keys, when_full)
            }

            fn check(&self, key: u64, now: u64) -> Decision {
                self.at(Timestamp::from_nanos(now)).check_n(&key, 1)
            }

            fn hold(&self, key: u64, now: u64, is_charged: bool) -> bool {
                let (_, hold) = Hold::new(self.at(Timestamp::from_nanos(now)), &key, 1);
                hold.map(|hold| hold.charge(is_charged.into())).is_some()
            }

            fn sweep(&self, now: u64) -> usize {
                self.at(Timestamp::from_nanos(now)).sweep(usize::MAX)
            }

            fn set_count(&self, count: u32) {
                self.set_quota(quota(count));
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

type Buckets = Keyed<u64, Funnel, MonotonicClock, Hasher>;
type Logs = Keyed<u64, SlidingWindow, MonotonicClock, Hasher>;

keyed_limiter!(Buckets, Funnel::new);
keyed_limiter!(Logs, SlidingWindow::new);

/// Makes two tests of each function, one for each kind of limiter.
macro_rules! of_both_kinds {
    ($($name:ident)*) => {
        mod buckets {
            $(
                #[test]
                fn $name() {
                    super::$name::<super::Buckets>();
                }
            )*
        }

        mod logs {
            $(
                #[test]
                fn $name() {
                    super::$name::<super::Logs>();
                }
            )*
        }
    };
}

of_both_kinds! {
    a_sweep_does_not_forget_a_key_that_is_used_again
    a_sweep_and_two_checks_admit_one
    a_later_sweep_does_not_make_a_check_grant_more
    a_sweep_and_a_new_key_are_both_counted
    threads_with_one_new_key_share_its_limit
    threads_with_one_new_key_use_room_for_one
    only_one_of_two_new_keys_gets_the_last_room
    one_of_two_new_keys_gets_the_room_of_an_idle_one
    an_idle_key_is_not_swept_while_it_is_used_again
    a_hold_and_checks_admit_the_limit
    a_hold_that_is_released_takes_nothing
    a_held_key_is_not_swept
    a_quota_change_takes_effect_in_every_shard
    concurrent_quota_changes_leave_one_quota_in_all_shards
}

/// Returns three keys: the first two in one shard, the third in the other.
fn keys() -> [u64; 3] {
    let shard = |key: &u64| Hasher::default().hash_one(key) >> 32 & 1;
    let find = |from, wanted| (from..100).find(|key| shard(key) == wanted).unwrap();
    let first = find(0, 0);
    [first, find(first + 1, 0), find(0, 1)]
}

// Tests of sweeps that run concurrently with checks.

fn a_sweep_does_not_forget_a_key_that_is_used_again<L: Explored>() {
    explore(|| {
        let limiter = Arc::new(L::new(1));
        assert!(limiter.allows(0, 0));
        // The key is idle. It is used again while a sweep may remove it.
        let other = start(&limiter, |limiter| limiter.sweep(PERIOD));
        assert!(limiter.allows(0, PERIOD));
        other.join().unwrap();
        limiter.check_invariants();
        limiter.sweep(2 * PERIOD - 1);
        assert!(!limiter.allows(0, 2 * PERIOD - 1), "what has passed is forgotten");
        limiter.sweep(2 * PERIOD);
        assert_eq!(limiter.len(), 0);
        limiter.check_invariants();
    });
}

fn a_sweep_and_two_checks_admit_one<L: Explored>() {
    explore(|| {
        let limiter = Arc::new(L::new(1));
        assert!(limiter.allows(0, 0));
        let others = [(), ()].map(|()| start(&limiter, |limiter| limiter.allows(0, PERIOD)));
        limiter.sweep(PERIOD);
        let [a, b] = others.map(|other| other.join().unwrap());
        assert!(a ^ b);
        limiter.check_invariants();
        assert!(!limiter.allows(0, 2 * PERIOD - 1));
    });
}

/// A thread may read the clock, and check a key only after another thread has swept at a later
/// time.
fn a_later_sweep_does_not_make_a_check_grant_more<L: Explored>() {
    explore(|| {
        let limiter = Arc::new(L::new(1));
        assert!(limiter.allows(0, 0));
        let other = start(&limiter, |limiter| limiter.sweep(PERIOD));
        let allowed = limiter.allows(0, 1);
        other.join().unwrap();
        limiter.check_invariants();
        assert_eq!(limiter.allows(0, PERIOD), !allowed);
        assert!(!limiter.allows(0, 2 * PERIOD - 1));
    });
}

// Tests of the limit on the number of keys.

fn a_sweep_and_a_new_key_are_both_counted<L: Explored>() {
    let [idle, same_shard, other_shard] = keys();
    for new in [same_shard, other_shard] {
        explore(move || {
            let limiter = Arc::new(L::new(1));
            assert!(limiter.allows(idle, 0));
            let other = start(&limiter, |limiter| limiter.sweep(PERIOD));
            assert!(limiter.allows(new, PERIOD));
            other.join().unwrap();
            limiter.check_invariants();
            assert_eq!(limiter.len(), 1);
        });
    }
}

fn threads_with_one_new_key_share_its_limit<L: Explored>() {
    explore(|| {
        let limiter = Arc::new(L::new(2));
        let others = [(), ()].map(|()| start(&limiter, |limiter| limiter.allows(0, 0)));
        let this = limiter.allows(0, 0);
        let others = others.map(|other| other.join().unwrap());
        assert_eq!([this, others[0], others[1]].map(u32::from).iter().sum::<u32>(), 2);
        assert_eq!(limiter.len(), 1);
        limiter.check_invariants();
    });
}

/// Two threads insert the same key, with room for one key. Neither is refused.
fn threads_with_one_new_key_use_room_for_one<L: Explored>() {
    for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
        explore(move || {
            let limiter = Arc::new(L::new(2).with_max_keys(1, when_full));
            let other = start(&limiter, |limiter| limiter.allows(0, 0));
            assert!(limiter.allows(0, 0));
            assert!(other.join().unwrap());
            assert_eq!(limiter.len(), 1);
            assert!(!limiter.allows(0, 0), "a unit is in another bucket");
            limiter.check_invariants();
        });
    }
}

fn only_one_of_two_new_keys_gets_the_last_room<L: Explored>() {
    let [key, same_shard, other_shard] = keys();
    for other in [same_shard, other_shard] {
        explore(move || {
            let limiter = Arc::new(L::new(1).with_max_keys(1, WhenFull::RefuseNew));
            let other = start(&limiter, move |limiter| {
                let allowed = limiter.allows(other, 0);
                assert!(limiter.len() <= 1);
                allowed
            });
            let this = limiter.allows(key, 0);
            assert!(limiter.len() <= 1);
            assert!(this ^ other.join().unwrap());
            assert_eq!(limiter.len(), 1);
            limiter.check_invariants();
        });
    }
}

fn one_of_two_new_keys_gets_the_room_of_an_idle_one<L: Explored>() {
    let [first, same_shard, other_shard] = keys();
    let idle_beside_one = [first, same_shard, other_shard];
    let idle_alone = [other_shard, first, same_shard];
    for [idle, key, other] in [idle_beside_one, idle_alone] {
        explore_interrupting(4, move || {
            let limiter = Arc::new(L::new(1).with_max_keys(1, WhenFull::RefuseNew));
            assert!(limiter.allows(idle, 0));
            let other = start(&limiter, move |limiter| {
                let allowed = limiter.allows(other, PERIOD);
                assert!(limiter.len() <= 1);
                allowed
            });
            let this = limiter.allows(key, PERIOD);
            assert!(limiter.len() <= 1);
            assert!(this ^ other.join().unwrap());
            assert_eq!(limiter.len(), 1);
            limiter.check_invariants();
            assert!(!limiter.allows(idle, PERIOD), "it has gone");
        });
    }
}

fn an_idle_key_is_not_swept_while_it_is_used_again<L: Explored>() {
    let [idle, same_shard, other_shard] = keys();
    for new in [same_shard, other_shard] {
        explore(move || {
            let limiter = Arc::new(L::new(1).with_max_keys(1, WhenFull::RefuseNew));
            assert!(limiter.allows(idle, 0));
            let other = start(&limiter, move |limiter| limiter.allows(new, PERIOD));
            let this = limiter.allows(idle, PERIOD);
            assert!(this ^ other.join().unwrap());
            assert_eq!(limiter.len(), 1);
            limiter.check_invariants();
            assert!(!limiter.allows(idle, PERIOD) && !limiter.allows(new, PERIOD));
        });
    }
}

// Tests of held units.

/// A unit is always either held or on record, never both.
fn a_hold_and_checks_admit_the_limit<L: Explored>() {
    for room in [None, Some(WhenFull::SharedBucket)] {
        explore(move || {
            let mut limiter = L::new(2);
            if let Some(when_full) = room {
                limiter = limiter.with_max_keys(0, when_full);
            }
            let limiter = Arc::new(limiter);
            let other = start(&limiter, |limiter| limiter.hold(0, 0, true));
            let checks = [limiter.allows(0, 0), limiter.allows(0, 0)];
            let held = other.join().unwrap();
            assert_eq!([held, checks[0], checks[1]].map(u32::from).iter().sum::<u32>(), 2);
            limiter.check_invariants();
        });
    }
}

fn a_hold_that_is_released_takes_nothing<L: Explored>() {
    explore(|| {
        let limiter = Arc::new(L::new(1));
        let other = start(&limiter, |limiter| limiter.hold(0, 0, false));
        let allowed = limiter.allows(0, 0);
        assert!(other.join().unwrap() || allowed);
        limiter.check_invariants();
        assert_eq!(limiter.allows(0, 0), !allowed);
    });
}

fn a_held_key_is_not_swept<L: Explored>() {
    explore(|| {
        let limiter = Arc::new(L::new(1));
        assert!(limiter.allows(0, 0));
        let other = start(&limiter, |limiter| limiter.sweep(PERIOD));
        assert!(limiter.hold(0, PERIOD, true));
        other.join().unwrap();
        limiter.check_invariants();
        assert!(!limiter.allows(0, 2 * PERIOD - 1), "what was charged is forgotten");
        limiter.sweep(2 * PERIOD);
        assert_eq!(limiter.len(), 0);
    });
}

// Tests of changing quotas.

fn concurrent_quota_changes_leave_one_quota_in_all_shards<L: Explored>() {
    let [one_shard, _, other_shard] = keys();
    explore(move || {
        let limiter = Arc::new(L::new(1));
        let other = start(&limiter, |limiter| limiter.set_count(2));
        limiter.set_count(3);
        other.join().unwrap();
        assert_eq!(limiter.check(one_shard, 0).limit, limiter.check(other_shard, 0).limit);
        limiter.check_invariants();
    });
}

fn a_quota_change_takes_effect_in_every_shard<L: Explored>() {
    let [old, same_shard, other_shard] = keys();
    for (before, then) in [(1, 2), (2, 1)] {
        for key in [old, same_shard, other_shard] {
            explore(move || {
                let limiter = Arc::new(L::new(before));
                assert!(limiter.allows(old, 0));
                let other =
                    start(&limiter, move |limiter| [(), ()].map(|()| limiter.check(key, PERIOD)));
                limiter.set_count(then);
                let [first, second] = other.join().unwrap();
                assert!(first.is_allowed(), "both quotas allow one");
                let limits = (first.limit, second.limit);
                let in_turn = [(before, before), (before, then), (then, then)];
                assert!(in_turn.contains(&limits), "{limits:?} from {before} to {then}");
                assert!(!second.is_allowed() || second.limit == 2);
                limiter.check_invariants();
                // The change has returned, so the new quota applies in every shard.
                let third = limiter.check(key, PERIOD);
                assert_eq!(third.limit, then);
                assert!(!(second.is_allowed() && third.is_allowed()), "three have passed");
                for new in 100..108 {
                    let passed = [(), ()].map(|()| u32::from(limiter.allows(new, PERIOD)));
                    assert_eq!(passed.iter().sum::<u32>(), then);
                }
            });
        }
    }
}
