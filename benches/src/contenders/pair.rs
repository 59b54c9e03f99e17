//! The usual substitute for a sorted set in Rust: an ordered set from std or another crate, plus a
//! hash table from member to score.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use ordered_float::OrderedFloat;

use crate::member::Member;
use crate::sets::{RANKED, Set, digest, sum};

/// The methods of [`Ordered`] that have the same names in all four sets.
macro_rules! same_methods {
    () => {
        fn new() -> Self {
            Self(Default::default())
        }

        fn from_sorted(elements: impl Iterator<Item = T>) -> Self {
            Self(elements.collect())
        }

        fn unite(&mut self, mut other: Self) {
            self.0.append(&mut other.0);
        }

        #[inline]
        fn insert(&mut self, element: T) {
            self.0.insert(element);
        }

        #[inline]
        fn take(&mut self, element: &T) -> Option<T> {
            self.0.take(element)
        }

        #[inline]
        fn pop_first(&mut self) -> Option<T> {
            self.0.pop_first()
        }

        #[inline]
        fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
        where
            T: 'a,
        {
            self.0.iter()
        }

        #[inline]
        fn count(&self) -> usize {
            self.0.len()
        }
    };
}

/// The same for the sets whose ranges take `RangeBounds`.
macro_rules! range_from {
    () => {
        #[inline]
        fn range_from<'a>(&'a self, start: &T) -> impl Iterator<Item = &'a T>
        where
            T: 'a,
        {
            self.0.range(start..)
        }
    };
}

// The files use the macros above.
mod btree;
mod indexset;
mod skiplist;
mod wabi;

pub use self::indexset::Indexset;
pub use self::skiplist::Skiplist;
pub use btree::BTree;
pub use wabi::Wabi;

/// The ordered half of a pair: a set of `T`.
pub trait Ordered<T: Ord>: Sized + 'static {
    /// The name of the pair shown in the tables.
    const NAME: &'static str;

    /// Whether ranks take less than linear time. If not, the methods for ranks are never called.
    const HAS_RANK: bool = true;

    /// Returns an empty set.
    fn new() -> Self;

    /// Builds a set from sorted elements.
    fn from_sorted(elements: impl Iterator<Item = T>) -> Self;

    /// Moves all elements of another set into this one.
    fn unite(&mut self, other: Self);

    /// Inserts an element that is not present.
    fn insert(&mut self, element: T);

    /// Removes and returns an element.
    fn take(&mut self, element: &T) -> Option<T>;

    /// Removes and returns the first element.
    fn pop_first(&mut self) -> Option<T>;

    /// Returns the elements not less than `start`, in order.
    fn range_from<'a>(&'a self, start: &T) -> impl Iterator<Item = &'a T>
    where
        T: 'a;

    /// Returns the elements from `rank` on, in order.
    fn range_from_rank<'a>(&'a self, rank: usize) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        self.nth(rank).into_iter().flat_map(|first| self.range_from(first))
    }

    /// Returns all elements in order.
    fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
    where
        T: 'a;

    /// Returns the rank of an element that is present.
    fn rank(&self, element: &T) -> Option<usize>;

    /// Returns the number of elements less than `element`, whether or not it is present.
    fn below(&self, element: &T) -> usize {
        match self.range_from(element).next() {
            Some(first) => self.rank(first).unwrap_or(0),
            None => self.count(),
        }
    }

    /// Returns the element at `rank`.
    fn nth(&self, rank: usize) -> Option<&T>;

    /// Returns the number of elements.
    fn count(&self) -> usize;
}

/// An element, ordered as in a sorted set.
type Element<M> = (OrderedFloat<f64>, M);

/// An ordered set and a hash table with the same members.
pub struct Pair<M, O> {
    ordered: O,
    scores: HashMap<M, f64>,
}

#[inline]
fn digest_of<M: Member>((score, member): &Element<M>) -> u64 {
    digest(member.digest(), score.0)
}

impl<M: Member, O: Ordered<Element<M>>> Pair<M, O> {
    /// Moves an element in the ordered set to its new score, which the table already has.
    #[inline]
    fn reorder(&mut self, member: M, old: f64, new: f64) {
        // Reuse the set's own copy of the member.
        if let Some((_, member)) = self.ordered.take(&(OrderedFloat(old), member)) {
            self.ordered.insert((OrderedFloat(new), member));
        }
    }

    /// Returns the number of elements with scores less than `score`.
    fn below(&self, score: f64) -> usize {
        self.ordered.below(&(OrderedFloat(score), M::least()))
    }
}

impl<M: Member, O: Ordered<Element<M>>> Set<M> for Pair<M, O> {
    const NAME: &'static str = O::NAME;

    fn offers(operation: &str) -> bool {
        O::HAS_RANK || !RANKED.contains(&operation)
    }

    fn new() -> Self {
        Pair { ordered: O::new(), scores: HashMap::new() }
    }

    fn from_unsorted(mut elements: Vec<(M, f64)>) -> Self {
        elements.sort_unstable_by(|(a, a_score), (b, b_score)| {
            a_score.total_cmp(b_score).then_with(|| a.cmp(b))
        });
        Self::from_sorted(elements)
    }

    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        let ordered = elements.iter().map(|(member, score)| (OrderedFloat(*score), member.clone()));
        Pair { ordered: O::from_sorted(ordered), scores: elements.into_iter().collect() }
    }

    fn unite(&mut self, other: Self) {
        self.ordered.unite(other.ordered);
        self.scores.extend(other.scores);
    }

    #[inline]
    fn insert(&mut self, member: M, score: f64) {
        match self.scores.entry(member) {
            Entry::Occupied(mut entry) => {
                let old = std::mem::replace(entry.get_mut(), score);
                let member = entry.key().clone();
                self.reorder(member, old, score);
            }
            Entry::Vacant(entry) => {
                self.ordered.insert((OrderedFloat(score), entry.key().clone()));
                entry.insert(score);
            }
        }
    }

    #[inline]
    fn update(&mut self, member: &M, score: f64) {
        if let Some(current) = self.scores.get_mut(member) {
            let old = std::mem::replace(current, score);
            self.reorder(member.clone(), old, score);
        }
    }

    #[inline]
    fn increment(&mut self, member: &M, by: f64) {
        if let Some(current) = self.scores.get_mut(member) {
            let old = *current;
            *current += by;
            self.reorder(member.clone(), old, old + by);
        }
    }

    #[inline]
    fn score(&self, member: &M) -> Option<f64> {
        self.scores.get(member).copied()
    }

    #[inline]
    fn rank(&self, member: &M) -> Option<usize> {
        let score = *self.scores.get(member)?;
        self.ordered.rank(&(OrderedFloat(score), member.clone()))
    }

    #[inline]
    fn select(&self, rank: usize) -> Option<u64> {
        self.ordered.nth(rank).map(digest_of)
    }

    #[inline]
    fn sum_by_score(&self, score: f64, limit: usize) -> u64 {
        self.sum_by_member(score, &M::least(), limit)
    }

    #[inline]
    fn sum_by_rank(&self, rank: usize, limit: usize) -> u64 {
        sum(self.ordered.range_from_rank(rank).take(limit).map(digest_of))
    }

    #[inline]
    fn sum_by_member(&self, score: f64, member: &M, limit: usize) -> u64 {
        let start = (OrderedFloat(score), member.clone());
        sum(self.ordered.range_from(&start).take(limit).map(digest_of))
    }

    fn sum(&self) -> u64 {
        sum(self.ordered.iter().map(digest_of))
    }

    #[inline]
    fn count(&self, start: f64, end: f64) -> usize {
        self.below(end) - self.below(start)
    }

    #[inline]
    fn pop_first(&mut self) -> Option<u64> {
        let first = self.ordered.pop_first()?;
        self.scores.remove(&first.1);
        Some(digest_of(&first))
    }

    #[inline]
    fn len(&self) -> usize {
        self.ordered.count()
    }
}
