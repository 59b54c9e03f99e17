//! Removing: by member, from the ends, by range, by a closure, everything.

use alloc::vec::Vec;
use core::ops::RangeBounds;

use super::iter::owned;
use super::range::lex_ranks;
use super::{Elements, ExtractIf, ZSet};
use crate::{ByteString, Score};

impl ZSet {
    /// Removes a member; returns its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(1))]);
    /// assert_eq!(set.remove("a"), Some(Score::from(1)));
    /// assert_eq!(set.remove("a"), None);
    /// ```
    pub fn remove(&mut self, member: impl AsRef<[u8]>) -> Option<Score> {
        match &mut self.elements {
            Elements::Listpack(set) => set.remove(member),
            Elements::Skiplist(set) => set[0].remove(member.as_ref()),
        }
    }

    /// Removes and returns the element of the lowest score. **O(log n)**.
    ///
    /// To pop the first n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.pop_first(), Some(("b".into(), Score::from(1))));
    /// ```
    pub fn pop_first(&mut self) -> Option<(ByteString, Score)> {
        match &mut self.elements {
            Elements::Listpack(set) => set.pop_first_with(|member, score| (member.into(), score)),
            Elements::Skiplist(set) => set[0].pop_first(),
        }
    }

    /// Removes and returns the element of the highest score. **O(log n)**.
    ///
    /// To pop the last n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.pop_last(), Some(("a".into(), Score::from(2))));
    /// ```
    pub fn pop_last(&mut self) -> Option<(ByteString, Score)> {
        match &mut self.elements {
            Elements::Listpack(set) => set.pop_last_with(|member, score| (member.into(), score)),
            Elements::Skiplist(set) => set[0].pop_last(),
        }
    }

    /// Removes and returns the `count` elements of the lowest scores, or all if there are fewer,
    /// lowest score first, as Redis's `ZPOPMIN`. **O(log n)** for each.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.pop_min(9).len(), 2);
    /// assert!(set.is_empty());
    /// ```
    pub fn pop_min(&mut self, count: usize) -> Vec<(ByteString, Score)> {
        if let Elements::Listpack(set) = &mut self.elements {
            let popped = set.range_by_rank(..count).map(owned).collect();
            set.remove_range_by_rank(..count);
            return popped;
        }
        (0..count.min(self.len())).map_while(|_| self.pop_first()).collect()
    }

    /// Removes and returns the `count` elements of the highest scores, or all if there are fewer,
    /// highest score first, as Redis's `ZPOPMAX`. **O(log n)** for each.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.pop_max(1), [("a".into(), Score::from(2))]);
    /// ```
    pub fn pop_max(&mut self, count: usize) -> Vec<(ByteString, Score)> {
        if let Elements::Listpack(set) = &mut self.elements {
            let start = set.len().saturating_sub(count);
            let popped = set.range_by_rank(start..).rev().map(owned).collect();
            set.remove_range_by_rank(start..);
            return popped;
        }
        (0..count.min(self.len())).map_while(|_| self.pop_last()).collect()
    }

    /// Removes and returns the element of this 0-based rank, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.remove_by_rank(1), Some(("a".into(), Score::from(2))));
    /// assert_eq!(set.remove_by_rank(1), None);
    /// ```
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(ByteString, Score)> {
        match &mut self.elements {
            Elements::Listpack(set) => {
                set.remove_by_rank_with(rank, |member, score| (member.into(), score))
            }
            Elements::Skiplist(set) => set[0].remove_by_rank(rank),
        }
    }

    /// Removes the elements of these 0-based ranks; returns how many.
    /// **O(log n + m log n)** for m removed.
    ///
    /// Ranks beyond the end are left out; an inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.remove_range_by_rank(..1), 1);
    /// assert!(set.contains("a"));
    /// ```
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        match &mut self.elements {
            Elements::Listpack(set) => set.remove_range_by_rank(range),
            Elements::Skiplist(set) => set[0].remove_range_by_rank(range),
        }
    }

    /// Removes the elements whose scores lie in the range; returns how many.
    /// **O(log n + m log n)** for m removed.
    ///
    /// An inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.remove_range_by_score(..=Score::from(1)), 1);
    /// assert!(set.contains("a"));
    /// ```
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<Score>) -> usize {
        match &mut self.elements {
            Elements::Listpack(set) => set.remove_range_by_score(range),
            Elements::Skiplist(set) => set[0].remove_range_by_score(range),
        }
    }

    /// Removes the elements whose members lie in the range, all scores being equal; returns how
    /// many. **O(log n + m log n)** for m removed.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from(["ant", "bee", "cat"].map(|word| (word, Score::ZERO)));
    /// assert_eq!(set.remove_range_by_lex(&b"b"[..]..), 2);
    /// assert!(set.contains("ant"));
    /// ```
    pub fn remove_range_by_lex<'q>(&mut self, range: impl RangeBounds<&'q [u8]>) -> usize {
        match &mut self.elements {
            Elements::Listpack(set) => set.remove_range_by_lex(range),
            Elements::Skiplist(set) => {
                let set = &mut set[0];
                set.remove_range_by_rank(lex_ranks(set, &range))
            }
        }
    }

    /// Removes the elements that `keep` does not accept, in order, lowest score first.
    /// **O(n + m log n)** for m removed; O(n + m n) in a listpack.
    ///
    /// If `keep` panics, what it has seen is done, and the rest stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// set.retain(|member, _| member == b"a");
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8], Score) -> bool) {
        match &mut self.elements {
            Elements::Listpack(set) => set.retain(keep),
            Elements::Skiplist(set) => set[0].retain(|member, score| keep(member, score)),
        }
    }

    /// Returns an iterator that removes and returns the elements that `extracted` accepts, in
    /// order, lowest score first. Lazy; **O(log n)** a step.
    ///
    /// What the iterator has not come to, when it is dropped, stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert!(set.extract_if(|member, _| member == b"a").all(|(member, _)| member == "a"));
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn extract_if<F>(&mut self, extracted: F) -> ExtractIf<'_, F>
    where
        F: FnMut(&[u8], Score) -> bool,
    {
        ExtractIf::new(self, extracted)
    }

    /// Moves all elements of `other` into this set, and leaves `other` empty. **O(m log n)** for its m
    /// members; **O(n + m)** if at least n / 2 of these are new.
    ///
    /// For a member that is in both, the score of `other` counts, as with `BTreeMap::append`.
    ///
    /// Large sets of similar size are merged into a new one, so they take twice their memory for a
    /// moment; if there is not so much, the elements are inserted one by one.
    ///
    /// # Panics
    ///
    /// If memory runs out. What has not been moved by then is lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(1))]);
    /// let mut other = ZSet::from([("a", Score::from(2))]);
    /// set.append(&mut other);
    /// assert_eq!(set.score("a"), Some(Score::from(2)));
    /// assert!(other.is_empty());
    /// ```
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
