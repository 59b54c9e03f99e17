//! zset, and what the programs had before.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hashbrown::{DefaultHashBuilder, HashMap};
use priority_queue::PriorityQueue;
use zset_core::{Score, SortedSet, ZSet};

use super::{Key, Program};
use crate::uses::sorted_vec::SortedVec;

impl<K: Key> Program<K> for SortedSet<K, u64> {
    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.insert(key, score);
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.iter().rev().for_each(|(_, score)| each(score));
    }
}

/// The crate `priority-queue`.
#[derive(Default)]
pub struct Heap(PriorityQueue<u64, Reverse<u64>, DefaultHashBuilder>);

impl Heap {
    #[inline]
    pub(super) fn change(&mut self, key: u64, score: u64) -> u64 {
        self.0.change_priority(&key, Reverse(score)).map_or(0, |Reverse(old)| old)
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.0.pop().map(|(_, Reverse(score))| score)
    }
}

impl Program<u64> for Heap {
    #[inline]
    fn insert(&mut self, key: u64, score: u64) {
        self.0.push(key, Reverse(score));
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        let mut scores: Vec<u64> = self.0.iter().map(|(_, &Reverse(score))| score).collect();
        scores.sort_unstable_by_key(|&score| Reverse(score));
        scores.into_iter().for_each(&mut each);
    }
}

/// `BTreeSet<(u64, K)>` and `HashMap<K, u64>`.
#[derive(Default)]
pub struct BTreePair<K> {
    entries: BTreeSet<(u64, K)>,
    scores: HashMap<K, u64>,
}

impl<K: Key> BTreePair<K> {
    #[inline]
    pub(super) fn change(&mut self, key: &K, score: u64) -> u64 {
        let Some(kept) = self.scores.get_mut(key) else { return 0 };
        let old = std::mem::replace(kept, score);
        let entry = self.entries.take(&(old, key.clone()));
        self.entries.extend(entry.map(|(_, key)| (score, key)));
        old
    }

    #[inline]
    pub(super) fn pop_up_to(&mut self, score: u64) -> Option<u64> {
        self.entries.first().filter(|&&(first, _)| first <= score)?;
        let (score, key) = self.entries.pop_first()?;
        self.scores.remove(&key);
        Some(score)
    }
}

impl<K: Key> Program<K> for BTreePair<K> {
    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.scores.insert(key.clone(), score);
        self.entries.insert((score, key));
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.entries.iter().rev().for_each(|&(score, _)| each(score));
    }
}

/// Two `zset_core::SortedSet`s: by fee, and by arrival.
#[derive(Default)]
pub struct ZsetPool {
    by_fee: SortedSet<u64, u64>,
    by_arrival: SortedSet<u64, u64>,
    arrivals: u64,
}

impl ZsetPool {
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u64> {
        let (key, fee) = self.by_fee.pop_first()?;
        self.by_arrival.remove(&key);
        Some(fee)
    }

    #[inline]
    pub(super) fn remove(&mut self, key: u64) -> bool {
        self.by_fee.remove(&key).is_some() && self.by_arrival.remove(&key).is_some()
    }
}

impl Program<u64> for ZsetPool {
    #[inline]
    fn insert(&mut self, key: u64, fee: u64) {
        self.arrivals += 1;
        self.by_fee.insert(key, fee);
        self.by_arrival.insert(key, self.arrivals);
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.by_fee.iter().rev().for_each(|(_, fee)| each(fee));
    }
}

/// Two `BTreeSet`s, and a `HashMap` from key to fee and arrival.
#[derive(Default)]
pub struct BTreePool {
    by_fee: BTreeSet<(u64, u64)>,
    by_arrival: BTreeSet<(u64, u64)>,
    kept: HashMap<u64, (u64, u64)>,
    arrivals: u64,
}

impl BTreePool {
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u64> {
        let (fee, key) = self.by_fee.pop_first()?;
        if let Some((_, arrival)) = self.kept.remove(&key) {
            self.by_arrival.remove(&(arrival, key));
        }
        Some(fee)
    }

    #[inline]
    pub(super) fn remove(&mut self, key: u64) -> bool {
        self.kept.remove(&key).is_some_and(|(fee, arrival)| {
            self.by_fee.remove(&(fee, key)) && self.by_arrival.remove(&(arrival, key))
        })
    }
}

impl Program<u64> for BTreePool {
    #[inline]
    fn insert(&mut self, key: u64, fee: u64) {
        self.arrivals += 1;
        self.kept.insert(key, (fee, self.arrivals));
        self.by_fee.insert((fee, key));
        self.by_arrival.insert((self.arrivals, key));
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.by_fee.iter().rev().for_each(|&(fee, _)| each(fee));
    }
}

/// Whole numbers, which a score holds exactly.
#[expect(clippy::cast_precision_loss, reason = "they are below 2^53")]
#[inline]
pub(super) fn score(number: u64) -> Score {
    Score::new(number as f64).expect("a number")
}

#[expect(clippy::cast_sign_loss, reason = "none is negative")]
#[inline]
pub(super) fn number(score: Score) -> u64 {
    score.get() as u64
}

impl Program<Vec<u8>> for ZSet {
    #[inline]
    fn insert(&mut self, key: Vec<u8>, by: u64) {
        self.insert(key, score(by));
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.iter().rev().for_each(|(_, score)| each(number(score)));
    }
}

/// `Vec<(f64, Vec<u8>)>` and `HashMap<Vec<u8>, f64>`.
#[derive(Default)]
pub struct VecPair {
    entries: SortedVec<(Score, Vec<u8>)>,
    scores: HashMap<Vec<u8>, Score>,
}

impl VecPair {
    #[inline]
    fn rank(&self, by: u64) -> usize {
        self.entries.as_slice().partition_point(|(other, _)| *other < score(by))
    }

    #[inline]
    pub(super) fn score(&self, key: &Vec<u8>) -> u64 {
        self.scores.get(key).map_or(1, |&score| number(score))
    }

    #[inline]
    pub(super) fn increment(&mut self, key: &Vec<u8>, by: u64) -> u64 {
        let Some(kept) = self.scores.get_mut(key) else { return 0 };
        let new = score(number(*kept) + by);
        let old = std::mem::replace(kept, new);
        self.entries.replace(&(old, key.clone()), (new, key.clone()));
        number(new)
    }

    #[inline]
    pub(super) fn ten_from(&self, from: u64) -> u64 {
        let entries = self.entries.as_slice().iter().skip(self.rank(from)).take(10);
        entries.map(|&(score, _)| number(score)).sum()
    }

    #[inline]
    pub(super) fn count(&self, from: u64, to: u64) -> u64 {
        self.rank(to).saturating_sub(self.rank(from)) as u64
    }
}

impl Program<Vec<u8>> for VecPair {
    fn insert(&mut self, key: Vec<u8>, by: u64) {
        self.scores.insert(key.clone(), score(by));
        self.entries.insert((score(by), key));
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.entries.as_slice().iter().rev().for_each(|&(score, _)| each(number(score)));
    }
}
