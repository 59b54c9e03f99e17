//! Tests keyed limiters, which limit each key independently of the others.

mod in_flight;
mod panics;
mod periods;
mod room;
mod threads;

use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use zset_std::limit::{KeysFull, QuotaError, ThrottleError};
use zset_std::{Observer, ToKey};

/// Returns a funnel and a sliding window, which have the simplest and the largest state.
fn two(quota: Quota) -> [AnyLimiter; 2] {
    [Funnel::new(quota).into(), SlidingWindow::new(quota).into()]
}

/// A clock that must not be read.
struct Unread;

impl zset_std::Clock for Unread {
    fn now(&self) -> Timestamp {
        panic!("the clock was read");
    }
}

#[test]
fn a_limiter_at_a_given_time_does_not_read_its_clock() {
    let quota = per_minute(3);
    let funnels = Keyed::<u32, _>::new(Funnel::new(quota)).with_clock(Unread);
    let now = funnels.at(at(0));
    assert_eq!((now.peek(&1).remaining, now.check(&1).remaining), (2, 2));
    assert_eq!((now.peek_n(&1, 2).remaining, now.check_n(&1, 2).remaining), (0, 0));
    assert!(
        !now.peek_with(&1, quota, 1).is_allowed() && !now.check_with(&1, quota, 1).is_allowed()
    );
    assert!(now.throttle(&1, 2, 3, 60, 1).unwrap().limited);
    assert_eq!((now.sweep(9), funnels.at(at(60)).sweep(9)), (0, 1));
    let windows = Keyed::<u32, _>::new(SlidingWindow::new(quota)).with_clock(Unread);
    assert_eq!(windows.at(at(0)).record(&1, 3), Ok(()));
    assert!(windows.at(at(59)).over_limit(&1) && !windows.at(at(60)).over_limit(&1));
    assert_eq!(windows.decide(&1, 1, at(60)).remaining, 2);
    assert_eq!(windows.preview(&1, 2, at(60)).remaining, 0);
}

#[test]
fn limiters_and_errors_have_strings() {
    let limiter = Keyed::<u32, _>::new(Funnel::new(per_minute(1))).with_clock(FakeClock::new());
    for (string, start) in [
        (format!("{limiter:?}"), "Keyed { clock: FakeClock"),
        (format!("{:?}", limiter.wait_ready(&7)), "WaitReady { key: 7, units: 1, deadline: "),
        (KeysFull.to_string(), "limiter has no room"),
        (QuotaError::ZeroCount.to_string(), "quota has a count of zero"),
        (ThrottleError::Quota(QuotaError::ZeroPeriod).to_string(), "quota has a period of zero"),
    ] {
        assert!(string.starts_with(start), "{string}");
    }
}

#[test]
fn keys_are_looked_up_by_their_borrowed_form() {
    fn is_one_key<K: Clone + Eq + Hash, Q: ToKey<K> + ?Sized>(borrowed: &Q, key: &K) {
        let window = SlidingWindow::new(per_minute(2));
        let limiter = Keyed::<K, _>::new(window).with_clock(FakeClock::new());
        assert!(limiter.check(borrowed).is_allowed() && limiter.check(key).is_allowed());
        assert!(limiter.over_limit(borrowed) && limiter.over_limit(key));
        assert_eq!((limiter.refund(borrowed, 1), limiter.len()), (1, 1));
        assert!(!limiter.is_empty() && limiter.reset(borrowed) && limiter.is_empty());
    }

    is_one_key::<Arc<str>, str>("ann", &"ann".into());
    is_one_key::<Box<str>, str>("ann", &"ann".into());
    is_one_key::<String, str>("ann", &"ann".into());
    is_one_key::<Arc<[u16]>, [u16]>(&[1, 2], &[1, 2].into());
    is_one_key::<Vec<u16>, [u16]>(&[1, 2], &vec![1, 2]);
    is_one_key::<Arc<Path>, Path>(Path::new("/a"), &Path::new("/a").into());
    is_one_key::<(u64, &str), (u64, &str)>(&(7, "pay"), &(7, "pay"));
    is_one_key::<(u64, String), _>(&(7, "pay"), &(7, "pay".into()));
    is_one_key::<(Box<str>, u64), _>(&("pay", 7), &("pay".into(), 7));
    is_one_key::<(Arc<str>, String), _>(&("ann", "pay"), &("ann".into(), "pay".into()));
    is_one_key::<(u64, char, String), _>(&(7, 'x', "pay"), &(7, 'x', "pay".into()));
    is_one_key::<(u64, String, char), _>(&(7, "pay", 'x'), &(7, "pay".into(), 'x'));
    is_one_key::<(String, u64, char), _>(&("pay", 7, 'x'), &("pay".into(), 7, 'x'));
    is_one_key::<(u64, String, Arc<str>), _>(&(7, "ann", "pay"), &(7, "ann".into(), "pay".into()));
    is_one_key::<(String, u64, Arc<str>), _>(&("ann", 7, "pay"), &("ann".into(), 7, "pay".into()));
    is_one_key::<(String, Arc<str>, u64), _>(&("ann", "pay", 7), &("ann".into(), "pay".into(), 7));
    is_one_key::<(String, Arc<str>, Box<str>), _>(
        &("ann", "pay", "eu"),
        &("ann".into(), "pay".into(), "eu".into()),
    );
}

#[test]
fn parts_of_a_key_are_compared_each_and_in_their_order() {
    let funnel = Funnel::new(per_minute(1));
    let limiter = Keyed::<(String, String), _>::new(funnel).with_clock(Unread);
    for key in [("ann", "pay"), ("pay", "ann"), ("annp", "ay"), ("ann", ""), ("", "ann")] {
        assert!(limiter.at(at(0)).check(&key).is_allowed(), "{key:?}");
        assert!(!limiter.at(at(0)).check(&key).is_allowed(), "{key:?}");
    }
    assert_eq!(limiter.len(), 5);
}

#[test]
fn the_type_of_a_number_in_a_key_is_inferred_from_the_limiter() {
    let funnel = Funnel::new(per_minute(1));
    let limiter = Keyed::<(u64, String), _>::new(funnel).with_clock(Unread);
    assert!(limiter.at(at(0)).check(&(7, "pay")).is_allowed());
    assert!(!limiter.at(at(0)).check(&(7, "pay".to_string())).is_allowed());
    let limiter = Keyed::<(u64, &str, i8), _>::new(funnel).with_clock(Unread);
    assert!(limiter.at(at(0)).check(&(7, "pay", -1)).is_allowed());
}

#[test]
fn an_owned_key_is_made_only_for_a_new_key() {
    /// Hashes like the key, and counts how many keys are made.
    struct Action<'a>(&'a str, u64, &'a AtomicUsize);

    impl Hash for Action<'_> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            (self.0, self.1).hash(state);
        }
    }

    impl ToKey<(Arc<str>, u64)> for Action<'_> {
        fn is_key(&self, (user, action): &(Arc<str>, u64)) -> bool {
            (self.0, self.1) == (&**user, *action)
        }

        fn to_key(&self) -> (Arc<str>, u64) {
            self.2.fetch_add(1, Ordering::Relaxed);
            (self.0.into(), self.1)
        }
    }

    let quota = per_minute(3);
    let limiter = Keyed::<(Arc<str>, u64), _>::new(Funnel::new(quota)).with_clock(Unread);
    let (now, made) = (limiter.at(at(0)), AtomicUsize::new(0));
    let made_for = |user, action| {
        let before = made.load(Ordering::Relaxed);
        let action = Action(user, action, &made);
        assert!(now.check(&action).is_allowed());
        now.record(&action, 1).unwrap();
        assert!(now.check_with(&action, quota, 1).is_allowed());
        assert!(!now.check(&action).is_allowed() && !now.peek(&action).is_allowed());
        made.load(Ordering::Relaxed) - before
    };
    assert_eq!((made_for("ann", 7), made_for("ann", 8), made_for("bob", 7)), (1, 1, 1));
    assert_eq!(limiter.len(), 3);
}

#[test]
fn a_time_in_between_is_the_same_limiter() {
    let limiter = Keyed::<u32, _>::new(SlidingWindow::new(per_minute(2)));
    let (early, late) = (limiter.at(at(0)), limiter.at(at(30)));
    assert!(early.check(&1).is_allowed() && late.check(&1).is_allowed());
    assert_eq!((seconds(early.check(&1)), seconds(late.check(&1))), (60, 30));
    // The result of `at` also implements `KeyedLimiter`, and its calls use the given time.
    let copy = late;
    assert_eq!(KeyedLimiter::<u32>::now(&copy), at(30));
    assert_eq!(KeyedLimiter::refund(&copy, &1, 1), 1);
    assert!(KeyedLimiter::check(&copy, &1).is_allowed());
}

#[test]
fn a_key_that_is_reset_repeatedly_leaves_nothing_behind() {
    for limiter in two(quota(1, 1_000)) {
        let limiter = Keyed::<u32, _>::new(limiter).with_max_keys(10, WhenFull::RefuseNew);
        for round in 0..2_000 {
            assert!(limiter.at(at(0)).check_n(&7, 1).is_allowed());
            assert!(limiter.at(at(0)).check_n(&(round % 5), 0).is_allowed());
            assert!(limiter.reset(&7) && !limiter.reset(&7));
            limiter.check_invariants();
        }
        // The deadlines of earlier insertions do not matter: the key is swept once it is idle, but
        // not before.
        assert!(limiter.at(at(10)).check_n(&7, 1).is_allowed());
        assert_eq!(limiter.at(at(1_009)).sweep(10_000), 0);
        assert!(!limiter.at(at(1_009)).check_n(&7, 1).is_allowed());
        assert_eq!(limiter.at(at(1_010)).sweep(10_000), 1);
        limiter.check_invariants();
    }
}

/// A refund makes a key idle before its deadline.
#[test]
fn a_refunded_key_makes_room_after_others_are_reset() {
    const KEYS: u32 = 2_000;
    for limiter in two(per_minute(1)) {
        let limiter =
            Keyed::<u32, _>::new(limiter).with_max_keys(KEYS as usize, WhenFull::RefuseNew);
        for key in 0..KEYS {
            assert!(limiter.at(at(0)).check_n(&key, 1).is_allowed());
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
}

#[test]
fn colliding_keys_are_distinct_and_swept_when_idle() {
    #[derive(Default)]
    struct Same;

    impl Hasher for Same {
        fn finish(&self) -> u64 {
            5
        }

        fn write(&mut self, _: &[u8]) {}
    }

    let limiter: Keyed<u32, SlidingWindow, _, BuildHasherDefault<Same>> =
        Keyed::new(SlidingWindow::new(per_minute(1))).with_hasher(BuildHasherDefault::default());
    for key in 0..50_u32 {
        assert!(limiter.at(at(key.into())).check_n(&key, 1).is_allowed());
        assert!(!limiter.at(at(key.into())).check_n(&key, 1).is_allowed());
    }
    assert!(limiter.reset(&30));
    limiter.check_invariants();
    for second in 50..120_u32 {
        let left = (0..50).filter(|&key| key != 30 && key + 60 > second).count();
        limiter.at(at(second.into())).sweep(10_000);
        limiter.check_invariants();
        assert_eq!(limiter.len(), left, "at {second}");
    }
}

/// The keys are in different shards. A key that was swept must not shorten the wait.
#[test]
fn a_refused_key_waits_until_another_is_idle() {
    let funnels = one_key(Funnel::new(per_minute(1)), WhenFull::RefuseNew);
    for (first, second) in [(0, 0), (1, 60)] {
        assert!(funnels.at(at(second)).check_n(&first, 1).is_allowed());
        for key in first + 1..100 {
            assert_eq!(seconds(funnels.at(at(second + 20)).check_n(&key, 1)), 40);
        }
    }
}

/// An idle key that was not swept gets the same decisions as a new key, but may refund units that a
/// new key does not have.
#[test]
fn an_idle_key_differs_from_a_new_one_only_in_refunds() {
    let window = SlidingWindow::new(per_minute(5));
    // The units of an idle key stay recorded until a check finds them too old.
    for limiter in two(per_minute(5)) {
        let limiter = Keyed::<u32, _>::new(limiter);
        assert!(limiter.at(at(0)).check(&1).is_allowed());
        for n in 0..7 {
            assert_eq!(limiter.at(at(60)).peek_n(&1, n), limiter.at(at(60)).peek_n(&2, n));
        }
        assert_eq!((limiter.refund(&1, 1), limiter.refund(&2, 1)), (1, 0));
    }

    // A log that once had units under a longer period keeps later units for the longer period, too.
    // `idle` and `new` are separate limiters, so that a check of one key does not sweep the other.
    let [idle, new] = [(); 2].map(|()| Keyed::<u32, _>::new(window));
    assert!(idle.at(at(0)).check(&1).is_allowed());
    for windows in [&idle, &new] {
        windows.set_quota(quota(5, 1));
    }
    for n in 0..7 {
        assert_eq!(idle.at(at(100)).peek_n(&1, n), new.at(at(100)).peek_n(&1, n));
    }
    for windows in [&idle, &new] {
        assert!(windows.at(at(100)).check(&1).is_allowed());
        assert_eq!(windows.at(at(105)).check_n(&1, 0).remaining, 5);
    }
    assert_eq!((idle.refund(&1, 1), new.refund(&1, 1)), (1, 0));

    // After the key has been swept, it refunds no more than a new key.
    assert!(idle.at(at(200)).check(&1).is_allowed());
    assert_eq!(idle.at(at(300)).sweep(usize::MAX), 1);
    assert!(idle.at(at(300)).check(&1).is_allowed());
    assert_eq!(idle.at(at(305)).check_n(&1, 0).remaining, 5);
    assert_eq!(idle.refund(&1, 1), 0);
}
