//! The standard traits.

use core::hash::Hash;

use zset_core::sorted_set::IntoIter;

use super::ExpiringSet;
use crate::Timestamp;

impl<M> Default for ExpiringSet<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// Two sets are equal if they have the same members with the same deadlines, including expired ones,
/// regardless of their caps. **O(n)**.
impl<M: PartialEq> PartialEq for ExpiringSet<M> {
    fn eq(&self, other: &Self) -> bool {
        self.members == other.members
    }
}

impl<M: Eq> Eq for ExpiringSet<M> {}

/// Creates a set without a cap. If a member repeats, the last deadline wins.
impl<M: Ord + Hash> FromIterator<(M, Timestamp)> for ExpiringSet<M> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (M, Timestamp)>>(members: I) -> Self {
        ExpiringSet { members: members.into_iter().collect(), max_len: None }
    }
}

impl<M: Ord + Hash, const N: usize> From<[(M, Timestamp); N]> for ExpiringSet<M> {
    #[track_caller]
    fn from(members: [(M, Timestamp); N]) -> Self {
        members.into_iter().collect()
    }
}

/// Iterates over all members, including expired ones, earliest deadline first.
impl<M> IntoIterator for ExpiringSet<M> {
    type Item = (M, Timestamp);
    type IntoIter = IntoIter<M, Timestamp>;

    fn into_iter(self) -> IntoIter<M, Timestamp> {
        self.members.into_iter()
    }
}
