//! Eager unions and intersections, with combined scores.

use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use super::fill::try_collect;
use crate::Score;
use crate::reserve::infallible;
use crate::skiplist::Element;

/// How the scores of a member that is in several sets are combined.
///
/// [`combine`](Aggregate::combine) applies it to two scores.
///
/// # Examples
///
/// ```
/// use zset_core::{Aggregate, Score};
///
/// assert_eq!(Aggregate::Max.combine(Score::from(1), Score::from(2)), Score::from(2));
/// assert_eq!(Aggregate::Sum.combine(Score::from(1), Score::from(2)), Score::from(3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Aggregate {
    /// The sum; `inf + -inf` is 0.
    #[default]
    Sum,
    /// The lowest score.
    Min,
    /// The highest score.
    Max,
    /// The number of sets that contain the member, each counted with its weight. Scores are ignored.
    Count,
}

impl Aggregate {
    /// Returns the contribution of one set: its score times its weight (`0 * inf` is 0), or just its
    /// weight for [`Count`](Aggregate::Count). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Aggregate, Score};
    ///
    /// let (score, weight) = (Score::from(3), Score::from(2));
    /// assert_eq!(Aggregate::Sum.weigh(score, weight), Score::from(6));
    /// assert_eq!(Aggregate::Count.weigh(score, weight), Score::from(2));
    /// assert_eq!(Aggregate::Sum.weigh(Score::INFINITY, Score::ZERO), Score::ZERO);
    /// ```
    pub fn weigh(self, score: Score, weight: Score) -> Score {
        match self {
            Aggregate::Count => weight,
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => score.weighted(weight),
        }
    }

    /// Combines two contributions into one score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Aggregate, Score};
    ///
    /// let (a, b) = (Score::from(1), Score::from(2));
    /// assert_eq!(Aggregate::Sum.combine(a, b), Score::from(3));
    /// assert_eq!(Aggregate::Max.combine(a, b), Score::from(2));
    /// assert_eq!(Aggregate::Sum.combine(Score::INFINITY, Score::NEG_INFINITY), Score::ZERO);
    /// ```
    pub fn combine(self, a: Score, b: Score) -> Score {
        match self {
            Aggregate::Sum | Aggregate::Count => a.aggregate_sum(b),
            Aggregate::Min => a.min(b),
            Aggregate::Max => a.max(b),
        }
    }
}

impl<M, S, H> SortedSet<M, S, H>
where
    M: Ord + Hash + Clone,
    S: Ord + Copy,
    H: BuildHasher + Clone,
{
    /// Returns the union of both sets; `combine` merges the two scores of a member that is in both.
    /// **O((n + m) log(n + m))**.
    ///
    /// An equal member is always that of this set. For a lazy union that keeps the scores of this set, see [`union`](Self::union).
    ///
    /// Uses memory for a copy of all elements while sorting them.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let (a, b) = (SortedSet::from([("x", 1), ("y", 2)]), SortedSet::from([("y", 3)]));
    /// let union = a.union_with(&b, |a, b| a + b);
    /// assert!(union.iter().eq([(&"x", 1), (&"y", 5)]));
    /// ```
    #[track_caller]
    pub fn union_with<H2: BuildHasher>(
        &self,
        other: &SortedSet<M, S, H2>,
        combine: impl FnMut(S, S) -> S,
    ) -> Self {
        let elements = self.iter().chain(other).map(|(member, score)| (member.clone(), score));
        let mut union = Self::with_hasher(self.hasher.clone());
        infallible(union.try_fill_unsorted(elements, combine));
        union
    }

    /// Returns the intersection of both sets; `combine` merges the two scores of each member.
    /// **O(m + k log k)** for m members of the smaller set and k of the result.
    ///
    /// An equal member is always that of this set. For a lazy intersection that keeps the scores of this set, see
    /// [`intersection`](Self::intersection).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 3), ("z", 4)]);
    /// assert!(a.intersection_with(&b, i32::max).iter().eq([(&"y", 3)]));
    /// ```
    #[track_caller]
    pub fn intersection_with<H2: BuildHasher>(
        &self,
        other: &SortedSet<M, S, H2>,
        mut combine: impl FnMut(S, S) -> S,
    ) -> Self {
        let elements = if self.len() <= other.len() {
            try_collect(self.iter().filter_map(|(member, score)| {
                let score = combine(score, other.score(member)?);
                Some((member.clone(), score))
            }))
        } else {
            try_collect(other.iter().filter_map(|(member, others)| {
                let Element { member, score, .. } = self.element(member)?;
                let score = combine(score, others);
                Some((member.clone(), score))
            }))
        };
        let mut both = Self::with_hasher(self.hasher.clone());
        infallible(elements.and_then(|elements| both.try_fill_distinct(elements)));
        both
    }
}

impl<M, H> SortedSet<M, Score, H>
where
    M: Ord + Hash + Clone,
    H: BuildHasher + Clone + Default,
{
    /// Returns the weighted union of any number of sets, like Redis's `ZUNION`. **O(n log n)** for n
    /// elements in total.
    ///
    /// An equal member is always that of the first set that has it.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Aggregate, Score, SortedSet};
    ///
    /// let likes = SortedSet::from([("x", Score::from(3)), ("y", Score::from(1))]);
    /// let shares = SortedSet::from([("y", Score::from(2))]);
    /// let weighted = [(&likes, Score::from(1)), (&shares, Score::from(10))];
    /// let rank = SortedSet::weighted_union(weighted, Aggregate::Sum);
    /// assert!(rank.iter().eq([(&"x", Score::from(3)), (&"y", Score::from(21))]));
    /// ```
    #[track_caller]
    pub fn weighted_union<'a>(
        sets: impl IntoIterator<Item = (&'a Self, Score)>,
        aggregate: Aggregate,
    ) -> Self
    where
        M: 'a,
        H: 'a,
    {
        let elements = sets.into_iter().flat_map(|(set, weight)| {
            set.iter().map(move |(m, score)| (m.clone(), aggregate.weigh(score, weight)))
        });
        let mut union = Self::default();
        infallible(union.try_fill_unsorted(elements, |a, b| aggregate.combine(a, b)));
        union
    }

    /// Returns the weighted intersection of any number of sets, like Redis's `ZINTER`.
    /// **O(m * s + k log k)** for m members of the first of s sets and k of the result.
    ///
    /// The intersection of no sets is empty. It is cheapest with the smallest set first. An equal member
    /// is always that of the first set. Scores are combined in the order of the sets, which can affect
    /// sums with infinite scores.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Aggregate, Score, SortedSet};
    ///
    /// let a = SortedSet::from([("x", Score::from(1)), ("y", Score::from(2))]);
    /// let b = SortedSet::from([("y", Score::from(5))]);
    /// let sets = [(&a, Score::from(1)), (&b, Score::from(1))];
    /// let both = SortedSet::weighted_intersection(sets, Aggregate::Count);
    /// assert!(both.iter().eq([(&"y", Score::from(2))]));
    /// ```
    #[track_caller]
    pub fn weighted_intersection<'a, I>(sets: I, aggregate: Aggregate) -> Self
    where
        I: IntoIterator<Item = (&'a Self, Score), IntoIter: Clone>,
        M: 'a,
        H: 'a,
    {
        let mut others = sets.into_iter();
        let Some((first, weight)) = others.next() else { return Self::default() };
        let elements = try_collect(first.iter().filter_map(|(member, score)| {
            let weighed = aggregate.weigh(score, weight);
            let score = others.clone().try_fold(weighed, |sum, (set, weight)| {
                Some(aggregate.combine(sum, aggregate.weigh(set.score(member)?, weight)))
            })?;
            Some((member.clone(), score))
        }));
        let mut in_all = Self::default();
        infallible(elements.and_then(|elements| in_all.try_fill_distinct(elements)));
        in_all
    }
}
