//! The subject: `zset_core::FixedSortedSet`.

use zset_core::FixedSortedSet;

use crate::fixed::Fixed;

/// `FixedSortedSet<u32, u32, N>`.
pub struct ZsetFixed<const N: usize>(FixedSortedSet<u32, u32, N>);

impl<const N: usize> Fixed for ZsetFixed<N> {
    const NAME: &'static str = "zset";

    #[inline]
    fn new() -> Self {
        ZsetFixed(FixedSortedSet::new())
    }

    #[inline]
    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.0.try_insert(member, score);
        debug_assert_eq!(inserted, Ok(None));
    }

    #[inline]
    fn pop_first(&mut self) -> Option<(u32, u32)> {
        self.0.pop_first()
    }

    #[inline]
    fn score(&self, member: u32) -> Option<u32> {
        self.0.score(&member)
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        self.0.rank(&member)
    }

    #[inline]
    fn update(&mut self, member: u32, score: u32) {
        self.0.update(&member, |_| score);
    }

    #[inline]
    fn remove(&mut self, member: u32) -> Option<u32> {
        self.0.remove(&member)
    }

    #[inline]
    fn first(&self, n: usize, mut visit: impl FnMut(u32, u32)) {
        self.0.iter().take(n).for_each(|(member, score)| visit(*member, score));
    }
}
