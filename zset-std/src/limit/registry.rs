//! The keys of a limiter: sharded, bounded, and swept of those that are idle.
//!
//! Invariants: a key is in the shard that its hash says. Each entry of a shard has exactly one
//! deadline in its list, filed under the key's hash, and the entry says which. `len` is the number
//! of entries in all shards, and of places that are reserved for new ones.
//!
//! A deadline is when to look at a key again, not when it is idle: a check does not touch it. A
//! sweep asks the entry, and if it is in use by then, files a later one.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use zset_core::SkipList;

use crate::Timestamp;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, RwLock, read, write};

/// Deadlines that each new key looks at, so that keys go at the rate at which they come.
const SWEPT_FOR_EACH_NEW: usize = 2;

/// Deadlines of each shard that are looked at when there is no room.
const SWEPT_FOR_ROOM: usize = 4;

/// What a limiter keeps of a key.
pub(crate) trait State {
    /// Returns from when on, if nothing happens, it is as good as new.
    fn idle_at(&self) -> Timestamp;
}

/// A `V` for each key, and settings `T` that they share.
pub(crate) struct Registry<K, V, T, H> {
    shards: Box<[Shard<K, V, T>]>,
    hasher: H,
    len: AtomicUsize,
    max_keys: usize,
}

/// On a cache line of its own, so that the locks of two shards do not slow each other down.
#[repr(align(64))]
struct Shard<K, V, T> {
    keys: RwLock<Keys<K, V, T>>,
    /// The latest time that any of the keys was told: what steps back counts as this.
    newest: AtomicU64,
}

struct Keys<K, V, T> {
    /// A copy for each shard, so that to read them takes no other lock.
    settings: T,
    entries: HashTable<Entry<K, V>>,
    /// The hashes of keys by the time at which to look at them.
    deadlines: SkipList<u64, Timestamp>,
}

struct Entry<K, V> {
    /// Kept, so that a growing table runs no code of the user's.
    hash: u64,
    deadline: Timestamp,
    state: V,
    key: K,
}

/// The error of a new key for which there is no room.
pub(crate) struct Full {
    /// When some key may be idle.
    pub(crate) retry_at: Timestamp,
}

/// Returns as many shards as keep the threads of this machine out of each other's way.
pub(crate) fn default_shards() -> usize {
    4 * std::thread::available_parallelism().map_or(4, std::num::NonZero::get)
}

impl<K: Eq + Hash, V: State, T: Clone, H: BuildHasher> Registry<K, V, T, H> {
    pub(crate) fn new(settings: T, hasher: H, max_keys: usize, shards: usize) -> Self {
        let shard = |settings| {
            let keys = Keys { settings, entries: HashTable::new(), deadlines: SkipList::new() };
            Shard { keys: RwLock::new(keys), newest: AtomicU64::new(0) }
        };
        let settings = std::iter::repeat_n(settings, shards.next_power_of_two());
        let shards = settings.map(shard).collect();
        Registry { shards, hasher, len: AtomicUsize::new(0), max_keys }
    }

    pub(crate) fn set_max_keys(&mut self, max_keys: usize) {
        self.max_keys = max_keys;
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    fn shard(&self, hash: u64) -> &Shard<K, V, T> {
        // The table within takes its bits from both ends of the hash.
        &self.shards[(hash >> 32) as usize & (self.shards.len() - 1)]
    }

    /// Asks the state of a key, none if it is not there; `ask` gets the time to count with.
    #[inline]
    pub(crate) fn get<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        ask: impl FnOnce(Option<&V>, &T, Timestamp) -> R,
    ) -> R
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let shard = self.shard(hash);
        let keys = read(&shard.keys);
        let now = shard.advance(now);
        let entry = keys.entries.find(hash, |entry| entry.key.borrow() == key);
        ask(entry.map(|entry| &entry.state), &keys.settings, now)
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> T {
        read(&self.shards[0].keys).settings.clone()
    }

    /// Changes the state of a key that is there.
    pub(crate) fn get_mut<Q, R>(&self, key: &Q, change: impl FnOnce(&mut V) -> R) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let keys = &mut *write(&self.shard(hash).keys);
        let entry = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key)?;
        Some(change(&mut entry.state))
    }

    /// Changes the states of all keys, a shard at a time.
    pub(crate) fn for_each_mut(&self, mut change: impl FnMut(&mut V)) {
        for shard in &self.shards {
            write(&shard.keys).entries.iter_mut().for_each(|entry| change(&mut entry.state));
        }
    }

    /// Changes the settings, a shard at a time.
    pub(crate) fn set(&self, mut set: impl FnMut(&mut T)) {
        for shard in &self.shards {
            set(&mut write(&shard.keys).settings);
        }
    }

    /// Changes the state of a key, which is `new` if it is not there yet.
    ///
    /// Returns with what `change` returns how many idle keys have gone for it.
    pub(crate) fn get_or_insert<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        new: impl FnOnce(&T) -> V,
        change: impl FnOnce(&mut V, &T, Timestamp) -> R,
    ) -> Result<(R, usize), Full>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let shard = self.shard(hash);
        {
            let keys = &mut *write(&shard.keys);
            let now = shard.advance(now);
            if let Some(entry) = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key) {
                return Ok((change(&mut entry.state, &keys.settings, now), 0));
            }
        }
        // Without the lock, since room may have to be made in other shards.
        let room = self.make_room(shard, now)?;
        let owned = key.to_owned();
        let keys = &mut *write(&shard.keys);
        let now = shard.advance(now);
        // Someone else may have been here in the meantime. The room is then given back.
        if let Some(entry) = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key) {
            return Ok((change(&mut entry.state, &keys.settings, now), room.evicted));
        }
        let mut state = new(&keys.settings);
        let result = change(&mut state, &keys.settings, now);
        let deadline = state.idle_at().max(now);
        let entry = Entry { hash, deadline, state, key: owned };
        keys.deadlines.insert(hash, deadline);
        keys.entries.insert_unique(hash, entry, |entry| entry.hash);
        let evicted = room.evicted;
        room.keep();
        let swept = keys.sweep(now, SWEPT_FOR_EACH_NEW);
        self.len.fetch_sub(swept, Ordering::Relaxed);
        Ok((result, evicted + swept))
    }

    /// Reserves the place of a new key of a shard; makes idle ones go if there is none.
    fn make_room(&self, shard: &Shard<K, V, T>, now: Timestamp) -> Result<Room<'_>, Full> {
        let mut evicted = 0;
        loop {
            let reserved = self.len.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |len| {
                (len < self.max_keys).then_some(len + 1)
            });
            if reserved.is_ok() {
                return Ok(Room { len: &self.len, evicted });
            }
            let mut swept = self.sweep_shard(shard, now, SWEPT_FOR_ROOM);
            for other in &self.shards {
                if swept > 0 {
                    break;
                }
                swept = self.sweep_shard(other, now, SWEPT_FOR_ROOM);
            }
            if swept == 0 {
                let deadlines = &read(&shard.keys).deadlines;
                let next = deadlines.first().map_or(now, |(_, deadline)| deadline);
                return Err(Full { retry_at: next });
            }
            evicted += swept;
        }
    }

    /// Looks at up to `budget` keys whose deadlines are over, and lets those go that are idle.
    pub(crate) fn sweep(&self, now: Timestamp, budget: usize) -> usize {
        let each = budget.div_ceil(self.shards.len());
        self.shards.iter().map(|shard| self.sweep_shard(shard, now, each)).sum()
    }

    fn sweep_shard(&self, shard: &Shard<K, V, T>, now: Timestamp, budget: usize) -> usize {
        let mut keys = write(&shard.keys);
        let now = shard.advance(now);
        let swept = keys.sweep(now, budget);
        self.len.fetch_sub(swept, Ordering::Relaxed);
        swept
    }

    /// Lets a key go, whatever its state.
    pub(crate) fn remove<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let mut keys = write(&self.shard(hash).keys);
        let found = keys.entries.find_entry(hash, |entry| entry.key.borrow() == key);
        let Ok(found) = found else { return false };
        let (entry, _) = found.remove();
        keys.deadlines.remove(&hash, entry.deadline);
        self.len.fetch_sub(1, Ordering::Relaxed);
        true
    }

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    pub(crate) fn check(&self) {
        let mut len = 0;
        for (index, shard) in self.shards.iter().enumerate() {
            let keys = read(&shard.keys);
            assert_eq!(keys.deadlines.len(), keys.entries.len(), "deadlines of shard {index}");
            for entry in &keys.entries {
                assert_eq!(
                    self.hasher.hash_one(entry.key.borrow()),
                    entry.hash,
                    "the hash of a key"
                );
                assert!(std::ptr::eq(self.shard(entry.hash), shard), "a key in another shard");
                let filed = keys.deadlines.rank(&entry.hash, entry.deadline);
                assert!(filed.is_some(), "a key without a deadline");
            }
            len += keys.entries.len();
        }
        assert_eq!(len, self.len(), "the number of keys");
        assert!(len <= self.max_keys, "more keys than the most");
    }
}

impl<K, V, T> Shard<K, V, T> {
    /// Notes the time, and returns the latest one that was told.
    fn advance(&self, now: Timestamp) -> Timestamp {
        // Most calls come with a later time; a store is cheaper than a `fetch_max`, and is needed
        // only if another thread has not stored a later one.
        let newest = self.newest.load(Ordering::Relaxed);
        if now.as_nanos() <= newest {
            return Timestamp::from_nanos(newest);
        }
        let before = self.newest.fetch_max(now.as_nanos(), Ordering::Relaxed);
        Timestamp::from_nanos(before.max(now.as_nanos()))
    }
}

impl<K, V: State, T> Keys<K, V, T> {
    /// Looks at up to `budget` keys whose deadlines are over, and lets those go that are idle.
    fn sweep(&mut self, now: Timestamp, budget: usize) -> usize {
        let mut swept = 0;
        for _ in 0..budget {
            if self.deadlines.first().is_none_or(|(_, deadline)| deadline > now) {
                break;
            }
            let Some((hash, deadline)) = self.deadlines.pop_first() else { break };
            let found = self
                .entries
                .find_entry(hash, |entry| entry.hash == hash && entry.deadline == deadline);
            let Ok(mut found) = found else { continue };
            let idle_at = found.get().state.idle_at();
            if idle_at <= now {
                found.remove();
                swept += 1;
            } else {
                found.get_mut().deadline = idle_at;
                self.deadlines.insert(hash, idle_at);
            }
        }
        swept
    }
}

/// A place that is counted already. If nobody keeps it, it is given back.
struct Room<'a> {
    len: &'a AtomicUsize,
    evicted: usize,
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
