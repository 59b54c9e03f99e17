//! The keys of a limiter: sharded, bounded, and swept of idle keys.
//!
//! Invariants: a key is in the shard that its hash selects. For each hash with entries, the shard's list
//! of deadlines has one that has passed, or that is not later than the time at which the first of these
//! entries becomes idle. `len` counts the entries in all shards, plus the places reserved by threads
//! that are inserting a key, which hold the lock of its shard until the entry is inserted. All of this
//! holds whenever user code runs under a lock (`Eq`, `Borrow`, `ToOwned` and `Drop` of keys), since it
//! may panic.
//!
//! A deadline is the time to examine a key again, not the time at which it is idle: a check does not
//! update it. A sweep examines the entry and, if it is in use, files a later deadline. Whatever makes an
//! entry idle sooner, a refund or another quota, files an earlier one. An entry does not record its
//! deadlines, so removing a key leaves them in the list as stale deadlines. They lead nowhere, or to the
//! same key if it is inserted again. Once they outnumber the entries, the list is rebuilt.
//!
//! To find an idle key, a sweep may have to examine all deadlines that have passed. Each was overtaken
//! by a later use of its key, or left behind by a refund or a removal, and is examined once, so a call
//! takes amortized O(log n) time. The lock is released after every few deadlines, but rebuilding the
//! list holds it for all keys of the shard.
//!
//! The *effective time* of a call is the later of its `now` and the latest time that the shard has seen.
//! The last timestamp means never: a key that would be idle only then is never evicted.

mod deadlines;
mod sweep;

use std::borrow::{Borrow, ToOwned};
use std::boxed::Box;
use std::hash::{BuildHasher, Hash};

use zset_core::SkipList;

use super::limiter::per_key::PerKey;
use super::table::{Hashed, KeyHash, Table, hash_of};
use crate::Timestamp;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, SpinLock};
use sweep::SWEPT_FOR_ROOM;

/// The number of deadlines examined for each new key, so that keys are evicted at the rate of arrival.
const SWEPT_FOR_EACH_NEW: usize = 2;

/// The state of an `L` for each key, and the `L` that they share.
pub(crate) struct Registry<K, L: PerKey, H> {
    shards: Box<[Shard<K, L>]>,
    hasher: H,
    len: AtomicUsize,
    max_keys: usize,
}

/// Aligned to a cache line, so that the locks of two shards do not slow each other down.
#[repr(align(64))]
struct Shard<K, L: PerKey> {
    keys: SpinLock<Keys<K, L>>,
    /// The latest time seen by any key of the shard.
    newest: AtomicU64,
    /// A lower bound on the deadlines, read without the lock.
    next_deadline: AtomicU64,
}

struct Keys<K, L: PerKey> {
    /// Copied to each shard, so that reading them takes no other lock.
    limiter: L,
    entries: Table<Entry<K, L::State>>,
    /// The hashes of keys, by the time at which to examine them.
    deadlines: SkipList<KeyHash, Timestamp>,
}

/// As small as possible: a check mostly waits for the memory of its entry.
struct Entry<K, V> {
    hash: KeyHash,
    state: V,
    key: K,
}

impl<K, V> Hashed for Entry<K, V> {
    fn hash(&self) -> KeyHash {
        self.hash
    }
}

/// The error of inserting a key when there is no room.
pub(crate) struct Full {
    /// The earliest time at which some key may be idle.
    pub(crate) retry_at: Timestamp,
    /// The number of idle keys that were evicted, whose room went to other new keys.
    pub(crate) evicted: usize,
}

/// Returns enough shards to keep the threads of this machine from contending.
pub(crate) fn default_shards() -> usize {
    if cfg!(zset_loom) {
        // With two, keys can be in the same shard or in different ones. Each further shard is one more
        // lock to explore.
        return 2;
    }
    4 * std::thread::available_parallelism().map_or(4, std::num::NonZero::get)
}

impl<K: Eq + Hash, L: PerKey, H: BuildHasher> Registry<K, L, H> {
    pub(crate) fn new(limiter: L, hasher: H, max_keys: usize, shards: usize) -> Self {
        let shard = |limiter| {
            let keys = Keys { limiter, entries: Table::new(), deadlines: SkipList::new() };
            let (newest, next_deadline) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
            Shard { keys: SpinLock::new(keys), newest, next_deadline }
        };
        let limiters = std::iter::repeat_n(limiter, shards.next_power_of_two());
        let shards = limiters.map(shard).collect();
        Registry { shards, hasher, len: AtomicUsize::new(0), max_keys }
    }

    pub(crate) fn max_keys(&self) -> usize {
        self.max_keys
    }

    pub(crate) fn set_max_keys(&mut self, max_keys: usize) {
        self.max_keys = max_keys;
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    fn index(&self, hash: KeyHash) -> usize {
        // The table uses the lowest bits.
        (hash.get() >> 32) as usize & (self.shards.len() - 1)
    }

    fn shard(&self, hash: KeyHash) -> &Shard<K, L> {
        &self.shards[self.index(hash)]
    }

    /// Calls `change` with the state of a key, `None` if it is absent, and with the effective time.
    #[inline]
    pub(crate) fn get<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        change: impl FnOnce(&L, Option<&mut L::State>, Timestamp) -> R,
    ) -> R
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let keys = &mut *shard.keys.lock();
        let now = shard.advance(now);
        let entry = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key);
        change(&keys.limiter, entry.map(|entry| &mut entry.state), now)
    }

    /// Reads the state of a key, if it is present; `read` receives the effective time.
    pub(crate) fn read<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        read: impl FnOnce(&L, &L::State, Timestamp) -> R,
    ) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let keys = &*shard.keys.lock();
        let entry = keys.entries.find(hash, |entry| entry.key.borrow() == key)?;
        Some(read(&keys.limiter, &entry.state, shard.newest(now)))
    }

    /// Reads the limiter; `read` receives the effective time for a key.
    pub(crate) fn limiter<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        read: impl FnOnce(&L, Timestamp) -> R,
    ) -> R
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let shard = self.shard(hash_of(&self.hasher, key));
        read(&shard.keys.lock().limiter, shard.newest(now))
    }

    pub(crate) fn copy_limiter(&self) -> L {
        self.shards[0].keys.lock().limiter.clone()
    }

    /// Changes the state of a key, if it is present, in a way that may make it idle sooner.
    pub(crate) fn shorten<Q, R>(
        &self,
        key: &Q,
        change: impl FnOnce(&L, &mut L::State) -> R,
    ) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let keys = &mut *shard.keys.lock();
        let entry = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key)?;
        let before = L::state_idle_from(&entry.state);
        let result = change(&keys.limiter, &mut entry.state);
        let idle_at = L::state_idle_from(&entry.state);
        if idle_at < before {
            keys.file(hash, idle_at);
            keys.forget_deadlines();
            shard.note_deadline(keys);
        }
        Some(result)
    }

    /// Changes the limiter and, with `change` if there is one, the states of all keys, locking one shard
    /// at a time.
    pub(crate) fn set(&self, mut set: impl FnMut(&mut L), change: Option<impl Fn(&mut L::State)>) {
        for shard in &self.shards {
            let keys = &mut *shard.keys.lock();
            set(&mut keys.limiter);
            if let Some(change) = &change {
                keys.entries.iter_mut().for_each(|entry| change(&mut entry.state));
                keys.rebuild_deadlines();
                shard.note_deadline(keys);
            }
        }
    }

    /// Changes the state of a key, which is inserted if it is absent; `change` receives the effective
    /// time.
    ///
    /// Returns the result of `change`, and the number of idle keys evicted.
    pub(crate) fn get_or_insert<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        change: impl FnOnce(&L, &mut L::State, Timestamp) -> R,
    ) -> Result<(R, usize), Full>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let mut evicted = 0;
        loop {
            {
                let keys = &mut *shard.keys.lock();
                let now = shard.advance(now);
                if let Some(entry) = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key)
                {
                    return Ok((change(&keys.limiter, &mut entry.state, now), evicted));
                }
                evicted += self.sweep_keys(shard, keys, now, SWEPT_FOR_EACH_NEW);
                // Under the lock, no other thread can look up this key, so of two threads that insert
                // it, neither is refused because of the room that the other has reserved for it.
                if let Some(room) = self.reserve() {
                    let key = key.to_owned();
                    let mut state = keys.limiter.new_state();
                    let result = change(&keys.limiter, &mut state, now);
                    keys.deadlines.insert(hash, L::state_idle_from(&state));
                    keys.entries.insert(Entry { hash, state, key });
                    shard.note_deadline(keys);
                    room.keep();
                    return Ok((result, evicted));
                }
            }
            // Without the lock held: two threads waiting for each other's shards would deadlock.
            let sweep = |shard: &_| {
                let swept = self.sweep_shard(shard, now, SWEPT_FOR_ROOM);
                (swept > 0).then_some(swept)
            };
            match self.look_for_room(hash, now, sweep) {
                Ok(swept) => evicted += swept,
                Err(retry_at) => return Err(Full { retry_at, evicted }),
            }
        }
    }

    /// Reserves room for a new key, if there is any.
    fn reserve(&self) -> Option<Room<'_>> {
        let reserved = self.len.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |len| {
            (len < self.max_keys).then_some(len + 1)
        });
        reserved.is_ok().then(|| Room { len: &self.len })
    }

    /// Removes a key, idle or not, and returns whether it was present.
    pub(crate) fn remove<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let keys = &mut *shard.keys.lock();
        let Some(entry) = keys.entries.remove(hash, |entry| entry.key.borrow() == key) else {
            return false;
        };
        self.len.fetch_sub(1, Ordering::Relaxed);
        keys.forget_deadlines();
        shard.note_deadline(keys);
        drop(entry);
        true
    }

    /// Panics with a description if an invariant is violated. For tests. **O(n)**.
    pub(crate) fn check_invariants(&self) {
        let mut len = 0;
        for (index, shard) in self.shards.iter().enumerate() {
            let keys = &*shard.keys.lock();
            keys.entries.check_invariants();
            let most = keys.most_deadlines();
            assert!(keys.deadlines.len() <= most, "deadlines of shard {index} that lead nowhere");
            assert!(shard.next_deadline() <= keys.next_deadline(), "an earlier deadline");
            for entry in keys.entries.iter() {
                assert_eq!(hash_of(&self.hasher, entry.key.borrow()), entry.hash, "a key's hash");
                assert!(std::ptr::eq(self.shard(entry.hash), shard), "a key in another shard");
            }
            for entry in keys.entries.iter() {
                let first = keys.first_idle(entry.hash).expect("the entry has the hash");
                let latest = shard.newest(first);
                let mut filed = keys.deadlines.range_by_score(..=latest);
                let is_filed = filed.any(|(hash, _)| *hash == entry.hash);
                assert!(is_filed, "a key of shard {index} without a deadline in time");
            }
            len += keys.entries.len();
        }
        assert_eq!(len, self.len(), "the number of keys");
        assert!(len <= self.max_keys, "more keys than the most");
    }
}

impl<K, L: PerKey> Shard<K, L> {
    /// Records the time, and returns the effective time; to be called under the shard's lock.
    #[inline]
    fn advance(&self, now: Timestamp) -> Timestamp {
        let newest = self.newest.load(Ordering::Relaxed);
        if now.as_nanos() <= newest {
            return Timestamp::from_nanos(newest);
        }
        // Under the lock no other thread stores in between. A `fetch_max` would take a quarter of the
        // time of a check.
        self.newest.store(now.as_nanos(), Ordering::Relaxed);
        now
    }

    /// Returns the effective time, without recording `now`.
    fn newest(&self, now: Timestamp) -> Timestamp {
        now.max(Timestamp::from_nanos(self.newest.load(Ordering::Relaxed)))
    }

    fn next_deadline(&self) -> Timestamp {
        Timestamp::from_nanos(self.next_deadline.load(Ordering::Relaxed))
    }

    /// Publishes the first deadline.
    fn note_deadline(&self, keys: &Keys<K, L>) {
        self.next_deadline.store(keys.next_deadline().as_nanos(), Ordering::Relaxed);
    }
}

/// A reserved place, already counted in `len`, which is released on drop unless it is kept.
struct Room<'a> {
    len: &'a AtomicUsize,
}

impl Room<'_> {
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.len.fetch_sub(1, Ordering::Relaxed);
    }
}
