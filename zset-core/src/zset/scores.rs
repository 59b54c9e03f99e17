//! The scores of many members at once.

use core::hash::BuildHasher;
use core::iter::FusedIterator;

use super::{Elements, ZSet};
use crate::Score;
use crate::look_up::LookUps;

impl ZSet {
    /// Returns the score of each of these members, `None` for those that are not in the set, as
    /// Redis's `ZMSCORE`. Lazy; **O(1)** a member.
    ///
    /// Members are hashed in batches and then looked up, so that their cache misses overlap. So the
    /// iterator may take a few more members from `members` than it has returned scores.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(1))]);
    /// assert!(set.scores(["a", "b"]).eq([Some(Score::from(1)), None]));
    /// ```
    pub fn scores<I>(&self, members: I) -> impl FusedIterator<Item = Option<Score>>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let hash = |member: &I::Item| match &self.elements {
            // A listpack is searched without hashes.
            Elements::Listpack(_) => 0,
            Elements::Skiplist(set) => set[0].hasher.hash_one(member.as_ref()),
        };
        LookUps::new(members, hash, |hash, member: I::Item| match &self.elements {
            Elements::Listpack(set) => set.score(member),
            Elements::Skiplist(set) => Some(set[0].find(hash, member.as_ref())?.score),
        })
    }
}
