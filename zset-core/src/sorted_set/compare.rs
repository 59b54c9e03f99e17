//! Ordering and hashing of whole sets.

use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

use super::SortedSet;

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl<M: PartialOrd, S: PartialOrd + Copy, H, H2> PartialOrd<SortedSet<M, S, H2>>
    for SortedSet<M, S, H>
{
    fn partial_cmp(&self, other: &SortedSet<M, S, H2>) -> Option<Ordering> {
        self.list.partial_cmp(&other.list)
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
        self.list.cmp(&other.list)
    }
}

/// Hashes the elements in order. Equal sets have equal hashes, whatever their hashers. **O(n)**.
impl<M: Hash, S: Hash + Copy, H> Hash for SortedSet<M, S, H> {
    fn hash<T: Hasher>(&self, state: &mut T) {
        self.list.hash(state);
    }
}
