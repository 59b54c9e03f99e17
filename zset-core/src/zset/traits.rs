//! Implementations of standard traits.

use core::fmt;

use super::ZSet;
use super::promote::try_boxed;
use crate::listpack::Storage;
use crate::reserve::infallible;
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
        let mut set = infallible(try_boxed());
        // By reference, as the iterator may be large, and stacks are small on microcontrollers.
        infallible(set[0].try_fill_unsorted(owned.by_ref(), |_, new| new));
        infallible(ZSet::from_sorted(set, ListpackLimits::default()))
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
