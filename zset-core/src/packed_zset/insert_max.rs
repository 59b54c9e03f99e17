//! Inserting, unless the existing score is better.

use super::PackedZSet;
use crate::listpack::Storage;
use crate::{Insertion, Score, TryReserveError};

impl<B: Storage> PackedZSet<B> {
    /// Inserts a member with a score. An existing member keeps the higher of the two scores.
    /// **O(n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// let [low, high] = [1, 2].map(Score::from);
    /// assert_eq!(set.try_insert_max("a", high)?, Insertion::Inserted);
    /// assert_eq!(set.try_insert_max("a", low)?, Insertion::Unchanged(high));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_max(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
    ) -> Result<Insertion<Score>, TryReserveError> {
        self.try_write(member.as_ref(), |old| Insertion::decide(old, score, |old| score > old))
    }

    /// Inserts a member with a score. An existing member keeps the lower of the two scores.
    /// **O(n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// let [low, high] = [1, 2].map(Score::from);
    /// set.try_insert("a", high)?;
    /// assert_eq!(set.try_insert_min("a", low)?, Insertion::Updated(high));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_min(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
    ) -> Result<Insertion<Score>, TryReserveError> {
        self.try_write(member.as_ref(), |old| Insertion::decide(old, score, |old| score < old))
    }
}
