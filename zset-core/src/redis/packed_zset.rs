//! [`PackedZSet`]: a small sorted set in a listpack.
//!
//! Invariants:
//! - The listpack's entries are pairs: a member, then its score, which is a number.
//! - The pairs ascend by `(score, member)`.
//! - Members are unique.
//! - A member that is the text of an integer is stored as the integer, so equal members are equal
//!   values.

use core::convert::Infallible;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::RangeBounds;

use crate::bounds::ranks;
use crate::redis::listpack::{Encoded, HEADER, Storage, Value, entry_at, find, next, previous};
use crate::redis::{AddOptions, Added};
use crate::score::text::ScoreText;
use crate::{IncrementError, Listpack, Member, NanScore, Score, TryReserveError};

mod run;
mod validate;

use run::{bounds, partition_point, run_by_element, run_by_lex, run_by_member, run_by_score};
use validate::{encode, score_of, validate};

pub use run::Iter;
pub(crate) use run::Run;
pub use validate::PackedZSetError;
#[cfg(feature = "alloc")]
pub(crate) use validate::try_score_of;

/// A small sorted set in one contiguous buffer: a [`Listpack`] of members and their scores in
/// order, as Redis stores small sorted sets.
///
/// The storage `B` is a `Vec<u8>` (feature `alloc`), `[u8; N]` or `&mut [u8]`. The latter two need
/// no allocator. Lookups walk from pair to pair, so they are **O(n)** unless noted otherwise; the
/// set is meant for a few hundred members. A `ZSet` switches to a skip list as it grows.
///
/// Methods that can run out of space have `try_` names; there is no `insert`. The bytes of the
/// listpack, from [`as_listpack`](Self::as_listpack), are the serialized form;
/// [`from_listpack`](Self::from_listpack) validates and loads it.
///
/// # Examples
///
/// ```
/// use zset_core::{PackedZSet, Score, TryReserveError};
///
/// let mut set = PackedZSet::with_storage([0; 24])?;
/// set.try_insert("ann", Score::from(120))?;
/// set.try_insert("bob", Score::from(85))?;
/// assert_eq!(set.rank("ann"), Some(1));
/// // The buffer is full, and the set is unchanged.
/// assert_eq!(set.try_insert("cid", Score::from(99)), Err(TryReserveError::BufferFull));
/// assert_eq!(set.len(), 2);
/// # Ok::<(), TryReserveError>(())
/// ```
#[derive(Clone)]
pub struct PackedZSet<B> {
    list: Listpack<B>,
}

#[cfg(feature = "alloc")]
impl PackedZSet<alloc::vec::Vec<u8>> {
    /// Frees unused memory, or keeps it if a smaller buffer cannot be allocated. **O(n)**.
    pub fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// Returns the number of bytes allocated.
    pub(crate) fn allocation_size(&self) -> usize {
        self.list.allocation_size()
    }

    /// Moves the elements of a run to a new set. On error the set is unchanged.
    pub(crate) fn try_cut(&mut self, run: Run) -> Result<Self, TryReserveError> {
        let mut cut = PackedZSet::new();
        if run.len > 0 {
            cut.list.try_reserve(0, run.end - run.start)?;
        }
        for (member, score) in self.iter_of(run) {
            cut.push_last(&member, score)?;
        }
        self.remove_run(run);
        Ok(cut)
    }

    /// Creates an empty set without allocating. **O(1)**.
    pub const fn new() -> Self {
        PackedZSet { list: Listpack::new() }
    }
}

impl<const N: usize> PackedZSet<[u8; N]> {
    /// Creates an empty set in an array of at least 7 bytes, whose contents are ignored; the size
    /// is checked at compile time. **O(N)**.
    ///
    /// An array of zeros stays zero until something is inserted, so it needs no flash in a
    /// `static`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use zset_core::{PackedZSet, Score};
    ///
    /// static BOARD: Mutex<PackedZSet<[u8; 256]>> = Mutex::new(PackedZSet::with_array([0; 256]));
    /// BOARD.lock().unwrap().try_insert("ann", Score::from(1)).unwrap();
    /// ```
    pub const fn with_array(array: [u8; N]) -> Self {
        PackedZSet { list: Listpack::with_array(array) }
    }
}

impl<B: Storage> PackedZSet<B> {
    /// Creates an empty set in `storage`, whose previous contents are ignored. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if the storage cannot hold the 7 bytes of an empty set.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::PackedZSet::with_storage([0; 256])?;
    /// assert!(set.is_empty());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn with_storage(storage: B) -> Result<Self, TryReserveError> {
        Ok(PackedZSet { list: Listpack::with_storage(storage)? })
    }

    /// Converts a listpack into a set, after validating it. **O(n^2)**.
    ///
    /// # Errors
    ///
    /// [`PackedZSetError`] for the first invalid element.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::packed_zset::PackedZSetError;
    /// use zset_core::{Listpack, PackedZSet, Score};
    ///
    /// let mut list = Listpack::with_storage([0; 64])?;
    /// for entry in ["b", "1", "a", "1"] {
    ///     list.try_push_back(entry)?;
    /// }
    /// let error = PackedZSet::from_listpack(list).unwrap_err();
    /// assert_eq!(error, PackedZSetError::NotAscending { rank: 1 });
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn from_listpack(list: Listpack<B>) -> Result<Self, PackedZSetError> {
        validate(&list)?;
        Ok(PackedZSet { list })
    }

    /// Returns a reference to the listpack. **O(1)**.
    pub fn as_listpack(&self) -> &Listpack<B> {
        &self.list
    }

    /// Returns the listpack by value. **O(1)**.
    pub fn into_listpack(self) -> Listpack<B> {
        self.list
    }

    /// Returns the number of members. **O(1)**; O(n) from 32768 members on.
    pub fn len(&self) -> usize {
        self.list.len() / 2
    }

    /// Returns whether the set is empty. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the score of a member. **O(n)**.
    pub fn score(&self, member: impl AsRef<[u8]>) -> Option<Score> {
        self.find(member.as_ref()).map(|(_, score)| score)
    }

    /// Returns the score of each of these members, or `None` for those that are not in the set.
    /// Lazy; **O(n)** per member.
    pub fn scores<I>(&self, members: I) -> impl FusedIterator<Item = Option<Score>>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        members.into_iter().fuse().map(|member| self.score(member))
    }

    /// Returns the stored member and its score. **O(n)**.
    ///
    /// The member has the bytes of `member`, but is borrowed from the set.
    pub fn get(&self, member: impl AsRef<[u8]>) -> Option<(Member<'_>, Score)> {
        let (place, _) = self.find(member.as_ref())?;
        self.element_at(place.member)
    }

    /// Returns whether a member is in the set. **O(n)**.
    pub fn contains(&self, member: impl AsRef<[u8]>) -> bool {
        self.find(member.as_ref()).is_some()
    }

    /// Returns the 0-based rank of a member, lowest score first. **O(n)**.
    pub fn rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        let (_, rank) = find(self.list.as_bytes(), Value::from(member.as_ref()), 1)?;
        Some(rank)
    }

    /// Returns the 0-based rank of a member, highest score first. **O(n)**.
    pub fn rev_rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }

    /// Returns the element with the lowest score. **O(1)**.
    pub fn first(&self) -> Option<(Member<'_>, Score)> {
        self.element_at(HEADER)
    }

    /// Returns the element with the highest score. **O(1)**.
    pub fn last(&self) -> Option<(Member<'_>, Score)> {
        self.element_at(self.last_pair()?)
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(n)**, from the nearer end.
    pub fn get_by_rank(&self, rank: usize) -> Option<(Member<'_>, Score)> {
        self.element_at(self.list.seek(rank.checked_mul(2)?))
    }

    /// Returns the element at an offset, or `None` at the end.
    fn element_at(&self, at: usize) -> Option<(Member<'_>, Score)> {
        let (member, score, _) = pair_at(self.list.as_bytes(), at)?;
        Some((Member::new(member), score_of(score)))
    }

    /// Returns the offset of the last pair.
    fn last_pair(&self) -> Option<usize> {
        let bytes = self.list.as_bytes();
        previous(bytes, previous(bytes, self.list.end())?)
    }

    /// Returns the offsets and the score of a member.
    fn find(&self, member: &[u8]) -> Option<(PairOffsets, Score)> {
        let bytes = self.list.as_bytes();
        let (at, _) = find(bytes, Value::from(member), 1)?;
        let (_, score, place) = pair_at(bytes, at)?;
        Some((place, score_of(score)))
    }

    /// Returns the elements in order, lowest score first. Lazy, double-ended, **O(1)** per step.
    pub fn iter(&self) -> Iter<'_> {
        self.iter_of(self.all())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(n)** to start. See
    /// [`SortedSet::range_by_rank`](crate::SortedSet::range_by_rank).
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_> {
        self.iter_of(self.run_by_rank(&range))
    }

    /// Returns the elements whose scores lie in the range. Lazy; **O(n)** to start. See
    /// [`SortedSet::range_by_score`](crate::SortedSet::range_by_score).
    pub fn range_by_score(&self, range: impl RangeBounds<Score>) -> Iter<'_> {
        self.iter_of(self.run_by_score(&range))
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(n)** to start.
    /// See [`SortedSet::range`](crate::SortedSet::range).
    pub fn range<'q>(&self, range: impl RangeBounds<(Score, &'q [u8])>) -> Iter<'_> {
        self.iter_of(self.run(&range))
    }

    /// Returns the elements whose members lie in the range, assuming that all scores are equal.
    /// Lazy; **O(n)** to start.
    ///
    /// If scores differ, it is unspecified which elements are returned, as in Redis.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::LexRange;
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// for word in ["ant", "bee", "cat"] {
    ///     set.try_insert(word, Score::ZERO)?;
    /// }
    /// assert!(set.range_by_lex(LexRange::parse(b"[b", b"(c")?).all(|(word, _)| word == "bee"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn range_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        self.iter_of(self.run_by_lex(&range))
    }

    /// Returns the elements with exactly this score whose members lie in the range. Lazy; **O(n)**
    /// to start.
    pub fn range_by_member<'q>(&self, score: Score, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        self.iter_of(self.run_by_member(score, &range))
    }

    /// Returns how many elements have scores in the range. **O(n)**.
    pub fn count_by_score(&self, range: impl RangeBounds<Score>) -> usize {
        self.run_by_score(&range).len
    }

    /// Returns how many members lie in the range, assuming that all scores are equal. **O(n)**.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    pub fn count_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> usize {
        self.run_by_lex(&range).len
    }

    /// Returns the run of all pairs.
    pub(crate) fn all(&self) -> Run {
        Run { start: HEADER, end: self.list.end(), len: self.len() }
    }

    pub(super) fn iter_of(&self, run: Run) -> Iter<'_> {
        Iter::new(self.list.as_bytes(), run)
    }

    pub(crate) fn run_by_rank(&self, range: &impl RangeBounds<usize>) -> Run {
        let ranks = ranks(range, self.len());
        let (start, end) = (self.list.seek(2 * ranks.start), self.list.seek(2 * ranks.end));
        Run { start, end, len: ranks.len() }
    }

    pub(crate) fn run_by_score(&self, range: &impl RangeBounds<Score>) -> Run {
        run_by_score(self.list.as_bytes(), bounds(range))
    }

    pub(crate) fn run<'q>(&self, range: &impl RangeBounds<(Score, &'q [u8])>) -> Run {
        run_by_element(self.list.as_bytes(), bounds(range))
    }

    pub(crate) fn run_by_member<'q>(
        &self,
        score: Score,
        range: &impl RangeBounds<&'q [u8]>,
    ) -> Run {
        run_by_member(self.list.as_bytes(), score, bounds(range))
    }

    pub(crate) fn run_by_lex<'q>(&self, range: &impl RangeBounds<&'q [u8]>) -> Run {
        run_by_lex(self.list.as_bytes(), bounds(range))
    }

    /// Inserts a member with a score, or replaces the score of an existing member; returns the old
    /// score. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// assert_eq!(set.try_insert("a", Score::from(1))?, None);
    /// assert_eq!(set.try_insert("a", Score::from(2))?, Some(Score::from(1)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
    ) -> Result<Option<Score>, TryReserveError> {
        self.try_write(member.as_ref(), |old| (old, Some(score)))
    }

    /// Adds a member according to the options. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError`] if the incremented score would be NaN, or if there is not enough space.
    /// The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(5))?;
    /// let added = set.try_add("a", Score::from(2), AddOptions::new().lt())?;
    /// assert_eq!(added, Added::Updated { old: Score::from(5), score: Score::from(2) });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_add(
        &mut self,
        member: impl AsRef<[u8]>,
        score: Score,
        options: AddOptions,
    ) -> Result<Added, IncrementError<NanScore>> {
        let old = self.try_decide(member.as_ref(), true, |old| {
            options.new_score(old, score).map(|new| (old, new))
        });
        let old = old.map_err(IncrementError::Score)??;
        options.outcome(old, score).map_err(IncrementError::Score)
    }

    /// Adds `by` to the score of a member, or to 0 if it is new; returns the new score. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError`] if the new score would be NaN, or if there is not enough space. The set
    /// is unchanged.
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
    /// returns the old score. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space for the new score. The set is unchanged.
    pub fn try_update(
        &mut self,
        member: impl AsRef<[u8]>,
        new_score: impl FnOnce(Score) -> Score,
    ) -> Result<Option<Score>, TryReserveError> {
        self.try_write(member.as_ref(), |old| (old, old.map(new_score)))
    }

    /// Like [`try_decide`](Self::try_decide), with a decision that cannot fail.
    pub(super) fn try_write<R>(
        &mut self,
        member: &[u8],
        decide: impl FnOnce(Option<Score>) -> (R, Option<Score>),
    ) -> Result<R, TryReserveError> {
        let Ok(written) = self.try_decide(member, true, |old| Ok::<_, Infallible>(decide(old)));
        written
    }

    /// Calls `decide` with the old score of a member, or `None` if it is new. Sets the score that
    /// `decide` returns, if any, and returns its other result.
    ///
    /// The inner error means that there is not enough space, or that a member is new and `has_room`
    /// is false. The set is then unchanged.
    pub(crate) fn try_decide<R, E>(
        &mut self,
        member: &[u8],
        has_room: bool,
        decide: impl FnOnce(Option<Score>) -> Result<(R, Option<Score>), E>,
    ) -> Result<Result<R, TryReserveError>, E> {
        let found = self.find(member);
        let (decided, new) = decide(found.map(|(_, score)| score))?;
        let written = match (found, new) {
            (Some((place, old)), Some(score)) if score != old => {
                // A greater score moves the pair towards the end, so the search starts after the
                // pair.
                let start = if score > old { place.behind } else { HEADER };
                let target = self.offset_for(start, score, member);
                self.set_score(place, target, score)
            }
            (None, Some(score)) if has_room => self.insert_new(member, score),
            (None, Some(_)) => Err(TryReserveError::BufferFull),
            (Some(_), _) | (None, None) => Ok(()),
        };
        Ok(written.map(|()| decided))
    }

    /// Inserts a member that is not in the set.
    fn insert_new(&mut self, member: &[u8], score: Score) -> Result<(), TryReserveError> {
        let at = self.offset_for(HEADER, score, member);
        self.insert_at(at, member, score)
    }

    /// Appends a new member, which must come after all others.
    #[cfg(feature = "alloc")]
    pub(crate) fn push_last(&mut self, member: &[u8], score: Score) -> Result<(), TryReserveError> {
        self.insert_at(self.list.end(), member, score)
    }

    fn insert_at(&mut self, at: usize, member: &[u8], score: Score) -> Result<(), TryReserveError> {
        let mut text = ScoreText::new();
        let entries = [&Encoded::new(Value::from(member)), &encode(score, &mut text)];
        self.list.splice(at..at, 0, &entries)
    }

    /// Returns the offset of the first element from `start` on that is greater than
    /// `(score, member)`.
    #[inline(never)]
    fn offset_for(&self, start: usize, score: Score, member: &[u8]) -> usize {
        let bytes = self.list.as_bytes();
        let precedes = |at| {
            let (other, other_score, place) = pair_at(bytes, at)?;
            let other_score = score_of(other_score);
            // If `<` is false and `<=` is true, the scores are equal.
            let precedes =
                other_score < score || other_score <= score && *Member::new(other) <= *member;
            precedes.then_some(place.behind)
        };
        partition_point(bytes, start, precedes).0
    }

    /// Replaces the score of the member at `place`, and moves the pair to the offset `target`.
    fn set_score(
        &mut self,
        place: PairOffsets,
        target: usize,
        score: Score,
    ) -> Result<(), TryReserveError> {
        let mut text = ScoreText::new();
        let entry = encode(score, &mut text);
        // Write the new score first, since that may fail. Then move the pair into place.
        self.list.splice(place.score..place.behind, 1, &[&entry])?;
        let behind = place.score + entry.len();
        if target < place.member {
            self.list.rotate(target..behind, place.member);
        } else if target > place.behind {
            self.list.rotate(place.member..target - place.behind + behind, behind);
        }
        Ok(())
    }

    /// Removes a member; returns its score. **O(n)**.
    pub fn remove(&mut self, member: impl AsRef<[u8]>) -> Option<Score> {
        let (place, score) = self.find(member.as_ref())?;
        self.list.delete(place.member..place.behind, 2);
        Some(score)
    }

    /// Removes the element with the lowest score; returns the result of `take`. **O(n)** bytes.
    ///
    /// The member itself cannot be returned: without an allocator, there is nowhere to store it. If
    /// `take` panics, the element stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// let popped = set.pop_first_with(|member, score| (member == b"a", score));
    /// assert_eq!(popped, Some((true, Score::from(1))));
    /// assert_eq!(set.pop_first_with(|_, _| ()), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn pop_first_with<R>(&mut self, take: impl FnOnce(&[u8], Score) -> R) -> Option<R> {
        self.pop_with(HEADER, take)
    }

    /// Removes the element with the highest score; returns the result of `take`. **O(1)**.
    ///
    /// If `take` panics, the element stays.
    pub fn pop_last_with<R>(&mut self, take: impl FnOnce(&[u8], Score) -> R) -> Option<R> {
        self.pop_with(self.last_pair()?, take)
    }

    /// Removes the element at this 0-based rank; returns the result of `take`. **O(n)**.
    ///
    /// If `take` panics, the element stays.
    #[cfg(feature = "alloc")]
    pub(crate) fn remove_by_rank_with<R>(
        &mut self,
        rank: usize,
        take: impl FnOnce(&[u8], Score) -> R,
    ) -> Option<R> {
        self.pop_with(self.list.seek(rank.checked_mul(2)?), take)
    }

    fn pop_with<R>(&mut self, at: usize, take: impl FnOnce(&[u8], Score) -> R) -> Option<R> {
        let (member, score, place) = pair_at(self.list.as_bytes(), at)?;
        let taken = take(&Member::new(member), score_of(score));
        self.list.delete(place.member..place.behind, 2);
        Some(taken)
    }

    /// Removes the elements at these 0-based ranks; returns the number removed. **O(n)**. See
    /// [`SortedSet::remove_range_by_rank`](crate::SortedSet::remove_range_by_rank).
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.remove_run(self.run_by_rank(&range))
    }

    /// Removes the elements whose scores lie in the range; returns the number removed. **O(n)**.
    /// See [`SortedSet::remove_range_by_score`](crate::SortedSet::remove_range_by_score).
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<Score>) -> usize {
        self.remove_run(self.run_by_score(&range))
    }

    /// Removes the elements between two bounds, each a score and a member; returns the number
    /// removed. **O(n)**. See [`SortedSet::remove_range`](crate::SortedSet::remove_range).
    pub fn remove_range<'q>(&mut self, range: impl RangeBounds<(Score, &'q [u8])>) -> usize {
        self.remove_run(self.run(&range))
    }

    /// Removes the elements with exactly this score whose members lie in the range; returns the
    /// number removed. **O(n)**.
    pub fn remove_range_by_member<'q>(
        &mut self,
        score: Score,
        range: impl RangeBounds<&'q [u8]>,
    ) -> usize {
        self.remove_run(self.run_by_member(score, &range))
    }

    /// Removes the elements whose members lie in the range, assuming that all scores are equal;
    /// returns the number removed. **O(n)**.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    pub fn remove_range_by_lex<'q>(&mut self, range: impl RangeBounds<&'q [u8]>) -> usize {
        self.remove_run(self.run_by_lex(&range))
    }

    pub(crate) fn remove_run(&mut self, run: Run) -> usize {
        self.list.delete(run.start..run.end, 2 * run.len);
        run.len
    }

    /// Removes the elements for which `keep` returns false, lowest score first. **O(n)** for each
    /// element removed. See [`SortedSet::retain`](crate::SortedSet::retain).
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8], Score) -> bool) {
        let mut at = HEADER;
        while let Some((member, score, place)) = pair_at(self.list.as_bytes(), at) {
            if keep(&Member::new(member), score_of(score)) {
                at = place.behind;
            } else {
                self.list.delete(place.member..place.behind, 2);
            }
        }
    }

    /// Removes all members. **O(1)**.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Panics with a description if an invariant does not hold. For tests; **O(n^2)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.list.check();
        if let Err(error) = validate(&self.list) {
            panic!("{error}: {:?}", self.list);
        }
    }
}

#[cfg(feature = "alloc")]
impl Default for PackedZSet<alloc::vec::Vec<u8>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Storage, B2: Storage> PartialEq<PackedZSet<B2>> for PackedZSet<B> {
    fn eq(&self, other: &PackedZSet<B2>) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<B: Storage> Eq for PackedZSet<B> {}

impl<B: Storage> fmt::Debug for PackedZSet<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// The offsets of a pair in the listpack.
#[derive(Clone, Copy)]
struct PairOffsets {
    member: usize,
    score: usize,
    /// The offset after the pair.
    behind: usize,
}

/// Returns the pair at an offset, or `None` at the end.
#[inline]
fn pair_at(bytes: &[u8], at: usize) -> Option<(Value<'_>, Value<'_>, PairOffsets)> {
    let (member, score_at) = entry_at(bytes, at)?;
    let (score, behind) = entry_at(bytes, score_at)?;
    Some((member, score, PairOffsets { member: at, score: score_at, behind }))
}

/// Returns the score of the pair at an offset, without decoding the member, and the offset after
/// the pair; `None` at the end.
#[inline]
fn score_at(bytes: &[u8], at: usize) -> Option<(Score, usize)> {
    let (score, behind) = entry_at(bytes, next(bytes, at)?)?;
    Some((score_of(score), behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::listpack::Buffer;
    use std::vec::Vec;

    /// Storage that shrinks on `truncate`, and then cannot grow.
    #[derive(Clone)]
    struct Shrinking {
        bytes: Vec<u8>,
        has_shrunk: bool,
    }

    impl Storage for Shrinking {}

    impl Buffer for Shrinking {
        fn as_slice(&self) -> &[u8] {
            &self.bytes
        }

        fn as_mut_slice(&mut self) -> &mut [u8] {
            &mut self.bytes
        }

        fn try_grow(&mut self, len: usize) -> Result<(), TryReserveError> {
            if self.has_shrunk && len > self.bytes.len() {
                return Err(TryReserveError::AllocError);
            }
            self.bytes.resize(len.max(self.bytes.len()), 0);
            Ok(())
        }

        fn truncate(&mut self, len: usize) {
            self.has_shrunk |= len < self.bytes.len();
            self.bytes.truncate(len);
        }
    }

    #[test]
    fn a_moved_member_reuses_its_own_space() {
        let storage = Shrinking { bytes: Vec::new(), has_shrunk: false };
        let mut set = PackedZSet::with_storage(storage).unwrap();
        for (member, score) in [("a", 0), ("b", 1), ("c", 2), ("d", 3)] {
            set.try_insert(member, Score::from(score)).unwrap();
        }
        for (member, score, order) in
            [("a", 9, *b"bcda"), ("a", 1, *b"abcd"), ("d", 0, *b"dabc"), ("d", 7, *b"abcd")]
        {
            set.try_insert(member, Score::from(score)).unwrap();
            set.check();
            assert!(set.iter().map(|(member, _)| member[0]).eq(order), "{member} {score}");
        }
        // A shorter score shrinks this storage, which then has no space for a longer one.
        set.try_insert("c", Score::from(1000)).unwrap();
        set.try_insert("c", Score::from(2)).unwrap();
        let before = set.clone();
        assert_eq!(set.try_insert("c", Score::from(1000)), Err(TryReserveError::AllocError));
        assert_eq!(set, before);
        set.check();
    }
}
