//! Runs random sequences of the operations that several types share. Every type is compared with a
//! sorted vector, and some types have scores that own memory. Removals that keep memory alternate
//! with insertions, moves between collections, and `shrink_to_fit`.

mod subject;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use test_support::Bounds;
use zset_core::{Encoding, SkipList, SortedMap, SortedSet, Unordered, ZSet};

use crate::LEAF;
use subject::{At, Element, End, Run, Subject, take_ends};

/// The elements in order.
#[derive(Clone, Default)]
struct Sorted(Vec<Element>);

impl Sorted {
    /// Returns the rank of a member, or of the exact element if members may repeat.
    fn find<S: Subject>(&self, (member, score): Element) -> Option<usize> {
        let is_it = |other: &Element| other.0 == member && (S::IS_UNIQUE || other.1 == score);
        self.0.iter().position(is_it)
    }

    /// Inserts an element; returns the old score if members are unique.
    fn insert<S: Subject>(&mut self, (member, score): Element) -> Option<i32> {
        let old = self.find::<S>((member, score)).filter(|_| S::IS_UNIQUE);
        let old = old.map(|place| self.0.remove(place).1);
        let place = self.0.partition_point(|&(other, of)| {
            of < score || of == score && (!S::IS_ORDERED || other <= member)
        });
        self.0.insert(place, (member, score));
        old
    }

    /// Removes and returns the elements that a predicate on rank and element accepts.
    fn extract(&mut self, mut accept: impl FnMut(usize, Element) -> bool) -> Vec<Element> {
        let (mut ranks, mut extracted) = (0.., Vec::new());
        self.0.retain(|&element| {
            let is_accepted = accept(ranks.next().unwrap(), element);
            extracted.extend(is_accepted.then_some(element));
            !is_accepted
        });
        extracted
    }

    fn drain(&mut self, run: &Run) -> Vec<Element> {
        self.extract(|rank, (member, score)| match run {
            Run::All => true,
            Run::Rank(ranks) => ranks.contains(&rank),
            Run::Score(scores) => scores.contains(&score),
            Run::Member(exactly, members) => score == *exactly && members.contains(&member),
            Run::Element(elements) => elements.contains(&(score, member)),
        })
    }

    fn split_off(&mut self, at: At) -> Sorted {
        let place = match at {
            At::Rank(rank) => rank.min(self.0.len()),
            At::Score(score) => self.0.partition_point(|element| element.1 < score),
        };
        Sorted(self.0.split_off(place))
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

    fn elements(self, random: &mut SmallRng, most: u32) -> Vec<Element> {
        (0..random.random_range(0..most)).map(|_| self.element(random)).collect()
    }

    /// Returns more elements if there are many members, so that the index gets a second level.
    fn many(self, random: &mut SmallRng) -> Vec<Element> {
        self.elements(random, if cfg!(miri) { 50 } else { 80 + self.members / 4 })
    }

    fn run<S: Subject>(self, random: &mut SmallRng, sorted: &Sorted) -> Run {
        let len = sorted.0.len();
        match random.random_range(0..if S::IS_ORDERED { 40 } else { 20 }) {
            0 => Run::All,
            1..8 => Run::Rank(any_bounds(random, |random| random.random_range(0..len + 3))),
            8..14 => {
                // A short run, within one leaf or across a few leaves.
                let start = random.random_range(0..=len);
                Run::Rank((Included(start), Excluded(start + random.random_range(0..3 * LEAF))))
            }
            14..20 => {
                Run::Score(any_bounds(random, |random| random.random_range(-1..=self.scores)))
            }
            20..26 => {
                let score = random.random_range(0..self.scores);
                Run::Member(score, any_bounds(random, |random| self.element(random).0))
            }
            _ => {
                // Each bound is an existing element or an arbitrary one. Sometimes both bounds are
                // the same element.
                let some = |random: &mut SmallRng| {
                    let is_existing = len > 0 && random.random();
                    let arbitrary = self.element(random);
                    let (member, score) =
                        if is_existing { sorted.0[random.random_range(0..len)] } else { arbitrary };
                    (score, member)
                };
                let (start, end) = any_bounds(random, some);
                if random.random_range(0..5) > 0 {
                    return Run::Element((start, end));
                }
                let position = some(random);
                Run::Element((start.map(|_| position), end.map(|_| position)))
            }
        }
    }
}

/// Verifies the invariants and compares the elements.
fn compare<S: Subject>(subject: &S, sorted: &Sorted) {
    subject.check();
    let elements = &sorted.0;
    assert_eq!(subject.elements(), *elements);
    assert_eq!(subject.ends(), [elements.first(), elements.last()].map(Option::<&_>::copied));
    for (rank, element) in elements.iter().enumerate().step_by(61) {
        assert_eq!(subject.get_by_rank(rank), Some(*element));
        assert_eq!(subject.rank(*element), sorted.find::<S>(*element));
    }
    assert_eq!(subject.get_by_rank(elements.len()), None);
}

/// Applies the same operation to the subject and to the sorted vector, and compares the results.
fn step<S: Subject>(subject: &mut S, sorted: &mut Sorted, spread: Spread, random: &mut SmallRng) {
    // The numbers of elements to take from each end of a run: usually few, sometimes many.
    let most = if random.random_ratio(1, 5) { 200 } else { 9 };
    let ends = (random.random_range(0..most), random.random_range(0..most));
    match random.random_range(0..30) {
        0..7 => {
            let elements = spread.many(random);
            insert(subject, sorted, &elements);
        }
        7 | 8 => {
            for element in spread.elements(random, 20) {
                let place = sorted.find::<S>(element);
                assert_eq!(subject.rank(element), place);
                let removed = place.map(|place| sorted.0.remove(place).1);
                assert_eq!(subject.remove(element), removed);
            }
        }
        9 | 10 if S::IS_UNIQUE => {
            for element in spread.elements(random, 20) {
                let is_present = sorted.find::<S>(element).is_some();
                let old = is_present.then(|| sorted.insert::<S>(element)).flatten();
                assert_eq!(subject.update(element), old);
            }
        }
        11 | 12 => {
            let run = spread.run::<S>(random, sorted);
            let expected = take_ends(sorted.drain(&run).into_iter(), ends);
            assert_eq!(subject.drain(&run, ends), expected, "{run:?}");
        }
        13 => (0..3).for_each(|_| {
            let run = spread.run::<S>(random, sorted);
            assert_eq!(subject.remove_range(&run), sorted.drain(&run).len(), "{run:?}");
        }),
        14 | 15 => split(subject, sorted, spread, random),
        16 => {
            let rank = random.random_range(0..sorted.0.len() + 2);
            let removed = (rank < sorted.0.len()).then(|| sorted.0.remove(rank));
            assert_eq!(subject.remove_by_rank(rank), removed);
        }
        17 | 18 => (0..random.random_range(0..20)).for_each(|_| pop(subject, sorted, random)),
        19 => {
            let (divisor, rest) = (random.random_range(2..9), random.random_range(0..9));
            let mut seen = Vec::new();
            subject.retain(|element| {
                seen.push(element);
                element.0 % divisor != rest
            });
            assert_eq!(seen, sorted.0, "all elements are visited in order");
            sorted.0.retain(|element| element.0 % divisor != rest);
            subject.change_values();
        }
        20 => {
            let divisor = random.random_range(1..9);
            let extracted = subject.extract(ends.0, |element| element.0 % divisor == 0);
            // `extract` stops after `ends.0` elements, so the vector must lose at most that many.
            let mut left = ends.0;
            let expected = sorted.extract(|_, element| {
                let is_next = element.0 % divisor == 0 && left > 0;
                left -= usize::from(is_next);
                is_next
            });
            assert_eq!(extracted, expected);
        }
        21 => {
            let added = spread.many(random);
            let (mut other, mut sorted_other) = (S::collect(&added), Sorted::default());
            for element in added {
                sorted_other.insert::<S>(element);
            }
            join(subject, sorted, &mut other, sorted_other);
        }
        22 => {
            let added = spread.many(random);
            subject.extend(&added);
            for element in added {
                sorted.insert::<S>(element);
            }
        }
        23 => {
            let mut elements = sorted.0.clone();
            if S::IS_ORDERED {
                elements.reverse();
            }
            let clone = subject.clone();
            assert_eq!(clone, *subject);
            subject.rebuild(&elements);
            assert_eq!(clone, *subject);
        }
        24 => subject.shrink_to_fit(),
        25 => subject.reserve(random.random_range(0..300)),
        _ => {
            let run = spread.run::<S>(random, sorted);
            let expected = take_ends(sorted.clone().drain(&run).into_iter(), ends);
            assert_eq!(subject.view(&run, ends), expected, "{run:?}");
        }
    }
}

fn insert<S: Subject>(subject: &mut S, sorted: &mut Sorted, elements: &[Element]) {
    for &element in elements {
        assert_eq!(subject.insert(element), sorted.insert::<S>(element));
    }
}

/// Appends the other set. Unless members are ordered, its elements sort last among equal scores.
fn join<S: Subject>(subject: &mut S, sorted: &mut Sorted, other: &mut S, sorted_other: Sorted) {
    compare(other, &sorted_other);
    subject.append(other);
    compare(other, &Sorted::default());
    for element in sorted_other.0 {
        sorted.insert::<S>(element);
    }
}

/// Splits the subject and the sorted vector, and compares both parts. Continues with one of the
/// parts, or with the parts joined again.
fn split<S: Subject>(subject: &mut S, sorted: &mut Sorted, spread: Spread, random: &mut SmallRng) {
    let at = if random.random() {
        At::Rank(random.random_range(0..sorted.0.len() + 3))
    } else {
        At::Score(random.random_range(-1..=spread.scores))
    };
    let (mut upper, mut sorted_upper) = (subject.split_off(at), sorted.split_off(at));
    compare(&upper, &sorted_upper);
    compare(subject, sorted);
    // Both parts must accept further insertions.
    for (part, sorted) in [(&mut upper, &mut sorted_upper), (&mut *subject, &mut *sorted)] {
        insert(part, sorted, &spread.elements(random, 70));
        compare(part, sorted);
    }
    match random.random_range(0..4) {
        0 => (*subject, *sorted) = (upper, sorted_upper),
        1 => {}
        _ => join(subject, sorted, &mut upper, sorted_upper),
    }
}

/// Pops from one end of the subject and of the sorted vector, half of the time with a predicate.
fn pop<S: Subject>(subject: &mut S, sorted: &mut Sorted, random: &mut SmallRng) {
    let (end, place) = if random.random() {
        (End::First, (!sorted.0.is_empty()).then_some(0))
    } else {
        (End::Last, sorted.0.len().checked_sub(1))
    };
    let element = place.map(|place| sorted.0[place]);
    let is_popped = if random.random() {
        assert_eq!(subject.pop(end), element);
        true
    } else {
        let is_accepted = random.random();
        let mut seen = None;
        let popped = subject.pop_if(end, |element| {
            seen = Some(element);
            is_accepted
        });
        assert_eq!((seen, popped), (element, element.filter(|_| is_accepted)));
        is_accepted
    };
    if is_popped {
        place.map(|place| sorted.0.remove(place));
    }
}

/// Pairs of the number of members and the number of scores, small and large.
const ALL: [(u32, i32); 4] = [(300, 4), (3_000, 1), (3_000, 40), (3_000, 5_000)];

/// The first pair has so few distinct elements that a list repeats many of them.
const LISTS: [(u32, i32); 4] = [(4, 8), (300, 4), (3_000, 40), (3_000, 5_000)];

/// Few enough members that a `ZSet` stays a listpack.
const FEW: [(u32, i32); 3] = [(120, 1), (120, 4), (120, 500)];

/// Runs a random sequence for each spread.
fn follow<S: Subject>(spreads: &[(u32, i32)], make: impl Fn() -> S) {
    // Under Miri, a step takes a second, so only a few steps are run.
    let (spreads, steps) = if cfg!(miri) { (&spreads[..1], 12) } else { (spreads, 200) };
    let mut random = SmallRng::seed_from_u64(1);
    for &(members, scores) in spreads {
        let (mut subject, mut sorted) = (make(), Sorted::default());
        let spread = Spread { members, scores };
        insert(&mut subject, &mut sorted, &spread.elements(&mut random, 140));
        for _ in 0..steps {
            step(&mut subject, &mut sorted, spread, &mut random);
            compare(&subject, &sorted);
        }
    }
}

#[test]
fn random_sequences_on_a_list() {
    follow(&LISTS, SkipList::<u32, i32>::new);
}

#[test]
fn random_sequences_on_a_list_with_strings_as_scores() {
    follow(&LISTS, SkipList::<u32, String>::new);
}

#[test]
fn random_sequences_on_a_set() {
    follow(&ALL, SortedSet::<u32, i32>::new);
}

#[test]
fn random_sequences_on_a_set_with_strings_as_scores() {
    follow(&ALL, SortedSet::<u32, String>::new);
}

#[test]
fn elements_of_equal_score_keep_their_order_of_insertion() {
    follow(&ALL, SortedSet::<Unordered<u32>, i32>::new);
}

#[test]
fn random_sequences_on_a_map() {
    follow(&ALL, SortedMap::<u32, u64, i32>::new);
}

#[test]
fn random_sequences_on_a_map_with_strings_as_scores() {
    follow(&ALL, SortedMap::<u32, u64, String>::new);
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
