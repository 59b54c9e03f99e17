//! Inserting elements, and evicting one to make room.

use core::error::Error;
use core::fmt;
use core::hash::{BuildHasher, Hash};

use super::{FixedSortedSet, SlotNumber};

/// The error of an insertion into a full set; it holds the element.
///
/// The set is unchanged.
///
/// # Examples
///
/// ```
/// use zset_core::FixedSortedSet;
/// use zset_core::fixed_sorted_set::CapacityError;
///
/// let mut set = FixedSortedSet::<&str, u32, 1>::new();
/// set.try_insert("a", 1)?;
/// assert_eq!(set.try_insert("b", 2), Err(CapacityError { member: "b", score: 2 }));
/// # Ok::<(), CapacityError<&str, u32>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapacityError<M, S> {
    /// The member that was not inserted.
    pub member: M,
    /// Its score.
    pub score: S,
}

impl<M, S> fmt::Display for CapacityError<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the set is full")
    }
}

impl<M: fmt::Debug, S: fmt::Debug> Error for CapacityError<M, S> {}

impl<M: Ord + Hash, S: Ord + Copy, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Inserts a member with a score, or updates its score; returns the old score.
    ///
    /// **O(log n)** comparisons, and up to n slot numbers are shifted. As in `BTreeMap`, a stored member
    /// is kept, and the new one dropped.
    ///
    /// # Errors
    ///
    /// [`CapacityError`] with the element if the member is new and the set is full. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// assert_eq!(set.try_insert("a", 1), Ok(None));
    /// assert_eq!(set.try_insert("a", 5), Ok(Some(1)));
    /// assert_eq!(set.try_insert("b", 2), Ok(None));
    /// let full = set.try_insert("c", 3).unwrap_err();
    /// assert_eq!((full.member, full.score), ("c", 3));
    /// assert!(set.iter().eq([(&"b", 2), (&"a", 5)]));
    /// ```
    pub fn try_insert(&mut self, member: M, score: S) -> Result<Option<S>, CapacityError<M, S>> {
        if let Some(slot) = self.slot(&member) {
            return Ok(Some(self.set_score(slot, score)));
        }
        if self.is_full() {
            return Err(CapacityError { member, score });
        }
        self.push(member, score);
        Ok(None)
    }

    /// Inserts a member with a score, or updates its score. If the member is new and the set is full,
    /// evicts the element that then comes first: the set keeps the `N` highest.
    ///
    /// Returns the evicted element, which is the new one if it would come first.
    /// **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// # Examples
    ///
    /// ```
    /// // The two highest readings.
    /// let mut highest = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// assert_eq!(highest.insert_or_evict_first("a", 30), None);
    /// assert_eq!(highest.insert_or_evict_first("b", 10), None);
    /// assert_eq!(highest.insert_or_evict_first("c", 20), Some(("b", 10)));
    /// assert_eq!(highest.insert_or_evict_first("d", 15), Some(("d", 15)));
    /// assert!(highest.iter().eq([(&"c", 20), (&"a", 30)]));
    /// ```
    pub fn insert_or_evict_first(&mut self, member: M, score: S) -> Option<(M, S)> {
        self.insert_or_evict(member, score, 0, |new, old| new < old)
    }

    /// Inserts a member with a score, or updates its score. If the member is new and the set is full,
    /// evicts the element that then comes last: the set keeps the `N` lowest.
    ///
    /// Returns the evicted element, which is the new one if it would come last.
    /// **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// # Examples
    ///
    /// ```
    /// // The two nearest neighbours.
    /// let mut nearest = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// assert_eq!(nearest.insert_or_evict_last("a", 30), None);
    /// assert_eq!(nearest.insert_or_evict_last("b", 10), None);
    /// assert_eq!(nearest.insert_or_evict_last("c", 20), Some(("a", 30)));
    /// assert_eq!(nearest.insert_or_evict_last("d", 25), Some(("d", 25)));
    /// ```
    pub fn insert_or_evict_last(&mut self, member: M, score: S) -> Option<(M, S)> {
        let last = self.len().saturating_sub(1);
        self.insert_or_evict(member, score, last, |new, old| new > old)
    }

    /// Inserts an element, evicting the one at `rank`, or the new one if it is beyond that one.
    fn insert_or_evict(
        &mut self,
        member: M,
        score: S,
        rank: usize,
        is_beyond: impl FnOnce((&S, &M), (&S, &M)) -> bool,
    ) -> Option<(M, S)> {
        if let Some(slot) = self.slot(&member) {
            self.set_score(slot, score);
            return None;
        }
        if !self.is_full() {
            self.push(member, score);
            return None;
        }
        let Some(slot) = self.sorted().get(rank).map(|slot| slot.to_usize()) else {
            return Some((member, score)); // the capacity is 0
        };
        if is_beyond((&score, &member), (&self.scores[slot], &self.members[slot])) {
            return Some((member, score));
        }
        // Both elements are in memory at once nowhere: the new one takes the slot of the evicted one.
        let (old_bucket, bucket) = (self.bucket(&self.members[slot]), self.bucket(&member));
        let position = self.position(&member, &score);
        self.redirect(old_bucket, slot, self.links[slot]);
        self.link(bucket, slot);
        // The evicted element no longer counts.
        self.shift(rank, position - usize::from(rank < position));
        let evicted = core::mem::replace(&mut self.members[slot], member);
        Some((evicted, core::mem::replace(&mut self.scores[slot], score)))
    }

    /// Adds a new member to a set that is not full.
    pub(super) fn push(&mut self, member: M, score: S) {
        let bucket = self.bucket(&member);
        let position = self.position(&member, &score);
        let slot = self.len();
        self.members.push(member);
        self.scores.push(score);
        self.link(bucket, slot);
        self.order[slot] = I::from_usize(slot);
        self.shift(slot, position);
    }
}
