//! Looking up the scores of many members.

use core::iter::FusedIterator;

use super::{Elements, ZSet};
use crate::Score;
use crate::look_up::LookUps;

impl ZSet {
    /// Returns the score of each of these members, or `None` for those that are not in the set,
    /// like Redis's `ZMSCORE`. Lazy; **O(1)** per member.
    ///
    /// Members are hashed in batches and then looked up, so that their cache misses overlap. The
    /// iterator may therefore consume a few more members than it has returned scores.
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
            // A listpack is searched without hashing.
            Elements::Listpack(_) => 0,
            Elements::Skiplist(set) => set[0].hash(member.as_ref()),
        };
        LookUps::new(members, hash, |hash, member: I::Item| match &self.elements {
            Elements::Listpack(set) => set.score(member),
            Elements::Skiplist(set) => Some(set[0].find(hash, member.as_ref())?.score),
        })
    }
}
