//! Inserting members and changing scores.

use core::convert::Infallible;

use super::range::partition_point;
use super::score::{encode, score_of};
use super::{PackedZSet, PairOffsets, pair_at};
use crate::listpack::{Encoded, HEADER, Storage, Value};
use crate::redis::{AddOptions, Added};
use crate::score::ScoreText;
use crate::{IncrementError, Member, NanScore, Score, TryReserveError};

impl<B: Storage> PackedZSet<B> {
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
    /// [`IncrementError`] if the new score would be NaN, or if there is not enough space. The set is
    /// unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// assert_eq!(set.try_increment("a", 1.5), Ok(Score::new(1.5)?));
    /// assert_eq!(set.try_increment("a", 2.0), Ok(Score::new(3.5)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
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
    /// returns the old score. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space for the new score. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// set.try_update("a", |_| Score::INFINITY)?;
    /// assert_eq!(set.score("a"), Some(Score::INFINITY));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
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

    /// Sets the score of a member to the one that `decide` returns for its old score, and returns
    /// what else `decide` returns. If it returns no score, the set is unchanged. A member that is
    /// not in the set has no old score.
    ///
    /// The inner error is that there is not enough space, or none for a new member because
    /// `has_room` is false.
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
                // The other elements that precede it with its new score are all before or all after it.
                let start = if score > old { place.behind } else { HEADER };
                let target = self.position(start, score, member);
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
        let at = self.position(HEADER, score, member);
        self.insert_at(at, member, score)
    }

    /// Appends a new member, which must come after all others.
    #[cfg(feature = "alloc")]
    pub(crate) fn push_last(&mut self, member: &[u8], score: Score) -> Result<(), TryReserveError> {
        self.insert_at(self.list.end(), member, score)
    }

    fn insert_at(&mut self, at: usize, member: &[u8], score: Score) -> Result<(), TryReserveError> {
        let mut text = ScoreText::new();
        let entries = [&Encoded::new(Value::of(member)), &encode(score, &mut text)];
        self.list.splice(at..at, 0, &entries)
    }

    /// Returns the offset of the first element from `start` on that is greater than this one.
    #[cfg_attr(target_os = "none", inline(never))]
    fn position(&self, start: usize, score: Score, member: &[u8]) -> usize {
        let bytes = self.list.as_bytes();
        let precedes = |at| {
            let (other, other_score, place) = pair_at(bytes, at)?;
            let other_score = score_of(other_score);
            // `<=` stands for `==`, which is a library call without floating-point hardware.
            let precedes =
                other_score < score || other_score <= score && *Member::new(other) <= *member;
            precedes.then_some(place.behind)
        };
        partition_point(bytes, start, precedes).0
    }

    /// Replaces the score of the member at a position.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Storage that shrinks on `truncate`, and then cannot grow.
    #[derive(Clone)]
    struct Shrinking {
        bytes: Vec<u8>,
        has_shrunk: bool,
    }

    impl Storage for Shrinking {
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
        // A shorter score frees space, which a longer score then cannot get back.
        set.try_insert("c", Score::from(1000)).unwrap();
        set.try_insert("c", Score::from(2)).unwrap();
        let before = set.clone();
        assert_eq!(set.try_insert("c", Score::from(1000)), Err(TryReserveError::AllocError));
        assert_eq!(set, before);
        set.check();
    }
}
