//! The keys of a limiter: sharded, bounded, and swept of idle ones.
//!
//! Invariants: a key is in the shard that its hash names. For each hash of entries, the shard's list of
//! deadlines has one that has passed or is not after the time at which the first of them is idle. `len`
//! is the number of entries in all shards, and of places reserved for new ones by threads that hold the
//! lock of the key's shard until the entry is there. All of it holds whenever code of the user's runs
//! under a lock (`Eq`, `Borrow`, `ToOwned` and `Drop` of keys), since that may panic.
//!
//! A deadline is when to look at a key again, not when it is idle: a check does not touch it. A sweep
//! looks at the entry, and if that is in use, files a later deadline. What makes an entry idle sooner,
//! a refund or another quota, files an earlier one. An entry does not know its deadlines, so a key
//! that is removed leaves them in the list: they lead nowhere, or to the same key if that returns.
//! Once those outnumber the entries, the list is rebuilt.
//!
//! To find an idle key, a sweep may have to look at all deadlines that have passed. Each leads to a key
//! that was used after it was filed, or was left by a refund or a removal, and is looked at once. So a
//! call takes amortized O(log n) time. The lock is released after each few, but a rebuild of the list
//! holds it for all keys of the shard.
//!
//! The last timestamp means never: a key that is idle at or after it stays.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use zset_core::SkipList;

use super::KeyState;
use super::table::{Hashed, KeyHash, Table, hash_of};
use crate::Timestamp;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, SpinLock};

/// Deadlines that each new key looks at, so that keys are evicted at the rate at which they arrive.
const SWEPT_FOR_EACH_NEW: usize = 2;

/// Deadlines that are looked at under one lock when there is no room.
const SWEPT_FOR_ROOM: usize = 32;

/// Deadlines that lead nowhere which are kept, however few keys there are.
const FEW_DEADLINES: usize = 16;

/// A `V` for each key, and the settings that they share.
pub(crate) struct Registry<K, V: KeyState, H> {
    shards: Box<[Shard<K, V>]>,
    hasher: H,
    len: AtomicUsize,
    max_keys: usize,
}

/// On a cache line of its own, so that the locks of two shards do not slow each other down.
#[repr(align(64))]
struct Shard<K, V: KeyState> {
    keys: SpinLock<Keys<K, V>>,
    /// The latest time seen by any of the keys: an earlier one counts as this.
    newest: AtomicU64,
    /// No deadline is before this: to be read without the lock.
    next_deadline: AtomicU64,
}

struct Keys<K, V: KeyState> {
    /// A copy for each shard, so that to read them takes no other lock.
    settings: V::Settings,
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
    /// How many idle keys were evicted, whose room other new keys got.
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

impl<K: Eq + Hash, V: KeyState, H: BuildHasher> Registry<K, V, H> {
    pub(crate) fn new(settings: V::Settings, hasher: H, max_keys: usize, shards: usize) -> Self {
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

    fn shard(&self, hash: KeyHash) -> &Shard<K, V> {
        &self.shards[self.index(hash)]
    }

    /// Changes the state of a key, `None` if it is not there; `change` gets the time that counts.
    #[inline]
    pub(crate) fn get<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        change: impl FnOnce(Option<&mut V>, &V::Settings, Timestamp) -> R,
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
        change(entry.map(|entry| &mut entry.state), &keys.settings, now)
    }

    /// Reads the state of a key, if it is there; `read` gets the time that counts.
    pub(crate) fn read<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        read: impl FnOnce(&V, &V::Settings, Timestamp) -> R,
    ) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let keys = &*shard.keys.lock();
        let entry = keys.entries.find(hash, |entry| entry.key.borrow() == key)?;
        Some(read(&entry.state, &keys.settings, shard.newest(now)))
    }

    /// Reads the settings; `read` gets the time that counts for a key.
    pub(crate) fn settings<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        read: impl FnOnce(&V::Settings, Timestamp) -> R,
    ) -> R
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let shard = self.shard(hash_of(&self.hasher, key));
        read(&shard.keys.lock().settings, shard.newest(now))
    }

    /// Returns a copy of the settings.
    pub(crate) fn copy_settings(&self) -> V::Settings {
        self.shards[0].keys.lock().settings.clone()
    }

    /// Changes the state of a key, if it is there, so that it may be idle sooner.
    pub(crate) fn shorten<Q, R>(
        &self,
        key: &Q,
        change: impl FnOnce(&mut V, &V::Settings) -> R,
    ) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = hash_of(&self.hasher, key);
        let shard = self.shard(hash);
        let keys = &mut *shard.keys.lock();
        let entry = keys.entries.find_mut(hash, |entry| entry.key.borrow() == key)?;
        let before = entry.state.idle_at();
        let result = change(&mut entry.state, &keys.settings);
        let idle_at = entry.state.idle_at();
        if idle_at < before {
            keys.file(hash, idle_at);
            keys.forget_deadlines();
            shard.note_deadline(keys);
        }
        Some(result)
    }

    /// Changes the settings, a shard at a time.
    pub(crate) fn set(&self, mut set: impl FnMut(&mut V::Settings)) {
        for shard in &self.shards {
            set(&mut shard.keys.lock().settings);
        }
    }

    /// Changes the settings and the states of all keys, a shard at a time.
    pub(crate) fn set_all(
        &self,
        mut set: impl FnMut(&mut V::Settings),
        mut change: impl FnMut(&mut V),
    ) {
        for shard in &self.shards {
            let keys = &mut *shard.keys.lock();
            set(&mut keys.settings);
            keys.entries.iter_mut().for_each(|entry| change(&mut entry.state));
            keys.rebuild_deadlines();
            shard.note_deadline(keys);
        }
    }

    /// Changes the state of a key, which is inserted if it is not there yet; `change` gets the time
    /// that counts.
    ///
    /// Returns the result of `change`, and how many idle keys were evicted.
    pub(crate) fn get_or_insert<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        change: impl FnOnce(&mut V, &V::Settings, Timestamp) -> R,
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
                // Under the lock, no other thread can look for this key: of two threads that insert
                // it, none is refused for the room that the other has reserved for it.
                if let Some(room) = self.reserve() {
                    let key = key.to_owned();
                    let mut state = V::new(&keys.settings);
                    let result = change(&mut state, &keys.settings, now);
                    keys.deadlines.insert(hash, state.idle_at());
                    keys.entries.insert(Entry { hash, state, key });
                    shard.note_deadline(keys);
                    room.keep();
                    return Ok((result, evicted));
                }
            }
            // Without the lock: two threads would wait for each other's shards for ever.
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

    /// Returns whether there is room for a key that is not there, or an idle key that would be evicted
    /// for it. Nothing is evicted, since `now` may be a time to come.
    pub(crate) fn has_room<Q>(&self, key: &Q, now: Timestamp) -> Result<(), Full>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        if self.len() < self.max_keys {
            return Ok(());
        }
        let mut has_idle = |shard: &Shard<K, V>| {
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

    /// Counts a new key, if there may be one.
    fn reserve(&self) -> Option<Room<'_>> {
        let reserved = self.len.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |len| {
            (len < self.max_keys).then_some(len + 1)
        });
        reserved.is_ok().then(|| Room { len: &self.len })
    }

    /// Looks at the shards that may have an idle key, starting with that of a hash, until `find` has
    /// found something. `find` looks at a few keys; the error is when some key may be idle.
    fn look_for_room<R>(
        &self,
        hash: KeyHash,
        now: Timestamp,
        mut find: impl FnMut(&Shard<K, V>) -> Option<R>,
    ) -> Result<R, Timestamp> {
        let mut next = Timestamp::MAX;
        let (before, from) = self.shards.split_at(self.index(hash));
        for shard in from.iter().chain(before) {
            // Under a flood of new keys most shards have no idle key, and are not to be locked for
            // each. A round files the deadlines that it looks at after the time that counts, or
            // drops them, so there is a last round.
            while is_due(shard.next_deadline(), shard.newest(now)) {
                if let Some(found) = find(shard) {
                    return Ok(found);
                }
            }
            next = next.min(shard.next_deadline());
        }
        if next == Timestamp::MAX {
            // There is none while the thread that has reserved the last place has yet to file its own,
            // under its shard's lock. Otherwise no key will ever be idle.
            let deadlines = self.shards.iter().map(|shard| shard.keys.lock().next_deadline());
            next = deadlines.min().unwrap_or(Timestamp::MAX);
        }
        Err(next)
    }

    /// Looks at up to `budget` keys whose deadlines have passed, and evicts those that are idle.
    pub(crate) fn sweep(&self, now: Timestamp, budget: usize) -> usize {
        let each = budget.div_ceil(self.shards.len());
        self.shards.iter().map(|shard| self.sweep_shard(shard, now, each)).sum()
    }

    fn sweep_shard(&self, shard: &Shard<K, V>, now: Timestamp, budget: usize) -> usize {
        let keys = &mut *shard.keys.lock();
        self.sweep_keys(shard, keys, shard.advance(now), budget)
    }

    /// Like `sweep`, in a shard that is locked.
    fn sweep_keys(
        &self,
        shard: &Shard<K, V>,
        keys: &mut Keys<K, V>,
        now: Timestamp,
        budget: usize,
    ) -> usize {
        if !is_due(shard.next_deadline(), now) {
            return 0;
        }
        let mut swept = 0;
        for _ in 0..budget {
            let Some(look) = keys.look(now) else { break };
            let is_idle = |entry: &Entry<K, V>| is_due(entry.state.idle_at(), now);
            if let Some(entry) = look.and_then(|hash| keys.entries.remove(hash, is_idle)) {
                swept += 1;
                // Others with its hash have lost their deadline.
                keys.file_again(entry.hash);
                // All before the key is dropped, since that may panic.
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

    /// Removes a key, whatever its state.
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

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    pub(crate) fn check(&self) {
        let mut len = 0;
        for (index, shard) in self.shards.iter().enumerate() {
            let keys = &*shard.keys.lock();
            keys.entries.check();
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

/// Returns whether a deadline has passed; the last timestamp never has.
fn is_due(deadline: Timestamp, now: Timestamp) -> bool {
    deadline <= now && deadline < Timestamp::MAX
}

impl<K, V: KeyState> Shard<K, V> {
    /// Notes the time, and returns the latest one seen; under the shard's lock only.
    #[inline]
    fn advance(&self, now: Timestamp) -> Timestamp {
        let newest = self.newest.load(Ordering::Relaxed);
        if now.as_nanos() <= newest {
            return Timestamp::from_nanos(newest);
        }
        // No other thread stores between, under the lock: a `fetch_max` would take a quarter of the
        // time of a check.
        self.newest.store(now.as_nanos(), Ordering::Relaxed);
        now
    }

    /// Returns the latest time seen, or `now` if that is later.
    fn newest(&self, now: Timestamp) -> Timestamp {
        now.max(Timestamp::from_nanos(self.newest.load(Ordering::Relaxed)))
    }

    fn next_deadline(&self) -> Timestamp {
        Timestamp::from_nanos(self.next_deadline.load(Ordering::Relaxed))
    }

    /// Publishes the first deadline.
    fn note_deadline(&self, keys: &Keys<K, V>) {
        self.next_deadline.store(keys.next_deadline().as_nanos(), Ordering::Relaxed);
    }
}

impl<K, V: KeyState> Keys<K, V> {
    /// Looks at the first deadline, if it has passed: takes it out if a key is idle, whose hash it
    /// returns, and otherwise files it anew.
    #[expect(clippy::option_option, reason = "whether there was a deadline, and an idle key")]
    fn look(&mut self, now: Timestamp) -> Option<Option<KeyHash>> {
        if !is_due(self.next_deadline(), now) {
            return None;
        }
        let (hash, _) = self.deadlines.pop_first()?;
        if self.first_idle(hash).is_some_and(|idle_at| is_due(idle_at, now)) {
            return Some(Some(hash));
        }
        self.file_again(hash);
        Some(None)
    }

    /// Files a deadline, unless it is filed.
    fn file(&mut self, hash: KeyHash, deadline: Timestamp) {
        if self.deadlines.rank(&hash, deadline).is_none() {
            self.deadlines.insert(hash, deadline);
        }
    }

    /// Files the deadline of the first to be idle of the keys with a hash, if there is any.
    fn file_again(&mut self, hash: KeyHash) {
        if let Some(idle_at) = self.first_idle(hash) {
            self.file(hash, idle_at);
        }
    }

    /// Returns when the first of the keys with a hash is idle.
    fn first_idle(&self, hash: KeyHash) -> Option<Timestamp> {
        let mut first = None;
        self.entries.find(hash, |entry| {
            let idle_at = entry.state.idle_at();
            first = Some(first.map_or(idle_at, |first: Timestamp| first.min(idle_at)));
            false
        });
        first
    }

    /// Returns how many deadlines there may be, those that lead nowhere among them.
    fn most_deadlines(&self) -> usize {
        2 * self.entries.len() + FEW_DEADLINES
    }

    /// Rebuilds the list of deadlines if most of it leads nowhere. That takes amortized constant time
    /// for each deadline that has been filed or has lost its key since the last time.
    fn forget_deadlines(&mut self) {
        if self.deadlines.len() > self.most_deadlines() {
            self.rebuild_deadlines();
        }
    }

    fn rebuild_deadlines(&mut self) {
        // So that to visit the entries takes time in proportion to their number.
        self.entries.shrink();
        self.deadlines.clear();
        for entry in self.entries.iter() {
            self.deadlines.insert(entry.hash, entry.state.idle_at());
        }
    }

    /// Returns the first deadline, or the end of time.
    fn next_deadline(&self) -> Timestamp {
        self.deadlines.first().map_or(Timestamp::MAX, |(_, deadline)| deadline)
    }
}

/// A place that is counted already, and freed when this is dropped, unless it is kept.
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
