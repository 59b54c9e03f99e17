//! Taking elements out by the run: drains, splits, removals by rank, conditional pops, and ranges across scores.
//! Every type is compared with a sorted vector, in random sequences that mix new and old methods.

mod subject;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use zset_core::{Encoding, SkipList, SortedMap, SortedSet, ZSet};

use crate::LEAF;
use subject::{At, Element, End, Run, Subject, Taken, take_ends};

type Bounds<T> = (Bound<T>, Bound<T>);

/// Elements as `(score, member)`, so that their own order is that of a set.
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

    /// Returns the elements of a run, and the others.
    fn parted(&self, run: &Run) -> (Vec<Element>, Sorted) {
        let ranked = self.0.iter().copied().enumerate();
        let (taken, kept): (Vec<_>, Vec<_>) =
            ranked.partition(|&(rank, (score, member))| match run {
                Run::Rank(ranks) => ranks.contains(&rank),
                Run::Score(scores) => scores.contains(&score),
                Run::Member(exactly, members) => score == *exactly && members.contains(&member),
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

/// How many members and how many scores there are to draw from.
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
        match random.random_range(0..4) {
            0 => Run::Rank(any_bounds(random, |random| random.random_range(0..len + 3))),
            1 => {
                // Within a leaf or a few.
                let start = random.random_range(0..=len);
                Run::Rank((Included(start), Excluded(start + random.random_range(0..3 * LEAF))))
            }
            2 => Run::Score(any_bounds(random, |random| random.random_range(-1..=self.scores))),
            _ => {
                let score = random.random_range(0..self.scores);
                Run::Member(score, any_bounds(random, |random| self.element(random).0))
            }
        }
    }
}

/// Verifies the invariants, and that both have the same elements.
fn compare<S: Subject>(subject: &S, sorted: &Sorted) {
    subject.check();
    assert_eq!(subject.elements(), sorted.elements());
}

/// Does the same to both, and compares what they answer.
fn step<S: Subject>(subject: &mut S, sorted: &mut Sorted, spread: Spread, random: &mut SmallRng) {
    let ends = (random.random_range(0..9), random.random_range(0..9));
    match random.random_range(0..16) {
        0..=4 => {
            for _ in 0..random.random_range(1..150) {
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
            assert_eq!(subject.drain(&run, ends), take_ends(taken.into_iter(), ends), "{run:?}");
            *sorted = kept;
        }
        8 => {
            let run = spread.run(random, sorted.0.len());
            let (taken, kept) = sorted.parted(&run);
            if let Some(removed) = subject.remove_range(&run) {
                assert_eq!(removed, taken.len(), "{run:?}");
                *sorted = kept;
            }
        }
        9 | 10 => {
            let at = if random.random() {
                At::Rank(random.random_range(0..sorted.0.len() + 3))
            } else {
                At::Score(random.random_range(-1..=spread.scores))
            };
            let (mut upper, mut sorted_upper) = (subject.split_off(at), sorted.split_off(at));
            compare(&upper, &sorted_upper);
            compare(subject, sorted);
            // Both parts can be written; then one goes on, or both together.
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
        11 => {
            let rank = random.random_range(0..sorted.0.len() + 2);
            let removed = (rank < sorted.0.len()).then(|| sorted.0.remove(rank));
            assert_eq!(
                subject.remove_by_rank(rank),
                removed.map(|(score, member)| (member, score))
            );
        }
        12 => {
            let end = if random.random() { End::First } else { End::Last };
            let place = match end {
                End::First => (!sorted.0.is_empty()).then_some(0),
                End::Last => sorted.0.len().checked_sub(1),
            };
            let is_accepted = random.random();
            let mut seen = None;
            let popped = subject.pop_if(end, |member, score| {
                seen = Some((member, score));
                is_accepted
            });
            let element = place.map(|place| (sorted.0[place].1, sorted.0[place].0));
            assert_eq!(seen, element);
            assert_eq!(popped, element.filter(|_| is_accepted));
            if is_accepted {
                place.map(|place| sorted.0.remove(place));
            }
        }
        13 => {
            let end = if random.random() { End::First } else { End::Last };
            let place = match end {
                End::First => 0,
                End::Last => sorted.0.len().saturating_sub(1),
            };
            let popped = (place < sorted.0.len()).then(|| sorted.0.remove(place));
            assert_eq!(subject.pop(end), popped.map(|(score, member)| (member, score)));
        }
        _ => {
            // A bound that is there, or not, or equal to the other.
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

/// Few and many members and scores.
const ALL: [(u32, i32); 4] = [(300, 4), (3_000, 1), (3_000, 40), (3_000, 5_000)];

/// So few that a set stays a listpack.
const FEW: [(u32, i32); 3] = [(120, 1), (120, 4), (120, 500)];

/// Follows random sequences.
fn follow<S: Subject>(spreads: &[(u32, i32)], make: impl Fn() -> S) {
    let (seeds, steps) = if cfg!(miri) { (1, 12) } else { (4, 200) };
    for &(members, scores) in spreads {
        for seed in 0..seeds {
            let mut random = SmallRng::seed_from_u64(seed);
            let (mut subject, mut sorted) = (make(), Sorted::default());
            for _ in 0..steps {
                step(&mut subject, &mut sorted, Spread { members, scores }, &mut random);
                compare(&subject, &sorted);
            }
        }
    }
}

#[test]
fn a_list_in_random_sequences() {
    follow(&ALL, SkipList::<u32, i32>::new);
}

#[test]
fn a_set_in_random_sequences() {
    follow(&ALL, SortedSet::<u32, i32>::new);
}

#[test]
fn a_map_in_random_sequences() {
    follow(&ALL, SortedMap::<u32, u64, i32>::new);
}

#[test]
fn a_listpack_in_random_sequences() {
    follow(&FEW, || {
        let set = ZSet::new();
        assert_eq!(set.encoding(), Encoding::Listpack);
        set
    });
}

#[test]
fn a_zset_that_changes_its_encoding_in_random_sequences() {
    follow(&ALL, ZSet::new);
}

#[test]
fn a_zset_that_is_a_skip_list_in_random_sequences() {
    follow(&ALL, || {
        let mut set = ZSet::new();
        set.promote();
        set
    });
}

/// Ranks at and around the ends of leaves, of blocks, and of a list of this length.
fn notable_ranks(len: usize) -> Vec<usize> {
    let mut ranks: Vec<usize> = [0, 1, LEAF, 2 * LEAF, LEAF * LEAF, len / 3, len / 2, len]
        .into_iter()
        .flat_map(|rank| [rank.saturating_sub(1), rank, rank + 1])
        .filter(|&rank| rank <= len)
        .collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// Sizes around those of leaves and of full blocks, and one with several levels and a dict of several tables.
fn notable_sizes() -> Vec<usize> {
    if cfg!(miri) {
        return vec![1, LEAF + 1];
    }
    vec![0, 1, 2, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF, 2 * LEAF + 1, LEAF * LEAF, LEAF * LEAF + 1]
}

/// Makes a set whose scores are equal in runs of `run`, by insertion in a scattered order or in full leaves.
fn filled(len: usize, run: usize, is_scattered: bool) -> SortedSet<usize, usize> {
    if !is_scattered {
        return SortedSet::from_sorted_iter((0..len).map(|i| (i, i / run))).unwrap();
    }
    let mut set = SortedSet::new();
    for i in 0..len {
        // A step that has no factor in common with the lengths.
        let member = i * 7_919 % len;
        set.insert(member, member / run);
    }
    set
}

#[test]
fn drains_and_splits_at_the_ends_of_leaves_and_blocks() {
    for len in notable_sizes() {
        for is_scattered in [false, true] {
            let set = filled(len, 5, is_scattered);
            let ranks = notable_ranks(len);
            for &start in &ranks {
                let mut lower = set.clone();
                let upper = lower.split_off_by_rank(start);
                lower.check();
                upper.check();
                assert!(lower.iter().map(|(member, _)| *member).eq(0..start));
                assert!(upper.iter().map(|(member, _)| *member).eq(start..len));
                for &end in ranks.iter().filter(|&&end| end >= start) {
                    let mut set = set.clone();
                    let drained = set.drain_by_rank(start..end);
                    assert!(drained.map(|(member, _)| member).eq(start..end), "{start}..{end}");
                    set.check();
                    assert!(set.iter().map(|(member, _)| *member).eq((0..start).chain(end..len)));
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes there")]
fn drains_and_splits_of_a_set_of_several_levels_and_tables() {
    let len = 40_000;
    for is_scattered in [false, true] {
        let mut set = filled(len, 7, is_scattered);
        assert!(set.drain_by_score(1_000..4_000).map(|(member, _)| member).eq(7_000..28_000));
        set.check();
        let mut upper = set.split_off_by_score(5_000);
        set.check();
        upper.check();
        assert!(set.iter().map(|(member, _)| *member).eq((0..7_000).chain(28_000..35_000)));
        assert!(upper.iter().map(|(member, _)| *member).eq(35_000..len));
        upper.append(&mut set);
        for member in 7_000..28_000 {
            upper.insert(member, member / 7);
        }
        upper.check();
        assert_eq!(upper, filled(len, 7, false));
    }
}

#[test]
fn inverted_and_clamped_ranges_remove_nothing_or_what_is_there() {
    let mut set = filled(100, 10, false);
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
    let removed = set.drain_by_rank(9..3).len() + set.drain_by_score(7..2).len();
    assert_eq!(removed, 0);
    assert_eq!(set.drain_by_member(3, (Excluded(&35), Excluded(&35))).len(), 0);
    assert_eq!(set.drain_by_rank(100..).len() + set.drain_by_rank(usize::MAX..).len(), 0);
    assert_eq!(set.split_off_by_rank(100).len() + set.split_off_by_score(10).len(), 0);
    assert_eq!(set.range((3, &36)..(3, &31)).len() + set.range((4, &0)..(3, &99)).len(), 0);
    assert_eq!(set, filled(100, 10, false));
    assert!(set.drain_by_rank(98..=usize::MAX).eq([(98, 9), (99, 9)]));
    set.check();
    assert_eq!(set.split_off_by_rank(0).len(), 98);
    assert!(set.is_empty());
    set.check();
    assert_eq!(set.drain_by_rank(..).len() + set.split_off_by_rank(0).len(), 0);
    assert_eq!((set.pop_first_if(|_, _| true), set.remove_by_rank(0)), (None, None));
    assert!(set.first_entry().is_none() && set.last_entry().is_none());
}

#[test]
fn a_drain_that_takes_nothing_keeps_reserved_memory() {
    let mut set = SortedSet::<u32, u32>::with_capacity(1_000);
    let bytes = set.allocation_size();
    assert_eq!(set.drain_by_rank(..).len() + set.drain_by_score(..).len(), 0);
    assert_eq!(set.allocation_size(), bytes);
}

#[test]
fn entries_of_both_ends() {
    let len = if cfg!(miri) { 70 } else { 300 };
    let mut set: SortedSet<u32, u32> = (0..len).map(|i| (i, i)).collect();
    let mut map: SortedMap<u32, char, u32> = (0..len).map(|i| (i, 'x', i)).collect();
    // The first goes to the other end, the last is removed.
    for i in 0..len / 2 {
        let mut entry = set.first_entry().unwrap();
        assert_eq!((*entry.member(), entry.rank()), (i, 0));
        assert_eq!(entry.insert(len + i), i);
        assert_eq!((*entry.member(), entry.rank()), (i, set.len() - 1));
        assert_eq!(set.last_entry().unwrap().remove_entry(), (i, len + i));
        set.check();

        let mut entry = map.first_entry().unwrap();
        assert_eq!((*entry.key(), entry.rank()), (i, 0));
        assert_eq!(entry.insert('y'), 'x');
        assert_eq!(entry.set_score(len + i), i);
        assert_eq!(map.last_entry().unwrap().remove_entry(), (i, 'y', len + i));
        map.check();
    }
    assert!(set.iter().map(|(member, _)| *member).eq(len / 2..len));
    assert!(map.iter().map(|(key, _, _)| *key).eq(len / 2..len));
}

#[test]
fn a_predicate_may_modify_the_value_of_a_map() {
    let mut map = SortedMap::from([("a", 0, 1), ("b", 0, 2)]);
    let mut count = |_: &&str, value: &mut i32, _| {
        *value += 1;
        *value > 1
    };
    assert_eq!((map.pop_first_if(&mut count), map.pop_last_if(&mut count)), (None, None));
    assert_eq!(map.pop_first_if(&mut count), Some(("a", 2, 1)));
    assert_eq!(map.pop_last_if(&mut count), Some(("b", 2, 2)));
    assert_eq!(map.pop_last_if(|_, _, _| unreachable!("the map is empty")), None);
}

#[test]
fn pages_neither_skip_nor_repeat() {
    let set = filled(if cfg!(miri) { 70 } else { 1_000 }, 90, true);
    let mut seen: Vec<(usize, usize)> = Vec::new();
    loop {
        let start = match seen.last() {
            Some((member, score)) => Excluded((*score, member)),
            None => Unbounded,
        };
        let page: Vec<_> = set.range((start, Unbounded)).take(7).map(|(m, s)| (*m, s)).collect();
        if page.is_empty() {
            break;
        }
        seen.extend(page);
    }
    assert!(set.iter().map(|(member, score)| (*member, score)).eq(seen));
}

#[test]
fn a_part_that_is_split_off_hashes_as_the_set() {
    use std::hash::RandomState;
    let mut set: SortedSet<u32, u32, RandomState> = (0..100).map(|i| (i, i)).collect();
    let mut upper = set.split_off_by_rank(40);
    assert_eq!((set.score(&39), upper.score(&40)), (Some(39), Some(40)));
    let all = upper.split_off_by_rank(0);
    assert_eq!((all.len(), upper.len()), (60, 0));
    upper.insert(7, 7);
    assert_eq!((upper.score(&7), all.score(&40)), (Some(7), Some(40)));
    all.check();
}

#[test]
fn taken_elements_are_told_from_both_ends() {
    let taken: Taken = take_ends((0..9).map(|i| (i, 0)).collect::<Vec<_>>().into_iter(), (2, 3));
    assert_eq!(taken.front, [(0, 0), (1, 0)]);
    assert_eq!(taken.back, [(8, 0), (7, 0), (6, 0)]);
    assert_eq!(taken.left, 4);
}
