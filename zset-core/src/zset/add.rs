//! Inserting members and changing scores.

use alloc::vec::Vec;

use super::promote::promoted;
use super::{Elements, Sorted, ZSet};
use crate::increment::sum_or_panic;
use crate::redis::{AddOptions, Added};
use crate::reserve::infallible;
use crate::{ByteString, IncrementError, NanScore, PackedZSet, Score, TryReserveError};

impl ZSet {
    /// Adds a member according to the options, like Redis's `ZADD`. **O(log n)**; O(1) if an
    /// existing member stays between its neighbours.
    ///
    /// # Errors
    ///
    /// [`NanScore`] if the options include INCR and the sum is NaN. The set is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; see [`try_add`](Self::try_add).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// let added = set.add("a", Score::from(1), AddOptions::new().nx())?;
    /// assert_eq!(added, Added::Inserted { score: Score::from(1) });
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    #[track_caller]
    pub fn add(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
        options: AddOptions,
    ) -> Result<Added, NanScore> {
        sum_or_panic(self.try_add(member, score, options))
    }

    /// Like [`add`](Self::add), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError`] if the incremented score would be NaN, or if allocation fails. The set and
    /// its encoding are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::AddOptions;
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert!(set.try_add("a", Score::from(1), AddOptions::new())?.is_inserted());
    /// # Ok::<(), zset_core::IncrementError<zset_core::NanScore>>(())
    /// ```
    pub fn try_add(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
        options: AddOptions,
    ) -> Result<Added, IncrementError<NanScore>> {
        Ok(self.add_bytes(member.as_ref(), score, options)?.1)
    }

    /// Inserts a member with a score, or replaces the score of an existing member; returns the old
    /// score. **O(log n)**; O(1) if an existing member stays between its neighbours.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; see [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.insert("a", Score::from(1)), None);
    /// assert_eq!(set.insert("a", Score::from(2)), Some(Score::from(1)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, member: impl AsRef<[u8]>, score: Score) -> Option<Score> {
        infallible(self.try_insert(member, score))
    }

    /// Like [`insert`](Self::insert), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails. The set and its encoding are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.try_insert("a", Score::from(1))?, None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
    ) -> Result<Option<Score>, TryReserveError> {
        let added = self.add_bytes(member.as_ref(), score, AddOptions::new());
        Ok(added.map_err(not_nan)?.0)
    }

    /// Adds `by` to the score of a member, or to 0 if it is new; returns the new score.
    /// **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// # Errors
    ///
    /// [`NanScore`] if the sum is NaN. The set is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; see [`try_add`](Self::try_add).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{NanScore, Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.increment("a", f64::INFINITY), Ok(Score::INFINITY));
    /// assert_eq!(set.increment("a", f64::NEG_INFINITY), Err(NanScore));
    /// assert_eq!(set.score("a"), Some(Score::INFINITY));
    /// ```
    #[track_caller]
    pub fn increment(&mut self, member: impl AsRef<[u8]>, by: f64) -> Result<Score, NanScore> {
        sum_or_panic(self.try_increment(member, by))
    }

    /// Like [`increment`](Self::increment), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError::Score`] if the sum is NaN, and [`IncrementError::Full`] if allocation
    /// fails. The set and its encoding are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{IncrementError, NanScore, Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.try_increment("a", 1.5), Ok(Score::new(1.5)?));
    /// assert_eq!(set.try_increment("a", f64::NAN), Err(IncrementError::Score(NanScore)));
    /// # Ok::<(), NanScore>(())
    /// ```
    pub fn try_increment(
        &mut self,
        member: impl AsRef<[u8]>,
        by: f64,
    ) -> Result<Score, IncrementError<NanScore>> {
        let by = Score::new(by).map_err(IncrementError::Score)?;
        let added = self.try_add(member, by, AddOptions::new().incr())?;
        Ok(added.score().unwrap_or(by))
    }

    /// Replaces the score of a member with the result of `new_score`, which receives the old score;
    /// returns the old score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// If `new_score` panics, the score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.insert("a", Score::from(1));
    /// assert_eq!(set.update("a", |_| Score::INFINITY), Some(Score::from(1)));
    /// assert_eq!(set.update("b", |_| Score::INFINITY), None);
    /// ```
    #[track_caller]
    pub fn update(
        &mut self,
        member: impl AsRef<[u8]>,
        new_score: impl FnOnce(Score) -> Score,
    ) -> Option<Score> {
        infallible(self.try_update(member, new_score))
    }

    /// Like [`update`](Self::update), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails. The score and the encoding are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(1))]);
    /// assert_eq!(set.try_update("a", |_| Score::ZERO)?, Some(Score::from(1)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_update(
        &mut self,
        member: impl AsRef<[u8]>,
        new_score: impl FnOnce(Score) -> Score,
    ) -> Result<Option<Score>, TryReserveError> {
        if let Elements::Skiplist(set) = &mut self.elements {
            return set[0].try_update(member.as_ref(), new_score);
        }
        match self.score(&member) {
            Some(old) => self.try_insert(&member, new_score(old)),
            None => Ok(None),
        }
    }

    /// Adds a member according to the options; returns its old score too.
    ///
    /// All insertions of one member come here. It is not generic, so that it is compiled once, in this crate.
    pub(super) fn add_bytes(
        &mut self,
        member: &[u8],
        score: Score,
        options: AddOptions,
    ) -> Result<(Option<Score>, Added), IncrementError<NanScore>> {
        let decide = |old| {
            let (added, new) = options.decide(old, score).map_err(IncrementError::Score)?;
            Ok(((old, added), new))
        };
        let packed = match &mut self.elements {
            Elements::Skiplist(set) => return add_to_sorted(&mut set[0], member, decide),
            Elements::Listpack(packed) => packed,
        };
        let has_room = packed.len() < self.limits.max_listpack_entries
            && member.len() <= self.limits.max_listpack_value;
        match add_to_packed(packed, member, has_room, decide)? {
            Err(TryReserveError::BufferFull) => {}
            added => return Ok(added?),
        }
        // Complete every fallible step before the first change, so that an error leaves the listpack
        // unchanged.
        let mut set = promoted(packed, 1)?;
        let added = add_to_sorted(&mut set[0], member, decide)?;
        self.elements = Elements::Skiplist(set);
        Ok(added)
    }
}

/// Adds a member to a set in the listpack encoding.
///
/// Not inlined, so that insertions into a skip list do not take its stack space.
#[inline(never)]
fn add_to_packed<R>(
    packed: &mut PackedZSet<Vec<u8>>,
    member: &[u8],
    has_room: bool,
    decide: impl FnOnce(Option<Score>) -> Result<(R, Option<Score>), IncrementError<NanScore>>,
) -> Result<Result<R, TryReserveError>, IncrementError<NanScore>> {
    packed.try_decide(member, has_room, decide)
}

/// Adds a member to a set in the skip-list encoding.
fn add_to_sorted<R>(
    set: &mut Sorted,
    member: &[u8],
    decide: impl FnOnce(Option<Score>) -> Result<(R, Option<Score>), IncrementError<NanScore>>,
) -> Result<R, IncrementError<NanScore>> {
    set.try_decide(member, |old| {
        let (decided, new) = decide(old)?;
        Ok((decided, new, || ByteString::try_from_slice(member)))
    })
}

/// Returns the error of an insertion without INCR.
pub(super) fn not_nan(error: IncrementError<NanScore>) -> TryReserveError {
    match error {
        IncrementError::Full(error) => error,
        IncrementError::Score(_) => unreachable!("nothing is added to a score"),
    }
}
