//! Random elements.

use core::iter::FusedIterator;
use rand_core::Rng;

use super::ZSet;
use crate::{Member, Score, random};

impl ZSet {
    /// Returns `n` distinct elements, or all if there are fewer, in random order, like Redis's
    /// `ZRANDMEMBER` with a positive count. **O(n log len)**; it draws the ranks when called, which takes O(n) memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// assert_eq!(set.sample(&mut rng, 1).len(), 1);
    /// assert_eq!(set.sample(&mut rng, 5).len(), 2);
    /// ```
    pub fn sample<'a, R: Rng + ?Sized>(
        &'a self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (Member<'a>, Score)> + FusedIterator + use<'a, R> {
        random::distinct(n, self.len(), rng).map(|rank| self.drawn(rank))
    }

    /// Returns `n` random elements, possibly with repeats, or none if the set is empty, like
    /// Redis's `ZRANDMEMBER` with a negative count. Lazy; **O(log len)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// assert_eq!(set.sample_with_replacement(&mut rng, 5).len(), 5);
    /// ```
    pub fn sample_with_replacement<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        n: usize,
    ) -> impl ExactSizeIterator<Item = (Member<'_>, Score)> + FusedIterator {
        random::repeated(n, self.len(), rng).map(|rank| self.drawn(rank))
    }

    fn drawn(&self, rank: usize) -> (Member<'_>, Score) {
        self.get_by_rank(rank).expect("a rank below the length")
    }
}
