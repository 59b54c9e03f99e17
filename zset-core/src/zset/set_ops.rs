//! Union, intersection and difference.

use core::fmt;
use core::iter::FusedIterator;

use super::iter::owned;
use super::{Iter, ListpackLimits, Sorted, ZSet};
use crate::reserve::infallible;
use crate::sorted_set::try_collect;
use crate::{Aggregate, Member, Score};

impl ZSet {
    /// Returns the set of the members of both sets; `combine` makes one score of two.
    /// **O((n + m) log(n + m))**.
    ///
    /// It has this set's limits, and the encoding that they allow.
    ///
    /// # Panics
    ///
    /// If memory runs out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let a = ZSet::from([("x", Score::from(1)), ("y", Score::from(2))]);
    /// let b = ZSet::from([("y", Score::from(3))]);
    /// assert_eq!(a.union(&b, Score::max).score("y"), Some(Score::from(3)));
    /// ```
    #[track_caller]
    pub fn union(&self, other: &ZSet, combine: impl FnMut(Score, Score) -> Score) -> ZSet {
        unite(self.iter().chain(other), combine, self.limits)
    }

    /// Returns the set of the members that are in both sets; `combine` makes one score of two.
    /// **O(n + k log k)** for n members of this set and k of the result.
    ///
    /// It has this set's limits, and the encoding that they allow.
    ///
    /// # Panics
    ///
    /// If memory runs out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let a = ZSet::from([("x", Score::from(1)), ("y", Score::from(2))]);
    /// let b = ZSet::from([("y", Score::from(3))]);
    /// assert_eq!(a.intersection(&b, Score::min), ZSet::from([("y", Score::from(2))]));
    /// ```
    #[track_caller]
    pub fn intersection(
        &self,
        other: &ZSet,
        mut combine: impl FnMut(Score, Score) -> Score,
    ) -> ZSet {
        let elements = self.iter().filter_map(|(member, score)| {
            let others = other.score(member)?;
            Some((member, combine(score, others)))
        });
        collect(elements, self.limits)
    }

    /// Returns the union of any number of sets with weights, as Redis's `ZUNION`.
    /// **O(n log n)** for n elements in all.
    ///
    /// The order of the sets is the order in which scores are added up, which matters to what is
    /// rounded, and to infinities. Redis takes them by size, smallest first. The union has the
    /// limits of the first set.
    ///
    /// # Panics
    ///
    /// If memory runs out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Aggregate, Score, ZSet};
    ///
    /// let likes = ZSet::from([("x", Score::from(3)), ("y", Score::from(1))]);
    /// let shares = ZSet::from([("y", Score::from(2))]);
    /// let weighted = [(&likes, Score::from(1)), (&shares, Score::from(10))];
    /// let union = ZSet::weighted_union(weighted, Aggregate::Sum);
    /// assert_eq!(union.score("y"), Some(Score::from(21)));
    /// ```
    #[track_caller]
    pub fn weighted_union<'a>(
        sets: impl IntoIterator<Item = (&'a ZSet, Score)>,
        aggregate: Aggregate,
    ) -> ZSet {
        let mut sets = sets.into_iter().peekable();
        let limits = sets.peek().map(|(set, _)| set.limits).unwrap_or_default();
        let elements = sets.flat_map(|(set, weight)| {
            set.iter().map(move |(member, score)| (member, aggregate.weigh(score, weight)))
        });
        unite(elements, |a, b| aggregate.combine(a, b), limits)
    }

    /// Returns the intersection of any number of sets with weights, as Redis's `ZINTER`.
    /// **O(m * s + k log k)** for m members of the first of s sets and k of the result.
    ///
    /// The intersection of no sets is empty. Costs are least with the smallest set first, which is
    /// also Redis's order; see [`weighted_union`](Self::weighted_union).
    ///
    /// # Panics
    ///
    /// If memory runs out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Aggregate, Score, ZSet};
    ///
    /// let a = ZSet::from([("x", Score::from(1)), ("y", Score::from(2))]);
    /// let b = ZSet::from([("y", Score::from(5))]);
    /// let sets = [(&b, Score::from(1)), (&a, Score::from(1))];
    /// let both = ZSet::weighted_intersection(sets, Aggregate::Sum);
    /// assert_eq!(both, ZSet::from([("y", Score::from(7))]));
    /// ```
    #[track_caller]
    pub fn weighted_intersection<'a, I>(sets: I, aggregate: Aggregate) -> ZSet
    where
        I: IntoIterator<Item = (&'a ZSet, Score), IntoIter: Clone>,
    {
        let mut others = sets.into_iter();
        let Some((first, weight)) = others.next() else { return ZSet::new() };
        let elements = first.iter().filter_map(|(member, score)| {
            let weighed = aggregate.weigh(score, weight);
            let score = others.clone().try_fold(weighed, |sum, (set, weight)| {
                Some(aggregate.combine(sum, aggregate.weigh(set.score(member)?, weight)))
            })?;
            Some((member, score))
        });
        collect(elements, first.limits)
    }

    /// Returns the elements whose members are not in `other`, in order. Lazy; **O(n)** in all.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let all = ZSet::from([("x", Score::from(1)), ("y", Score::from(2))]);
    /// let seen = ZSet::from([("y", Score::from(9))]);
    /// assert!(all.difference(&seen).all(|(member, _)| member == "x"));
    /// ```
    pub fn difference<'a>(&'a self, other: &'a ZSet) -> Difference<'a> {
        Difference { elements: self.iter(), other }
    }

    /// Returns how many members are in both sets, and stops counting at `limit`.
    /// **O(m)** for m members of the smaller set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let a = ZSet::from([("x", Score::from(1)), ("y", Score::from(2))]);
    /// assert_eq!(a.intersection_len(&a, usize::MAX), 2);
    /// assert_eq!(a.intersection_len(&a, 1), 1);
    /// ```
    pub fn intersection_len(&self, other: &ZSet, limit: usize) -> usize {
        let (small, large) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        small.iter().filter(|(member, _)| large.contains(member)).take(limit).count()
    }
}

/// Makes a set of elements of which several may have the same member; `combine` makes one score of
/// two.
#[track_caller]
fn unite<'a>(
    elements: impl Iterator<Item = (Member<'a>, Score)>,
    combine: impl FnMut(Score, Score) -> Score,
    limits: ListpackLimits,
) -> ZSet {
    let union = Sorted::try_from_unsorted(elements.map(owned), <_>::default(), combine);
    infallible(union.and_then(|union| ZSet::from_sorted(union, limits)))
}

/// Makes a set of distinct members in any order.
#[track_caller]
fn collect<'a>(
    elements: impl Iterator<Item = (Member<'a>, Score)>,
    limits: ListpackLimits,
) -> ZSet {
    let set = try_collect(elements.map(owned))
        .and_then(|elements| Sorted::try_from_distinct(elements, <_>::default()));
    infallible(set.and_then(|set| ZSet::from_sorted(set, limits)))
}

/// The elements of one set whose members are not in another, from [`ZSet::difference`].
#[derive(Clone)]
pub struct Difference<'a> {
    elements: Iter<'a>,
    other: &'a ZSet,
}

impl<'a> Iterator for Difference<'a> {
    type Item = (Member<'a>, Score);

    fn next(&mut self) -> Option<Self::Item> {
        self.elements.find(|(member, _)| !self.other.contains(member))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.elements.len().saturating_sub(self.other.len()), Some(self.elements.len()))
    }
}

impl DoubleEndedIterator for Difference<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.elements.rfind(|(member, _)| !self.other.contains(member))
    }
}

impl FusedIterator for Difference<'_> {}

impl fmt::Debug for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
