//! Tests that a panic in user code forgets no unit, leaves the number of keys correct, and blocks
//! no other call.

use std::cell::Cell;
use std::thread;

use super::*;

/// The user code that a limiter calls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Hash,
    Eq,
    Clone,
    Drop,
    Observer,
}

const CALLS: [Call; 5] = [Call::Hash, Call::Eq, Call::Clone, Call::Drop, Call::Observer];

thread_local! {
    /// The kind of call that panics, and the number of calls of that kind before it.
    static PANICKING: Cell<Option<(Call, usize)>> = const { Cell::new(None) };
}

/// Counts a call, and panics if it is the chosen one.
fn called(call: Call) {
    match PANICKING.get() {
        Some((panicking, 0)) if panicking == call && !thread::panicking() => {
            PANICKING.set(None);
            panic!("{call:?} panics");
        }
        Some((panicking, passing @ 1..)) if panicking == call => {
            PANICKING.set(Some((call, passing - 1)));
        }
        _ => {}
    }
}

/// Runs an operation in which a call panics after `passing` calls of its kind. Returns whether it
/// panicked.
fn panicking_after(passing: usize, call: Call, operation: impl FnOnce()) -> bool {
    PANICKING.set(Some((call, passing)));
    let panicked = catch_unwind(AssertUnwindSafe(operation)).is_err();
    assert_eq!(panicked, PANICKING.take().is_none(), "only the chosen call panics");
    panicked
}

#[derive(Debug)]
struct Key(u32);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        called(Call::Hash);
        self.0.hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        called(Call::Eq);
        self.0 == other.0
    }
}

impl Eq for Key {}

impl Clone for Key {
    fn clone(&self) -> Key {
        called(Call::Clone);
        Key(self.0)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        called(Call::Drop);
    }
}

struct Panicking;

impl Observer for Panicking {
    fn allowed(&self) {
        called(Call::Observer);
    }

    fn denied(&self) {
        called(Call::Observer);
    }

    fn swept(&self, _: usize) {
        called(Call::Observer);
    }

    fn refused(&self) {
        called(Call::Observer);
    }
}

/// The maximum number of keys.
const ROOM: u32 = 3;

/// Creates a full limiter: key 0 is idle at 60 seconds, the others at 90.
fn full(limiter: AnyLimiter, when_full: WhenFull) -> Keyed<Key, AnyLimiter> {
    let limiter = Keyed::new(limiter).with_max_keys(ROOM as usize, when_full);
    let limiter = limiter.with_observer(Arc::new(Panicking));
    for key in 0..ROOM {
        let now = at(if key == 0 { 0 } else { 30 });
        assert!(limiter.at(now).check_n(&Key(key), 1).is_allowed());
    }
    limiter
}

/// Runs an operation repeatedly, with a panic in each of its calls of user code in turn.
fn panics_in_turn(algorithm: AnyLimiter, name: &str, operation: impl Fn(&Keyed<Key, AnyLimiter>)) {
    for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
        for call in CALLS {
            for passing in 0.. {
                let limiter = full(algorithm, when_full);
                let panicked = panicking_after(passing, call, || operation(&limiter));
                limiter.check_invariants();
                for key in 1..ROOM {
                    let allowed = limiter.at(at(60)).peek_n(&Key(key), 1).is_allowed();
                    assert!(!allowed, "{name}: {call:?} {passing} loses the units of a key");
                }
                // Once all keys are swept, the limiter must have room for the maximum number of
                // keys again.
                limiter.at(at(1000)).sweep(usize::MAX);
                assert_eq!(limiter.len(), 0, "{name}: {call:?} {passing} loses room");
                for key in 10..10 + ROOM {
                    assert!(limiter.at(at(1000)).check_n(&Key(key), 1).is_allowed());
                }
                assert_eq!(limiter.len(), ROOM as usize);
                limiter.check_invariants();
                if !panicked {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_panic_in_user_code_forgets_no_unit_and_loses_no_room() {
    for algorithm in two(per_minute(1)) {
        let panics = |name, operation: &dyn Fn(&Keyed<Key, AnyLimiter>)| {
            panics_in_turn(algorithm, name, operation);
        };
        // In order: a new key that gets room, a new key without room, an idle key, and a key in
        // use.
        for (key, second) in [(10, 60), (10, 59), (0, 60), (1, 60)] {
            panics("check", &|limiter| _ = limiter.at(at(second)).check_n(&Key(key), 1));
            panics("hold", &|limiter| {
                let (_, hold) = Hold::new(limiter.at(at(second)), &Key(key), 1);
                // Only creating the hold may panic here, not dropping it.
                let panicking = PANICKING.take();
                drop(hold);
                PANICKING.set(panicking);
            });
        }
        panics("peek", &|limiter| _ = limiter.at(at(60)).peek_n(&Key(1), 1));
        panics("refund", &|limiter| _ = limiter.refund(&Key(0), 1));
        panics("reset", &|limiter| _ = limiter.reset(&Key(0)));
        panics("sweep", &|limiter| _ = limiter.at(at(60)).sweep(usize::MAX));
    }
}

#[test]
fn a_key_whose_drop_panics_in_a_sweep_occupies_no_room() {
    for algorithm in two(per_minute(1)) {
        for passing in 0..ROOM as usize {
            let limiter = full(algorithm, WhenFull::RefuseNew);
            let swept = || assert_eq!(limiter.at(at(90)).sweep(usize::MAX), 3);
            assert!(panicking_after(passing, Call::Drop, swept));
            limiter.check_invariants();
            limiter.at(at(90)).sweep(usize::MAX);
            assert_eq!(limiter.len(), 0);
        }
    }
}
