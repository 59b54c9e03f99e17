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
        self.try_insert_if(member.as_ref(), score, |old| score > old, true)
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
        self.try_insert_if(member.as_ref(), score, |old| score < old, true)
    }

    /// Inserts a member. An existing member's score is replaced if the new score `is_better`. If
    /// `has_room` is false, inserting a new member returns [`TryReserveError::BufferFull`].
    pub(crate) fn try_insert_if(
        &mut self,
        member: &[u8],
        score: Score,
        is_better: impl FnOnce(Score) -> bool,
        has_room: bool,
    ) -> Result<Insertion<Score>, TryReserveError> {
        match self.find(member) {
            Some((_, old)) if !is_better(old) => Ok(Insertion::Unchanged(old)),
            Some((place, old)) => {
                self.set_score(place, member, score)?;
                Ok(Insertion::Updated(old))
            }
            None if !has_room => Err(TryReserveError::BufferFull),
            None => {
                self.insert_new(member, score)?;
                Ok(Insertion::Inserted)
            }
        }
    }
}
