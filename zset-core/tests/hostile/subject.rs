//! Sets whose members and scores call the fuse in all their trait methods.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::panic::Location;
use std::thread::LocalKey;
use zset_core::layout::Node;
use zset_core::{FixedSortedSet, SkipList, SortedMap, SortedSet};

use crate::fuse::{Code, at_every_call_of, burn};
use crate::unless_miri;

thread_local! {
    /// The number of live members.
    static LIVE: Cell<i64> = const { Cell::new(0) };

    /// The number of live `Weight`s.
    static LIVE_SCORES: Cell<i64> = const { Cell::new(0) };

    /// The state of the generator of random comparison results, or 0 for correct results.
    static LIES: Cell<u32> = const { Cell::new(0) };

    /// The state of the generator of random hashes, or 0 for correct hashes.
    static HASH_LIES: Cell<u32> = const { Cell::new(0) };
}

/// Returns the next random number, or `None` if the state is 0.
fn lie(cell: &'static LocalKey<Cell<u32>>) -> Option<u32> {
    let mut state = cell.get();
    if state == 0 {
        return None;
    }
    // Marsaglia's xorshift. A nonzero state never becomes 0.
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

/// Excludes from `live_scores` the scores that are known to have leaked.
pub(crate) fn forget_leaked_scores(leaked: i64) {
    LIVE_SCORES.set(LIVE_SCORES.get() - leaked);
}

/// A score made from a number.
pub(crate) trait Numbered: Ord + Clone + std::fmt::Debug {
    fn of(number: u32) -> Self;
    fn number(&self) -> u32;

    /// Returns how many scores `live_scores` counts if this many scores are live.
    fn counted(_: usize) -> i64 {
        0
    }
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

    fn counted(live: usize) -> i64 {
        i64::try_from(live).unwrap()
    }
}

macro_rules! compare_as_numbers {
    ($($type:ident calls $eq:ident and $ord:ident;)*) => {
        $(
            impl PartialEq for $type {
                fn eq(&self, other: &$type) -> bool {
                    burn(Code::$eq);
                    self.number() == other.number()
                }
            }

            impl Eq for $type {}

            impl PartialOrd for $type {
                fn partial_cmp(&self, other: &$type) -> Option<Ordering> {
                    Some(self.cmp(other))
                }
            }

            impl Ord for $type {
                fn cmp(&self, other: &$type) -> Ordering {
                    burn(Code::$ord);
                    order(self.number().cmp(&other.number()))
                }
            }
        )*
    };
}

compare_as_numbers! {
    Member calls Eq and Ord;
    Points calls ScoreEq and ScoreOrd;
    Weight calls ScoreEq and ScoreOrd;
}

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

pub(crate) type Mixing = BuildHasherDefault<Mixed>;
pub(crate) type Set<H = Mixing, S = Points> = SortedSet<Member, S, H>;
pub(crate) type Colliding = Set<BuildHasherDefault<Constant>>;

/// Creates a set of full leaves: the members `0..len`, with ten times their number as scores.
pub(crate) fn filled(len: u32) -> Set {
    filled_with(len)
}

/// Like `filled`, with any hasher and any type of score.
pub(crate) fn filled_with<H: BuildHasher + Default, S: Numbered>(len: u32) -> Set<H, S> {
    let elements = (0..len).map(|number| (Member::new(number), S::of(10 * number)));
    Set::from_sorted_iter(elements).expect("the numbers are ascending")
}

/// Verifies the invariants, except under Miri, where this would dominate the run time.
pub(crate) fn check<C: Collection>(collection: &C) {
    if !cfg!(miri) {
        collection.check_invariants();
    }
}

/// Returns the elements as numbers.
pub(crate) fn contents<H, S: Numbered>(set: &Set<H, S>) -> Vec<(u32, u32)> {
    set.iter().map(|(member, score)| (member.number(), score.number())).collect()
}

/// Returns the members as numbers.
pub(crate) fn numbers<H, S: Numbered>(set: &Set<H, S>) -> impl Iterator<Item = u32> {
    set.iter().map(|(member, _)| member.number())
}

/// A collection whose operations a panic may interrupt.
pub(crate) trait Collection: Clone {
    /// Returns each element as numbers: its member, its value, or 0 if it has none, and its score.
    fn elements(&self) -> Vec<[u32; 3]>;

    /// Returns how many scores the collection should hold, if that is known.
    fn held_scores(&self) -> Option<i64> {
        None
    }

    fn check_invariants(&self);

    /// Verifies that the collection can be read, written, cleared and reused.
    fn use_again(&mut self);
}

/// Returns how many scores a tree holds: those of its elements, and for every leaf but the first a
/// copy of its first score.
pub(crate) fn held<M, S: Numbered>(root: Node<'_, M, S>) -> i64 {
    fn leaves<M, S>(node: Node<'_, M, S>) -> usize {
        if node.level() == 0 { 1 } else { node.children().map(leaves).sum() }
    }
    S::counted(root.span() + leaves(root) - 1)
}

impl<H: BuildHasher + Clone, S: Numbered> Collection for Set<H, S> {
    fn elements(&self) -> Vec<[u32; 3]> {
        self.iter().map(|(member, score)| [member.number(), 0, score.number()]).collect()
    }

    fn held_scores(&self) -> Option<i64> {
        Some(held(self.root()))
    }

    fn check_invariants(&self) {
        self.check();
    }

    fn use_again(&mut self) {
        const NEW: u32 = 1_000_000;
        // An insertion at `low` goes to the first leaf, half of which moves if the leaf is full.
        // Under Miri, which is slow, `low` is near the end of the set.
        let low = || S::of(unless_miri(33, u32::MAX - 1));
        let high = || S::of(u32::MAX);
        let len = self.len();
        assert_eq!(self.iter().count(), len);
        assert_eq!(self.iter().rev().count(), len);
        for round in [len, 0] {
            assert_eq!(self.insert(Member::new(NEW), low()), None);
            assert_eq!(self.update(&Member::new(NEW), |_| high()), Some(low()));
            assert_eq!(self.len(), round + 1);
            assert_eq!(self.remove(&Member::new(NEW)), Some(high()));
            self.clear();
            check(self);
            assert!(self.is_empty());
        }
    }
}

impl<S: Numbered> Collection for SkipList<Member, S> {
    fn elements(&self) -> Vec<[u32; 3]> {
        self.iter().map(|(member, score)| [member.number(), 0, score.number()]).collect()
    }

    fn held_scores(&self) -> Option<i64> {
        Some(held(self.root()))
    }

    fn check_invariants(&self) {
        self.check();
    }

    fn use_again(&mut self) {
        let len = self.len();
        self.insert(Member::new(1), S::of(1));
        assert_eq!(self.iter().count(), len + 1);
        self.clear();
        check(self);
    }
}

impl<S: Numbered> Collection for SortedMap<Member, Member, S> {
    fn elements(&self) -> Vec<[u32; 3]> {
        let numbers = |(key, value, score): (&Member, &Member, &S)| {
            [key.number(), value.number(), score.number()]
        };
        self.iter().map(numbers).collect()
    }

    fn check_invariants(&self) {
        self.check();
    }

    fn use_again(&mut self) {
        for (key, value, _) in &*self {
            assert_eq!(key.number(), value.number() % 1000, "the value belongs to another key");
            assert_eq!(self.get(key).map(Member::number), Some(value.number()));
        }
        self.insert(Member::new(5), Member::new(2005), S::of(3));
        self.remove(&Member::new(7));
        check(self);
    }
}

/// A set with room for twelve elements.
pub(crate) type Fixed<S = Points> = FixedSortedSet<Member, S, 12, u8, Mixing>;

impl<S: Numbered> Collection for Fixed<S> {
    fn elements(&self) -> Vec<[u32; 3]> {
        self.iter().map(|(member, score)| [member.number(), 0, score.number()]).collect()
    }

    fn held_scores(&self) -> Option<i64> {
        Some(S::counted(self.len()))
    }

    fn check_invariants(&self) {
        self.check();
    }

    fn use_again(&mut self) {
        self.clear();
        self.check();
        assert!(self.try_insert(Member::new(1), S::of(1)).is_ok());
    }
}

/// Creates a fixed set of the members `0..len`, with ten times their number as scores.
pub(crate) fn fixed<S: Numbered>(len: u32) -> Fixed<S> {
    let mut set = Fixed::default();
    for number in (0..len).rev() {
        assert!(set.try_insert(Member::new(number), S::of(10 * number)).is_ok());
    }
    set
}

/// What may be left after a panic.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Left {
    /// The contents before the operation if the clone of a score panicked, otherwise those before
    /// or after it.
    AllOrNothing,
    /// The contents before the operation or after it.
    BeforeOrAfter,
    /// Elements from before and after the operation, which stopped between two of them.
    Halfway,
    /// Any valid collection.
    Valid,
}

/// Runs an operation repeatedly, so that each call of these kinds of code panics in turn. Verifies
/// that it leaves a usable collection, which holds each of its scores once, and that no member
/// leaks.
#[track_caller]
pub(crate) fn verify<C: Collection, R>(
    original: &C,
    codes: &[Code],
    left: Left,
    operation: impl Fn(&mut C) -> R,
) {
    let caller = Location::caller();
    let (before, outside) = (original.elements(), live_scores());
    let mut after = None;
    let verify = |mut subject: C, done: Result<(), Code>| {
        check(&subject);
        if let Some(held) = subject.held_scores() {
            let leaked = live_scores() - outside - held;
            // If a drop panics, the score that the operation was about to return may leak.
            let has_dropped = matches!(done, Err(Code::ScoreDrop | Code::Drop));
            let most = i64::from(left == Left::AllOrNothing && has_dropped);
            assert!((0..=most).contains(&leaked), "{leaked} scores leaked, {done:?}, {caller}");
            forget_leaked_scores(leaked);
        }
        let now = subject.elements();
        // The first run does not panic, so its contents are those after a complete operation.
        let after = after.get_or_insert_with(|| now.clone());
        let is_expected = match (done, left) {
            (Ok(()), _) => now == *after,
            (Err(Code::ScoreClone), Left::AllOrNothing) => now == before,
            (_, Left::AllOrNothing | Left::BeforeOrAfter) => now == before || now == *after,
            (_, Left::Halfway) => now.iter().all(|it| before.contains(it) || after.contains(it)),
            (_, Left::Valid) => true,
        };
        assert!(is_expected, "{done:?}, {caller}: {now:?} is left of {before:?}, not {after:?}");
        subject.use_again();
    };
    count_members(|| {
        at_every_call_of(codes, || original.clone(), |it| drop(operation(it)), verify);
    });
}

/// Runs a test and verifies that every member and every score is dropped exactly once.
pub(crate) fn count_members(test: impl FnOnce()) {
    let scores = live_scores();
    assert_eq!(count_leaks(test), 0, "members were not dropped");
    assert_eq!(live_scores(), scores, "scores were not dropped, or dropped twice");
}

/// Runs a test and returns how many members it leaked.
pub(crate) fn count_leaks(test: impl FnOnce()) -> i64 {
    let before = LIVE.get();
    test();
    let leaked = LIVE.get() - before;
    assert!(leaked >= 0, "{} members were dropped twice", -leaked);
    leaked
}
