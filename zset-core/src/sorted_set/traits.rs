//! The standard traits: conversions, comparisons and hashing.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{BuildHasher, Hash, Hasher};

use super::{IntoIter, Iter, SortedSet};
use crate::core::iter;
use crate::reserve::or_panic;
use crate::{TieOrder, TryReserveError};

impl<M: Clone, S: Copy, H: Clone> Clone for SortedSet<M, S, H> {
    fn clone(&self) -> Self {
        SortedSet { core: self.core.clone() }
    }
}

impl<M, S: Copy, H: Default> Default for SortedSet<M, S, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

/// Two sets are equal if they have the same members with the same scores, in the same order.
/// **O(n)**.
impl<M: PartialEq, S: PartialEq + Copy, H, H2> PartialEq<SortedSet<M, S, H2>>
    for SortedSet<M, S, H>
{
    fn eq(&self, other: &SortedSet<M, S, H2>) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<M: Eq, S: Eq + Copy, H> Eq for SortedSet<M, S, H> {}

/// Inserts all elements. If a member repeats, its last score wins; the member itself is the first.
impl<M: TieOrder + Hash, S: Ord + Copy, H: BuildHasher> Extend<(M, S)> for SortedSet<M, S, H> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (M, S)>>(&mut self, elements: I) {
        let elements = elements.into_iter();
        // As in hashbrown: if the set is not empty, half of the elements may be in it already.
        let expected = elements.size_hint().0;
        let additional = if self.is_empty() { expected } else { expected.div_ceil(2) };
        or_panic(self.core.try_reserve_dict(additional));
        elements.for_each(|(member, score)| {
            self.insert(member, score);
        });
    }
}

impl<M: TieOrder + Hash, S: Ord + Copy, const N: usize> From<[(M, S); N]> for SortedSet<M, S> {
    fn from(elements: [(M, S); N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<M, S: Copy, H> IntoIterator for SortedSet<M, S, H> {
    type Item = (M, S);
    type IntoIter = IntoIter<M, S>;

    fn into_iter(self) -> IntoIter<M, S> {
        IntoIter(iter::IntoIter::new(self.core.nodes))
    }
}

impl<'a, M, S: Copy, H> IntoIterator for &'a SortedSet<M, S, H> {
    type Item = (&'a M, S);
    type IntoIter = Iter<'a, M, S>;

    fn into_iter(self) -> Iter<'a, M, S> {
        self.iter()
    }
}

/// If a member repeats, its last score wins, as with insertions one at a time, but much faster.
/// **O(n log n)**.
///
/// Uses memory for a copy of all distinct elements while sorting them.
///
/// # Panics
///
/// Panics if memory or 32-bit handles run out.
impl<M: TieOrder + Hash, S: Ord + Copy, H: BuildHasher + Default> FromIterator<(M, S)>
    for SortedSet<M, S, H>
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (M, S)>>(elements: I) -> Self {
        let mut set = Self::default();
        or_panic(set.try_fill(elements.into_iter(), |_, new| new));
        set
    }
}

impl<M: TieOrder + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Fills an empty set as insertions one at a time would; `combine` merges the old and the new
    /// score of a repeated member.
    pub(crate) fn try_fill(
        &mut self,
        elements: impl Iterator<Item = (M, S)>,
        mut combine: impl FnMut(S, S) -> S,
    ) -> Result<(), TryReserveError> {
        let elements = elements.map(|(member, score)| ((member, ()), score));
        self.core.try_fill_unsorted(elements, |(_, old), (_, new)| {
            let score = combine(*old, new);
            // If the scores are equal, the old one stays, as with an insertion.
            if *old != score {
                *old = score;
            }
        })
    }
}

impl<M: fmt::Debug, S: fmt::Debug + Copy, H> fmt::Debug for SortedSet<M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// If a member repeats, its last score wins. **O(n log n)**.
impl<M: TieOrder + Hash, S: Ord + Copy> From<Vec<(M, S)>> for SortedSet<M, S> {
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from(vec![("b", 2), ("a", 1)]);
    /// assert_eq!(Vec::from(set), [("a", 1), ("b", 2)]);
    /// ```
    fn from(elements: Vec<(M, S)>) -> Self {
        elements.into_iter().collect()
    }
}

/// **O(n log n)**.
impl<M: Ord + Hash, S: Ord + Copy> From<BTreeMap<M, S>> for SortedSet<M, S> {
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from(BTreeMap::from([("a", 2), ("b", 1)]));
    /// assert_eq!(set.first(), Some((&"b", 1)));
    /// assert_eq!(BTreeMap::from(set).first_key_value(), Some((&"a", &2)));
    /// ```
    fn from(scores: BTreeMap<M, S>) -> Self {
        scores.into_iter().collect()
    }
}

/// Returns the elements in order, lowest score first. **O(n)**.
impl<M, S: Copy, H> From<SortedSet<M, S, H>> for Vec<(M, S)> {
    fn from(set: SortedSet<M, S, H>) -> Self {
        set.into_iter().collect()
    }
}

/// Returns a map from each member to its score. **O(n log n)**.
impl<M: Ord, S: Copy, H> From<SortedSet<M, S, H>> for BTreeMap<M, S> {
    fn from(set: SortedSet<M, S, H>) -> Self {
        set.into_iter().collect()
    }
}

/// Inserts copies of the elements of, for example, a `BTreeMap`.
impl<'a, M: TieOrder + Hash + Copy, S: Ord + Copy, H: BuildHasher> Extend<(&'a M, &'a S)>
    for SortedSet<M, S, H>
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a M, &'a S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(member, score)| (*member, *score)));
    }
}

/// Inserts copies of the elements of, for example, another set.
impl<'a, M: TieOrder + Hash + Copy, S: Ord + Copy, H: BuildHasher> Extend<(&'a M, S)>
    for SortedSet<M, S, H>
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a M, S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(member, score)| (*member, score)));
    }
}

/// Returns the elements as `(score, member)` pairs, which compare in the order of the set.
fn in_order<M, S: Copy, H>(set: &SortedSet<M, S, H>) -> impl Iterator<Item = (S, &M)> {
    set.iter().map(|(member, score)| (score, member))
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl<M: PartialOrd, S: PartialOrd + Copy, H, H2> PartialOrd<SortedSet<M, S, H2>>
    for SortedSet<M, S, H>
{
    fn partial_cmp(&self, other: &SortedSet<M, S, H2>) -> Option<Ordering> {
        in_order(self).partial_cmp(in_order(other))
    }
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let a = SortedSet::from([("x", 1), ("y", 5)]);
/// assert!(a < SortedSet::from([("b", 2)]));
/// assert!(a > SortedSet::from([("x", 1)]));
/// ```
impl<M: Ord, S: Ord + Copy, H> Ord for SortedSet<M, S, H> {
    fn cmp(&self, other: &Self) -> Ordering {
        in_order(self).cmp(in_order(other))
    }
}

/// Hashes the elements in order. Equal sets have equal hashes, whatever their hashers. **O(n)**.
impl<M: Hash, S: Hash + Copy, H> Hash for SortedSet<M, S, H> {
    fn hash<T: Hasher>(&self, state: &mut T) {
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}
