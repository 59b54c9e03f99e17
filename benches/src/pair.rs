//! The usual substitute for a sorted set in Rust: an ordered collection of `(score, key)`, from std
//! or another crate, plus a hash table from key to score.
//!
//! The ordered collection implements [`Ordered`]. Each module with a table that includes the
//! substitute implements its trait for [`Pair`] once, for all collections.

use std::hash::Hash;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::ordered::{Linear, Ordered};

/// An ordered collection and a hash table with the same keys.
pub struct Pair<K, S, O> {
    pub(crate) ordered: O,
    pub(crate) scores: HashMap<K, S>,
}

impl<K, S, O: Default> Default for Pair<K, S, O> {
    fn default() -> Self {
        Pair { ordered: O::default(), scores: HashMap::new() }
    }
}

impl<K, S, O> Pair<K, S, O>
where
    K: Ord + Hash + Clone + 'static,
    S: Ord + Copy + 'static,
    O: Ordered<(S, K)>,
{
    /// Inserts elements with distinct keys, all at once if single insertions take linear time.
    pub(crate) fn load(elements: impl Iterator<Item = (K, S)>) -> Self {
        if O::LINEAR == Linear::Writes {
            return Self::from_unsorted(elements.collect());
        }
        let mut pair = Self::default();
        elements.for_each(|(key, score)| pair.insert(key, score));
        pair
    }

    pub(crate) fn from_unsorted(mut elements: Vec<(K, S)>) -> Self {
        elements.sort_unstable_by(|(a, a_score), (b, b_score)| {
            a_score.cmp(b_score).then_with(|| a.cmp(b))
        });
        Self::from_sorted(elements)
    }

    pub(crate) fn from_sorted(elements: Vec<(K, S)>) -> Self {
        let ordered = elements.iter().map(|(key, score)| (*score, key.clone())).collect();
        Pair { ordered, scores: elements.into_iter().collect() }
    }

    /// Inserts `key`, or changes its score if it is present.
    pub(crate) fn insert(&mut self, key: K, score: S) {
        self.insert_if(key, score, |_| true);
    }

    /// Inserts `key`, or changes its score if `replaces` returns `true` for the current one.
    /// Returns whether `key` now has this score.
    pub(crate) fn insert_if(&mut self, key: K, score: S, replaces: impl Fn(S) -> bool) -> bool {
        match self.scores.entry(key) {
            Entry::Occupied(entry) if !replaces(*entry.get()) => return false,
            Entry::Occupied(mut entry) => {
                let old = entry.insert(score);
                self.ordered.change((old, entry.key().clone()), |element| element.0 = score);
            }
            Entry::Vacant(entry) => {
                self.ordered.insert((score, entry.key().clone()));
                entry.insert(score);
            }
        }
        true
    }

    /// Changes the score of `key` if it is present, and returns the old one.
    pub(crate) fn update(&mut self, key: &K, change: impl FnOnce(S) -> S) -> Option<S> {
        let score = self.scores.get_mut(key)?;
        let old = *score;
        let new = change(old);
        *score = new;
        self.ordered.change((old, key.clone()), |element| element.0 = new);
        Some(old)
    }

    /// Removes `key` and returns its score.
    pub(crate) fn remove(&mut self, key: &K) -> Option<S> {
        let score = self.scores.remove(key)?;
        self.ordered.take(&(score, key.clone()));
        Some(score)
    }

    pub(crate) fn pop_first(&mut self) -> Option<(S, K)> {
        let first = self.ordered.pop_first()?;
        self.scores.remove(&first.1);
        Some(first)
    }

    /// Removes the first element if `is_due` returns `true` for its score.
    pub(crate) fn pop_first_if(&mut self, is_due: impl FnOnce(S) -> bool) -> Option<(S, K)> {
        let &(score, _) = self.ordered.first()?;
        if is_due(score) { self.pop_first() } else { None }
    }

    /// Returns the number of elements before `key`, if it is present.
    pub(crate) fn rank(&self, key: &K) -> Option<usize> {
        let score = *self.scores.get(key)?;
        self.ordered.rank(&(score, key.clone()))
    }
}
