//! Evicting idle keys, on demand and to make room for new ones.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use super::{Entry, Full, Keys, Registry, Shard};
use crate::Timestamp;
use crate::limit::limiter::per_key::PerKey;
use crate::limit::table::{KeyHash, hash_of};
use crate::sync::Ordering;

/// The number of deadlines examined under one lock when there is no room.
pub(super) const SWEPT_FOR_ROOM: usize = 32;

/// Returns whether a deadline has passed; the last timestamp never does.
pub(super) fn is_due(deadline: Timestamp, now: Timestamp) -> bool {
    deadline <= now && deadline < Timestamp::MAX
}

impl<K: Eq + Hash, L: PerKey, H: BuildHasher> Registry<K, L, H> {
    /// Checks for room for an absent key, or for an idle key that would be evicted to make room. Evicts
    /// nothing, since `now` may be in the future.
    pub(crate) fn has_room<Q>(&self, key: &Q, now: Timestamp) -> Result<(), Full>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        if self.len() < self.max_keys {
            return Ok(());
        }
        let mut has_idle = |shard: &Shard<K, L>| {
            let keys = &mut *shard.keys.lock();
            let now = shard.newest(now);
            let mut looks = (0..SWEPT_FOR_ROOM).map_while(|_| keys.look(now));
            let idle = looks.find_map(|look| look);
            if let Some(hash) = idle {
                keys.file_again(hash);
            }
            shard.note_deadline(keys);
            idle
        };
        let found = self.look_for_room(hash_of(&self.hasher, key), now, &mut has_idle);
        found.map(|_| ()).map_err(|retry_at| Full { retry_at, evicted: 0 })
    }

    /// Searches the shards that may have an idle key, starting with the one selected by `hash`, until
    /// `find` succeeds. Each call of `find` examines a few keys. The error is the earliest time at which
    /// some key may be idle.
    pub(super) fn look_for_room<R>(
        &self,
        hash: KeyHash,
        now: Timestamp,
        mut find: impl FnMut(&Shard<K, L>) -> Option<R>,
    ) -> Result<R, Timestamp> {
        let mut next = Timestamp::MAX;
        let (before, from) = self.shards.split_at(self.index(hash));
        for shard in from.iter().chain(before) {
            // Under a flood of new keys, most shards have no idle key and should not be locked for each
            // new one. Each round drops the deadlines that it examines, or files them again after the
            // effective time, so the loop terminates.
            while is_due(shard.next_deadline(), shard.newest(now)) {
                if let Some(found) = find(shard) {
                    return Ok(found);
                }
            }
            next = next.min(shard.next_deadline());
        }
        if next == Timestamp::MAX {
            // No deadline may be published yet: the thread that reserved the last place publishes its
            // own under its shard's lock, so taking the locks waits for it. If there is still none, no
            // key will ever be idle.
            let deadlines = self.shards.iter().map(|shard| shard.keys.lock().next_deadline());
            next = deadlines.min().unwrap_or(Timestamp::MAX);
        }
        Err(next)
    }

    /// Examines keys whose deadlines have passed, about `budget` in all, and evicts those that are idle.
    pub(crate) fn sweep(&self, now: Timestamp, budget: usize) -> usize {
        let each = budget.div_ceil(self.shards.len());
        self.shards.iter().map(|shard| self.sweep_shard(shard, now, each)).sum()
    }

    pub(super) fn sweep_shard(&self, shard: &Shard<K, L>, now: Timestamp, budget: usize) -> usize {
        let keys = &mut *shard.keys.lock();
        self.sweep_keys(shard, keys, shard.advance(now), budget)
    }

    /// Like `sweep`, in a shard that is already locked.
    pub(super) fn sweep_keys(
        &self,
        shard: &Shard<K, L>,
        keys: &mut Keys<K, L>,
        now: Timestamp,
        budget: usize,
    ) -> usize {
        if !is_due(shard.next_deadline(), now) {
            return 0;
        }
        let mut swept = 0;
        for _ in 0..budget {
            let Some(look) = keys.look(now) else { break };
            let is_idle =
                |entry: &Entry<K, L::State>| is_due(L::state_idle_from(&entry.state), now);
            if let Some(entry) = look.and_then(|hash| keys.entries.remove(hash, is_idle)) {
                swept += 1;
                // Other keys with this hash have lost their deadline.
                keys.file_again(entry.hash);
                // Restore the invariants before dropping the key, which may panic.
                self.len.fetch_sub(1, Ordering::Relaxed);
                keys.forget_deadlines();
                shard.note_deadline(keys);
                drop(entry);
            }
        }
        keys.entries.shrink();
        shard.note_deadline(keys);
        swept
    }
}
