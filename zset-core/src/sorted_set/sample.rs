//! Random elements.

use core::iter::FusedIterator;
use rand_core::Rng;

use super::SortedSet;

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Returns `n` distinct random elements, or all elements if there are fewer, in random order.
    /// **O(n log len)**; it draws the ranks when called, which takes O(n) memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// let drawn: SortedSet<_, _> = set.sample(&mut rng, 2).collect();
    /// assert_eq!(drawn.len(), 2);
    /// assert_eq!(set.sample(&mut rng, 100).len(), 3);
    /// ```
    pub fn sample<'a, R: Rng + ?Sized>(
        &'a self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (&'a M, S)> + FusedIterator + use<'a, M, S, H, R> {
        self.list.sample(rng, n)
    }

    /// Returns `n` random elements, chosen with replacement; none if the set is empty. Lazy;
    /// **O(log len)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::SortedSet;
    ///
    /// let dice = SortedSet::from([("low", 1), ("high", 6)]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// let rolls: Vec<u32> = dice.sample_with_replacement(&mut rng, 5).map(|(_, n)| n).collect();
    /// assert_eq!(rolls.len(), 5);
    /// ```
    pub fn sample_with_replacement<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (&M, S)> + FusedIterator {
        self.list.sample_with_replacement(rng, n)
    }
}
