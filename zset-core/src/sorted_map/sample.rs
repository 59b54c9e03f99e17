//! Random elements.

use core::iter::FusedIterator;
use rand_core::Rng;

use super::SortedMap;
use super::read::shown;

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Returns `n` distinct elements, or all if there are fewer, in random order. **O(n log len)**;
    /// it draws the ranks when called, which takes O(n) memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    ///
    /// let map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// let (key, value, score) = map.sample(&mut rng, 1).next().unwrap();
    /// assert_eq!((map.get(key), map.score(key)), (Some(value), Some(score)));
    /// ```
    pub fn sample<'a, R: Rng + ?Sized>(
        &'a self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (&'a K, &'a V, S)> + FusedIterator + use<'a, K, V, S, H, R>
    {
        self.set.sample(rng, n).map(shown)
    }

    /// Returns `n` random elements, possibly with repeats, or none if the map is empty. Lazy;
    /// **O(log len)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    ///
    /// let map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// assert_eq!(map.sample_with_replacement(&mut rng, 5).len(), 5);
    /// ```
    pub fn sample_with_replacement<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (&K, &V, S)> + FusedIterator {
        self.set.sample_with_replacement(rng, n).map(shown)
    }
}
