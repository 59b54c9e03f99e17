//! Lazy unions, intersections and differences: iterators over the elements of two sets, in order.

use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::iter::FusedIterator;

use super::SortedSet;
use super::merge::{Merge, Source};
use crate::skiplist::Iter;

impl<M: Eq + Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the elements whose members are not in `other`, in order. Lazy; **O(n)** in total.
    ///
    /// The scores of `other` are ignored. A step looks up each element that it skips, so if all of them
    /// are in `other`, the first one is **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let all = SortedSet::from([("x", 1), ("y", 2), ("z", 3)]);
    /// let seen = SortedSet::from([("y", 99)]);
    /// assert!(all.difference(&seen).eq([(&"x", 1), (&"z", 3)]));
    /// ```
    pub fn difference<'a, S2: Copy, H2: BuildHasher>(
        &'a self,
        other: &'a SortedSet<M, S2, H2>,
    ) -> Difference<'a, M, S, S2, H2> {
        Difference { elements: self.iter(), other }
    }

    /// Returns the elements whose members are also in `other`, in order, with the scores of this set.
    /// Lazy; **O(n)** in total, for the n members of this set.
    ///
    /// An equal member is always that of this set. The scores of `other` are ignored;
    /// [`intersection_with`](Self::intersection_with) combines the two. A step looks up each element that
    /// it skips, so if none of them is in `other`, the first one is **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let all = SortedSet::from([("x", 1), ("y", 2), ("z", 3)]);
    /// let liked = SortedSet::from([("z", 9), ("y", 99)]);
    /// assert!(all.intersection(&liked).eq([(&"y", 2), (&"z", 3)]));
    /// ```
    pub fn intersection<'a, S2: Copy, H2: BuildHasher>(
        &'a self,
        other: &'a SortedSet<M, S2, H2>,
    ) -> Intersection<'a, M, S, S2, H2> {
        Intersection { elements: self.iter(), other }
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the elements of both sets, in order. A member that is in both has the score of this set.
    /// Lazy; **O(n + m)** in total.
    ///
    /// An equal member is always that of this set. [`union_with`](Self::union_with) combines the two
    /// scores.
    ///
    /// A step looks up each element of `other` that it skips. If all elements of `other` come before those
    /// of this set, with members that are in both, the first one is **O(m)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("z", 5)]);
    /// let b = SortedSet::from([("y", 3), ("z", 0)]);
    /// assert!(a.union(&b).eq([(&"x", 1), (&"y", 3), (&"z", 5)]));
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
    /// A step looks up each element that it skips, so if both sets have the same members, the first one is
    /// **O(n + m)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("z", 5)]);
    /// let b = SortedSet::from([("y", 3), ("z", 0)]);
    /// assert!(a.symmetric_difference(&b).eq([(&"x", 1), (&"y", 3)]));
    /// ```
    pub fn symmetric_difference<'a, H2: BuildHasher>(
        &'a self,
        other: &'a SortedSet<M, S, H2>,
    ) -> SymmetricDifference<'a, M, S, H, H2> {
        SymmetricDifference { elements: Merge::new(self.iter(), other.iter()), sets: (self, other) }
    }
}

/// The elements of one set whose members are not in another, returned by [`SortedSet::difference`].
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let (all, seen) = (SortedSet::from([("x", 1), ("y", 2)]), SortedSet::from([("y", 7)]));
/// let mut unseen = all.difference(&seen);
/// assert_eq!(unseen.next(), Some((&"x", 1)));
/// assert_eq!(unseen.next(), None);
/// ```
pub struct Difference<'a, M, S, S2, H2> {
    elements: Iter<'a, M, S>,
    other: &'a SortedSet<M, S2, H2>,
}

impl<'a, M: Eq + Hash, S: Copy, S2: Copy, H2: BuildHasher> Iterator
    for Difference<'a, M, S, S2, H2>
{
    type Item = (&'a M, S);

    fn next(&mut self) -> Option<(&'a M, S)> {
        self.elements.find(|(member, _)| !self.other.contains(*member))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.elements.len().saturating_sub(self.other.len()), Some(self.elements.len()))
    }
}

impl<M: Eq + Hash, S: Copy, S2: Copy, H2: BuildHasher> DoubleEndedIterator
    for Difference<'_, M, S, S2, H2>
{
    fn next_back(&mut self) -> Option<Self::Item> {
        self.elements.rfind(|(member, _)| !self.other.contains(*member))
    }
}

/// The elements of one set whose members are also in another, returned by [`SortedSet::intersection`].
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let a = SortedSet::from([("x", 1), ("y", 2)]);
/// let b = SortedSet::from([("y", 3), ("z", 4)]);
/// assert_eq!(a.intersection(&b).next(), Some((&"y", 2)));
/// ```
pub struct Intersection<'a, M, S, S2, H2> {
    elements: Iter<'a, M, S>,
    other: &'a SortedSet<M, S2, H2>,
}

impl<'a, M: Eq + Hash, S: Copy, S2: Copy, H2: BuildHasher> Iterator
    for Intersection<'a, M, S, S2, H2>
{
    type Item = (&'a M, S);

    fn next(&mut self) -> Option<(&'a M, S)> {
        self.elements.find(|(member, _)| self.other.contains(*member))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.elements.len().min(self.other.len())))
    }
}

impl<M: Eq + Hash, S: Copy, S2: Copy, H2: BuildHasher> DoubleEndedIterator
    for Intersection<'_, M, S, S2, H2>
{
    fn next_back(&mut self) -> Option<Self::Item> {
        self.elements.rfind(|(member, _)| self.other.contains(*member))
    }
}

/// The elements of two sets, returned by [`SortedSet::union`].
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let a = SortedSet::from([("x", 1), ("y", 2)]);
/// let b = SortedSet::from([("y", 3), ("z", 4)]);
/// assert_eq!(a.union(&b).next(), Some((&"x", 1)));
/// ```
pub struct Union<'a, M, S, H> {
    /// The elements of both sets, of which those of the second may be in the first too.
    elements: Merge<'a, M, S>,
    /// The first set.
    set: &'a SortedSet<M, S, H>,
}

impl<'a, M: Ord + Hash, S: Ord + Copy, H: BuildHasher> Iterator for Union<'a, M, S, H> {
    type Item = (&'a M, S);

    fn next(&mut self) -> Option<(&'a M, S)> {
        Some(self.elements.find(is_in_union(self.set))?.1)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let [own, others] = self.elements.lens();
        (own.saturating_add(others.saturating_sub(self.set.len())), own.checked_add(others))
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> DoubleEndedIterator for Union<'_, M, S, H> {
    fn next_back(&mut self) -> Option<Self::Item> {
        Some(self.elements.rfind(is_in_union(self.set))?.1)
    }
}

/// Returns a function that tells whether an element of either set is in the union with the first one.
fn is_in_union<M: Eq + Hash, S: Copy, H: BuildHasher>(
    first: &SortedSet<M, S, H>,
) -> impl Fn(&(Source, (&M, S))) -> bool {
    |&(source, (member, _))| source == Source::First || !first.contains(member)
}

/// The elements whose members are in exactly one of two sets, returned by
/// [`SortedSet::symmetric_difference`].
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let a = SortedSet::from([("x", 1), ("y", 2)]);
/// let b = SortedSet::from([("y", 3), ("z", 4)]);
/// assert_eq!(a.symmetric_difference(&b).next(), Some((&"x", 1)));
/// ```
pub struct SymmetricDifference<'a, M, S, H, H2> {
    /// The elements of both sets, of which either may be in the other set too.
    elements: Merge<'a, M, S>,
    sets: (&'a SortedSet<M, S, H>, &'a SortedSet<M, S, H2>),
}

impl<'a, M: Ord + Hash, S: Ord + Copy, H: BuildHasher, H2: BuildHasher> Iterator
    for SymmetricDifference<'a, M, S, H, H2>
{
    type Item = (&'a M, S);

    fn next(&mut self) -> Option<(&'a M, S)> {
        Some(self.elements.find(is_in_one(self.sets))?.1)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let ([own, others], (set, other)) = (self.elements.lens(), self.sets);
        let [low, others_low] = [own.saturating_sub(other.len()), others.saturating_sub(set.len())];
        (low.saturating_add(others_low), own.checked_add(others))
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher, H2: BuildHasher> DoubleEndedIterator
    for SymmetricDifference<'_, M, S, H, H2>
{
    fn next_back(&mut self) -> Option<Self::Item> {
        Some(self.elements.rfind(is_in_one(self.sets))?.1)
    }
}

/// Returns a function that tells whether an element of either set is not in the other one.
fn is_in_one<M: Eq + Hash, S: Copy, H: BuildHasher, H2: BuildHasher>(
    (first, second): (&SortedSet<M, S, H>, &SortedSet<M, S, H2>),
) -> impl Fn(&(Source, (&M, S))) -> bool {
    |&(source, (member, _))| match source {
        Source::First => !second.contains(member),
        Source::Second => !first.contains(member),
    }
}

/// Implements the traits that all four iterators share. `$bounds` are the bounds of their `Iterator`
/// impl.
macro_rules! lazy_operation {
    ($name:ident<$($param:ident),*>, $($bounds:tt)*) => {
        impl<$($param),*> FusedIterator for $name<'_, $($param),*> where $($bounds)* {}

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
    Difference<M, S, S2, H2>,
    M: Eq + Hash, S: Copy, S2: Copy, H2: BuildHasher
);
lazy_operation!(
    Intersection<M, S, S2, H2>,
    M: Eq + Hash, S: Copy, S2: Copy, H2: BuildHasher
);
lazy_operation!(Union<M, S, H>, M: Ord + Hash, S: Ord + Copy, H: BuildHasher);
lazy_operation!(
    SymmetricDifference<M, S, H, H2>,
    M: Ord + Hash, S: Ord + Copy, H: BuildHasher, H2: BuildHasher
);

impl<M, S, S2, H2> Clone for Difference<'_, M, S, S2, H2> {
    fn clone(&self) -> Self {
        Difference { elements: self.elements.clone(), other: self.other }
    }
}

impl<M, S, S2, H2> Clone for Intersection<'_, M, S, S2, H2> {
    fn clone(&self) -> Self {
        Intersection { elements: self.elements.clone(), other: self.other }
    }
}

impl<M, S: Copy, H> Clone for Union<'_, M, S, H> {
    fn clone(&self) -> Self {
        Union { elements: self.elements.clone(), set: self.set }
    }
}

impl<M, S: Copy, H, H2> Clone for SymmetricDifference<'_, M, S, H, H2> {
    fn clone(&self) -> Self {
        SymmetricDifference { elements: self.elements.clone(), sets: self.sets }
    }
}
