//! The standard traits.

use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use crate::reserve::infallible;
use crate::skiplist::{IntoIter, Iter};

impl<M: Clone, S: Copy, H: Clone> Clone for SortedSet<M, S, H> {
    fn clone(&self) -> Self {
        SortedSet {
            list: self.list.clone(),
            dict: self.dict.clone(),
            hasher: self.hasher.clone(),
            visited_ends: self.visited_ends,
        }
    }
}

impl<M, S: Copy, H: Default> Default for SortedSet<M, S, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

/// Two sets are equal if they have the same members with the same scores. **O(n)**.
impl<M: PartialEq, S: PartialEq + Copy, H, H2> PartialEq<SortedSet<M, S, H2>>
    for SortedSet<M, S, H>
{
    fn eq(&self, other: &SortedSet<M, S, H2>) -> bool {
        self.list == other.list
    }
}

impl<M: Eq, S: Eq + Copy, H> Eq for SortedSet<M, S, H> {}

/// Inserts all elements. If a member repeats, its last score wins; the member itself is the first.
impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> Extend<(M, S)> for SortedSet<M, S, H> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (M, S)>>(&mut self, elements: I) {
        let elements = elements.into_iter();
        // As in hashbrown: if the set is not empty, half of the elements may be in it already.
        let expected = elements.size_hint().0;
        let additional = if self.is_empty() { expected } else { expected.div_ceil(2) };
        infallible(self.reserve_dict(additional));
        elements.for_each(|(member, score)| {
            self.insert(member, score);
        });
    }
}

impl<M: Ord + Hash, S: Ord + Copy, const N: usize> From<[(M, S); N]> for SortedSet<M, S> {
    fn from(elements: [(M, S); N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<M, S: Copy, H> IntoIterator for SortedSet<M, S, H> {
    type Item = (M, S);
    type IntoIter = IntoIter<M, S>;

    fn into_iter(self) -> IntoIter<M, S> {
        self.list.into_iter()
    }
}

impl<'a, M, S: Copy, H> IntoIterator for &'a SortedSet<M, S, H> {
    type Item = (&'a M, S);
    type IntoIter = Iter<'a, M, S>;

    fn into_iter(self) -> Iter<'a, M, S> {
        self.iter()
    }
}
