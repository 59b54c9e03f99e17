//! The scores of many members at once.

use core::hash::{BuildHasher, Hash};
use core::iter::FusedIterator;
use equivalent::Equivalent;

use super::SortedSet;
use crate::look_up::LookUps;

impl<M, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the score of each of these members, or `None` for members not in the set. Lazy; **O(1)**
    /// per member.
    ///
    /// Members are hashed in batches and then looked up, so that their cache misses overlap. The
    /// iterator may therefore take a few more members from `members` than it has returned scores.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a".to_string(), 1), ("b".to_string(), 2)]);
    /// assert!(set.scores(["b", "x", "a"]).eq([Some(2), None, Some(1)]));
    /// ```
    pub fn scores<'q, Q, I>(&self, members: I) -> impl FusedIterator<Item = Option<S>>
    where
        I: IntoIterator<Item = &'q Q>,
        Q: Hash + Equivalent<M> + ?Sized + 'q,
    {
        let hash = |member: &&Q| self.hash(*member);
        LookUps::new(members, hash, |hash, member| Some(self.find(hash, member)?.score))
    }
}
