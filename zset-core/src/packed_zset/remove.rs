//! Removing: by member, from the ends, by range, by predicate.

use core::ops::RangeBounds;

use super::range::Run;
use super::{PackedZSet, pair_at, score_of};
#[cfg(feature = "alloc")]
use crate::TryReserveError;
use crate::listpack::{HEADER, Storage};
use crate::{Member, Score};

impl<B: Storage> PackedZSet<B> {
    /// Removes a member; returns its score. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// assert_eq!(set.remove("a"), Some(Score::from(1)));
    /// assert_eq!(set.remove("a"), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// assert_eq!(set.pop_last_with(|_, score| score), Some(Score::from(1)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn pop_last_with<R>(&mut self, take: impl FnOnce(&[u8], Score) -> R) -> Option<R> {
        self.pop_with(self.last_pair()?, take)
    }

    /// Removes the element at this 0-based rank; returns the result of `take`. **O(n)**.
    ///
    /// If `take` panics, the element stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// set.try_insert("b", Score::from(2))?;
    /// assert_eq!(set.remove_by_rank_with(1, |member, _| member[0]), Some(b'b'));
    /// assert_eq!(set.remove_by_rank_with(1, |member, _| member[0]), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn remove_by_rank_with<R>(
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

    /// Removes the elements at these 0-based ranks; returns the number removed. **O(n)**.
    ///
    /// Ranks beyond the end are ignored; an inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// set.try_insert("b", Score::from(2))?;
    /// assert_eq!(set.remove_range_by_rank(1..), 1);
    /// assert!(set.contains("a"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.remove_run(self.run_by_rank(&range))
    }

    /// Removes the elements whose scores lie in the range; returns the number removed. **O(n)**.
    ///
    /// An inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// set.try_insert("b", Score::from(2))?;
    /// assert_eq!(set.remove_range_by_score(..Score::from(2)), 1);
    /// assert!(set.contains("b"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<Score>) -> usize {
        self.remove_run(self.run_by_score(&range))
    }

    /// Removes the elements whose members lie in the range, assuming that all scores are equal;
    /// returns the number removed. **O(n)**.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::ZERO)?;
    /// set.try_insert("b", Score::ZERO)?;
    /// assert_eq!(set.remove_range_by_lex(..&b"b"[..]), 1);
    /// assert!(set.contains("b"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn remove_range_by_lex<'q>(&mut self, range: impl RangeBounds<&'q [u8]>) -> usize {
        self.remove_run(self.run_by_lex(&range))
    }

    /// Removes the elements for which `keep` returns false, lowest score first. **O(n)** for each
    /// element removed.
    ///
    /// If `keep` panics, the elements it has rejected are already removed; the others stay.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// set.try_insert("b", Score::from(2))?;
    /// set.retain(|_, score| score > Score::from(1));
    /// assert_eq!(set.len(), 1);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
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

    pub(crate) fn remove_run(&mut self, run: Run) -> usize {
        self.list.delete(run.start..run.end, 2 * run.len);
        run.len
    }
}

#[cfg(feature = "alloc")]
impl PackedZSet<alloc::vec::Vec<u8>> {
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
}
