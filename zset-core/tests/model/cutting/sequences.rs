//! Random sequences of drains, splits and other operations. Every type is compared with a sorted
//! vector.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use test_support::Bounds;
use zset_core::{Encoding, SkipList, SortedMap, SortedSet, ZSet};

use super::subject::{At, Element, End, Run, Subject, take_ends};
use crate::LEAF;

/// Elements as `(score, member)`, so their derived order is that of a set.
#[derive(Clone, Default)]
struct Sorted(Vec<(i32, u32)>);

impl Sorted {
    fn elements(&self) -> Vec<Element> {
        self.0.iter().map(|&(score, member)| (member, score)).collect()
    }

    fn insert(&mut self, (member, score): Element, is_unique: bool) {
        if is_unique {
            self.0.retain(|&(_, other)| other != member);
        }
        let place = self.0.partition_point(|element| *element <= (score, member));
        self.0.insert(place, (score, member));
    }

    /// Returns the elements of a run, and the remaining ones.
    fn parted(&self, run: &Run) -> (Vec<Element>, Sorted) {
        let ranked = self.0.iter().copied().enumerate();
        let (taken, kept): (Vec<_>, Vec<_>) =
            ranked.partition(|&(rank, (score, member))| match run {
                Run::Rank(ranks) => ranks.contains(&rank),
                Run::Score(scores) => scores.contains(&score),
                Run::Member(exactly, members) => score == *exactly && members.contains(&member),
                Run::Element(elements) => elements.contains(&(score, member)),
            });
        let taken = taken.into_iter().map(|(_, (score, member))| (member, score)).collect();
        (taken, Sorted(kept.into_iter().map(|(_, element)| element).collect()))
    }

    fn split_off(&mut self, at: At) -> Sorted {
        let place = match at {
            At::Rank(rank) => rank.min(self.0.len()),
            At::Score(score) => self.0.partition_point(|element| element.0 < score),
        };
        Sorted(self.0.split_off(place))
    }

    fn between(&self, bounds: &Bounds<(i32, u32)>) -> Vec<Element> {
        let contained = self.0.iter().filter(|element| bounds.contains(element));
        contained.map(|&(score, member)| (member, score)).collect()
    }
}

fn any_bounds<T>(random: &mut SmallRng, mut value: impl FnMut(&mut SmallRng) -> T) -> Bounds<T> {
    let mut bound = |random: &mut SmallRng| match random.random_range(0..5) {
        0 => Unbounded,
        1 | 2 => Included(value(random)),
        _ => Excluded(value(random)),
    };
    (bound(random), bound(random))
}

/// The numbers of distinct members and scores to draw from.
#[derive(Clone, Copy)]
struct Spread {
    members: u32,
    scores: i32,
}

impl Spread {
    fn element(self, random: &mut SmallRng) -> Element {
        (random.random_range(0..self.members), random.random_range(0..self.scores))
    }

    fn run(self, random: &mut SmallRng, len: usize) -> Run {
        match random.random_range(0..5) {
            0 => Run::Rank(any_bounds(random, |random| random.random_range(0..len + 3))),
            1 => {
                // Spans one leaf or a few.
                let start = random.random_range(0..=len);
                Run::Rank((Included(start), Excluded(start + random.random_range(0..3 * LEAF))))
            }
            2 => Run::Score(any_bounds(random, |random| random.random_range(-1..=self.scores))),
            3 => {
                let score = random.random_range(0..self.scores);
                Run::Member(score, any_bounds(random, |random| self.element(random).0))
            }
            _ => Run::Element(any_bounds(random, |random| {
                let (member, score) = self.element(random);
                (score, member)
            })),
        }
    }
}

/// Verifies the invariants and compares the elements.
fn compare<S: Subject>(subject: &S, sorted: &Sorted) {
    subject.check();
    assert_eq!(subject.elements(), sorted.elements());
}

/// Applies the same operation to both and compares the results.
fn step<S: Subject>(subject: &mut S, sorted: &mut Sorted, spread: Spread, random: &mut SmallRng) {
    let ends = (random.random_range(0..9), random.random_range(0..9));
    match random.random_range(0..16) {
        0..=4 => {
            // More for large sets, so that the index gets a second level.
            let most = if cfg!(miri) { 50 } else { spread.members / 4 };
            for _ in 0..random.random_range(1..most) {
                let element = spread.element(random);
                subject.insert(element);
                sorted.insert(element, S::IS_UNIQUE);
            }
        }
        5 => {
            let (member, score) = spread.element(random);
            let is_it =
                |element: &(i32, u32)| element.1 == member && (S::IS_UNIQUE || element.0 == score);
            let place = sorted.0.iter().position(is_it);
            assert_eq!(subject.remove((member, score)), place.is_some());
            place.map(|place| sorted.0.remove(place));
        }
        6 | 7 => {
            let run = spread.run(random, sorted.0.len());
            let (taken, kept) = sorted.parted(&run);
            if let Some(drained) = subject.drain(&run, ends) {
                assert_eq!(drained, take_ends(taken.into_iter(), ends), "{run:?}");
                *sorted = kept;
            }
        }
        8 => {
            let run = spread.run(random, sorted.0.len());
            let (taken, kept) = sorted.parted(&run);
            if let Some(removed) = subject.remove_range(&run) {
                assert_eq!(removed, taken.len(), "{run:?}");
                *sorted = kept;
            }
        }
        9 | 10 => split(subject, sorted, spread, random),
        11 => {
            let rank = random.random_range(0..sorted.0.len() + 2);
            let removed = (rank < sorted.0.len()).then(|| sorted.0.remove(rank));
            assert_eq!(
                subject.remove_by_rank(rank),
                removed.map(|(score, member)| (member, score))
            );
        }
        12 | 13 => pop(subject, sorted, random),
        _ => {
            // An existing position, an arbitrary position, or the position of the other bound.
            let some = |random: &mut SmallRng| match sorted.0.len() {
                len if len > 0 && random.random() => sorted.0[random.random_range(0..len)],
                _ => {
                    let (member, score) = spread.element(random);
                    (score, member)
                }
            };
            let mut bounds = any_bounds(random, some);
            if random.random_range(0..5) == 0 {
                let score_and_member = some(random);
                bounds = (bounds.0.map(|_| score_and_member), bounds.1.map(|_| score_and_member));
            }
            let expected = sorted.between(&bounds);
            let answer = subject.range(bounds, ends);
            assert_eq!(answer, take_ends(expected.into_iter(), ends), "{bounds:?}");
        }
    }
}

/// Splits both and verifies both parts; continues with one of them, or with both joined.
fn split<S: Subject>(subject: &mut S, sorted: &mut Sorted, spread: Spread, random: &mut SmallRng) {
    let at = if random.random() {
        At::Rank(random.random_range(0..sorted.0.len() + 3))
    } else {
        At::Score(random.random_range(-1..=spread.scores))
    };
    let (mut upper, mut sorted_upper) = (subject.split_off(at), sorted.split_off(at));
    compare(&upper, &sorted_upper);
    compare(subject, sorted);
    // Both parts remain writable. Continues with one of them, or with both joined.
    for (part, sorted) in [(&mut upper, &mut sorted_upper), (&mut *subject, &mut *sorted)] {
        for _ in 0..random.random_range(0..70) {
            let element = spread.element(random);
            part.insert(element);
            sorted.insert(element, S::IS_UNIQUE);
        }
        compare(part, sorted);
    }
    match random.random_range(0..4) {
        0 => (*subject, *sorted) = (upper, sorted_upper),
        1 => {}
        _ => {
            for element in sorted_upper.elements() {
                subject.insert(element);
                sorted.insert(element, S::IS_UNIQUE);
            }
        }
    }
}

/// Pops from either end of both, half of the time with a predicate.
fn pop<S: Subject>(subject: &mut S, sorted: &mut Sorted, random: &mut SmallRng) {
    let end = if random.random() { End::First } else { End::Last };
    let place = match end {
        End::First => (!sorted.0.is_empty()).then_some(0),
        End::Last => sorted.0.len().checked_sub(1),
    };
    let element = place.map(|place| (sorted.0[place].1, sorted.0[place].0));
    let is_popped = if random.random() {
        assert_eq!(subject.pop(end), element);
        true
    } else {
        let is_accepted = random.random();
        let mut seen = None;
        let popped = subject.pop_if(end, |member, score| {
            seen = Some((member, score));
            is_accepted
        });
        assert_eq!(seen, element);
        assert_eq!(popped, element.filter(|_| is_accepted));
        is_accepted
    };
    if is_popped {
        place.map(|place| sorted.0.remove(place));
    }
}

/// Small and large numbers of members and scores.
const ALL: [(u32, i32); 4] = [(300, 4), (3_000, 1), (3_000, 40), (3_000, 5_000)];

/// So few members that a set stays a listpack.
const FEW: [(u32, i32); 3] = [(120, 1), (120, 4), (120, 500)];

/// Runs random sequences.
fn follow<S: Subject>(spreads: &[(u32, i32)], make: impl Fn() -> S) {
    // Each step takes a second under Miri.
    let (spreads, steps) = if cfg!(miri) { (&spreads[..1], 6) } else { (spreads, 200) };
    let mut random = SmallRng::seed_from_u64(1);
    for &(members, scores) in spreads {
        let (mut subject, mut sorted) = (make(), Sorted::default());
        for _ in 0..steps {
            step(&mut subject, &mut sorted, Spread { members, scores }, &mut random);
            compare(&subject, &sorted);
        }
    }
}

#[test]
fn random_sequences_on_a_list() {
    follow(&ALL, SkipList::<u32, i32>::new);
}

#[test]
fn random_sequences_on_a_set() {
    follow(&ALL, SortedSet::<u32, i32>::new);
}

#[test]
fn random_sequences_on_a_map() {
    follow(&ALL, SortedMap::<u32, u64, i32>::new);
}

#[test]
fn random_sequences_on_a_listpack() {
    follow(&FEW, || {
        let set = ZSet::new();
        assert_eq!(set.encoding(), Encoding::Listpack);
        set
    });
}

#[test]
fn random_sequences_on_a_zset_that_changes_its_encoding() {
    follow(&ALL, ZSet::new);
}

#[test]
fn random_sequences_on_a_zset_in_the_skiplist_encoding() {
    follow(&ALL, || {
        let mut set = ZSet::new();
        set.promote();
        set
    });
}
