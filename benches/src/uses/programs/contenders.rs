//! zset, and what the programs had before.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hashbrown::{DefaultHashBuilder, HashMap};
use priority_queue::PriorityQueue;
use zset_core::{ListpackLimits, Score, SortedSet, ZSet};

use super::{Key, Program};
use crate::uses::sorted_vec::SortedVec;

/// `zset_core::SortedSet`.
pub struct Zset<K>(SortedSet<K, u64>);

impl<K: Key> Program<K> for Zset<K> {
    const NAME: &'static str = "zset";

    fn new() -> Self {
        Zset(SortedSet::new())
    }

    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.0.insert(key, score);
    }

    #[inline]
    fn change(&mut self, key: &K, score: u64) {
        self.0.set_score(key, score);
    }

    #[inline]
    fn pop(&mut self) -> Option<(K, u64)> {
        self.0.pop_first()
    }

    #[inline]
    fn pop_up_to(&mut self, score: u64) -> bool {
        self.0.pop_first_if(|_, first| first <= score).is_some()
    }

    #[inline]
    fn remove(&mut self, key: &K) -> bool {
        self.0.remove(key).is_some()
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.0.iter().rev().for_each(|(_, score)| each(score));
    }
}

/// The crate `priority-queue`.
pub struct Heap(PriorityQueue<u64, Reverse<u64>, DefaultHashBuilder>);

impl Program<u64> for Heap {
    const NAME: &'static str = "priority-queue";

    fn new() -> Self {
        Heap(PriorityQueue::with_default_hasher())
    }

    #[inline]
    fn insert(&mut self, key: u64, score: u64) {
        self.0.push(key, Reverse(score));
    }

    #[inline]
    fn change(&mut self, key: &u64, score: u64) {
        self.0.change_priority(key, Reverse(score));
    }

    #[inline]
    fn pop(&mut self) -> Option<(u64, u64)> {
        self.0.pop().map(|(key, Reverse(score))| (key, score))
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        let mut scores: Vec<u64> = self.0.iter().map(|(_, &Reverse(score))| score).collect();
        scores.sort_unstable_by_key(|&score| Reverse(score));
        scores.into_iter().for_each(&mut each);
    }
}

/// `BTreeSet<(u64, K)>` and `HashMap<K, u64>`.
pub struct BTreePair<K> {
    entries: BTreeSet<(u64, K)>,
    scores: HashMap<K, u64>,
}

impl<K: Key> Program<K> for BTreePair<K> {
    const NAME: &'static str = "BTreeSet + HashMap";

    fn new() -> Self {
        BTreePair { entries: BTreeSet::new(), scores: HashMap::new() }
    }

    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.scores.insert(key.clone(), score);
        self.entries.insert((score, key));
    }

    #[inline]
    fn change(&mut self, key: &K, score: u64) {
        if let Some(kept) = self.scores.get_mut(key) {
            let old = std::mem::replace(kept, score);
            let entry = self.entries.take(&(old, key.clone()));
            self.entries.extend(entry.map(|(_, key)| (score, key)));
        }
    }

    #[inline]
    fn pop_up_to(&mut self, score: u64) -> bool {
        if self.entries.first().is_none_or(|&(first, _)| first > score) {
            return false;
        }
        let first = self.entries.pop_first();
        first.is_some_and(|(_, key)| self.scores.remove(&key).is_some())
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.entries.iter().rev().for_each(|&(score, _)| each(score));
    }
}

/// Two `zset_core::SortedSet`s: by fee, and by arrival.
pub struct ZsetPool {
    by_fee: SortedSet<u64, u64>,
    by_arrival: SortedSet<u64, u64>,
    arrivals: u64,
}

impl Program<u64> for ZsetPool {
    const NAME: &'static str = "zset";

    fn new() -> Self {
        ZsetPool { by_fee: SortedSet::new(), by_arrival: SortedSet::new(), arrivals: 0 }
    }

    #[inline]
    fn insert(&mut self, key: u64, fee: u64) {
        self.arrivals += 1;
        self.by_fee.insert(key, fee);
        self.by_arrival.insert(key, self.arrivals);
    }

    #[inline]
    fn pop(&mut self) -> Option<(u64, u64)> {
        let first = self.by_fee.pop_first()?;
        self.by_arrival.remove(&first.0);
        Some(first)
    }

    #[inline]
    fn remove(&mut self, key: &u64) -> bool {
        self.by_fee.remove(key).is_some() && self.by_arrival.remove(key).is_some()
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.by_fee.iter().rev().for_each(|(_, fee)| each(fee));
    }
}

/// Two `BTreeSet`s, and a `HashMap` from key to fee and arrival.
pub struct BTreePool {
    by_fee: BTreeSet<(u64, u64)>,
    by_arrival: BTreeSet<(u64, u64)>,
    kept: HashMap<u64, (u64, u64)>,
    arrivals: u64,
}

impl Program<u64> for BTreePool {
    const NAME: &'static str = "two BTreeSets + HashMap";

    fn new() -> Self {
        BTreePool {
            by_fee: BTreeSet::new(),
            by_arrival: BTreeSet::new(),
            kept: HashMap::new(),
            arrivals: 0,
        }
    }

    #[inline]
    fn insert(&mut self, key: u64, fee: u64) {
        self.arrivals += 1;
        self.kept.insert(key, (fee, self.arrivals));
        self.by_fee.insert((fee, key));
        self.by_arrival.insert((self.arrivals, key));
    }

    #[inline]
    fn pop(&mut self) -> Option<(u64, u64)> {
        let (fee, key) = self.by_fee.pop_first()?;
        if let Some((_, arrival)) = self.kept.remove(&key) {
            self.by_arrival.remove(&(arrival, key));
        }
        Some((key, fee))
    }

    #[inline]
    fn remove(&mut self, &key: &u64) -> bool {
        self.kept.remove(&key).is_some_and(|(fee, arrival)| {
            self.by_fee.remove(&(fee, key)) && self.by_arrival.remove(&(arrival, key))
        })
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.by_fee.iter().rev().for_each(|&(fee, _)| each(fee));
    }
}

/// Whole numbers, which a score holds exactly.
#[expect(clippy::cast_precision_loss, reason = "they are below 2^53")]
#[inline]
fn score(number: u64) -> Score {
    Score::new(number as f64).expect("a number")
}

#[expect(clippy::cast_sign_loss, reason = "none is negative")]
#[inline]
fn number(score: Score) -> u64 {
    score.get() as u64
}

/// A `zset_core::ZSet` in the encoding that `limits` choose.
macro_rules! zset {
    ($(#[doc = $doc:literal])* $Set:ident, $name:literal, $limits:expr) => {
        $(#[doc = $doc])*
        pub struct $Set(ZSet);

        impl Program<Vec<u8>> for $Set {
            const NAME: &'static str = $name;

            fn new() -> Self {
                $Set(ZSet::with_limits($limits))
            }

            #[inline]
            fn insert(&mut self, key: Vec<u8>, by: u64) {
                self.0.insert(key, score(by));
            }

            #[inline]
            fn score(&self, key: &Vec<u8>) -> Option<u64> {
                self.0.score(key).map(number)
            }

            #[inline]
            fn increment(&mut self, key: &Vec<u8>, by: u64) -> u64 {
                self.0.increment(key, score(by).get()).map_or(0, number)
            }

            #[inline]
            fn ten_from(&self, from: u64) -> u64 {
                self.0.range_by_score(score(from)..).take(10).map(|(_, score)| number(score)).sum()
            }

            #[inline]
            fn count(&self, from: u64, to: u64) -> usize {
                self.0.count_by_score(score(from)..score(to))
            }

            fn walk(&self, mut each: impl FnMut(u64)) {
                self.0.iter().rev().for_each(|(_, score)| each(number(score)));
            }
        }
    };
}

zset! {
    /// A `ZSet` with Redis's limits: a listpack up to 128 members.
    ZsetListpack, "zset, listpack", ListpackLimits::default()
}
zset! {
    /// A `ZSet` that is a skip list from the first member on.
    ZsetSkipList, "zset, skip list", ListpackLimits { max_listpack_entries: 0, ..ListpackLimits::default() }
}

/// `Vec<(f64, Vec<u8>)>` and `HashMap<Vec<u8>, f64>`.
pub struct VecPair {
    entries: SortedVec<(Score, Vec<u8>)>,
    scores: HashMap<Vec<u8>, Score>,
}

impl VecPair {
    #[inline]
    fn rank(&self, by: u64) -> usize {
        self.entries.as_slice().partition_point(|(other, _)| *other < score(by))
    }
}

impl Program<Vec<u8>> for VecPair {
    const NAME: &'static str = "sorted Vec + HashMap";

    fn new() -> Self {
        VecPair { entries: SortedVec::from_unsorted(Vec::new()), scores: HashMap::new() }
    }

    fn insert(&mut self, key: Vec<u8>, by: u64) {
        self.scores.insert(key.clone(), score(by));
        self.entries.insert((score(by), key));
    }

    #[inline]
    fn score(&self, key: &Vec<u8>) -> Option<u64> {
        self.scores.get(key).copied().map(number)
    }

    #[inline]
    fn increment(&mut self, key: &Vec<u8>, by: u64) -> u64 {
        let Some(kept) = self.scores.get_mut(key) else { return 0 };
        let new = score(number(*kept) + by);
        let old = std::mem::replace(kept, new);
        self.entries.replace(&(old, key.clone()), (new, key.clone()));
        number(new)
    }

    #[inline]
    fn ten_from(&self, from: u64) -> u64 {
        let entries = self.entries.as_slice().iter().skip(self.rank(from)).take(10);
        entries.map(|&(score, _)| number(score)).sum()
    }

    #[inline]
    fn count(&self, from: u64, to: u64) -> usize {
        self.rank(to).saturating_sub(self.rank(from))
    }

    fn walk(&self, mut each: impl FnMut(u64)) {
        self.entries.as_slice().iter().rev().for_each(|&(score, _)| each(number(score)));
    }
}
