//! Methods that insert members, change scores and remove members.

use alloc::vec::Vec;
use core::ops::RangeBounds;

use super::encoding::promoted;
use super::{Elements, ExtractIf, ListpackLimits, Sorted, ZSet, in_either, lent, lex_ranks};
use crate::increment::sum_or_panic;
use crate::redis::{AddOptions, Added};
use crate::reserve::or_panic;
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
    /// [`IncrementError`] if the incremented score would be NaN, or if allocation fails. The set
    /// and its encoding are unchanged.
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
        or_panic(self.try_insert(member, score))
    }

    /// Like [`insert`](Self::insert), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails. The set and its encoding are unchanged.
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
    /// returns the old score. **O(log n)**; O(1) if the member stays between its neighbours. See
    /// [`SortedSet::update`](crate::SortedSet::update).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails.
    #[track_caller]
    pub fn update(
        &mut self,
        member: impl AsRef<[u8]>,
        new_score: impl FnOnce(Score) -> Score,
    ) -> Option<Score> {
        or_panic(self.try_update(member, new_score))
    }

    /// Like [`update`](Self::update), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails. The score and the encoding are unchanged.
    pub fn try_update(
        &mut self,
        member: impl AsRef<[u8]>,
        new_score: impl FnOnce(Score) -> Score,
    ) -> Result<Option<Score>, TryReserveError> {
        if let Elements::Skiplist(set) = &mut self.elements {
            return set[0].try_update(member.as_ref(), |old| new_score(*old));
        }
        match self.score(&member) {
            Some(old) => self.try_insert(&member, new_score(old)),
            None => Ok(None),
        }
    }

    /// Adds a member according to the options; returns its old score, from which
    /// [`AddOptions::outcome`] derives the outcome.
    ///
    /// Every insertion of a single member calls this method. It is not generic, so it is compiled
    /// once, in this crate.
    pub(super) fn add_bytes(
        &mut self,
        member: &[u8],
        score: Score,
        options: AddOptions,
    ) -> Result<Option<Score>, IncrementError<NanScore>> {
        // Complete every fallible step before the first change, so that an error leaves the
        // listpack unchanged.
        let mut promotion = None;
        let set = match &mut self.elements {
            Elements::Skiplist(set) => set,
            Elements::Listpack(packed) => {
                match add_to_packed(packed, self.limits, member, score, options) {
                    Err(IncrementError::Full(TryReserveError::BufferFull)) => {}
                    result => return result,
                }
                promotion.insert(promoted(packed)?)
            }
        };
        let old = add_to_sorted(&mut set[0], member, score, options)?;
        if let Some(set) = promotion {
            self.elements = Elements::Skiplist(set);
        }
        Ok(old)
    }

    /// Removes a member; returns its score. **O(log n)**.
    pub fn remove(&mut self, member: impl AsRef<[u8]>) -> Option<Score> {
        in_either!(mut self, set => set.remove(member.as_ref()))
    }

    /// Removes and returns the element at this 0-based rank, lowest score first. **O(log n)**.
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(ByteString, Score)> {
        match &mut self.elements {
            Elements::Listpack(set) => {
                set.remove_by_rank_with(rank, |member, score| (member.into(), score))
            }
            Elements::Skiplist(set) => set[0].remove_by_rank(rank),
        }
    }

    /// Removes and returns the element with the lowest score. **O(log n)**. See
    /// [`SortedSet::pop_first`](crate::SortedSet::pop_first).
    pub fn pop_first(&mut self) -> Option<(ByteString, Score)> {
        match &mut self.elements {
            Elements::Listpack(set) => set.pop_first_with(|member, score| (member.into(), score)),
            Elements::Skiplist(set) => set[0].pop_first(),
        }
    }

    /// Removes and returns the element with the highest score. **O(log n)**. See
    /// [`SortedSet::pop_last`](crate::SortedSet::pop_last).
    pub fn pop_last(&mut self) -> Option<(ByteString, Score)> {
        match &mut self.elements {
            Elements::Listpack(set) => set.pop_last_with(|member, score| (member.into(), score)),
            Elements::Skiplist(set) => set[0].pop_last(),
        }
    }

    /// Removes and returns the element with the lowest score if `predicate` returns true for it.
    /// **O(log n)**. See [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_first_if(
        &mut self,
        predicate: impl FnOnce(&[u8], Score) -> bool,
    ) -> Option<(ByteString, Score)> {
        let (member, score) = self.first()?;
        if predicate(&member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// **O(log n)**. See [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_last_if(
        &mut self,
        predicate: impl FnOnce(&[u8], Score) -> bool,
    ) -> Option<(ByteString, Score)> {
        let (member, score) = self.last()?;
        if predicate(&member, score) { self.pop_last() } else { None }
    }

    /// Removes the elements at these 0-based ranks; returns the number removed.
    /// **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_rank`](crate::SortedSet::remove_range_by_rank).
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        in_either!(mut self, set => set.remove_range_by_rank(range))
    }

    /// Removes the elements whose scores lie in the range; returns the number removed.
    /// **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_score`](crate::SortedSet::remove_range_by_score).
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<Score>) -> usize {
        in_either!(mut self, set => set.remove_range_by_score(range))
    }

    /// Removes the elements between two bounds, each a score and a member; returns the number
    /// removed. **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range`](crate::SortedSet::remove_range).
    pub fn remove_range<'q>(&mut self, range: impl RangeBounds<(Score, &'q [u8])>) -> usize {
        match &mut self.elements {
            Elements::Listpack(set) => set.remove_range(range),
            Elements::Skiplist(set) => set[0].remove_range(lent(&range)),
        }
    }

    /// Removes the elements with exactly this score whose members lie in the range; returns the
    /// number removed. **O(log n + m log n)** for m removed elements.
    pub fn remove_range_by_member<'q>(
        &mut self,
        score: Score,
        range: impl RangeBounds<&'q [u8]>,
    ) -> usize {
        match &mut self.elements {
            Elements::Listpack(set) => set.remove_range_by_member(score, range),
            Elements::Skiplist(set) => set[0].remove_range_by_member(&score, range),
        }
    }

    /// Removes the elements whose members lie in the range, assuming that all scores are equal;
    /// returns the number removed. **O(log n + m log n)** for m removed elements.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    pub fn remove_range_by_lex<'q>(&mut self, range: impl RangeBounds<&'q [u8]>) -> usize {
        match &mut self.elements {
            Elements::Listpack(set) => set.remove_range_by_lex(range),
            Elements::Skiplist(set) => {
                let set = &mut set[0];
                set.remove_range_by_rank(lex_ranks(set, &range))
            }
        }
    }

    /// Removes the elements for which `keep` returns false, lowest score first. **O(n + m log n)**
    /// for m removed elements; O(n + m n) in a listpack. See
    /// [`SortedSet::retain`](crate::SortedSet::retain).
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8], Score) -> bool) {
        match &mut self.elements {
            Elements::Listpack(set) => set.retain(keep),
            Elements::Skiplist(set) => set[0].retain(|member, score| keep(member, *score)),
        }
    }

    /// Returns an iterator that removes and returns the elements for which `extracted` returns
    /// true, lowest score first. Lazy; **O(log n)** per step. See
    /// [`SortedSet::extract_if`](crate::SortedSet::extract_if). Like other removals, it may free
    /// memory.
    pub fn extract_if<F: FnMut(&[u8], Score) -> bool>(&mut self, extracted: F) -> ExtractIf<'_, F> {
        ExtractIf::new(self, extracted)
    }

    /// Moves all elements of `other` into this set, leaving `other` empty. **O(m log n)** for m
    /// moved elements; **O(n + m)** if at least n / 2 of them are new. See
    /// [`SortedSet::append`](crate::SortedSet::append).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails. Elements not yet moved are lost.
    #[track_caller]
    pub fn append(&mut self, other: &mut ZSet) {
        if other.len() > self.limits.max_listpack_entries {
            self.promote();
        }
        match (&mut self.elements, &mut other.elements) {
            (Elements::Skiplist(set), Elements::Skiplist(others)) => {
                set[0].append(&mut others[0]);
                other.clear();
            }
            _ => self.extend(other.drain()),
        }
    }
}

/// Adds a member to a set in the listpack encoding.
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
fn add_to_sorted(
    set: &mut Sorted,
    member: &[u8],
    score: Score,
    options: AddOptions,
) -> Result<Option<Score>, IncrementError<NanScore>> {
    let hash = set.core.hash(member);
    let found = set.core.find(hash, member).map(|found| (found.handle, *found.score));
    let old = found.map(|(_, old)| old);
    let new = options.new_score(old, score).map_err(IncrementError::Score)?;
    match (found, new) {
        (Some((mut handle, _)), Some(new)) => {
            set.core.set_score(hash, &mut handle, new)?;
        }
        (None, Some(new)) => {
            let pair = (ByteString::try_from_slice(member)?, ());
            set.core.insert_new(hash, (pair, new))?;
        }
        (_, None) => {}
    }
    Ok(old)
}

/// Converts the error of an insertion without INCR, which cannot result in NaN.
pub(super) fn not_nan(error: IncrementError<NanScore>) -> TryReserveError {
    match error {
        IncrementError::Full(error) => error,
        IncrementError::Score(_) => unreachable!("nothing is added to a score"),
    }
}
