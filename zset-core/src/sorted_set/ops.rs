//! Set operations: lazy unions, intersections and differences; tests such as `is_subset`;
//! operators; eager unions and intersections that combine scores; appending and splitting.

use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitOr, BitXor, Sub};

use super::{Iter, SortedSet};
use crate::inner::RankedRange;
use crate::reserve::{or_panic, try_collect};
use crate::{ScoreOrder, TieOrder, TryReserveError};

impl<M: Eq + Hash, S, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the elements whose members are not in `other`, in order. Lazy; **O(n)** in total.
    ///
    /// The scores of `other` are ignored. A step looks up each element that it skips, so if all of
    /// them are in `other`, the first step is **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let all = SortedSet::from([("x", 1), ("y", 2), ("z", 3)]);
    /// let seen = SortedSet::from([("y", 99)]);
    /// assert!(all.difference(&seen).eq([(&"x", &1), (&"z", &3)]));
    /// ```
    pub fn difference<'a, S2, H2: BuildHasher>(
        &'a self,
        other: &'a SortedSet<M, S2, H2>,
    ) -> Difference<'a, M, S, S2, H2> {
        Difference { elements: self.iter(), other }
    }

    /// Returns the elements whose members are also in `other`, in order, with the scores of this
    /// set. Lazy; **O(n)** in total, for the n members of this set.
    ///
    /// Of two equal members, that of this set is returned. The scores of `other` are ignored;
    /// [`intersection_with`](Self::intersection_with) combines the two. A step looks up each
    /// element that it skips, so if none of them is in `other`, the first step is **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let all = SortedSet::from([("x", 1), ("y", 2), ("z", 3)]);
    /// let liked = SortedSet::from([("z", 9), ("y", 99)]);
    /// assert!(all.intersection(&liked).eq([(&"y", &2), (&"z", &3)]));
    /// ```
    pub fn intersection<'a, S2, H2: BuildHasher>(
        &'a self,
        other: &'a SortedSet<M, S2, H2>,
    ) -> Intersection<'a, M, S, S2, H2> {
        Intersection { elements: self.iter(), other }
    }
}

impl<M: TieOrder + Hash, S: Ord, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the elements of both sets, in order. A member that is in both has the score of this
    /// set. Lazy; **O(n + m)** in total.
    ///
    /// Of two equal members, that of this set is returned. [`union_with`](Self::union_with)
    /// combines the two scores.
    ///
    /// A step looks up each element of `other` that it skips. If all of `other` come before the
    /// elements of this set, and this set has their members, the first step is **O(m)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("z", 5)]);
    /// let b = SortedSet::from([("y", 3), ("z", 0)]);
    /// assert!(a.union(&b).eq([(&"x", &1), (&"y", &3), (&"z", &5)]));
    /// ```
    pub fn union<'a, H2: BuildHasher>(
        &'a self,
        other: &'a SortedSet<M, S, H2>,
    ) -> Union<'a, M, S, H> {
        Union { elements: Merge::new(self.iter(), other.iter()), set: self }
    }

    /// Returns the elements whose members are in exactly one of the two sets, in order. Lazy;
    /// **O(n + m)** in total.
    ///
    /// A step looks up each element that it skips, so if both sets have the same members, the first
    /// step is **O(n + m)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("z", 5)]);
    /// let b = SortedSet::from([("y", 3), ("z", 0)]);
    /// assert!(a.symmetric_difference(&b).eq([(&"x", &1), (&"y", &3)]));
    /// ```
    pub fn symmetric_difference<'a, H2: BuildHasher>(
        &'a self,
        other: &'a SortedSet<M, S, H2>,
    ) -> SymmetricDifference<'a, M, S, H, H2> {
        SymmetricDifference { elements: Merge::new(self.iter(), other.iter()), sets: (self, other) }
    }
}

/// The elements of one set whose members are not in another, returned by [`SortedSet::difference`].
pub struct Difference<'a, M, S, S2, H2> {
    elements: Iter<'a, M, S>,
    other: &'a SortedSet<M, S2, H2>,
}

/// The elements of one set whose members are also in another, returned by
/// [`SortedSet::intersection`].
pub struct Intersection<'a, M, S, S2, H2> {
    elements: Iter<'a, M, S>,
    other: &'a SortedSet<M, S2, H2>,
}

/// The elements of two sets, returned by [`SortedSet::union`].
pub struct Union<'a, M, S, H> {
    /// The elements of both sets. Members of the second may be in the first too.
    elements: Merge<'a, M, S>,
    /// The first set.
    set: &'a SortedSet<M, S, H>,
}

/// The elements whose members are in exactly one of two sets, returned by
/// [`SortedSet::symmetric_difference`].
pub struct SymmetricDifference<'a, M, S, H, H2> {
    /// The elements of both sets. Members of either may be in the other too.
    elements: Merge<'a, M, S>,
    sets: (&'a SortedSet<M, S, H>, &'a SortedSet<M, S, H2>),
}

/// Implements the traits of a lazy operation, which returns the elements that `$includes` accepts,
/// given the field `$sets`. `$size` returns bounds on their number; `$shown` converts an element.
macro_rules! lazy_operation {
    (
        $name:ident<$($param:ident),*> { $sets:ident }, [$($bounds:tt)*],
        $includes:expr, $size:expr $(, $shown:expr)?
    ) => {
        impl<'a, $($param),*> Iterator for $name<'a, $($param),*> where $($bounds)* {
            type Item = (&'a M, &'a S);

            fn next(&mut self) -> Option<(&'a M, &'a S)> {
                let sets = self.$sets;
                self.elements.find(|&element| $includes(sets, element))$(.map($shown))?
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                $size(&self.elements, self.$sets)
            }
        }

        impl<$($param),*> DoubleEndedIterator for $name<'_, $($param),*> where $($bounds)* {
            fn next_back(&mut self) -> Option<Self::Item> {
                let sets = self.$sets;
                self.elements.rfind(|&element| $includes(sets, element))$(.map($shown))?
            }
        }

        impl<$($param),*> FusedIterator for $name<'_, $($param),*> where $($bounds)* {}

        impl<$($param),*> Clone for $name<'_, $($param),*> {
            fn clone(&self) -> Self {
                $name { elements: self.elements.clone(), $sets: self.$sets }
            }
        }

        impl<$($param),*> fmt::Debug for $name<'_, $($param),*>
        where
            M: fmt::Debug,
            S: fmt::Debug,
            $($bounds)*
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.clone()).finish()
            }
        }
    };
}

lazy_operation!(
    Difference<M, S, S2, H2> { other }, [M: Eq + Hash, H2: BuildHasher],
    |other: &SortedSet<M, S2, H2>, (member, _): (&M, &S)| !other.contains(member),
    |elements: &Iter<'_, M, S>, other: &SortedSet<M, S2, H2>| {
        (elements.len().saturating_sub(other.len()), Some(elements.len()))
    }
);

lazy_operation!(
    Intersection<M, S, S2, H2> { other }, [M: Eq + Hash, H2: BuildHasher],
    |other: &SortedSet<M, S2, H2>, (member, _): (&M, &S)| other.contains(member),
    |elements: &Iter<'_, M, S>, other: &SortedSet<M, S2, H2>| {
        (0, Some(elements.len().min(other.len())))
    }
);

lazy_operation!(
    Union<M, S, H> { set }, [M: TieOrder + Hash, S: Ord, H: BuildHasher],
    |set: &SortedSet<M, S, H>, (source, (member, _)): (Source, (&M, &S))| {
        source == Source::First || !set.contains(member)
    },
    |elements: &Merge<'_, M, S>, set: &SortedSet<M, S, H>| {
        let [own, others] = elements.lens();
        (own.saturating_add(others.saturating_sub(set.len())), own.checked_add(others))
    },
    |(_, element)| element
);

lazy_operation!(
    SymmetricDifference<M, S, H, H2> { sets },
    [M: TieOrder + Hash, S: Ord, H: BuildHasher, H2: BuildHasher],
    |(first, second): (&SortedSet<M, S, H>, &SortedSet<M, S, H2>), (source, (member, _))| {
        match source {
            Source::First => !second.contains(member),
            Source::Second => !first.contains(member),
        }
    },
    |elements: &Merge<'_, M, S>, (first, second): (&SortedSet<M, S, H>, &SortedSet<M, S, H2>)| {
        let [own, others] = elements.lens();
        let low = own.saturating_sub(second.len());
        let others_low = others.saturating_sub(first.len());
        (low.saturating_add(others_low), own.checked_add(others))
    },
    |(_, element)| element
);

/// The set that an element is from.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    First,
    Second,
}

/// A double-ended merge of the elements of two sets. An element of both sets occurs twice.
struct Merge<'a, M, S> {
    first: Ends<'a, M, S>,
    second: Ends<'a, M, S>,
}

/// An iterator with the elements peeked at its ends.
struct Ends<'a, M, S> {
    next: Option<(&'a M, &'a S)>,
    elements: Iter<'a, M, S>,
    last: Option<(&'a M, &'a S)>,
}

impl<'a, M, S> Ends<'a, M, S> {
    fn new(elements: Iter<'a, M, S>) -> Self {
        Ends { next: None, elements, last: None }
    }

    /// Peeks at the first element.
    fn first(&mut self) -> Option<(&'a M, &'a S)> {
        if self.next.is_none() {
            self.next = self.elements.next().or_else(|| self.last.take());
        }
        self.next
    }

    /// Peeks at the last element.
    fn last(&mut self) -> Option<(&'a M, &'a S)> {
        if self.last.is_none() {
            self.last = self.elements.next_back().or_else(|| self.next.take());
        }
        self.last
    }

    fn len(&self) -> usize {
        self.elements.len() + usize::from(self.next.is_some()) + usize::from(self.last.is_some())
    }
}

impl<'a, M, S> Merge<'a, M, S> {
    fn new(first: Iter<'a, M, S>, second: Iter<'a, M, S>) -> Self {
        Merge { first: Ends::new(first), second: Ends::new(second) }
    }

    /// Returns the numbers of remaining elements of the first and the second set.
    fn lens(&self) -> [usize; 2] {
        [self.first.len(), self.second.len()]
    }
}

/// Returns whether an element of the first set comes before one of the second.
fn is_before<M: TieOrder, S: Ord>(first: (&M, &S), second: (&M, &S)) -> bool {
    first.1 < second.1 || first.1 == second.1 && first.0.precedes(second.0)
}

impl<'a, M: TieOrder, S: Ord> Iterator for Merge<'a, M, S> {
    type Item = (Source, (&'a M, &'a S));

    fn next(&mut self) -> Option<Self::Item> {
        let is_first = match (self.first.first(), self.second.first()) {
            (Some(first), Some(second)) => is_before(first, second),
            (first, _) => first.is_some(),
        };
        if is_first {
            Some((Source::First, self.first.next.take()?))
        } else {
            Some((Source::Second, self.second.next.take()?))
        }
    }
}

impl<M: TieOrder, S: Ord> DoubleEndedIterator for Merge<'_, M, S> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let is_first = match (self.first.last(), self.second.last()) {
            (Some(first), Some(second)) => !is_before(first, second),
            (first, _) => first.is_some(),
        };
        if is_first {
            Some((Source::First, self.first.last.take()?))
        } else {
            Some((Source::Second, self.second.last.take()?))
        }
    }
}

impl<M, S> Clone for Merge<'_, M, S> {
    fn clone(&self) -> Self {
        Merge { first: self.first.clone(), second: self.second.clone() }
    }
}

impl<M, S> Clone for Ends<'_, M, S> {
    fn clone(&self) -> Self {
        Ends { next: self.next, elements: self.elements.clone(), last: self.last }
    }
}

impl<M: Eq + Hash, S, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns whether all members of this set are in `other`, whatever their scores. **O(n)**.
    pub fn is_subset<S2, H2: BuildHasher>(&self, other: &SortedSet<M, S2, H2>) -> bool {
        self.len() <= other.len() && self.iter().all(|(member, _)| other.contains(member))
    }

    /// Returns whether all members of `other` are in this set, whatever their scores. **O(m)** for
    /// m members of `other`.
    pub fn is_superset<S2, H2: BuildHasher>(&self, other: &SortedSet<M, S2, H2>) -> bool {
        other.is_subset(self)
    }

    /// Returns whether no member is in both sets, whatever their scores. **O(m)** for m members of
    /// the smaller set.
    pub fn is_disjoint<S2, H2: BuildHasher>(&self, other: &SortedSet<M, S2, H2>) -> bool {
        if self.len() <= other.len() {
            self.intersection(other).next().is_none()
        } else {
            other.intersection(self).next().is_none()
        }
    }
}

/// Creates a set from clones of distinct elements.
fn try_copy<'a, M, S, H>(
    elements: impl Iterator<Item = (&'a M, &'a S)>,
) -> Result<SortedSet<M, S, H>, TryReserveError>
where
    M: TieOrder + Hash + Clone + 'a,
    S: Ord + Clone + 'a,
    H: BuildHasher + Default,
{
    let copies = elements.map(|(member, score)| ((member.clone(), ()), score.clone()));
    let copies = try_collect(copies)?;
    let mut set = SortedSet::default();
    set.core.try_fill_distinct(copies)?;
    Ok(set)
}

macro_rules! operator {
    ($(#[$doc:meta])* $trait:ident, $method:ident, $operation:ident) => {
        $(#[$doc])*
        ///
        /// # Panics
        ///
        /// Panics if memory or 32-bit handles run out.
        impl<M, S, H> $trait<&SortedSet<M, S, H>> for &SortedSet<M, S, H>
        where
            M: TieOrder + Hash + Clone,
            S: Ord + Clone,
            H: BuildHasher + Default,
        {
            type Output = SortedSet<M, S, H>;

            #[track_caller]
            fn $method(self, other: &SortedSet<M, S, H>) -> SortedSet<M, S, H> {
                or_panic(try_copy(self.$operation(other)))
            }
        }
    };
}

operator! {
    /// Clones the elements of the [`union`](SortedSet::union) into a new set. **O(n + m)**.
    ///
    /// Of two equal members, that of the first set is cloned.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a | &b, SortedSet::from([("x", 1), ("y", 2), ("z", 3)]));
    /// ```
    BitOr, bitor, union
}

operator! {
    /// Clones the elements of the [`intersection`](SortedSet::intersection) into a new set.
    /// **O(n)**.
    ///
    /// Of two equal members, that of the first set is cloned.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a & &b, SortedSet::from([("y", 2)]));
    /// ```
    BitAnd, bitand, intersection
}

operator! {
    /// Clones the elements of the [`difference`](SortedSet::difference) into a new set. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a - &b, SortedSet::from([("x", 1)]));
    /// ```
    Sub, sub, difference
}

operator! {
    /// Clones the elements of the [`symmetric_difference`](SortedSet::symmetric_difference) into a
    /// new set. **O(n + m)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a ^ &b, SortedSet::from([("x", 1), ("z", 3)]));
    /// ```
    BitXor, bitxor, symmetric_difference
}

impl<M: TieOrder + Hash + Clone, S: Ord + Clone, H: BuildHasher + Clone> SortedSet<M, S, H> {
    /// Returns the union of both sets; `combine` merges the two scores of a member that is in both.
    /// **O((n + m) log(n + m))**.
    ///
    /// Of two equal members, that of this set is kept. For a lazy union that keeps the scores of
    /// this set, see [`union`](Self::union).
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
    /// assert!(union.iter().eq([(&"x", &1), (&"y", &5)]));
    /// ```
    #[track_caller]
    pub fn union_with<H2: BuildHasher>(
        &self,
        other: &SortedSet<M, S, H2>,
        mut combine: impl FnMut(&S, &S) -> S,
    ) -> Self {
        let elements = self.iter().chain(other);
        let elements = elements.map(|(member, score)| (member.clone(), score.clone()));
        let mut union = Self::with_hasher(self.hasher().clone());
        or_panic(union.try_fill(elements, |old, new| combine(old, &new)));
        union
    }

    /// Returns the intersection of both sets; `combine` merges the two scores of each member.
    /// **O(m + k log k)** for m members of the smaller set and k of the result.
    ///
    /// Of two equal members, that of this set is kept. For a lazy intersection that keeps the
    /// scores of this set, see [`intersection`](Self::intersection).
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
    /// assert!(a.intersection_with(&b, |a, b| *a.max(b)).iter().eq([(&"y", &3)]));
    /// ```
    #[track_caller]
    pub fn intersection_with<H2: BuildHasher>(
        &self,
        other: &SortedSet<M, S, H2>,
        mut combine: impl FnMut(&S, &S) -> S,
    ) -> Self {
        // Unordered members of equal score keep the order of this set, so iterate over this set.
        let elements = if self.len() <= other.len() || !M::IS_ORDERED {
            try_collect(self.iter().filter_map(|(member, score)| {
                let score = combine(score, other.score(member)?);
                Some(((member.clone(), ()), score))
            }))
        } else {
            try_collect(other.iter().filter_map(|(member, others)| {
                let (member, score) = self.get(member)?;
                let score = combine(score, others);
                Some(((member.clone(), ()), score))
            }))
        };
        let mut both = Self::with_hasher(self.hasher().clone());
        or_panic(elements.and_then(|elements| both.core.try_fill_distinct(elements)));
        both
    }
}

impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements of `other` into this set, leaving `other` empty. **O(m log n)** for the m
    /// members of `other`; **O(n + m)** if at least n / 2 of them are new. If they are
    /// [`Unordered`](crate::Unordered), all must be new.
    ///
    /// A member that is in both sets gets its score from `other`, as with `BTreeMap::append`. Of
    /// two equal members, that of this set is kept.
    ///
    /// A call in O(n + m) merges the sets into newly allocated memory. This temporarily doubles
    /// memory use, and releases reserved memory. If the allocation fails, the elements are inserted
    /// one at a time.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out. Elements not yet moved are then lost. The same
    /// holds if `Ord`, `Eq` or `Hash` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let mut set = SortedSet::from([("a", 1), ("b", 2)]);
    /// let mut other = SortedSet::from([("b", 9), ("c", 3)]);
    /// set.append(&mut other);
    /// assert!(other.is_empty());
    /// assert!(set.iter().eq([(&"a", &1), (&"c", &3), (&"b", &9)]));
    /// ```
    #[track_caller]
    pub fn append<H2>(&mut self, other: &mut SortedSet<M, S, H2>) {
        if !matches!(self.core.try_merge(&mut other.core), Ok(true)) {
            or_panic(self.core.try_extend(&mut other.core));
        }
    }
}

impl<M: Hash, S: Clone, H: BuildHasher + Clone> SortedSet<M, S, H> {
    /// Splits the set at a 0-based rank: returns the elements from this rank on, and keeps those
    /// before it. **O(log n + m)** for m returned elements.
    ///
    /// Returns an empty set if the rank is past the end.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    /// If dropping a score panics, the elements to return are lost.
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        or_panic(self.try_split_off(self.core.nodes.resolve_ranks(&(rank..))))
    }

    /// Splits the set at a score: returns the elements with this or a higher score, and keeps the
    /// others. **O(log n + m)** for m returned elements.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    /// If dropping a score panics, the elements to return are lost.
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score<T>(&mut self, score: &T) -> Self
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        or_panic(self.try_split_off(self.core.nodes.resolve_from_score(score)))
    }

    /// Moves a range to a new set with the same hasher. On error, the set is unchanged.
    fn try_split_off(&mut self, range: RankedRange) -> Result<Self, TryReserveError> {
        let mut upper = Self::with_hasher(self.hasher().clone());
        self.core.try_split_off(range, &mut upper.core)?;
        Ok(upper)
    }
}
