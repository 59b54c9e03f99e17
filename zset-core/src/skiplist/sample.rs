//! Random elements.

use core::iter::FusedIterator;
use rand_core::Rng;

use super::SkipList;
use crate::random;

impl<M, S: Copy> SkipList<M, S> {
    /// Returns `n` elements at distinct random ranks, or all elements if there are fewer, in random
    /// order. **O(n log len)**; it draws the ranks when called, which takes O(n) memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    ///
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// assert_eq!(list.sample(&mut rng, 2).len(), 2);
    /// assert_eq!(list.sample(&mut rng, 100).len(), 3);
    /// ```
    pub fn sample<'a, R: Rng + ?Sized>(
        &'a self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (&'a M, S)> + FusedIterator + use<'a, M, S, R> {
        random::distinct(n, self.len(), rng).map(|rank| self.drawn(rank))
    }

    /// Returns `n` random elements, chosen with replacement; none if the list is empty. Lazy;
    /// **O(log len)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    ///
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// assert_eq!(list.sample_with_replacement(&mut rng, 100).count(), 100);
    /// ```
    pub fn sample_with_replacement<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (&M, S)> + FusedIterator {
        random::repeated(n, self.len(), rng).map(|rank| self.drawn(rank))
    }

    fn drawn(&self, rank: usize) -> (&M, S) {
        self.get_by_rank(rank).expect("a rank below the length")
    }
}
