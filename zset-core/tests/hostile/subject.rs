//! Sets whose members and scores call the fuse in all their trait methods.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::thread::LocalKey;
use zset_core::{SkipList, SortedSet};

use crate::fuse::{Code, burn};
use crate::unless_miri;

thread_local! {
    /// The number of live members.
    static LIVE: Cell<i64> = const { Cell::new(0) };

    /// The number of live `Weight`s.
    static LIVE_SCORES: Cell<i64> = const { Cell::new(0) };

    /// The state of the generator of random answers, or 0 for correct answers.
    static LIES: Cell<u32> = const { Cell::new(0) };

    /// The same for hashes.
    static HASH_LIES: Cell<u32> = const { Cell::new(0) };
}

/// Returns the next random number, or `None` if the state is 0.
fn lie(cell: &'static LocalKey<Cell<u32>>) -> Option<u32> {
    let mut state = cell.get();
    if state == 0 {
        return None;
    }
    // Marsaglia's xorshift, whose state never becomes 0.
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    cell.set(state);
    Some(state >> 8)
}

/// Runs an operation in which all comparisons return random results.
pub(crate) fn while_lying<T>(seed: u32, operation: impl FnOnce() -> T) -> T {
    LIES.set(seed);
    let result = operation();
    LIES.set(0);
    result
}

/// Runs an operation with random hashes of few distinct values, so that equal members sometimes
/// still have the same hash.
pub(crate) fn while_hashing_at_random<T>(seed: u32, operation: impl FnOnce() -> T) -> T {
    HASH_LIES.set(seed);
    let result = operation();
    HASH_LIES.set(0);
    result
}

fn order(right: Ordering) -> Ordering {
    match lie(&LIES).map(|random| random % 3) {
        None => right,
        Some(0) => Ordering::Less,
        Some(1) => Ordering::Equal,
        Some(_) => Ordering::Greater,
    }
}

/// A member that owns memory, so that dropping it twice is a double free.
#[derive(Debug)]
pub(crate) struct Member(Box<u32>);

impl Member {
    pub(crate) fn new(number: u32) -> Member {
        LIVE.with(|live| live.set(live.get() + 1));
        Member(Box::new(number))
    }

    pub(crate) fn number(&self) -> u32 {
        *self.0
    }
}

impl Clone for Member {
    fn clone(&self) -> Member {
        burn(Code::Clone);
        Member::new(self.number())
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        LIVE.with(|live| live.set(live.get() - 1));
        burn(Code::Drop);
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Member) -> bool {
        burn(Code::Eq);
        self.0 == other.0
    }
}

impl Eq for Member {}

impl PartialOrd for Member {
    fn partial_cmp(&self, other: &Member) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Member {
    fn cmp(&self, other: &Member) -> Ordering {
        burn(Code::Ord);
        order(self.0.cmp(&other.0))
    }
}

impl Hash for Member {
    fn hash<H: Hasher>(&self, state: &mut H) {
        burn(Code::Hash);
        lie(&HASH_LIES).map_or(self.number(), |random| random % 3).hash(state);
    }
}

/// A score. Its equality is always correct; only its order may be inconsistent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points(pub(crate) u32);

/// A score that owns memory, so that dropping it twice is a double free. It compares like `Points`.
#[derive(Debug)]
pub(crate) struct Weight(Box<u32>);

impl Clone for Weight {
    fn clone(&self) -> Weight {
        burn(Code::ScoreClone);
        Weight::of(self.number())
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        LIVE_SCORES.set(LIVE_SCORES.get() - 1);
        burn(Code::ScoreDrop);
    }
}

/// Returns the number of `Weight`s that are not dropped yet.
pub(crate) fn live_scores() -> i64 {
    LIVE_SCORES.get()
}

/// Excludes scores that are known to have leaked from `live_scores`.
pub(crate) fn forget_leaked_scores(leaked: i64) {
    LIVE_SCORES.set(LIVE_SCORES.get() - leaked);
}

/// A score made from a number.
pub(crate) trait Numbered: Ord + Clone + std::fmt::Debug {
    fn of(number: u32) -> Self;
    fn number(&self) -> u32;
}

impl Numbered for Points {
    fn of(number: u32) -> Points {
        Points(number)
    }

    fn number(&self) -> u32 {
        self.0
    }
}

impl Numbered for Weight {
    fn of(number: u32) -> Weight {
        LIVE_SCORES.set(LIVE_SCORES.get() + 1);
        Weight(Box::new(number))
    }

    fn number(&self) -> u32 {
        *self.0
    }
}

macro_rules! compare_as_numbers {
    ($($score:ty),*) => {
        $(
            impl PartialEq for $score {
                fn eq(&self, other: &$score) -> bool {
                    burn(Code::ScoreEq);
                    self.number() == other.number()
                }
            }

            impl Eq for $score {}

            impl PartialOrd for $score {
                fn partial_cmp(&self, other: &$score) -> Option<Ordering> {
                    Some(self.cmp(other))
                }
            }

            impl Ord for $score {
                fn cmp(&self, other: &$score) -> Ordering {
                    burn(Code::ScoreOrd);
                    order(self.number().cmp(&other.number()))
                }
            }
        )*
    };
}

compare_as_numbers!(Points, Weight);

impl zset_core::Increment for Points {
    type By = u32;
    type Error = ();
    const ZERO: Points = Points(0);

    fn checked_increment(self, by: u32) -> Result<Points, ()> {
        burn(Code::Closure);
        self.0.checked_add(by).map(Points).ok_or(())
    }
}

/// A hasher that is the same in every run.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a member writes one number");
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 29;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A hasher under which all members collide, so that a dict's table is one unbroken probe sequence.
#[derive(Default)]
pub(crate) struct Constant;

impl Hasher for Constant {
    fn write(&mut self, _: &[u8]) {}

    fn finish(&self) -> u64 {
        7
    }
}

pub(crate) type Set<H = BuildHasherDefault<Mixed>, S = Points> = SortedSet<Member, S, H>;
pub(crate) type Colliding = Set<BuildHasherDefault<Constant>>;

/// Creates a set of full leaves: the members `0..len`, with ten times their number as scores.
pub(crate) fn filled(len: u32) -> Set {
    filled_with(len)
}

/// Creates the same set with another hasher and other scores.
pub(crate) fn filled_with<H: BuildHasher + Default, S: Numbered>(len: u32) -> Set<H, S> {
    let elements = (0..len).map(|number| (Member::new(number), S::of(10 * number)));
    Set::from_sorted_iter(elements).expect("the numbers are ascending")
}

/// Verifies the invariants, except under Miri, where this would dominate the run time.
pub(crate) fn check<H: BuildHasher, S: Numbered>(set: &Set<H, S>) {
    if !cfg!(miri) {
        set.check();
    }
}

/// Verifies the invariants of a list, except under Miri.
pub(crate) fn check_list<S: Numbered>(list: &SkipList<Member, S>) {
    if !cfg!(miri) {
        list.check();
    }
}

/// Returns the elements as numbers.
pub(crate) fn contents<H, S: Numbered>(set: &Set<H, S>) -> Vec<(u32, u32)> {
    set.iter().map(|(member, score)| (member.number(), score.number())).collect()
}

/// Verifies that a set can be read, written, cleared and reused.
pub(crate) fn use_again<H: BuildHasher, S: Numbered>(set: &mut Set<H, S>) {
    const NEW: u32 = 1_000_000;
    // Inserts into the first leaf, half of which moves if it is full. Under Miri, which is slow,
    // elsewhere.
    let low = || S::of(unless_miri(33, u32::MAX - 1));
    let high = || S::of(u32::MAX);
    let len = set.len();
    assert_eq!(set.iter().count(), len);
    assert_eq!(set.iter().rev().count(), len);
    for round in [set.len(), 0] {
        assert_eq!(set.insert(Member::new(NEW), low()), None);
        assert_eq!(set.update(&Member::new(NEW), |_| high()), Some(low()));
        assert_eq!(set.len(), round + 1);
        assert_eq!(set.remove(&Member::new(NEW)), Some(high()));
        set.clear();
        check(set);
        assert!(set.is_empty());
    }
}

/// Runs a test and verifies that every member and every score is dropped exactly once.
pub(crate) fn count_members(test: impl FnOnce()) {
    LIVE_SCORES.set(0);
    assert_eq!(count_leaks(test), 0, "members were not dropped");
    assert_eq!(live_scores(), 0, "scores were not dropped, or dropped twice");
}

/// Runs a test and returns how many members it leaked.
pub(crate) fn count_leaks(test: impl FnOnce()) -> i64 {
    LIVE.set(0);
    test();
    let live = LIVE.get();
    assert!(live >= 0, "{} members were dropped twice", -live);
    live
}
