//! Removing: by member, at the ends, by range, or by a predicate.

use core::hash::{BuildHasher, Hash};
use core::hint::black_box;
use core::ops::RangeBounds;
use equivalent::Equivalent;

use super::{ExtractIf, Follow, SortedSet};
use crate::dict::hash_one;
use crate::handle::Handle;
use crate::skiplist::{Position, RankedRange};

/// The number of members above which the dict exceeds the nearest caches, and `visit_in_dict` pays off.
const VISITED_LEN: usize = 1 << 16;

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Removes a member and returns its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1)]);
    /// assert_eq!(set.remove("a"), Some(1));
    /// assert_eq!(set.remove("a"), None);
    /// ```
    pub fn remove<Q>(&mut self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let (_, score) = self.remove_entry(member)?;
        Some(score)
    }

    /// Removes a member and returns it with its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a".to_string(), 1)]);
    /// assert_eq!(set.remove_entry("a"), Some(("a".to_string(), 1)));
    /// ```
    pub fn remove_entry<Q>(&mut self, member: &Q) -> Option<(M, S)>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let hash = self.hash(member);
        let handle = self.find(hash, member)?.handle;
        let (element, _) = self.take_at(self.list.position_of(handle), hash);
        Some(element)
    }

    /// Removes and returns the element with the lowest score. **O(log n)**.
    ///
    /// To pop the first n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert_eq!(set.pop_first(), Some(("a", 1)));
    /// ```
    pub fn pop_first(&mut self) -> Option<(M, S)> {
        self.take_end(0, self.list.start())
    }

    /// Removes and returns the element with the highest score. **O(log n)**.
    ///
    /// To pop the last n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert_eq!(set.pop_last(), Some(("b", 2)));
    /// ```
    pub fn pop_last(&mut self) -> Option<(M, S)> {
        self.take_end(1, self.list.last_position())
    }

    /// Removes and returns the element at this 0-based rank, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2)]);
    /// assert_eq!(set.remove_by_rank(1), Some(("b", 2)));
    /// assert_eq!(set.remove_by_rank(1), None);
    /// ```
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(M, S)> {
        (rank < self.len()).then(|| self.take(self.list.position_at(rank)))
    }

    /// Removes the elements at these 0-based ranks and returns how many were removed.
    /// **O(log n + m log n)** for m removed.
    ///
    /// Ranks past the end are ignored; an inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut top = zset_core::SortedSet::from([("a", 3), ("b", 2), ("c", 1)]);
    /// assert_eq!(top.remove_range_by_rank(..1), 1);
    /// assert_eq!(top.first(), Some((&"b", 2)));
    /// ```
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.remove_range(self.list.resolve_ranks(&range))
    }

    /// Removes the elements with scores in the range and returns how many were removed.
    /// **O(log n + m log n)** for m removed.
    ///
    /// An inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// assert_eq!(set.remove_range_by_score(2..), 2);
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<S>) -> usize
    where
        S: Ord,
    {
        self.remove_range(self.list.resolve_scores(&range))
    }

    /// Keeps only the elements for which `keep` returns true; visits them in order, lowest score first.
    /// **O(n + m log n)** for m removed.
    ///
    /// If `keep` panics, the elements it has rejected so far are removed, and all others remain.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// set.retain(|_, score| score % 2 == 1);
    /// assert_eq!(set.len(), 2);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&M, S) -> bool) {
        self.extract_if(|member, score| !keep(member, score)).for_each(drop);
    }

    /// Returns an iterator that removes and returns the elements for which `extracted` returns true, in
    /// order, lowest score first. Lazy; **O(log n)** per element removed.
    ///
    /// Elements that the iterator has not visited when it is dropped remain in the set. If `extracted`
    /// panics, so does the element that it was called with; the iterator continues after it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// let odd: Vec<_> = set.extract_if(|_, score| score % 2 == 1).collect();
    /// assert_eq!(odd, [("a", 1), ("c", 3)]);
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn extract_if<F>(&mut self, extracted: F) -> ExtractIf<'_, M, S, H, F>
    where
        F: FnMut(&M, S) -> bool,
    {
        ExtractIf::new(self, extracted)
    }

    /// Removes the element at one end: 0 is the first, 1 the last.
    fn take_end(&mut self, end: usize, position: Position) -> Option<(M, S)> {
        if self.is_empty() {
            return None;
        }
        if self.len() >= VISITED_LEN && self.visited_ends[end] != position.leaf {
            self.visited_ends[end] = position.leaf;
            self.visit_in_dict(position.leaf);
        }
        Some(self.take(position))
    }

    /// Looks up all members of a leaf, only to bring their dict entries into the cache.
    ///
    /// Pops remove the elements of a leaf one after the other, and each pop waits for its member's dict
    /// entry, which is at a random location. In a loop that only looks them up, the cache misses
    /// overlap.
    fn visit_in_dict(&self, leaf: u32) {
        for member in self.list.leaf(leaf).members {
            let hash = self.hash(member);
            black_box(self.dict.find(hash, |handle| handle == Handle::NONE));
        }
    }

    /// Removes the element at a position, given its member's hash; returns it and the position of the
    /// next element.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn take_at(&mut self, position: Position, hash: usize) -> ((M, S), Position) {
        let Self { list, dict, hasher, .. } = self;
        list.take_at(position, hash, &mut Follow::new(dict, hasher))
    }

    /// Removes the element at a position.
    #[inline]
    pub(super) fn take(&mut self, position: Position) -> (M, S) {
        let (member, _) = self.list.leaf(position.leaf).at(position.index);
        self.take_at(position, self.hash(member)).0
    }

    /// Removes the next element from a position on that `is_taken` accepts, and moves the position past
    /// all visited elements.
    pub(crate) fn take_next_if(
        &mut self,
        next: &mut Position,
        mut is_taken: impl FnMut(&mut M, S) -> bool,
    ) -> Option<(M, S)> {
        loop {
            let position = self.list.at_element(*next)?;
            // After a panic in the closure, iteration continues with the next element.
            *next = Position { index: position.index + 1, ..position };
            let handle = self.list.handle_at(position);
            let score = self.list.score(handle);
            if is_taken(self.list.member_mut(handle), score) {
                let hash = hash_one(&self.hasher, self.list.member_mut(handle));
                // If a hash panics after the removal, the next element is at this position.
                *next = position;
                let (element, following) = self.take_at(position, hash);
                *next = following;
                return Some(element);
            }
        }
    }

    fn remove_range(&mut self, range: RankedRange) -> usize {
        let Self { list, dict, hasher, .. } = self;
        list.take_range(range, &mut Follow::new(dict, hasher))
    }
}
