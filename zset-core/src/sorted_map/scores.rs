//! Looking up the scores of many keys.

use core::hash::{BuildHasher, Hash};
use core::iter::FusedIterator;
use equivalent::Equivalent;

use super::{ByKey, SortedMap};
use crate::look_up::LookUps;

impl<K, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Returns the score of each of these keys, or `None` for those that are not in the map. Lazy;
    /// **O(1)** per key.
    ///
    /// Keys are hashed in batches and then looked up, so that their cache misses overlap. The
    /// iterator may therefore consume a few more keys than it has returned scores.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert!(map.scores(["b", "c"]).eq([Some(2), None]));
    /// ```
    pub fn scores<'q, Q, I>(&self, keys: I) -> impl FusedIterator<Item = Option<S>>
    where
        I: IntoIterator<Item = &'q Q>,
        Q: Hash + Equivalent<K> + ?Sized + 'q,
    {
        let hash = |key: &&Q| self.set.hash(&ByKey(*key));
        LookUps::new(keys, hash, |hash, key| Some(self.set.find(hash, &ByKey(key))?.score))
    }
}
