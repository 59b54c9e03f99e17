//! The operations on sorted sets.
//!
//! A report performs all operations in order on one set, because loading a large set again for each
//! operation would take hours. The reads come directly after the load, so that their results do not
//! depend on which writes are measured. The last five operations build their own sets.

use std::iter;

use crate::comparison::{Contender, Operation, build, calls};
use crate::measure::{Measured, all, as_f64, contents, floor};
use crate::random::repeat;
use crate::sets::member::Member;
use crate::sets::set::{
    BY_MEMBER, COUNT, HUNDRED_BY_RANK, HUNDRED_BY_SCORE, INSERT, ITERATE, POP_FIRST, RANK, SCORE,
    SELECT, Set, TEN_BY_SCORE, THOUSAND_BY_SCORE, UPDATE,
};
use crate::sets::workload::{MAX_BATCH, Workload};

/// The score of all elements where only the order of members matters.
const EQUAL_SCORE: f64 = 1.0;

/// Iterations visit this many elements per operation of a batch, and make at least one whole pass.
const ITERATED: usize = 4;

/// Returns the name of an operation on the command line, such as `bulk-sorted-an-element`.
pub(crate) fn name(label: &str) -> String {
    label.replace(", ", "-").replace(' ', "-")
}

/// Returns a contender with the operations that it offers.
pub fn contender<M: Member, C: Set<M>>() -> Contender<Workload<M>> {
    let operations: [Operation<Workload<M>, C>; _] = [
        // Inserts elements in random order, from the empty set up to n elements.
        build(INSERT, |it| it.build(&it.elements, insert_all)),
        // Looks up the score of a random member.
        calls(SCORE, |it, set, _| {
            it.reads(1, |member, _| set.score(member).map_or(0, f64::to_bits))
        }),
        calls(RANK, |it, set, _| it.reads(1, |member, _| set.rank(member).unwrap_or(0) as u64)),
        // Reads the element at a random rank.
        calls(SELECT, |it, set, _| {
            it.reads(1, |_, part| set.select(floor(part.of_all())).unwrap_or(0))
        }),
        // Reads the first elements whose scores are at least a random score.
        calls(TEN_BY_SCORE, |it, set, _| by_score(it, set, 10)),
        calls(HUNDRED_BY_SCORE, |it, set, _| by_score(it, set, 100)),
        calls(THOUSAND_BY_SCORE, |it, set, _| by_score(it, set, 1000)),
        // Reads 100 elements, starting at a random rank.
        calls(HUNDRED_BY_RANK, |it, set, _| {
            it.reads(100, |_, part| set.sum_by_rank(floor(part.before(100)), 100))
        }),
        // Counts the elements between two random scores.
        calls(COUNT, |it, set, _| {
            it.reads(1, |_, part| {
                let (one, other) = (part.of_all(), part.another().of_all());
                set.count(one.min(other), one.max(other)) as u64
            })
        }),
        calls(ITERATE, iterate),
        // Moves a random member's score a little, as when a player wins a few points.
        calls("small step", |it, set, _| update_all(set, &it.small_steps)),
        // Increments the score of a random member by up to a tenth of the whole range.
        calls("increment", |it, set, _| {
            let tenth = as_f64(it.elements.len()) / 10.0;
            Measured::warmed(it.places.iter().map(|(member, part)| {
                set.increment(member, part * tenth);
                0
            }))
        }),
        // Gives a random member a random new score.
        calls(UPDATE, |it, set, _| update_all(set, &it.updates)),
        // Makes four score lookups per update on average, with Zipf-distributed members.
        calls("Zipf mix, 80 % reads", |it, set, _| {
            Measured::warmed(it.mix.iter().map(|(member, score)| match score {
                Some(score) => {
                    set.update(member, *score);
                    0
                }
                None => set.score(member).map_or(0, f64::to_bits),
            }))
        }),
        // Inserts a new last element and removes the first one.
        calls("sliding window", |it, set, _| {
            // This score is greater than all others, including those that were incremented.
            let first = as_f64(2 * it.elements.len() + MAX_BATCH);
            let scores = (0..it.new.len()).map(|place| first + as_f64(place));
            Measured::warmed(it.new.clone().into_iter().zip(scores).map(|(member, score)| {
                set.insert(member, score);
                set.pop_first().unwrap_or(0)
            }))
        }),
        // Pops half of the set, but at most `MAX_BATCH` elements.
        calls(POP_FIRST, |it, set, _| {
            let (pops, copies) = ((it.elements.len() / 2).min(MAX_BATCH), it.copies());
            if copies == 1 {
                return Measured::warmed((0..pops).map(|_| set.pop_first().unwrap_or(0)));
            }
            let mut others: Vec<C> = repeat(copies - 1, || insert_all(it.elements.clone()));
            let sets = iter::once(set).chain(&mut others);
            let pops_of = |set: &mut C| all((0..pops).map(|_| set.pop_first().unwrap_or(0)));
            Measured::of(pops * copies, || all(sets.map(pops_of)))
        }),
        // Inserts elements in set order, from the empty set up to n elements.
        build("append", |it| it.build(&it.sorted, insert_all)),
        build("bulk, unsorted, an element", |it| it.build(&it.elements, C::from_unsorted)),
        build("bulk, sorted, an element", |it| it.build(&it.sorted, C::from_sorted)),
        build("union of halves, an element", |it| {
            let (one, other) = it.elements.split_at(it.elements.len() / 2);
            let halves = || -> (C, C) { (insert_all(one.to_vec()), insert_all(other.to_vec())) };
            it.build_from(repeat(it.copies(), halves), |(mut one, other)| {
                one.unite(other);
                one
            })
        }),
        // Reads 100 elements, starting at a random member, in a set whose scores are all equal.
        build(BY_MEMBER, |it| {
            let equal = it.elements.iter().map(|(member, _)| (member.clone(), EQUAL_SCORE));
            let set = C::from_unsorted(equal.collect());
            let call = |member: &M, _| set.sum_by_member(EQUAL_SCORE, member, 100);
            (it.reads(100, call), set)
        }),
    ];
    let load = |it: &Workload<M>| insert_all(it.elements.clone());
    let contents = |_: &_, mut set: C| contents(iter::from_fn(|| set.pop_first()));
    Contender::new(C::NAME, load, contents, operations).only(C::offers)
}

/// Builds a set by inserting elements one by one.
fn insert_all<M: Member, C: Set<M>>(elements: Vec<(M, f64)>) -> C {
    let mut set = C::new();
    for (member, score) in elements {
        set.insert(member, score);
    }
    set
}

fn by_score<M: Member, C: Set<M>>(workload: &Workload<M>, set: &C, limit: usize) -> Measured {
    workload.reads(limit, |_, part| set.sum_by_score(part.before(limit), limit))
}

/// Measures iterations over the whole set, per element.
fn iterate<M: Member, C: Set<M>>(workload: &Workload<M>, set: &mut C, _: usize) -> Measured {
    let len = workload.elements.len();
    let times = (ITERATED * workload.places.len() / len).max(1);
    // Warms up with a quarter of the passes. This is none for large sets, which would gain little
    // from it.
    all((0..times / ITERATED).map(|_| set.sum()));
    Measured::of(times * len, || all((0..times).map(|_| set.sum())))
}

fn update_all<M: Member, C: Set<M>>(set: &mut C, updates: &[(M, f64)]) -> Measured {
    Measured::warmed(updates.iter().map(|(member, score)| {
        set.update(member, *score);
        0
    }))
}
