//! Ordering and hashing of whole sets.

use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

use super::ZSet;

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
