//! Implementations of standard traits.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::{FixedSortedSet, SlotNumber};

impl<M, S, const N: usize, I: SlotNumber, H: Default> Default for FixedSortedSet<M, S, N, I, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

impl<M: fmt::Debug, S: fmt::Debug + Copy, const N: usize, I: SlotNumber, H> fmt::Debug
    for FixedSortedSet<M, S, N, I, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Two sets are equal if they have the same members with the same scores, whatever their capacities.
/// **O(n)**.
impl<M, S, const N: usize, I, H, const N2: usize, I2, H2>
    PartialEq<FixedSortedSet<M, S, N2, I2, H2>> for FixedSortedSet<M, S, N, I, H>
where
    M: PartialEq,
    S: PartialEq + Copy,
    I: SlotNumber,
    I2: SlotNumber,
{
    fn eq(&self, other: &FixedSortedSet<M, S, N2, I2, H2>) -> bool {
        self.iter().eq(other)
    }
}

impl<M: Eq, S: Eq + Copy, const N: usize, I: SlotNumber, H> Eq for FixedSortedSet<M, S, N, I, H> {}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl<M: PartialOrd, S: PartialOrd + Copy, const N: usize, I: SlotNumber, H> PartialOrd
    for FixedSortedSet<M, S, N, I, H>
{
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let by_score = |(member, score)| (score, member);
        self.iter().map(by_score).partial_cmp(other.iter().map(by_score))
    }
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl<M: Ord, S: Ord + Copy, const N: usize, I: SlotNumber, H> Ord
    for FixedSortedSet<M, S, N, I, H>
{
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = |(member, score)| (score, member);
        self.iter().map(by_score).cmp(other.iter().map(by_score))
    }
}

/// Hashes the elements in order. Equal sets have equal hashes. **O(n)**.
impl<M: Hash, S: Hash + Copy, const N: usize, I: SlotNumber, H> Hash
    for FixedSortedSet<M, S, N, I, H>
{
    fn hash<T: Hasher>(&self, state: &mut T) {
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}
