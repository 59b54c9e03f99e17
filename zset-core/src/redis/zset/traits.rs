//! Implementations of standard traits, and conversions.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::{IntoIter, Iter, Sorted, ZSet};
use crate::redis::listpack::Storage;
use crate::redis::packed_zset::Iter as PackedIter;
use crate::reserve::{or_panic, try_box};
use crate::{ByteString, ListpackLimits, PackedZSet, Score};

impl Default for ZSet {
    fn default() -> Self {
        Self::new()
    }
}

/// Two sets are equal if they have the same members with the same scores, regardless of encoding.
/// **O(n)**.
impl PartialEq for ZSet {
    fn eq(&self, other: &ZSet) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl Eq for ZSet {}

/// Inserts all elements. If a member repeats, its last score wins. **O(log n)** per element.
impl<M: AsRef<[u8]>> Extend<(M, Score)> for ZSet {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (M, Score)>>(&mut self, elements: I) {
        for (member, score) in elements {
            self.insert(member, score);
        }
    }
}

/// Copies a small set, which may be in a fixed buffer, into a set with Redis's limits.
/// **O(n log n)**.
impl<B: Storage> From<&PackedZSet<B>> for ZSet {
    #[track_caller]
    fn from(set: &PackedZSet<B>) -> Self {
        set.iter().collect()
    }
}

/// Collects elements. If a member repeats, its last score wins. **O(n log n)**.
///
/// Needs memory for a copy of all distinct elements while sorting.
///
/// # Panics
///
/// Panics if allocation fails.
impl<M: AsRef<[u8]>> FromIterator<(M, Score)> for ZSet {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (M, Score)>>(elements: I) -> Self {
        let mut owned =
            elements.into_iter().map(|(m, score)| (ByteString::from(m.as_ref()), score));
        let mut set = or_panic(try_box(Sorted::new()));
        // Pass the iterator by reference: it may be large, and stacks are small on
        // microcontrollers.
        or_panic(set[0].try_fill(owned.by_ref(), |_, new| new));
        or_panic(ZSet::from_sorted(set, ListpackLimits::default()))
    }
}

/// Collects elements. If a member repeats, its last score wins. **O(n log n)**.
impl<M: AsRef<[u8]>, const N: usize> From<[(M, Score); N]> for ZSet {
    #[track_caller]
    fn from(elements: [(M, Score); N]) -> Self {
        elements.into_iter().collect()
    }
}

impl fmt::Debug for ZSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl PartialOrd for ZSet {
    fn partial_cmp(&self, other: &ZSet) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
///
/// # Examples
///
/// ```
/// use zset_core::{Score, ZSet};
///
/// let set = ZSet::from([("b", Score::from(1))]);
/// assert!(set < ZSet::from([("a", Score::from(2))]));
/// assert!(set > ZSet::new());
/// ```
impl Ord for ZSet {
    fn cmp(&self, other: &ZSet) -> Ordering {
        let elements = self.iter().map(|(member, score)| (score, member));
        elements.cmp(other.iter().map(|(member, score)| (score, member)))
    }
}

/// Hashes the elements in order. Equal sets have equal hashes, regardless of limits and encodings.
/// **O(n)**.
impl Hash for ZSet {
    fn hash<T: Hasher>(&self, state: &mut T) {
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}

/// Inserts all elements. If a member repeats, its last score wins. **O(n log n)**.
impl<M: AsRef<[u8]>> From<Vec<(M, Score)>> for ZSet {
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from(vec![("b", Score::from(2)), ("a", Score::from(1))]);
    /// assert_eq!(set.rank("b"), Some(1));
    /// ```
    #[track_caller]
    fn from(elements: Vec<(M, Score)>) -> Self {
        elements.into_iter().collect()
    }
}

/// Inserts all members. **O(n log n)**.
impl<M: AsRef<[u8]>> From<BTreeMap<M, Score>> for ZSet {
    #[track_caller]
    fn from(scores: BTreeMap<M, Score>) -> Self {
        scores.into_iter().collect()
    }
}

/// Returns the elements in order, lowest score first. **O(n)**.
impl From<ZSet> for Vec<(ByteString, Score)> {
    fn from(set: ZSet) -> Self {
        set.into_iter().collect()
    }
}

/// Returns the score of each member. **O(n log n)**.
impl From<ZSet> for BTreeMap<ByteString, Score> {
    fn from(set: ZSet) -> Self {
        set.into_iter().collect()
    }
}

/// Inserts copies of borrowed elements, such as those of a `BTreeMap`. **O(log n)** per element.
impl<'a, M: AsRef<[u8]>> Extend<(M, &'a Score)> for ZSet {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (M, &'a Score)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(member, score)| (member, *score)));
    }
}

/// Creates an empty iterator. **O(1)**.
impl Default for Iter<'_> {
    fn default() -> Self {
        PackedIter::default().into()
    }
}

/// Creates an empty iterator. **O(1)**.
impl Default for IntoIter {
    fn default() -> Self {
        ZSet::new().into_iter()
    }
}
