//! Implementations of standard traits: conversions, comparisons and hashing.

use alloc::collections::BTreeMap;
use core::fmt;
use core::hash::{BuildHasher, Hash};

use super::{IntoIter, Iter, SortedSet};
use crate::inner::front::front_traits;
use crate::reserve::or_panic;
use crate::{ScoreOrder, TieOrder, TryReserveError};

front_traits!(SortedSet<member: M; S, H, H2>, [TieOrder + Hash]);

impl<M: Clone, S: Clone, H: Clone> Clone for SortedSet<M, S, H> {
    fn clone(&self) -> Self {
        SortedSet { core: self.core.clone() }
    }
}

impl<M, S, H: Default> Default for SortedSet<M, S, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

/// Inserts all elements. If a member repeats, its last score wins, but the first member is kept.
impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher> Extend<(M, S)>
    for SortedSet<M, S, H>
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (M, S)>>(&mut self, elements: I) {
        let elements = elements.into_iter();
        // As in hashbrown, assume that a nonempty set already has half of the members.
        let expected = elements.size_hint().0;
        let additional = if self.is_empty() { expected } else { expected.div_ceil(2) };
        or_panic(self.core.try_reserve_dict(additional));
        elements.for_each(|(member, score)| {
            self.insert(member, score);
        });
    }
}

/// Collects elements in bulk, which is much faster than inserting one by one. If a member repeats,
/// its last score wins. **O(n log n)**.
///
/// Uses memory for a copy of all distinct elements while sorting them.
///
/// # Panics
///
/// Panics if memory or 32-bit handles run out.
impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher + Default> FromIterator<(M, S)>
    for SortedSet<M, S, H>
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (M, S)>>(elements: I) -> Self {
        let mut set = Self::default();
        or_panic(set.try_fill(elements.into_iter(), |_, new| new));
        set
    }
}

impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Fills an empty set as insertions one at a time would; `combine` merges the old and the new
    /// score of a repeated member.
    pub(crate) fn try_fill(
        &mut self,
        elements: impl Iterator<Item = (M, S)>,
        mut combine: impl FnMut(&S, S) -> S,
    ) -> Result<(), TryReserveError> {
        let elements = elements.map(|(member, score)| ((member, ()), score));
        self.core.try_fill_unsorted(elements, |(_, old), (_, new)| *old = combine(old, new))
    }
}

impl<M: fmt::Debug, S: fmt::Debug, H> fmt::Debug for SortedSet<M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Inserts all members. **O(n log n)**.
impl<M: Ord + Hash, S: ScoreOrder + Clone> From<BTreeMap<M, S>> for SortedSet<M, S> {
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from(BTreeMap::from([("a", 2), ("b", 1)]));
    /// assert_eq!(set.first(), Some((&"b", &1)));
    /// assert_eq!(BTreeMap::from(set).first_key_value(), Some((&"a", &2)));
    /// ```
    fn from(scores: BTreeMap<M, S>) -> Self {
        scores.into_iter().collect()
    }
}

/// Returns a map from each member to its score. **O(n log n)**.
impl<M: Ord, S, H> From<SortedSet<M, S, H>> for BTreeMap<M, S> {
    fn from(set: SortedSet<M, S, H>) -> Self {
        set.into_iter().collect()
    }
}

#[cfg(feature = "serde")]
crate::serde::serialize_elements! {
    /// Deserializes a sequence of `(member, score)` in any order; the set sorts them. A
    /// repeated member is an error. For a map, see
    /// [`serde_map`](crate::sorted_set::serde_map).
    ///
    /// Returns an error, rather than panicking, if the set is too large for memory or for
    /// 32-bit handles.
    [M, S, H] SortedSet<M, S, H>,
    [M: serde::Serialize, S: serde::Serialize],
    [
        M: serde::Deserialize<'de> + TieOrder + Hash,
        S: serde::Deserialize<'de> + Ord + Clone,
        H: BuildHasher + Default
    ],
    "a sequence of members and scores",
    |set: &mut Self, (member, score)| Ok(set.try_insert(member, score)?.is_none())
}
