//! Inserting members and changing scores.

use alloc::vec::Vec;

use super::promote::promoted;
use super::{Elements, ListpackLimits, Sorted, ZSet};
use crate::handle::Handle;
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
        let old = self.add_bytes(member.as_ref(), score, options)?;
        options.outcome(old, score).map_err(IncrementError::Score)
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
        self.add_bytes(member.as_ref(), score, AddOptions::new()).map_err(not_nan)
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

    /// Adds a member according to the options; returns its old score, from which
    /// [`AddOptions::outcome`] derives what was added.
    ///
    /// All insertions of one member come here. It is not generic, so that it is compiled once, in this crate.
    pub(super) fn add_bytes(
        &mut self,
        member: &[u8],
        score: Score,
        options: AddOptions,
    ) -> Result<Option<Score>, IncrementError<NanScore>> {
        // Complete every fallible step before the first change, so that an error leaves the listpack
        // unchanged.
        let mut promotion = None;
        let set = match &mut self.elements {
            Elements::Skiplist(set) => set,
            Elements::Listpack(packed) => {
                match add_to_packed(packed, self.limits, member, score, options) {
                    Err(IncrementError::Full(TryReserveError::BufferFull)) => {}
                    result => return result,
                }
                promotion.insert(promoted(packed, 1)?)
            }
        };
        let old = add_to_sorted(&mut set[0], member, score, options)?;
        if let Some(set) = promotion {
            self.elements = Elements::Skiplist(set);
        }
        Ok(old)
    }
}

/// Adds a member to a set in the listpack encoding.
///
/// Like the functions below, it is not inlined, so that none keeps the stack space of another.
#[inline(never)]
fn add_to_packed(
    packed: &mut PackedZSet<Vec<u8>>,
    limits: ListpackLimits,
    member: &[u8],
    score: Score,
    options: AddOptions,
) -> Result<Option<Score>, IncrementError<NanScore>> {
    let has_room =
        packed.len() < limits.max_listpack_entries && member.len() <= limits.max_listpack_value;
    let added = packed
        .try_decide(member, has_room, |old| options.new_score(old, score).map(|new| (old, new)));
    Ok(added.map_err(IncrementError::Score)??)
}

/// Adds a member to a set in the skip-list encoding.
#[inline]
fn add_to_sorted(
    set: &mut Sorted,
    member: &[u8],
    score: Score,
    options: AddOptions,
) -> Result<Option<Score>, IncrementError<NanScore>> {
    let hash = set.hash(member);
    let mut found = find(set, hash, member);
    let old = found.map(|(_, old)| old);
    let new = options.new_score(old, score).map_err(IncrementError::Score)?;
    match (&mut found, new) {
        (Some((handle, _)), Some(new)) => set.set_score(hash, handle, new)?,
        (None, Some(new)) => {
            make_room_in_dict(set, hash)?;
            insert_new(set, hash, member, new)?;
        }
        (_, None) => {}
    }
    Ok(old)
}

#[inline(never)]
fn find(set: &Sorted, hash: usize, member: &[u8]) -> Option<(Handle, Score)> {
    set.find(hash, member).map(|found| (found.handle, found.score))
}

/// Comes before `insert_new`, since growing the dict takes most of the stack.
#[inline(never)]
fn make_room_in_dict(set: &mut Sorted, hash: usize) -> Result<(), TryReserveError> {
    set.make_room_in_dict(hash)
}

#[inline(never)]
fn insert_new(
    set: &mut Sorted,
    hash: usize,
    member: &[u8],
    score: Score,
) -> Result<(), TryReserveError> {
    set.insert_new_inlined(hash, ByteString::try_from_slice(member)?, score).map(|_| ())
}

/// Returns the error of an insertion without INCR.
pub(super) fn not_nan(error: IncrementError<NanScore>) -> TryReserveError {
    match error {
        IncrementError::Full(error) => error,
        IncrementError::Score(_) => unreachable!("nothing is added to a score"),
    }
}
