//! The keys of a limiter: sharded, bounded, and swept of those that are idle.
//!
//! Invariants: a key is in the shard that its hash says. The list of deadlines of a shard has at
//! least one for each entry, filed under its hash. `len` is the number of entries in all shards, and
//! of places that are reserved for new ones: by threads that have the lock of the key's shard, and
//! keep it until the entry is there. All of it holds whenever code of the user's runs under a lock
//! (`Eq`, `Borrow`, `ToOwned` and `Drop` of keys), since that may panic.
//!
//! A deadline is when to look at a key again, not when it is idle: a check does not touch it. A
//! sweep asks the entry, and if it is in use by then, files a later one. An entry does not say where
//! its deadline is, so a key that is removed leaves it behind: it leads to nothing, or to the same
//! key if that is back. When those are more than the entries, the list is made anew.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use zset_core::SkipList;

pub use crate::hash_builder::DefaultHashBuilder;

use super::table::{Hashed, KeyHash, Table, hash_of};
use crate::Timestamp;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, SpinLock};

/// Deadlines that each new key looks at, so that keys go at the rate at which they come.
const SWEPT_FOR_EACH_NEW: usize = 2;

/// Deadlines of each shard that are looked at when there is no room.
const SWEPT_FOR_ROOM: usize = 4;

/// Deadlines that lead nowhere which are let be, however few keys there are.
const FEW_DEADLINES: usize = 16;

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
    keys: SpinLock<Keys<K, V, T>>,
    /// The latest time that any of the keys was told: what steps back counts as this.
    newest: AtomicU64,
    /// No deadline is before this: to be read without the lock.
    next_deadline: AtomicU64,
}

struct Keys<K, V, T> {
    /// A copy for each shard, so that to read them takes no other lock.
    settings: T,
    entries: Table<Entry<K, V>>,
    /// The hashes of keys by the time at which to look at them.
    deadlines: SkipList<KeyHash, Timestamp>,
}

/// As small as can be: what a check waits for is the memory that it is in.
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

/// The error of a new key for which there is no room.
pub(crate) struct Full {
    /// When some key may be idle.
    pub(crate) retry_at: Timestamp,
    /// How many idle keys have gone, for which others came.
    pub(crate) evicted: usize,
}

/// Returns as many shards as keep the threads of this machine out of each other's way.
pub(crate) fn default_shards() -> usize {
    if cfg!(zset_loom) {
        // The fewest with which keys are in the same shard or in different ones: each is one more
        // lock to explore.
        return 2;
    }
    4 * std::thread::available_parallelism().map_or(4, std::num::NonZero::get)
}

impl<K: Eq + Hash, V: State, T: Clone, H: BuildHasher> Registry<K, V, T, H> {
    pub(crate) fn new(settings: T, hasher: H, max_keys: usize, shards: usize) -> Self {
        let shard = |settings| {
            let keys = Keys { settings, entries: Table::new(), deadlines: SkipList::new() };
            let (newest, next_deadline) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
            Shard { keys: SpinLock::new(keys), newest, next_deadline }
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

    fn index(&self, hash: KeyHash) -> usize {
        // The table within takes the lowest bits.
        (hash.get() >> 32) as usize & (self.shards.len() - 1)
    }

    fn shard(&self, hash: KeyHash) -> &Shard<K, V, T> {
        &self.shards[self.index(hash)]
    }

    /// Asks the state of a key, none if it is not there; `ask` gets the time to count with.
    #[inline]
    pub(crate) fn get<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        ask: impl FnOnce(Option<&mut V>, &T, Timestamp) -> R,
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
        ask(entry.map(|entry| &mut entry.state), &keys.settings, now)
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> T {
        self.shards[0].keys.lock().settings.clone()
    }

    /// Changes the state of a key that is there.
    pub(crate) fn get_mut<Q, R>(&self, key: &Q, change: impl FnOnce(&mut V) -> R) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let keys = &mut *self.shard(hash).keys.lock();
        let entry = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key)?;
        Some(change(&mut entry.state))
    }

    /// Changes the states of all keys, a shard at a time.
    pub(crate) fn for_each_mut(&self, mut change: impl FnMut(&mut V)) {
        for shard in &self.shards {
            shard.keys.lock().entries.iter_mut().for_each(|entry| change(&mut entry.state));
        }
    }

    /// Changes the settings, a shard at a time.
    pub(crate) fn set(&self, mut set: impl FnMut(&mut T)) {
        for shard in &self.shards {
            set(&mut shard.keys.lock().settings);
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
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let mut evicted = 0;
        loop {
            {
                let keys = &mut *shard.keys.lock();
                let now = shard.advance(now);
                if let Some(entry) = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key)
                {
                    return Ok((change(&mut entry.state, &keys.settings, now), evicted));
                }
                evicted += self.sweep_keys(shard, keys, now, SWEPT_FOR_EACH_NEW);
                // While nobody else can look for this key, so that of two threads that come with
                // it, none is refused for the room that the other takes for it.
                if let Some(room) = self.reserve() {
                    let key = key.to_owned();
                    let mut state = new(&keys.settings);
                    let result = change(&mut state, &keys.settings, now);
                    keys.deadlines.insert(hash, state.idle_at().max(now));
                    keys.entries.insert(Entry { hash, state, key });
                    shard.next_deadline.store(keys.next_deadline().as_nanos(), Ordering::Relaxed);
                    room.keep();
                    return Ok((result, evicted));
                }
            }
            // Without the lock: two threads would wait for each other's shards for ever.
            match self.sweep_for_room(hash, now) {
                Ok(swept) => evicted += swept,
                Err(retry_at) => return Err(Full { retry_at, evicted }),
            }
        }
    }

    /// Counts a new key, if there may be one.
    fn reserve(&self) -> Option<Room<'_>> {
        let reserved = self.len.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |len| {
            (len < self.max_keys).then_some(len + 1)
        });
        reserved.is_ok().then(|| Room { len: &self.len })
    }

    /// Lets idle keys go from the first shard that has any, the one of a hash before others; returns
    /// how many. The error is when some key may be idle.
    fn sweep_for_room(&self, hash: KeyHash, now: Timestamp) -> Result<usize, Timestamp> {
        let mut next = u64::MAX;
        let (before, from) = self.shards.split_at(self.index(hash));
        for shard in from.iter().chain(before) {
            // While someone makes up keys, most have none, and are not to be locked each time.
            let newest = now.as_nanos().max(shard.newest.load(Ordering::Relaxed));
            if shard.next_deadline.load(Ordering::Relaxed) <= newest {
                let swept = self.sweep_shard(shard, now, SWEPT_FOR_ROOM);
                if swept > 0 {
                    return Ok(swept);
                }
            }
            next = next.min(shard.next_deadline.load(Ordering::Relaxed));
        }
        // There are none while the thread that has reserved the last place has yet to file its own.
        Err(if next == u64::MAX { now } else { Timestamp::from_nanos(next) })
    }

    /// Looks at up to `budget` keys whose deadlines are over, and lets those go that are idle.
    pub(crate) fn sweep(&self, now: Timestamp, budget: usize) -> usize {
        let each = budget.div_ceil(self.shards.len());
        self.shards.iter().map(|shard| self.sweep_shard(shard, now, each)).sum()
    }

    fn sweep_shard(&self, shard: &Shard<K, V, T>, now: Timestamp, budget: usize) -> usize {
        let keys = &mut *shard.keys.lock();
        self.sweep_keys(shard, keys, shard.advance(now), budget)
    }

    /// Does what `sweep` does, in a shard that is locked.
    fn sweep_keys(
        &self,
        shard: &Shard<K, V, T>,
        keys: &mut Keys<K, V, T>,
        now: Timestamp,
        budget: usize,
    ) -> usize {
        if shard.next_deadline.load(Ordering::Relaxed) > now.as_nanos() {
            return 0;
        }
        let mut swept = 0;
        for _ in 0..budget {
            if keys.deadlines.first().is_none_or(|(_, deadline)| deadline > now) {
                break;
            }
            let Some((hash, _)) = keys.deadlines.pop_first() else { break };
            if let Some(entry) = keys.entries.remove(hash, |entry| entry.state.idle_at() <= now) {
                swept += 1;
                // Before the key is dropped, since that may panic.
                self.len.fetch_sub(1, Ordering::Relaxed);
                drop(entry);
            } else if let Some(entry) = keys.entries.find(hash, |_| true) {
                keys.deadlines.insert(hash, entry.state.idle_at());
            }
        }
        keys.forget_deadlines();
        shard.next_deadline.store(keys.next_deadline().as_nanos(), Ordering::Relaxed);
        swept
    }

    /// Lets a key go, whatever its state.
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
        // A deadline that is made anew is earlier than before if units were refunded.
        shard.next_deadline.store(keys.next_deadline().as_nanos(), Ordering::Relaxed);
        drop(entry);
        true
    }

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    pub(crate) fn check(&self) {
        let mut len = 0;
        for (index, shard) in self.shards.iter().enumerate() {
            let keys = &*shard.keys.lock();
            keys.entries.check();
            let most = keys.most_deadlines();
            assert!(keys.deadlines.len() <= most, "deadlines of shard {index} that lead nowhere");
            let next = shard.next_deadline.load(Ordering::Relaxed);
            assert!(
                next <= keys.next_deadline().as_nanos(),
                "a deadline before all that there are"
            );
            for entry in keys.entries.iter() {
                assert_eq!(hash_of(&self.hasher, entry.key.borrow()), entry.hash, "a key's hash");
                assert!(std::ptr::eq(self.shard(entry.hash), shard), "a key in another shard");
            }
            let mut hashes: Vec<_> = keys.entries.iter().map(|entry| entry.hash).collect();
            let mut filed: Vec<_> = keys.deadlines.iter().map(|(hash, _)| *hash).collect();
            hashes.sort_unstable();
            filed.sort_unstable();
            let mut filed = filed.into_iter();
            let all_filed = hashes.into_iter().all(|hash| filed.any(|other| other == hash));
            assert!(all_filed, "a key of shard {index} without a deadline");
            len += keys.entries.len();
        }
        assert_eq!(len, self.len(), "the number of keys");
        assert!(len <= self.max_keys, "more keys than the most");
    }
}

impl<K, V, T> Shard<K, V, T> {
    /// Notes the time, and returns the latest one that was told; under the shard's lock only.
    #[inline]
    fn advance(&self, now: Timestamp) -> Timestamp {
        let newest = self.newest.load(Ordering::Relaxed);
        if now.as_nanos() <= newest {
            return Timestamp::from_nanos(newest);
        }
        // Nobody else stores between, under the lock: a `fetch_max` would take a quarter of the time
        // of a check.
        self.newest.store(now.as_nanos(), Ordering::Relaxed);
        now
    }
}

impl<K, V: State, T> Keys<K, V, T> {
    /// Returns how many deadlines there may be, those that lead nowhere among them.
    fn most_deadlines(&self) -> usize {
        2 * self.entries.len() + FEW_DEADLINES
    }

    /// Makes the list of deadlines anew, if most of it leads nowhere. That takes the time of what has
    /// been removed since the last time.
    fn forget_deadlines(&mut self) {
        if self.deadlines.len() > self.most_deadlines() {
            self.deadlines.clear();
            for entry in self.entries.iter() {
                self.deadlines.insert(entry.hash, entry.state.idle_at());
            }
        }
    }

    /// Returns the first deadline, or the end of time.
    fn next_deadline(&self) -> Timestamp {
        self.deadlines.first().map_or(Timestamp::MAX, |(_, deadline)| deadline)
    }
}

/// A place that is counted already. If nobody keeps it, it is given back.
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
