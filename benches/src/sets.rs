//! Sorted sets: the interface of a measured one, and the operations.
//!
//! The rows of the table are performed in order on one set, as loading a large set anew for each
//! would take hours: first the load, then the reads, so that the results for reads do not depend on
//! which writes are measured. Those from [`APPEND`] on build their own set.

use std::iter;

use crate::comparison::{Contender, Contents};
use crate::member::Member;
use crate::random::repeat;
use crate::rounds::Measured;
use crate::workload::{MAX_BATCH, Workload, all, as_f64, floor, warmed};

/// Inserts in random order, from the empty set up to `n` elements.
pub const INSERT: &str = "insert";

/// The score of a random member.
pub const SCORE: &str = "score";

/// The rank of a random member.
pub const RANK: &str = "rank";

/// The element at a random rank.
pub const SELECT: &str = "select";

/// The first 10 elements from a random score on.
pub const TEN_BY_SCORE: &str = "10 by score";

/// The first 100.
pub const HUNDRED_BY_SCORE: &str = "100 by score";

/// The first 1000.
pub const THOUSAND_BY_SCORE: &str = "1000 by score";

/// 100 elements from a random rank on.
pub const HUNDRED_BY_RANK: &str = "100 by rank";

/// How many elements lie between two random scores.
pub const COUNT: &str = "count by score";

/// All elements, in order; the time per element.
pub const ITERATE: &str = "iterate, an element";

/// Moves a random member's score a little, as when a player wins a few points.
pub const SMALL_STEP: &str = "small step";

/// Increases a random member's score by up to a tenth of the whole range.
pub const INCREMENT: &str = "increment";

/// Gives a random member a random new score.
pub const UPDATE: &str = "update";

/// Four score lookups to one update, with Zipf-distributed members.
pub const MIX: &str = "Zipf mix, 80 % reads";

/// Inserts a new last element and removes the first one.
pub const SLIDING_WINDOW: &str = "sliding window";

/// Removes the first element until half of the set remains.
pub const POP_FIRST: &str = "pop first";

/// Inserts in set order, from the empty set up to `n` elements.
pub const APPEND: &str = "append";

/// Builds a set from all elements at once, in random order.
pub const BULK_UNSORTED: &str = "bulk, unsorted, an element";

/// Builds a set from all elements at once, in set order.
pub const BULK_SORTED: &str = "bulk, sorted, an element";

/// Moves half of the elements into a set of the other half.
pub const UNION: &str = "union of halves, an element";

/// 100 elements from a random member on, where all scores are equal.
pub const BY_MEMBER: &str = "100 by member";

/// The operations that need ranks.
pub const RANKED: [&str; 4] = [RANK, SELECT, HUNDRED_BY_RANK, COUNT];

/// The operations that need the order of the elements.
pub const ORDERED: [&str; 5] =
    [TEN_BY_SCORE, HUNDRED_BY_SCORE, THOUSAND_BY_SCORE, ITERATE, BY_MEMBER];

/// Returns the name of an operation on the command line, such as `bulk-sorted-an-element`.
pub(crate) fn name(label: &str) -> String {
    label.replace(", ", "-").replace(' ', "-")
}

/// The score of all elements where only the order of members matters.
const EQUAL_SCORE: f64 = 1.0;

/// The number of elements that iterations visit, per operation of a batch; at least one whole pass.
const ITERATED: usize = 4;

/// A sorted set of members with `f64` scores, ordered by `(score, member)`.
///
/// Each contender implements every operation in the best way that its public API allows, and all of
/// them hash members with `hashbrown::DefaultHashBuilder`. Scores are never NaN. Operations that
/// visit elements return the sum of their [`digest`]s, so that every element must be read.
pub trait Set<M: Member>: Sized + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// Returns whether an operation takes less time than a scan of all elements.
    ///
    /// If not, the tables show a dash, and the methods that it needs are never called.
    fn offers(_operation: &str) -> bool {
        true
    }

    /// Returns an empty set.
    fn new() -> Self;

    /// Builds a set from elements with distinct members, in any order.
    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        let mut set = Self::new();
        for (member, score) in elements {
            set.insert(member, score);
        }
        set
    }

    /// Builds a set from elements with distinct members, in set order.
    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        Self::from_unsorted(elements)
    }

    /// Moves all elements of another set into this one; the sets have no members in common.
    fn unite(&mut self, other: Self);

    /// Inserts `member`, or updates its score if it is present.
    fn insert(&mut self, member: M, score: f64);

    /// Removes the first element and returns its digest.
    fn pop_first(&mut self) -> Option<u64>;

    /// Returns the number of elements.
    fn len(&self) -> usize;

    /// Returns whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    // The defaults below are for contenders that do not support the operation.

    /// Updates the score of `member`, which is present.
    fn update(&mut self, _member: &M, _score: f64) {}

    /// Adds to the score of `member`, which is present.
    fn increment(&mut self, _member: &M, _by: f64) {}

    /// Returns the score of `member`.
    fn score(&self, _member: &M) -> Option<f64> {
        None
    }

    /// Returns the number of elements before `member`.
    fn rank(&self, _member: &M) -> Option<usize> {
        None
    }

    /// Returns the digest of the element at `rank`.
    fn select(&self, _rank: usize) -> Option<u64> {
        None
    }

    /// Visits the first `limit` elements whose scores are at least `score`.
    fn sum_by_score(&self, _score: f64, _limit: usize) -> u64 {
        0
    }

    /// Visits `limit` elements, starting at a rank.
    fn sum_by_rank(&self, _rank: usize, _limit: usize) -> u64 {
        0
    }

    /// Visits the first `limit` elements with a score, starting at the first member not less than
    /// `member`.
    fn sum_by_member(&self, _score: f64, _member: &M, _limit: usize) -> u64 {
        0
    }

    /// Visits all elements in order.
    fn sum(&self) -> u64 {
        0
    }

    /// Returns the number of elements with scores in `start..end`.
    fn count(&self, _start: f64, _end: f64) -> usize {
        0
    }
}

/// Mixes the [digest](Member::digest) of a member with a score, so that a range must read both.
///
/// Digests are integers because a sum of floats would wait about four cycles per element and hide
/// the cost of the range itself.
#[inline]
pub fn digest(member: u64, score: f64) -> u64 {
    member ^ score.to_bits()
}

/// Returns the sum of digests.
#[inline]
pub fn sum(digests: impl Iterator<Item = u64>) -> u64 {
    digests.fold(0, u64::wrapping_add)
}

/// Returns a contender with the operations that it offers.
pub fn contender<M: Member, C: Set<M>>() -> Contender<Workload<M>, C> {
    let load = |workload: &Workload<M>| insert_all(workload.elements.clone());
    let contents = |_: &Workload<M>, mut set: C| {
        let mut contents = Contents::default();
        iter::from_fn(|| set.pop_first()).for_each(|element| contents.add(element));
        contents.0
    };
    Contender::new(C::NAME, load, contents)
        .builds(INSERT, |it| &it.elements, insert_all)
        .reads(SCORE, 1, |set, member, _| set.score(member).map_or(0, f64::to_bits))
        .reads(RANK, 1, |set, member, _| set.rank(member).unwrap_or(0) as u64)
        .reads(SELECT, 1, |set, _, part| set.select(floor(part.of_all())).unwrap_or(0))
        .reads(TEN_BY_SCORE, 10, |set, _, part| set.sum_by_score(part.before(10), 10))
        .reads(HUNDRED_BY_SCORE, 100, |set, _, part| set.sum_by_score(part.before(100), 100))
        .reads(THOUSAND_BY_SCORE, 1000, |set, _, part| set.sum_by_score(part.before(1000), 1000))
        .reads(HUNDRED_BY_RANK, 100, |set, _, part| set.sum_by_rank(floor(part.before(100)), 100))
        .reads(COUNT, 1, |set, _, part| {
            let (one, other) = (part.of_all(), part.another().of_all());
            set.count(one.min(other), one.max(other)) as u64
        })
        .on_set(ITERATE, |workload, set| {
            let len = workload.elements.len();
            let times = (ITERATED * workload.places.len() / len).max(1);
            // A set that is iterated only once is large, so a warm-up would gain little.
            all((0..times / ITERATED).map(|_| set.sum()));
            Measured::of(times * len, || all((0..times).map(|_| set.sum())))
        })
        .updates(SMALL_STEP, |it| &it.small_steps)
        .on_set(INCREMENT, |workload, set| {
            let tenth = as_f64(workload.elements.len()) / 10.0;
            warmed(workload.places.iter().map(|(member, part)| {
                set.increment(member, part * tenth);
                0
            }))
        })
        .updates(UPDATE, |it| &it.updates)
        .on_set(MIX, |workload, set| {
            warmed(workload.mix.iter().map(|(member, score)| match score {
                Some(score) => {
                    set.update(member, *score);
                    0
                }
                None => set.score(member).map_or(0, f64::to_bits),
            }))
        })
        .on_set(SLIDING_WINDOW, |workload, set| {
            // Greater than all scores, including those that were incremented.
            let first = as_f64(2 * workload.elements.len() + MAX_BATCH);
            let scores = (0..workload.new.len()).map(|place| first + as_f64(place));
            warmed(workload.new.clone().into_iter().zip(scores).map(|(member, score)| {
                set.insert(member, score);
                set.pop_first().unwrap_or(0)
            }))
        })
        .on_set(POP_FIRST, |workload, set| {
            let (pops, copies) = ((workload.elements.len() / 2).min(MAX_BATCH), workload.copies());
            if copies == 1 {
                return warmed((0..pops).map(|_| set.pop_first().unwrap_or(0)));
            }
            let load = || insert_all(workload.elements.clone());
            let mut others: Vec<C> = repeat(copies - 1, load);
            let sets = iter::once(set).chain(&mut others);
            let pops_of = |set: &mut C| all((0..pops).map(|_| set.pop_first().unwrap_or(0)));
            Measured::of(pops * copies, || all(sets.map(pops_of)))
        })
        .builds(APPEND, |it| &it.sorted, insert_all)
        .builds(BULK_UNSORTED, |it| &it.elements, C::from_unsorted)
        .builds(BULK_SORTED, |it| &it.sorted, C::from_sorted)
        .row_on(UNION, |workload, kept| {
            // Two sets of all elements exceed the memory of some machines.
            drop(kept);
            let (one, other) = workload.elements.split_at(workload.elements.len() / 2);
            let halves = || -> (C, C) { (insert_all(one.to_vec()), insert_all(other.to_vec())) };
            workload.build(repeat(workload.copies(), halves), |(mut one, other)| {
                one.unite(other);
                one
            })
        })
        .row_on(BY_MEMBER, |workload, kept| {
            drop(kept);
            let equal = workload.elements.iter().map(|(member, _)| (member.clone(), EQUAL_SCORE));
            let set = C::from_unsorted(equal.collect());
            let call = |member: &M, _| set.sum_by_member(EQUAL_SCORE, member, 100);
            (workload.ranges(100, call), set)
        })
        .only(C::offers)
}

impl<M: Member, C: Set<M>> Contender<Workload<M>, C> {
    /// Adds a row that is measured on a loaded set.
    fn on_set(
        self,
        label: &'static str,
        measure: impl Fn(&Workload<M>, &mut C) -> Measured + 'static,
    ) -> Self {
        let load = self.load.clone();
        self.row_on(label, move |workload, kept| {
            let mut set = kept.unwrap_or_else(|| load(workload));
            (measure(workload, &mut set), set)
        })
    }

    /// Adds a row that reads up to `len` elements a call.
    fn reads(
        self,
        label: &'static str,
        len: usize,
        call: impl Fn(&C, &M, Part) -> u64 + 'static,
    ) -> Self {
        self.on_set(label, move |workload, set| {
            let n = as_f64(workload.elements.len());
            workload.ranges(len, |member, part| call(set, member, Part { part, n }))
        })
    }

    /// Adds a row that updates scores.
    fn updates(self, label: &'static str, new: fn(&Workload<M>) -> &[(M, f64)]) -> Self {
        self.on_set(label, move |workload, set| {
            warmed(new(workload).iter().map(|(member, score)| {
                set.update(member, *score);
                0
            }))
        })
    }

    /// Adds a row that builds sets of all elements, and keeps one of them.
    fn builds(
        self,
        label: &'static str,
        elements: fn(&Workload<M>) -> &[(M, f64)],
        make: impl Fn(Vec<(M, f64)>) -> C + 'static,
    ) -> Self {
        self.row_on(label, move |workload, kept| {
            drop(kept);
            workload.build(repeat(workload.copies(), || elements(workload).to_vec()), &make)
        })
    }
}

/// A random number from 0 to 1, and how many elements the set has.
#[derive(Clone, Copy)]
struct Part {
    part: f64,
    n: f64,
}

impl Part {
    /// Returns a rank or a score of the whole range.
    fn of_all(self) -> f64 {
        self.part * self.n
    }

    /// Returns the rank or the score that is followed by `limit` elements on average.
    fn before(self, limit: usize) -> f64 {
        self.part * (self.n - as_f64(limit)).max(0.0)
    }

    /// Returns a number unrelated to this one.
    fn another(self) -> Self {
        Part { part: (self.part * 65536.0).fract(), ..self }
    }
}

/// Builds a set of elements, one by one.
fn insert_all<M: Member, C: Set<M>>(elements: Vec<(M, f64)>) -> C {
    let mut set = C::new();
    for (member, score) in elements {
        set.insert(member, score);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Plan;
    use crate::contenders;
    use crate::member::Kind;

    #[test]
    fn what_is_offered_and_wanted_is_measured_in_each_round() {
        let mut over = 0;
        let plan = Plan { n: 100, rows: vec![POP_FIRST, RANK], rounds: 2, workloads: 3 };
        let times = contenders::all(Kind::Integers).times;
        let records = times.measure_together(&plan, &mut || over += 1);
        assert_eq!(over, 2);
        let measured = |row| -> Vec<_> {
            let records = records.iter().filter(|it| it.what == row && it.rounds == 2);
            records.filter(|it| it.value > Some(0.0)).map(|it| it.contender.as_str()).collect()
        };
        assert_eq!(measured(POP_FIRST), contenders::names());
        let with_ranks = ["zset", "ZSet", "indexset", "wabi_tree", "skiplist", "textbook"];
        let ranks = measured(RANK).into_iter().map(|name| name.split(' ').next().unwrap());
        assert_eq!(ranks.collect::<Vec<_>>(), with_ranks);
        assert!(measured(INSERT).is_empty());
    }
}
