//! Scores that own memory: random operations on a set, a map and a list, the same for integers and
//! for strings, compared with a `BTreeMap`. Removals that keep memory alternate with insertions,
//! moves between collections, and `shrink_to_fit`.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::cell::Cell;
use std::cmp::Ordering;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Bound::{Excluded, Included, Unbounded};
use zset_core::{FixedSortedSet, SkipList, SortedMap, SortedSet};

/// A score that is ordered like the number it is made of.
trait Numbered: Ord + Clone + Debug {
    fn of(number: u32) -> Self;
    fn number(&self) -> u32;
}

impl Numbered for u32 {
    fn of(number: u32) -> u32 {
        number
    }

    fn number(&self) -> u32 {
        *self
    }
}

impl Numbered for String {
    fn of(number: u32) -> Self {
        format!("{number:04}")
    }

    fn number(&self) -> u32 {
        self.parse().unwrap()
    }
}

/// The same elements in each collection. The value of a key is the key.
struct Collections<S> {
    set: SortedSet<u16, S>,
    map: SortedMap<u16, u16, S>,
    list: SkipList<u16, S>,
    reference: BTreeMap<u16, u32>,
}

impl<S: Numbered> Collections<S> {
    fn new() -> Self {
        Collections {
            set: SortedSet::new(),
            map: SortedMap::new(),
            list: SkipList::new(),
            reference: BTreeMap::new(),
        }
    }

    fn insert(&mut self, member: u16, score: u32) {
        let old = self.reference.insert(member, score);
        assert_eq!(self.set.insert(member, S::of(score)), old.map(S::of));
        let replaced = self.map.insert(member, member, S::of(score));
        assert_eq!(replaced, old.map(|old| (member, S::of(old))));
        if let Some(old) = old {
            assert!(self.list.remove(&member, &S::of(old)).is_some());
        }
        self.list.insert(member, S::of(score));
    }

    fn remove(&mut self, member: u16) {
        let old = self.reference.remove(&member);
        assert_eq!(self.set.remove(&member), old.map(S::of));
        assert_eq!(self.map.remove(&member), old.map(|old| (member, S::of(old))));
        if let Some(old) = old {
            assert_eq!(self.list.remove(&member, &S::of(old)), Some((member, S::of(old))));
        }
    }

    fn sorted(&self) -> Vec<(u16, u32)> {
        let mut sorted: Vec<_> = self.reference.iter().map(|(&m, &s)| (m, s)).collect();
        sorted.sort_unstable_by_key(|&(member, score)| (score, member));
        sorted
    }

    /// Removes these elements from the reference.
    fn forget(&mut self, removed: impl IntoIterator<Item = (u16, u32)>) {
        for (member, score) in removed {
            assert_eq!(self.reference.remove(&member), Some(score));
        }
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each operation")]
    fn apply(&mut self, random: &mut SmallRng) {
        let (member, score) = (random.random_range(0..500), random.random_range(0..300));
        let sorted = self.sorted();
        let (start, end) = (random.random_range(0..=sorted.len()), score as usize / 3);
        let end = (start + end).min(sorted.len());
        match random.random_range(0..40) {
            0..18 => self.insert(member, score),
            18..21 => self.remove(member),
            21 => {
                let first = sorted.first().map(|&(member, score)| (member, S::of(score)));
                assert_eq!(self.set.pop_first(), first);
                assert_eq!(self.list.pop_first(), first);
                assert_eq!(self.map.pop_first(), first.map(|(m, s)| (m, m, s)));
                self.forget(sorted.first().copied());
            }
            22 => {
                let last = sorted.last().map(|&(member, score)| (member, S::of(score)));
                assert_eq!(self.set.pop_last(), last);
                assert_eq!(self.list.pop_last(), last);
                assert_eq!(self.map.pop_last(), last.map(|(m, s)| (m, m, s)));
                self.forget(sorted.last().copied());
            }
            23..26 => {
                let old = self.reference.get(&member).copied();
                let moved = |old: &S| S::of(old.number() / 2 + score);
                assert_eq!(self.set.update(&member, moved), old.map(S::of));
                assert_eq!(self.map.update(&member, |_, old| moved(old)), old.map(S::of));
                if let Some(old) = old {
                    self.list.remove(&member, &S::of(old));
                    self.list.insert(member, S::of(old / 2 + score));
                    self.reference.insert(member, old / 2 + score);
                }
            }
            26 => {
                let is_kept = |member: u16| member % 3 != score as u16 % 3;
                self.set.retain(|&member, _| is_kept(member));
                self.map.retain(|&key, _, _| is_kept(key));
                self.list.retain(|&member, _| is_kept(member));
                self.reference.retain(|&member, _| is_kept(member));
                self.change_values();
            }
            27 => {
                let is_taken = |member: u16| member % 2 == 0;
                let taken = sorted.iter().copied().filter(|&(member, _)| is_taken(member));
                let taken: Vec<_> = taken.take(end - start).collect();
                let most = taken.len();
                let set = self.set.extract_if(|&m, _| is_taken(m)).take(most);
                assert!(set.map(|(m, s)| (m, s.number())).eq(taken.iter().copied()));
                let map = self.map.extract_if(|&m, _, _| is_taken(m)).take(most);
                assert!(map.map(|(m, _, s)| (m, s.number())).eq(taken.iter().copied()));
                let list = self.list.extract_if(|&m, _| is_taken(m)).take(most);
                assert!(list.map(|(m, s)| (m, s.number())).eq(taken.iter().copied()));
                self.forget(taken);
            }
            28 if score < 60 => {
                let half = sorted.iter().take(sorted.len() / 2);
                assert!(self.set.drain().zip(half).all(|((m, s), e)| (m, s.number()) == *e));
                drop(self.map.drain().nth_back(sorted.len() / 2));
                drop(self.list.drain().next());
                self.reference.clear();
            }
            29 if score < 100 => {
                self.set.clear();
                self.map.clear();
                self.list.clear();
                self.reference.clear();
            }
            30 => {
                self.set.shrink_to_fit();
                self.map.shrink_to_fit();
                self.list.shrink_to_fit();
            }
            31 => {
                let additional = score as usize;
                self.set.reserve(additional);
                self.map.reserve(additional);
                self.list.reserve(additional);
                let least = sorted.len() + additional;
                assert!(self.set.capacity() >= least && self.map.capacity() >= least);
                assert!(self.list.capacity() >= least);
            }
            32 => {
                let ranks = start..end;
                let set = self.set.drain_by_rank(ranks.clone()).map(|(m, s)| (m, s.number()));
                assert!(set.eq(sorted[ranks.clone()].iter().copied()));
                drop(self.map.drain_by_rank(ranks.clone()).next());
                assert_eq!(self.list.remove_range_by_rank(ranks.clone()), ranks.len());
                self.forget(sorted[ranks].iter().copied());
            }
            33 | 34 => {
                // Both parts keep memory before they are put together again.
                let mut set = self.set.split_off_by_rank(start);
                let mut map = self.map.split_off_by_score(&S::of(score));
                let list = self.list.split_off_by_rank(start);
                set.check();
                map.check();
                list.check();
                if member % 2 == 0 {
                    std::mem::swap(&mut self.set, &mut set);
                    std::mem::swap(&mut self.map, &mut map);
                }
                self.set.append(&mut set);
                self.map.append(&mut map);
                self.list.extend(list);
                set.check();
                assert!(set.is_empty() && map.is_empty());
                // An emptied collection can be used again.
                set.insert(1, S::of(1));
                map.insert(1, 1, S::of(1));
                set.check();
                map.check();
            }
            35 | 36 => {
                let len = score as u16 / 2;
                let mut set = SortedSet::with_capacity(2_000);
                let mut map = SortedMap::new();
                for other in member..member + len {
                    let other_score = score ^ u32::from(other % 64);
                    set.insert(other, S::of(other_score));
                    map.insert(other, other, S::of(other_score));
                    if let Some(old) = self.reference.insert(other, other_score) {
                        self.list.remove(&other, &S::of(old));
                    }
                    self.list.insert(other, S::of(other_score));
                }
                self.set.append(&mut set);
                self.map.append(&mut map);
                set.check();
                map.check();
            }
            37 => {
                self.set = self.set.clone();
                self.map = self.map.clone();
                self.list = self.list.clone();
            }
            38 => {
                let old = self.reference.get(&member).copied();
                assert_eq!(
                    self.set.insert_max(member, S::of(score)).is_changed(),
                    old < Some(score)
                );
                self.set.insert(member, S::of(old.unwrap_or(score)));
                if old.is_none() {
                    self.set.remove(&member);
                }
            }
            _ => self.change_values(),
        }
    }

    /// Changes all values in two ways, and back.
    fn change_values(&mut self) {
        self.map.values_mut().for_each(|value| *value += 1);
        for (&key, value, _) in self.map.iter_mut().rev() {
            assert_eq!(*value, key + 1);
            *value = key;
        }
    }

    fn check(&self) {
        self.set.check();
        self.map.check();
        self.list.check();
        let sorted = self.sorted();
        assert!(self.set.iter().map(|(&m, s)| (m, s.number())).eq(sorted.iter().copied()));
        assert!(self.list.iter().map(|(&m, s)| (m, s.number())).eq(sorted.iter().copied()));
        let map = self.map.iter().map(|(&key, &value, score)| (key, value, score.number()));
        assert!(map.eq(sorted.iter().map(|&(member, score)| (member, member, score))));
        for (rank, (member, score)) in sorted.iter().enumerate().step_by(17) {
            assert_eq!(self.set.rank(member), Some(rank));
            assert_eq!(self.map.get_full(member), Some((member, member, &S::of(*score))));
            assert!(self.list.contains(member, &S::of(*score)));
            let before = sorted.partition_point(|(_, other)| other < score);
            assert_eq!(self.set.count_by_score(..S::of(*score)), before);
        }
    }
}

fn run<S: Numbered>(seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut collections = Collections::<S>::new();
    for number in 0..if cfg!(miri) { 140 } else { 400 } {
        collections.insert(number, u32::from(number) * 7 % 300);
    }
    for _ in 0..if cfg!(miri) { 20 } else { 600 } {
        collections.apply(&mut random);
        collections.check();
    }
}

#[test]
fn integers() {
    (0..2).for_each(run::<u32>);
}

#[test]
fn strings() {
    (2..4).for_each(run::<String>);
}

#[test]
fn ranges_of_strings_take_strs() {
    let score = |member: u16| String::of(u32::from(member) / 2);
    let set: SortedSet<u16, String> = (0..300).map(|member| (member, score(member))).collect();
    let map: SortedMap<u16, u16, String> = set.iter().map(|(&m, s)| (m, m, s.clone())).collect();
    let list: SkipList<u16, String> = set.clone().into_iter().collect();
    let mut fixed = FixedSortedSet::<u16, String, 9>::new();
    for member in 0..9 {
        fixed.try_insert(member, score(member)).unwrap();
    }
    let range = (Excluded("0003"), Included("0100"));
    assert!(set.range_by_score::<str>(range).map(|(member, _)| *member).eq(8..202));
    assert!(map.range_by_score::<str>(range).map(|(key, ..)| *key).eq(8..202));
    assert!(list.range_by_score::<str>(range).map(|(member, _)| *member).eq(8..202));
    assert!(fixed.range_by_score::<str>(range).map(|(member, _)| *member).eq([8]));
    assert_eq!(set.count_by_score::<str>((Included("0149"), Unbounded)), 2);
    assert_eq!(set.range(("0001", &3)..("0002", &5)).map(|(m, _)| *m).collect::<Vec<_>>(), [3, 4]);
    assert!(set.range_by_member("0070", &141..).map(|(m, _)| *m).eq([141]));
    assert!(list.contains(&140, "0070") && !list.contains(&139, "0070"));
    let (mut lower, mut list) = (set.clone(), list);
    let upper = lower.split_off_by_score("0100");
    assert_eq!((lower.len(), upper.len()), (200, 100));
    assert_eq!(lower.drain_by_score::<str>((Unbounded, Excluded("0010"))).len(), 20);
    assert_eq!(lower.remove_range_by_score::<str>((Included("0090"), Unbounded)), 20);
    assert_eq!(list.remove(&140, "0070"), Some((140, score(140))));
    for set in [lower, upper] {
        set.check();
    }
    list.check();
}

/// A score with a label that does not take part in its order.
#[derive(Clone, Debug)]
struct Labelled(u32, u32);

impl PartialEq for Labelled {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Labelled {}

impl PartialOrd for Labelled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Labelled {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

/// Every method that sets a score stores the given one, even if the old one is equal. Conditional
/// insertions keep the old one, which is not lower or higher.
#[test]
fn an_equal_score_is_replaced_by_the_given_one() {
    let label = Cell::new(0);
    let next = |number: u32| {
        label.set(label.get() + 1);
        Labelled(number, label.get())
    };
    let elements = (0..200).map(|i| (i, Labelled(i / 3, 0)));
    let mut set: SortedSet<u32, Labelled> = elements.clone().collect();
    let mut map: SortedMap<u32, (), Labelled> = elements.map(|(m, s)| (m, (), s)).collect();
    let mut fixed = FixedSortedSet::<u32, Labelled, 200>::new();
    for member in 0..200 {
        fixed.try_insert(member, Labelled(member / 3, 0)).unwrap();
        let number = member / 3;
        let is = |found: Option<&Labelled>| assert_eq!(found.unwrap().1, label.get());

        assert_eq!(set.insert(member, next(number)).unwrap().1, 0);
        is(set.score(&member));
        let old = set.set_score(&member, next(number)).unwrap();
        assert_eq!(old.1, label.get() - 1);
        is(set.score(&member));
        set.update(&member, |_| next(number));
        is(set.score(&member));
        set.replace(member, next(number));
        is(set.score(&member));
        set.entry(member).insert_entry(next(number));
        is(set.score(&member));
        assert!(!set.insert_max(member, Labelled(number, 0)).is_changed());
        assert!(!set.insert_min(member, Labelled(number, 0)).is_changed());
        is(set.score(&member));

        map.insert(member, (), next(number));
        is(map.score(&member));
        map.update(&member, |(), _| next(number));
        is(map.score(&member));
        fixed.update(&member, |_| next(number));
        is(fixed.score(&member));
        fixed.try_insert(member, next(number)).unwrap();
        is(fixed.score(&member));
    }
    set.check();
    map.check();
    fixed.check();
    assert!(set.iter().map(|(member, _)| *member).eq(0..200));
}

/// The recipe of the docs for a score that sorts last when there is none.
#[test]
fn none_sorts_last_in_reverse_of_an_option_of_reverse() {
    let last_if_none = |time: Option<u32>| Reverse(time.map(Reverse));
    let mut set = SortedSet::new();
    for member in 0..200u32 {
        set.insert(member, last_if_none((member % 4 != 3).then_some(1_000 - member)));
    }
    set.check();
    let mut expected: Vec<u32> = (0..200).rev().filter(|member| member % 4 != 3).collect();
    expected.extend((0..200).filter(|member| member % 4 == 3));
    assert!(set.iter().map(|(member, _)| *member).eq(expected));
    assert_eq!(set.count_by_score(..=last_if_none(Some(900))), 75);
    assert_eq!(set.count_by_score(last_if_none(None)..), 50);
    set.set_score(&3, last_if_none(Some(0)));
    assert_eq!(set.first(), Some((&3, &Reverse(Some(Reverse(0))))));
}
