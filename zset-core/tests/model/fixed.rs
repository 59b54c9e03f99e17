//! Runs random sequences of all operations on sets of fixed capacity, and compares the results with
//! a `BTreeMap`.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Bound::{Excluded, Included, Unbounded};
use zset_core::fixed_sorted_set::{FixedHashBuilder, SlotNumber};
use zset_core::{FixedSortedSet, IncrementError, InsertError, ScoreOverflow, TryReserveError};

use crate::hashers::{BuildConstant, BuildIdentity, BuildNarrow};

const STEPS: u32 = if cfg!(miri) { 60 } else { 2000 };

/// Maps each member to its score.
type Reference = BTreeMap<u16, u32>;

/// Returns the elements in order.
fn sorted(reference: &Reference) -> Vec<(u16, u32)> {
    let mut elements: Vec<_> = reference.iter().map(|(member, score)| (*member, *score)).collect();
    elements.sort_by_key(|(member, score)| (*score, *member));
    elements
}

struct Subject<const N: usize, I: SlotNumber, H> {
    set: FixedSortedSet<u16, u32, N, I, H>,
    reference: Reference,
    random: SmallRng,
}

impl<const N: usize, I: SlotNumber, H: BuildHasher + Clone> Subject<N, I, H> {
    fn number(&mut self) -> u16 {
        // Draws from about twice as many members as the set can hold.
        self.random.random_range(0..=2 * N as u16)
    }

    fn score(&mut self) -> u32 {
        if self.random.random_ratio(1, 20) {
            u32::MAX - 3
        } else {
            self.random.random_range(0..1 + N as u32 / 2)
        }
    }

    /// Returns whether `member` can be set without evicting another.
    fn has_room(&self, member: u16) -> bool {
        self.reference.len() < N || self.reference.contains_key(&member)
    }

    fn insert(&mut self) {
        let (member, score) = (self.number(), self.score());
        let old = self.reference.get(&member).copied();
        let has_room = self.has_room(member);
        let mut new = score;
        match self.random.random_range(0..6) {
            0..4 => match self.set.try_insert(member, score) {
                Ok(replaced) => assert_eq!((replaced, has_room), (old, true)),
                Err(InsertError { element, error, .. }) => {
                    assert_eq!((element, has_room), ((member, score), false));
                    assert_eq!(error, TryReserveError::BufferFull);
                }
            },
            4 => {
                let sum = old.unwrap_or(0).checked_add(score);
                let result = match (sum, has_room) {
                    (None, _) => Err(IncrementError::Score(ScoreOverflow)),
                    (_, false) => Err(IncrementError::Full(TryReserveError::BufferFull)),
                    (Some(sum), true) => Ok(sum),
                };
                assert_eq!(self.set.try_increment(member, score), result);
                let Some(sum) = sum else { return };
                new = sum;
            }
            _ => {
                assert_eq!(self.set.update(&member, |old| old ^ score), old);
                let Some(old) = old else { return };
                new = old ^ score;
            }
        }
        if has_room {
            self.reference.insert(member, new);
        }
    }

    fn insert_or_evict(&mut self) {
        let (member, score) = (self.number(), self.score());
        let has_room = self.has_room(member);
        self.reference.insert(member, score);
        let evicts_first = self.random.random();
        let evicted = (!has_room).then(|| {
            let elements = sorted(&self.reference);
            let element = if evicts_first { elements.first() } else { elements.last() };
            *element.expect("an element has just been inserted")
        });
        evicted.map(|(member, _)| self.reference.remove(&member));
        if evicts_first {
            assert_eq!(self.set.insert_or_evict_first(member, score), evicted);
        } else {
            assert_eq!(self.set.insert_or_evict_last(member, score), evicted);
        }
    }

    fn remove(&mut self) {
        let elements = sorted(&self.reference);
        let (member, score) = (self.number(), self.score());
        let (low, high) = (usize::from(member) / 2, usize::from(self.number()));
        let (removed, expected) = match self.random.random_range(0..42) {
            0..12 => {
                let old = self.reference.get(&member).map(|score| (member, *score));
                (self.set.remove_entry(&member), old)
            }
            12..20 => (self.set.remove_by_rank(low), elements.get(low).copied()),
            20..26 => (self.set.pop_first(), elements.first().copied()),
            26..32 => (self.set.pop_last(), elements.last().copied()),
            32 | 33 => {
                let first = elements.first().copied().filter(|element| element.1 < score);
                (self.set.pop_first_if(|_, other| *other < score), first)
            }
            34 | 35 => {
                let last = elements.last().copied().filter(|element| element.1 > score);
                (self.set.pop_last_if(|_, other| *other > score), last)
            }
            36 => {
                let ranks = low.min(elements.len())..high.min(elements.len());
                assert_eq!(self.set.remove_range_by_rank(low..high), ranks.len());
                let gone = elements.get(ranks).unwrap_or_default();
                for (member, _) in gone {
                    self.reference.remove(member);
                }
                return;
            }
            kind @ 37..40 => {
                let before = self.reference.len();
                self.reference.retain(|other, old| match kind {
                    37 => *old < score,
                    38 => *old != score || *other < member,
                    _ => (*old, *other) < (score, member),
                });
                let removed = match kind {
                    37 => self.set.remove_range_by_score(score..),
                    38 => self.set.remove_range_by_member(&score, &member..),
                    _ => self.set.remove_range((&score, &member)..),
                };
                assert_eq!(removed, before - self.reference.len());
                return;
            }
            40 => {
                self.set.retain(|member, other| member % 3 > 0 || *other == score);
                self.reference.retain(|member, other| member % 3 > 0 || *other == score);
                return;
            }
            _ if self.random.random_ratio(1, 8) => {
                self.set.clear();
                self.reference.clear();
                return;
            }
            _ => {
                let old = self.reference.get(&member).copied();
                let removed = self.set.remove(&member);
                (removed.map(|old| (member, old)), old.map(|old| (member, old)))
            }
        };
        assert_eq!(removed, expected);
        removed.map(|(member, _)| self.reference.remove(&member));
    }

    fn read(&mut self) {
        let elements = sorted(&self.reference);
        let (member, score) = (self.number(), self.score());
        let (set, other) = (&self.set, score / 2);
        let by_ref = || elements.iter().map(|(member, score)| (member, score));
        assert!(set.iter().eq(by_ref()) && set.iter().rev().eq(by_ref().rev()));
        assert!(set.clone().into_iter().eq(elements.iter().copied()));
        assert!(set.clone().into_iter().rev().eq(elements.iter().copied().rev()));
        assert_eq!((set.first(), set.last()), (by_ref().next(), by_ref().next_back()));
        assert_eq!((set.is_empty(), set.is_full()), (elements.is_empty(), elements.len() == N));
        assert_eq!(set.capacity(), N);

        let found = self.reference.get(&member);
        assert_eq!((set.score(&member), set.contains(&member)), (found, found.is_some()));
        assert_eq!(set.get(&member), found.map(|score| (&member, score)));
        let rank = elements.iter().position(|element| element.0 == member);
        assert_eq!(set.rank(&member), rank);
        assert_eq!(set.rev_rank(&member), rank.map(|rank| elements.len() - 1 - rank));
        let rank = usize::from(member);
        assert_eq!(set.get_by_rank(rank), by_ref().nth(rank));
        assert_eq!(set.iter().nth_back(rank), by_ref().nth_back(rank));
        assert!(set.range_by_rank(rank / 2..rank).eq(by_ref().take(rank).skip(rank / 2)));
        assert_eq!(set.iter().count(), elements.len());

        let within = by_ref().filter(|element| (other..=score).contains(element.1));
        assert!(set.range_by_score(other..=score).eq(within.clone()));
        assert_eq!(set.count_by_score(other..=score), within.count());
        assert_eq!(set.range_by_score(score + 1..score).len(), 0);
        let equal = by_ref().filter(|element| *element.1 == score && *element.0 > member);
        assert!(set.range_by_member(&score, (Excluded(&member), Unbounded)).eq(equal));
        let after = by_ref().filter(|element| (*element.1, *element.0) >= (score, member));
        assert!(set.range((Included((&score, &member)), Unbounded)).eq(after.clone()));
        let before = elements.len() - after.count();
        assert_eq!(set.range(..(&score, &member)).len(), before);
        assert_eq!(set.range((&score, &member)..(&other, &member)).len(), 0);
    }

    /// Compares the set with another that has the same elements in different slots.
    fn compare(&self) {
        let mut other = FixedSortedSet::<u16, u32, N, I, _>::with_hasher(FixedHashBuilder);
        for (member, score) in &self.reference {
            other.try_insert(*member, *score).expect("there is as much room");
        }
        assert!(self.set == other);
        let hash = |value: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            value(&mut hasher);
            hasher.finish()
        };
        let hashed = hash(&|state| other.hash(state));
        assert_eq!(hash(&|state| self.set.hash(state)), hashed);
        let mut greater = other.clone();
        if let Some((member, score)) = greater.pop_last() {
            assert!(greater != other && hash(&|state| greater.hash(state)) != hashed);
            assert_eq!(greater.partial_cmp(&other), Some(std::cmp::Ordering::Less));
            greater.try_insert(member, score.saturating_add(1)).expect("there was room before");
            assert_eq!(other.cmp(&greater), score.cmp(&score.saturating_add(1)));
        }
    }
}

fn run<const N: usize, I: SlotNumber, H: BuildHasher + Default + Clone>(seed: u64) {
    let random = SmallRng::seed_from_u64(seed);
    let set = FixedSortedSet::<_, _, N, I, H>::default();
    let mut subject = Subject { set, reference: Reference::new(), random };
    for step in 0..STEPS {
        match subject.random.random_range(0..16) {
            0..7 => subject.insert(),
            7..10 => subject.insert_or_evict(),
            // Insertions and removals prevail in turn, so the set alternately fills and empties.
            10..15 if step / 128 % 2 == 0 => subject.insert(),
            _ => subject.remove(),
        }
        subject.set.check();
        assert_eq!(subject.set.len(), subject.reference.len());
        if !cfg!(miri) || step % 10 == 0 {
            subject.read();
            subject.compare();
        }
    }
}

#[test]
fn fixed_sets_answer_as_a_btree_map_does() {
    run::<1, u8, FixedHashBuilder>(1);
    run::<2, u16, FixedHashBuilder>(2);
    run::<7, u8, BuildIdentity>(7);
    run::<16, u16, BuildConstant>(16);
    run::<50, u8, BuildNarrow>(50);
    if !cfg!(miri) {
        run::<255, u8, FixedHashBuilder>(255);
        run::<300, u16, FixedHashBuilder>(300);
    }
}

#[test]
fn a_set_without_room_is_empty_and_full() {
    let mut set = FixedSortedSet::<u16, u32, 0, u8>::new();
    let error = set.try_insert(1, 2).unwrap_err();
    assert_eq!((error.element, error.error), ((1, 2), TryReserveError::BufferFull));
    assert_eq!(set.insert_or_evict_first(1, 2), Some((1, 2)));
    assert_eq!(set.insert_or_evict_last(1, 2), Some((1, 2)));
    assert_eq!(set.try_increment(1, 2), Err(TryReserveError::BufferFull.into()));
    assert_eq!(set.score(&1), None);
    assert_eq!((set.remove(&1), set.pop_first(), set.pop_last()), (None, None, None));
    assert!(set.is_empty() && set.is_full() && set.iter().next().is_none());
    set.clear();
    set.check();
}

#[test]
fn the_largest_capacities_can_be_filled() {
    fn fill<const N: usize, I: SlotNumber>() {
        let mut set = Box::new(FixedSortedSet::<u32, u32, N, I>::new());
        let count = N as u32;
        (0..count).for_each(|i| assert_eq!(set.try_insert(i, count - i), Ok(None)));
        assert!(set.try_insert(count, 0).is_err());
        set.check();
        assert_eq!(set.rank(&0), Some(N - 1));
        assert_eq!(set.pop_first(), Some((count - 1, 1)));
        set.check();
    }
    fill::<255, u8>();
    if !cfg!(miri) {
        fill::<65_535, u16>();
    }
}

#[test]
fn an_element_takes_its_parts_and_three_slot_numbers() {
    assert_eq!(size_of::<FixedSortedSet<u32, u32, 100, u8>>(), 100 * (8 + 3) + 8);
    assert_eq!(size_of::<FixedSortedSet<u32, u32, 100>>(), 100 * (8 + 6) + 8);
}
