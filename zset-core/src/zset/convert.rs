//! Conversion from and to other collections, and empty iterators.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{IntoIter, Iter, ZSet};
use crate::packed_zset::Iter as PackedIter;
use crate::{ByteString, Score};

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

/// Inserts copies, such as the elements of a `BTreeMap`. **O(log n)** per element.
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
