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
        self.try_insert_if(member.as_ref(), score, |old| score > old)
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
        self.try_insert_if(member.as_ref(), score, |old| score < old)
    }

    fn try_insert_if(
        &mut self,
        member: &[u8],
        score: Score,
        is_better: impl FnOnce(Score) -> bool,
    ) -> Result<Insertion<Score>, TryReserveError> {
        self.try_decide(member, true, |old| {
            Ok::<_, TryReserveError>(Insertion::decide(old, score, is_better))
        })?
    }
}
