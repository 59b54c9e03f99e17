//! Inserting, unless the existing score is better.

use super::ZSet;
use super::add::not_nan;
use crate::redis::{AddOptions, Added};
use crate::reserve::infallible;
use crate::{Insertion, Score, TryReserveError};

impl ZSet {
    /// Inserts a member with a score. An existing member keeps the higher of the two scores, as
    /// with Redis's `ZADD` with `GT`. **O(log n)**; O(1) if the score stays.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; see [`try_insert_max`](Self::try_insert_max).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(1))]);
    /// assert_eq!(set.insert_max("a", Score::ZERO), Insertion::Unchanged(Score::from(1)));
    /// assert_eq!(set.insert_max("a", Score::from(2)), Insertion::Updated(Score::from(1)));
    /// ```
    #[track_caller]
    pub fn insert_max(&mut self, member: impl AsRef<[u8]>, score: Score) -> Insertion<Score> {
        infallible(self.try_insert_max(member, score))
    }

    /// Inserts a member with a score. An existing member keeps the lower of the two scores, as with
    /// Redis's `ZADD` with `LT`. **O(log n)**; O(1) if the score stays.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; see [`try_insert_min`](Self::try_insert_min).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.insert_min("a", Score::from(1)), Insertion::Inserted);
    /// assert_eq!(set.insert_min("a", Score::from(2)), Insertion::Unchanged(Score::from(1)));
    /// ```
    #[track_caller]
    pub fn insert_min(&mut self, member: impl AsRef<[u8]>, score: Score) -> Insertion<Score> {
        infallible(self.try_insert_min(member, score))
    }

    /// Like [`insert_max`](Self::insert_max), but returns an error if allocation fails.
    /// **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails. The set and its encoding are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.try_insert_max("a", Score::ZERO)?, Insertion::Inserted);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_max(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
    ) -> Result<Insertion<Score>, TryReserveError> {
        self.insert_if(member.as_ref(), score, AddOptions::new().gt())
    }

    /// Like [`insert_min`](Self::insert_min), but returns an error if allocation fails.
    /// **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails. The set and its encoding are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.try_insert_min("a", Score::ZERO)?, Insertion::Inserted);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_min(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
    ) -> Result<Insertion<Score>, TryReserveError> {
        self.insert_if(member.as_ref(), score, AddOptions::new().lt())
    }

    /// Inserts a member, with options that block a score that is not better.
    fn insert_if(
        &mut self,
        member: &[u8],
        score: Score,
        options: AddOptions,
    ) -> Result<Insertion<Score>, TryReserveError> {
        let old = self.add_bytes(member, score, options).map_err(not_nan)?;
        let is_changed = options.outcome(old, score).is_ok_and(Added::is_changed);
        Ok(match old {
            None => Insertion::Inserted,
            Some(old) if is_changed => Insertion::Updated(old),
            Some(old) => Insertion::Unchanged(old),
        })
    }
}
