//! Relations between the members of two sets. Scores are ignored, and may be of different types.

use core::hash::{BuildHasher, Hash};

use super::SortedSet;

impl<M: Eq + Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns whether all members of this set are in `other`, whatever their scores. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let all = SortedSet::from([("x", 1), ("y", 2), ("z", 3)]);
    /// let some = SortedSet::from([("z", 'c'), ("x", 'a')]);
    /// assert!(some.is_subset(&all));
    /// assert!(!all.is_subset(&some));
    /// ```
    pub fn is_subset<S2: Copy, H2: BuildHasher>(&self, other: &SortedSet<M, S2, H2>) -> bool {
        self.len() <= other.len() && self.iter().all(|(member, _)| other.contains(member))
    }

    /// Returns whether all members of `other` are in this set, whatever their scores. **O(m)** for m
    /// members of `other`.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let all = SortedSet::from([("x", 1), ("y", 2), ("z", 3)]);
    /// assert!(all.is_superset(&SortedSet::from([("y", 7)])));
    /// assert!(!all.is_superset(&SortedSet::from([("v", 2)])));
    /// ```
    pub fn is_superset<S2: Copy, H2: BuildHasher>(&self, other: &SortedSet<M, S2, H2>) -> bool {
        other.is_subset(self)
    }

    /// Returns whether no member is in both sets, whatever their scores. **O(m)** for m members of the
    /// smaller set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// assert!(a.is_disjoint(&SortedSet::from([("z", 1)])));
    /// assert!(!a.is_disjoint(&SortedSet::from([("x", 5)])));
    /// ```
    pub fn is_disjoint<S2: Copy, H2: BuildHasher>(&self, other: &SortedSet<M, S2, H2>) -> bool {
        self.intersection_len(other, Some(1)) == 0
    }

    /// Returns the number of members that are in both sets, whatever their scores. Counting stops at
    /// `limit`, if there is one. **O(m)** for m members of the smaller set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2), ("z", 3)]);
    /// let b = SortedSet::from([("y", 0), ("z", 0)]);
    /// assert_eq!(a.intersection_len(&b, None), 2);
    /// assert_eq!(a.intersection_len(&b, Some(1)), 1);
    /// ```
    pub fn intersection_len<S2: Copy, H2: BuildHasher>(
        &self,
        other: &SortedSet<M, S2, H2>,
        limit: Option<usize>,
    ) -> usize {
        let limit = limit.unwrap_or(usize::MAX);
        if self.len() <= other.len() {
            self.intersection(other).take(limit).count()
        } else {
            other.intersection(self).take(limit).count()
        }
    }
}
