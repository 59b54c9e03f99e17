//! [`Keys`]: a map from keys to values that threads share. Each of its shards has a lock, so calls
//! for different keys rarely wait for each other.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARDS: usize = 16;

pub(crate) type Shard<T> = HashMap<Box<[u8]>, T>;

/// A map from keys to values, split into shards that each have a lock.
pub(crate) struct Keys<T> {
    shards: [Mutex<Shard<T>>; SHARDS],
    hasher: RandomState,
}

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Keys { shards: Default::default(), hasher: RandomState::new() }
    }
}

impl<T> Keys<T> {
    /// Returns the maximum number of keys in a shard, given `max_keys` for all shards together.
    pub(crate) fn of_a_shard(max_keys: usize) -> usize {
        max_keys.div_ceil(SHARDS)
    }

    /// Locks the shard of a key.
    #[inline]
    pub(crate) fn shard(&self, key: &[u8]) -> MutexGuard<'_, Shard<T>> {
        let hash = self.hasher.hash_one(key) as usize;
        lock(&self.shards[hash % SHARDS])
    }

    /// Removes the keys for which `keep` returns false.
    pub(crate) fn retain(&self, mut keep: impl FnMut(&[u8], &mut T) -> bool) {
        for shard in &self.shards {
            lock(shard).retain(|key, value| keep(key, value));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }
}

fn lock<T>(shard: &Mutex<Shard<T>>) -> MutexGuard<'_, Shard<T>> {
    // No caller's code runs while the lock is held, so the values are valid even if the lock is
    // poisoned.
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> fmt::Debug for Keys<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("len", &self.len()).finish_non_exhaustive()
    }
}
