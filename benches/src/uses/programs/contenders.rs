//! zset, and what the programs had before.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hashbrown::{DefaultHashBuilder, HashMap};
use priority_queue::PriorityQueue;
use zset_core::{Score, SortedSet, ZSet};

use super::{Key, Program};
use crate::pair::{Ordered, Pair};

impl<K: Key> Program<K> for SortedSet<K, u64> {
    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.insert(key, score);
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.iter().for_each(|(_, score)| each(*score));
    }
}

/// The crate `priority-queue`.
pub type Heap = PriorityQueue<u64, Reverse<u64>, DefaultHashBuilder>;

impl Program<u64> for Heap {
    #[inline]
    fn insert(&mut self, key: u64, score: u64) {
        self.push(key, Reverse(score));
    }

    fn walk(&self, each: impl FnMut(u64)) {
        let mut scores: Vec<u64> = self.iter().map(|(_, &Reverse(score))| score).collect();
        scores.sort_unstable();
        scores.into_iter().for_each(each);
    }
}

impl<K: Key, O: Ordered<(u64, K)>> Program<K> for Pair<K, u64, O> {
    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.insert(key, score);
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.ordered.iter().for_each(|&(score, _)| each(score));
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
        self.by_fee.iter().rev().for_each(|(_, fee)| each(*fee));
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
        self.iter().for_each(|(_, score)| each(number(score)));
    }
}

impl<O: Ordered<(Score, Vec<u8>)>> Program<Vec<u8>> for Pair<Vec<u8>, Score, O> {
    fn insert(&mut self, key: Vec<u8>, by: u64) {
        self.insert(key, score(by));
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.ordered.iter().for_each(|&(score, _)| each(number(score)));
    }
}
