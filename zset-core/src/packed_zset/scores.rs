//! Looking up the scores of many members.

use core::iter::FusedIterator;

use super::PackedZSet;
use crate::Score;
use crate::listpack::Storage;

impl<B: Storage> PackedZSet<B> {
    /// Returns the score of each of these members, or `None` for those that are not in the set.
    /// Lazy; **O(n)** per member.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// assert!(set.scores(["a", "b"]).eq([Some(Score::from(1)), None]));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn scores<I>(&self, members: I) -> impl FusedIterator<Item = Option<Score>>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        members.into_iter().fuse().map(|member| self.score(member))
    }
}
