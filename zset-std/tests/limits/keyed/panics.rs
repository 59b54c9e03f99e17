//! Panicking user code: no unit is forgotten, no room is lost, and no other call is blocked.

use std::borrow::Borrow;
use std::cell::Cell;
use std::thread;

use zset_std::{Hold, ToKey};

use super::*;

/// The user code that a limiter calls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Hash,
    Eq,
    Borrow,
    ToKey,
    Drop,
    Observer,
}

const CALLS: [Call; 6] =
    [Call::Hash, Call::Eq, Call::Borrow, Call::ToKey, Call::Drop, Call::Observer];

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

/// Runs an operation in which this many calls of a kind return and the next panics; returns whether
/// one panicked.
fn panicking_after(passing: usize, call: Call, operation: impl FnOnce()) -> bool {
    PANICKING.set(Some((call, passing)));
    let panicked = catch_unwind(AssertUnwindSafe(operation)).is_err();
    assert_eq!(panicked, PANICKING.take().is_none(), "only the chosen call panics");
    panicked
}

/// The borrowed form of a key. It is not `Clone`, so keys are created by its own `to_owned`.
#[derive(Debug)]
struct Name(u32);

#[derive(Debug)]
struct Key(Name);

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        called(Call::Eq);
        self.0 == other.0
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        called(Call::Hash);
        self.0.hash(state);
    }
}

impl ToKey<Key> for Name {
    fn is_key(&self, key: &Key) -> bool {
        self == Borrow::<Name>::borrow(key)
    }

    fn to_key(&self) -> Key {
        called(Call::ToKey);
        Key(Name(self.0))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.0 == other.0
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl ToOwned for Name {
    type Owned = Key;

    fn to_owned(&self) -> Key {
        self.to_key()
    }
}

impl Borrow<Name> for Key {
    fn borrow(&self) -> &Name {
        called(Call::Borrow);
        &self.0
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
fn full<L: OfQuota>(when_full: WhenFull) -> Keyed<Key, L> {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let limiter = make::<Key, L>(quota, ROOM as usize, when_full, Arc::new(Panicking));
    for key in 0..ROOM {
        let now = at(if key == 0 { 0 } else { 30 });
        assert!(limiter.at(now).check_n(&Name(key), 1).is_allowed());
    }
    limiter
}

/// Runs an operation with a panic at each of its calls of user code in turn.
fn panics_in_turn<L: OfQuota>(name: &str, operation: impl Fn(&Keyed<Key, L>)) {
    for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
        for call in CALLS {
            for passing in 0.. {
                let limiter = full(when_full);
                let panicked = panicking_after(passing, call, || operation(&limiter));
                limiter.check_invariants();
                for key in 1..ROOM {
                    let allowed = limiter.at(at(60)).peek_n(&Name(key), 1).is_allowed();
                    assert!(!allowed, "{name}: {call:?} {passing} loses the units of a key");
                }
                // In the end no key is left, and all room is available again.
                limiter.at(at(1000)).sweep(usize::MAX);
                assert_eq!(limiter.len(), 0, "{name}: {call:?} {passing} loses room");
                for key in 10..10 + ROOM {
                    assert!(limiter.at(at(1000)).check_n(&Name(key), 1).is_allowed());
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

fn operations_panic_in_turn<L: OfQuota>() {
    panics_in_turn::<L>("check of a new key", |limiter| {
        let _ = limiter.at(at(60)).check_n(&Name(10), 1);
    });
    panics_in_turn::<L>("check of a new key without room", |limiter| {
        let _ = limiter.at(at(59)).check_n(&Name(10), 1);
    });
    panics_in_turn::<L>("check of an idle key", |limiter| {
        let _ = limiter.at(at(60)).check_n(&Name(0), 1);
    });
    panics_in_turn::<L>("check of a key in use", |limiter| {
        let _ = limiter.at(at(60)).check_n(&Name(1), 1);
    });
    for (key, second) in [(10, 60), (10, 59), (0, 60), (1, 60)] {
        panics_in_turn::<L>("hold", |limiter| {
            let (_, hold) = Hold::new(limiter.at(at(second)), &Name(key), 1);
            // A hold that is made is settled without a panic.
            let panicking = PANICKING.take();
            drop(hold);
            PANICKING.set(panicking);
        });
    }
    panics_in_turn::<L>("peek", |limiter| {
        let _ = limiter.at(at(60)).peek_n(&Name(1), 1);
    });
    panics_in_turn::<L>("refund", |limiter| _ = limiter.refund(&Name(0), 1));
    panics_in_turn::<L>("reset", |limiter| {
        limiter.reset(&Name(0));
    });
    panics_in_turn::<L>("sweep", |limiter| {
        limiter.at(at(60)).sweep(usize::MAX);
    });
}

#[test]
fn a_panic_in_user_code_forgets_no_unit_and_loses_no_room() {
    operations_panic_in_turn::<Funnel>();
    operations_panic_in_turn::<SlidingWindow>();
}

fn drops_panic_in_a_sweep<L: OfQuota>() {
    for passing in 0..ROOM as usize {
        let limiter: Keyed<Key, L> = full(WhenFull::RefuseNew);
        let swept = || assert_eq!(limiter.at(at(90)).sweep(usize::MAX), 3);
        assert!(panicking_after(passing, Call::Drop, swept));
        limiter.check_invariants();
        limiter.at(at(90)).sweep(usize::MAX);
        assert_eq!(limiter.len(), 0);
    }
}

#[test]
fn a_key_whose_drop_panics_in_a_sweep_occupies_no_room() {
    drops_panic_in_a_sweep::<Funnel>();
    drops_panic_in_a_sweep::<SlidingWindow>();
}
