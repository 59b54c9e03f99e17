//! Reading one element: by member, by rank, at the ends.

use super::{Elements, ZSet};
use crate::{ByteString, Member, Score};

impl ZSet {
    /// Returns the number of members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::ZSet::new().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        match &self.elements {
            Elements::Listpack(set) => set.len(),
            Elements::Skiplist(set) => set[0].len(),
        }
    }

    /// Returns whether the set is empty. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_core::ZSet::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the score of a member. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(1))]);
    /// assert_eq!(set.score("a"), Some(Score::from(1)));
    /// assert_eq!(set.score(b"b"), None);
    /// ```
    pub fn score(&self, member: impl AsRef<[u8]>) -> Option<Score> {
        match &self.elements {
            Elements::Listpack(set) => set.score(member),
            Elements::Skiplist(set) => set[0].score(member.as_ref()),
        }
    }

    /// Returns whether a member is in the set. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// assert!(ZSet::from([("a", Score::from(1))]).contains("a"));
    /// ```
    pub fn contains(&self, member: impl AsRef<[u8]>) -> bool {
        self.score(member).is_some()
    }

    /// Returns the 0-based rank of a member, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.rank("a"), Some(1));
    /// ```
    pub fn rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        match &self.elements {
            Elements::Listpack(set) => set.rank(member),
            Elements::Skiplist(set) => set[0].rank(member.as_ref()),
        }
    }

    /// Returns the 0-based rank of a member, highest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.rev_rank("a"), Some(0));
    /// ```
    pub fn rev_rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }

    /// Returns the element with the lowest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert!(set.first().is_some_and(|(member, _)| member == "b"));
    /// ```
    pub fn first(&self) -> Option<(Member<'_>, Score)> {
        match &self.elements {
            Elements::Listpack(set) => set.first(),
            Elements::Skiplist(set) => set[0].first().map(borrowed),
        }
    }

    /// Returns the element with the highest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert!(set.last().is_some_and(|(member, _)| member == "a"));
    /// ```
    pub fn last(&self) -> Option<(Member<'_>, Score)> {
        match &self.elements {
            Elements::Listpack(set) => set.last(),
            Elements::Skiplist(set) => set[0].last().map(borrowed),
        }
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert!(set.get_by_rank(0).is_some_and(|(member, _)| member == "b"));
    /// assert!(set.get_by_rank(2).is_none());
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(Member<'_>, Score)> {
        match &self.elements {
            Elements::Listpack(set) => set.get_by_rank(rank),
            Elements::Skiplist(set) => set[0].get_by_rank(rank).map(borrowed),
        }
    }
}

/// Converts an element of a skip list to one of a set.
#[inline]
pub(super) fn borrowed((member, score): (&ByteString, Score)) -> (Member<'_>, Score) {
    (Member::from(&**member), score)
}
