//! Removing: by member, from the ends, by range, by predicate, all.

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

    /// Removes and returns the element with the lowest score. **O(log n)**.
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

    /// Removes and returns the element with the highest score. **O(log n)**.
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

    /// Removes and returns the `count` elements with the lowest scores, or all if there are fewer,
    /// lowest score first, like Redis's `ZPOPMIN`. **O(log n)** each.
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

    /// Removes and returns the `count` elements with the highest scores, or all if there are fewer,
    /// highest score first, like Redis's `ZPOPMAX`. **O(log n)** each.
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

    /// Removes and returns the element at this 0-based rank, lowest score first. **O(log n)**.
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

    /// Removes the elements at these 0-based ranks; returns the number removed.
    /// **O(log n + m log n)** for m removed elements.
    ///
    /// Ranks beyond the end are ignored; an inverted range removes nothing.
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

    /// Removes the elements whose scores lie in the range; returns the number removed.
    /// **O(log n + m log n)** for m removed elements.
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

    /// Removes the elements whose members lie in the range, assuming that all scores are equal;
    /// returns the number removed. **O(log n + m log n)** for m removed elements.
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

    /// Removes the elements for which `keep` returns false, lowest score first. **O(n + m log n)**
    /// for m removed elements; O(n + m n) in a listpack.
    ///
    /// If `keep` panics, the elements it has rejected are already removed; the others stay.
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

    /// Returns an iterator that removes and returns the elements for which `extracted` returns
    /// true, lowest score first. Lazy; **O(log n)** per step.
    ///
    /// If the iterator is dropped early, the elements it has not visited stay. If `extracted` panics, so
    /// does the element that it was called with; the iterator continues after it.
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

    /// Moves all elements of `other` into this set, leaving `other` empty. **O(m log n)** for m
    /// moved elements; **O(n + m)** if at least n / 2 of them are new.
    ///
    /// If a member is in both sets, the score of `other` wins, as in `BTreeMap::append`.
    ///
    /// Large sets of similar size are merged into a new one, which temporarily needs twice their
    /// memory. If that allocation fails, the elements are inserted one by one.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails. Elements not yet moved are lost.
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
