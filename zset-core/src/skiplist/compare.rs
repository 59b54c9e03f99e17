//! Ordering and hashing of whole lists.

use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

use super::SkipList;

impl<M, S: Copy> SkipList<M, S> {
    /// Returns the elements as `(score, member)` pairs, which compare in list order.
    fn keys(&self) -> impl Iterator<Item = (S, &M)> {
        self.iter().map(|(member, score)| (score, member))
    }
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl<M: PartialOrd, S: PartialOrd + Copy> PartialOrd for SkipList<M, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.keys().partial_cmp(other.keys())
    }
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
///
/// # Examples
///
/// ```
/// use zset_core::SkipList;
///
/// let list = |elements: &[(char, u32)]| elements.iter().copied().collect::<SkipList<_, _>>();
/// assert!(list(&[('z', 1)]) < list(&[('a', 2)]));
/// assert!(list(&[('a', 1)]) < list(&[('a', 1), ('b', 1)]));
/// ```
impl<M: Ord, S: Ord + Copy> Ord for SkipList<M, S> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.keys().cmp(other.keys())
    }
}

/// Hashes the elements in order. Equal lists have equal hashes. **O(n)**.
impl<M: Hash, S: Hash + Copy> Hash for SkipList<M, S> {
    fn hash<T: Hasher>(&self, state: &mut T) {
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}
