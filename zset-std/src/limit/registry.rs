//! The keys of a limiter and their states. The keys are distributed over shards, their number may
//! be bounded, and sweeps remove idle keys.
//!
//! Invariants:
//!
//! - A key is in the shard that its hash selects, and in exactly one of the two tables of the
//!   shard, `entries` and `held`.
//! - For each hash in `entries`, the shard's list has at least one deadline that has already
//!   passed, or that is no later than the time at which the first entry with this hash becomes
//!   idle.
//! - `len` is the number of entries in all shards, plus the places reserved by threads that are
//!   inserting a key. Such a thread keeps the shard locked until it has inserted the entry.
//!
//! The user's implementations of `ToKey` and `Drop` for keys may run under a lock, and may panic.
//! So the invariants hold whenever they run.
//!
//! A deadline is the time at which to examine a key, not the time at which the key becomes idle,
//! since a check does not update deadlines. Once a deadline has passed, a sweep examines the entry.
//! If the entry is in use, the sweep files a later deadline. A refund that makes an entry idle
//! sooner files an earlier deadline. A change of quotas that may make entries idle sooner rebuilds
//! the list. An entry does not record its deadlines. When a key is removed, its deadlines stay in
//! the list and are stale. Once most of the list may be stale, it is rebuilt.
//!
//! To find an idle key, a sweep may have to examine all deadlines that have passed. Each deadline
//! is examined once, so a call takes amortized O(log n) time. A sweep that looks for room releases
//! the lock after every few deadlines; [`Registry::sweep`] holds it for its whole budget per shard.
//! Rebuilding the list visits all keys of the shard under the lock, and so does a table that grows,
//! shrinks, or clears the marks of removed entries.
//!
//! A call hashes its key once, and usually locks its shard once. Only a call that needs a longer
//! search for an idle key unlocks the shard, and locks it again to insert the key.
//!
//! A key is *held* while it has units in flight. A held key is not swept even if it is idle, so
//! that its units can still be recorded. The entries of held keys are in a separate table, which is
//! usually empty. So a check that finds its key in `entries` does not have to look for units in
//! flight. Held keys need no deadline: the end of the last hold files one.
//!
//! The *effective time* of a call is the later of its `now` and the latest time that the shard has
//! seen. As a deadline, [`Timestamp::MAX`] means never: a key that becomes idle only then is never
//! swept.

use std::boxed::Box;
use std::hash::{BuildHasher, Hash};
use std::time::Duration;

use hashbrown::HashTable;
use zset_core::SkipList;

use super::{Limiter, ToKey};
use crate::Timestamp;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering, SpinGuard, SpinLock};

/// The number of deadlines examined for each new key, so sweeping keeps pace with new keys.
const SWEPT_FOR_EACH_NEW: usize = 2;

/// The limiter `L`, and its state for each key.
pub(crate) struct Registry<K, L: Limiter, H> {
    shards: Box<[Shard<K, L>]>,
    /// The number of shards, which is a power of two, minus one.
    mask: usize,
    hasher: H,
    len: AtomicUsize,
    pub(crate) max_keys: usize,
}

/// Aligned to a cache line, so that the locks of two shards do not slow each other down.
#[repr(align(64))]
struct Shard<K, L: Limiter> {
    keys: SpinLock<Keys<K, L>>,
    /// The latest time that the shard has seen.
    newest: AtomicU64,
    /// A lower bound on the deadlines, read without the lock.
    next_deadline: AtomicU64,
    /// Whether any key is held, read without the lock.
    has_held: AtomicBool,
}

struct Keys<K, L: Limiter> {
    /// A copy for each shard, so that reading it takes no other lock.
    limiter: L,
    entries: HashTable<Entry<K, L::State>>,
    /// The hashes of keys, ordered by the time at which to examine the keys.
    deadlines: SkipList<u64, Timestamp>,
    /// The entries of all held keys, and of no others.
    held: HashTable<Held<K, L::State>>,
}

/// Kept small: most of the time of a check is spent loading the entry from memory.
struct Entry<K, V> {
    /// Stored, so the key is not hashed again when its table grows or its deadline has passed.
    hash: u64,
    state: V,
    key: K,
}

struct Held<K, V> {
    entry: Entry<K, V>,
    /// The units in flight, summed over all holds.
    units: u64,
    /// The number of holds; not zero.
    holds: usize,
}

/// Where the entry of a key is: a bucket of one of the tables.
#[derive(Clone, Copy)]
enum Slot {
    Entry(usize),
    Held(usize),
}

/// The error of inserting a key when there is no room.
pub(crate) struct Full<R> {
    /// The earliest time at which some key may be idle.
    pub(crate) retry_at: Timestamp,
    /// The number of idle keys that were swept. Other new keys took the room that this made.
    pub(crate) swept: usize,
    /// The effective time.
    pub(crate) now: Timestamp,
    /// The result of the caller's `without_room`.
    pub(crate) without_room: R,
}

/// Returns a number of shards at which the threads of this machine rarely contend for a lock.
pub(crate) fn default_shards() -> usize {
    if cfg!(zset_loom) {
        // Two shards suffice to test keys in the same shard and in different shards. Each further
        // shard would add a lock, and so more interleavings to explore.
        return 2;
    }
    4 * std::thread::available_parallelism().map_or(4, std::num::NonZero::get)
}

impl<K: Eq + Hash, L: Limiter, H: BuildHasher> Registry<K, L, H> {
    pub(crate) fn new(limiter: L, hasher: H, max_keys: usize, shards: usize) -> Self {
        let shard = |limiter| {
            let (entries, deadlines) = (HashTable::new(), SkipList::new());
            let keys = Keys { limiter, entries, deadlines, held: HashTable::new() };
            Shard {
                keys: SpinLock::new(keys),
                newest: AtomicU64::new(0),
                next_deadline: AtomicU64::new(u64::MAX),
                has_held: AtomicBool::new(false),
            }
        };
        let limiters = std::iter::repeat_n(limiter, shards.next_power_of_two());
        let shards: Box<[_]> = limiters.map(shard).collect();
        let mask = shards.len() - 1;
        Registry { shards, mask, hasher, len: AtomicUsize::new(0), max_keys }
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    fn index(&self, hash: u64) -> usize {
        // The tables use the lowest and the highest bits of the hash, so select the shard by bits
        // in between.
        (hash >> 32) as usize & self.mask
    }

    fn shard(&self, hash: u64) -> &Shard<K, L> {
        &self.shards[self.index(hash)]
    }

    /// Returns the effective time of a call for a key, without looking the key up.
    pub(crate) fn newest<Q: Hash + ?Sized>(&self, key: &Q, now: Timestamp) -> Timestamp {
        self.shard(self.hasher.hash_one(key)).newest(now)
    }

    /// Locks the shard of a key, and looks the key up. The time is not recorded yet.
    #[inline]
    pub(crate) fn lock<'a, Q>(&'a self, key: &'a Q, now: Timestamp) -> Locked<'a, K, L, Q>
    where
        Q: ToKey<K> + ?Sized,
    {
        self.lock_hashed(self.hasher.hash_one(key), key, now)
    }

    /// Like `lock`, for a key whose hash is known.
    fn lock_hashed<'a, Q>(&'a self, hash: u64, key: &'a Q, now: Timestamp) -> Locked<'a, K, L, Q>
    where
        Q: ToKey<K> + ?Sized,
    {
        let shard = self.shard(hash);
        let keys = shard.keys.lock();
        let slot = keys.entries.find_bucket_index(hash, |entry| key.is_key(&entry.key));
        let slot = slot.map(Slot::Entry);
        let locked = Locked { shard, keys, hash, key, slot, now: shard.newest(now) };
        if slot.is_some() { locked } else { locked.or_held() }
    }

    /// Changes the state of a key without units in flight, or returns its locked shard, whose held
    /// keys have not been [searched](Locked::or_held). `change` receives the effective time, which
    /// is recorded.
    ///
    /// `lock` and [`Locked::entry`] do the same, with 6 % more instructions for a known key.
    #[inline]
    pub(crate) fn get<'a, Q: ToKey<K> + ?Sized, R>(
        &'a self,
        key: &'a Q,
        now: Timestamp,
        change: impl FnOnce(&L, &mut L::State, Timestamp) -> R,
    ) -> Result<R, Locked<'a, K, L, Q>> {
        let hash = self.hasher.hash_one(key);
        let shard = self.shard(hash);
        let mut keys = shard.keys.lock();
        let now = shard.advance(now);
        let Keys { limiter, entries, .. } = &mut *keys;
        match entries.find_mut(hash, |entry| key.is_key(&entry.key)) {
            Some(entry) => Ok(change(limiter, &mut entry.state, now)),
            None => Err(Locked { shard, keys, hash, key, slot: None, now }),
        }
    }

    pub(crate) fn copy_limiter(&self) -> L {
        self.shards[0].keys.lock().limiter.clone()
    }

    /// Changes the limiter and, if necessary, adapts the states of all keys, locking one shard at a
    /// time.
    pub(crate) fn set(&self, mut set: impl FnMut(&mut L)) {
        for shard in &self.shards {
            let keys = &mut *shard.keys.lock();
            let before = keys.limiter.clone();
            set(&mut keys.limiter);
            if L::ADAPTS {
                let Keys { limiter, entries, held, .. } = keys;
                let held = held.iter_mut().map(|held| &mut held.entry);
                let entries = entries.iter_mut().chain(held);
                entries.for_each(|entry| limiter.adapt(&mut entry.state, &before));
                keys.rebuild_deadlines();
                shard.note_deadline(keys);
            }
        }
    }

    /// Changes the state of a key, which is inserted if it is absent. `change` receives the number
    /// of held units of the key, and the effective time. `holds` receives the result of `change`,
    /// and returns how many more units to hold until they are [settled](Locked::settle).
    ///
    /// Returns the result of `change`, and the number of idle keys swept. The error has the result
    /// of `without_room`, which receives the effective time.
    ///
    /// The shard stays locked, unless finding an idle key needs other shards or more than a few
    /// deadlines. In that case it is unlocked, and locked again afterwards.
    pub(crate) fn get_or_insert<'a, Q: ToKey<K> + ?Sized, R, T>(
        &'a self,
        mut locked: Locked<'a, K, L, Q>,
        change: impl FnOnce(&L, &mut L::State, u64, Timestamp) -> R,
        holds: impl FnOnce(&R) -> u32,
        without_room: impl Fn(&L, Timestamp) -> T,
    ) -> Result<(R, usize), Full<T>> {
        let mut swept = 0;
        loop {
            locked.advance();
            let (hash, key, now) = (locked.hash, locked.key, locked.now);
            if let Some((limiter, state, held)) = locked.entry() {
                let result = change(limiter, state, held, now);
                locked.hold(holds(&result));
                return Ok((result, swept));
            }
            let (shard, keys) = (locked.shard, &mut *locked.keys);
            for budget in [SWEPT_FOR_EACH_NEW, SWEPT_FOR_ROOM] {
                swept += self.sweep_keys(shard, keys, now, budget);
                // The shard stays locked from the reservation to the insertion. Otherwise two
                // threads could insert the same key at once: one would take the last place, and the
                // other would be refused.
                let Some(room) = self.reserve() else { continue };
                let owned = key.to_key();
                let mut state = L::NEW;
                let result = change(&keys.limiter, &mut state, 0, now);
                let entry = Entry { hash, state, key: owned };
                match holds(&result) {
                    0 => {
                        keys.deadlines.insert(hash, keys.limiter.idle_from(&entry.state));
                        keys.entries.insert_unique(hash, entry, Entry::hash);
                        shard.note_deadline(keys);
                    }
                    units => keys.hold(shard, entry, units),
                }
                room.keep();
                return Ok((result, swept));
            }
            let without_room = without_room(&keys.limiter, now);
            // Unlock this shard before locking others: two threads that wait for each other's
            // shards would deadlock.
            drop(locked);
            let sweep = |shard: &_| {
                let swept = self.sweep_shard(shard, now, SWEPT_FOR_ROOM);
                (swept > 0).then_some(swept)
            };
            match self.look_for_room(hash, now, sweep) {
                Ok(more) => swept += more,
                Err(retry_at) => return Err(Full { retry_at, swept, now, without_room }),
            }
            locked = self.lock_hashed(hash, key, now);
        }
    }

    /// Reserves room for a new key, if there is any.
    fn reserve(&self) -> Option<Room<'_>> {
        let reserved = self.len.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |len| {
            (len < self.max_keys).then_some(len + 1)
        });
        reserved.is_ok().then(|| Room { len: &self.len })
    }

    /// Removes a key, idle or not, and returns whether it was present. A held key stays, with a new
    /// state.
    pub(crate) fn remove<Q: ToKey<K> + ?Sized>(&self, key: &Q) -> bool {
        let mut locked = self.lock(key, Timestamp::ZERO);
        let entry = match locked.slot {
            None => return false,
            Some(Slot::Held(_)) => {
                let before = locked.entry().map(|(_, state, _)| std::mem::replace(state, L::NEW));
                drop(locked);
                drop(before);
                return true;
            }
            Some(Slot::Entry(slot)) => take(&mut locked.keys.entries, slot),
        };
        let Locked { shard, mut keys, .. } = locked;
        self.len.fetch_sub(1, Ordering::Relaxed);
        keys.forget_deadlines();
        shard.note_deadline(&keys);
        // Release the lock before dropping the key, which may panic.
        drop(keys);
        drop(entry);
        true
    }

    /// Panics with a description if an invariant is violated. For tests. **O(n)**.
    pub(crate) fn check_invariants(&self) {
        let mut len = 0;
        for (index, shard) in self.shards.iter().enumerate() {
            let keys = &*shard.keys.lock();
            let most = 2 * keys.entries.len() + FEW_DEADLINES;
            assert!(keys.deadlines.len() <= most, "too many stale deadlines in shard {index}");
            assert!(shard.next_deadline() <= keys.next_deadline(), "an earlier deadline");
            let has_held = shard.has_held.load(Ordering::Relaxed);
            assert_eq!(has_held, !keys.held.is_empty(), "whether shard {index} has held keys");
            for entry in keys.entries.iter().chain(keys.held.iter().map(|held| &held.entry)) {
                assert_eq!(self.hasher.hash_one(&entry.key), entry.hash, "a key's hash");
                assert!(std::ptr::eq(self.shard(entry.hash), shard), "a key in another shard");
            }
            for Held { entry, holds, .. } in &keys.held {
                assert!(*holds > 0, "a key of shard {index} that is not held");
                let other = keys.entries.find(entry.hash, |other| other.key == entry.key);
                assert!(other.is_none(), "a key in two tables");
            }
            for entry in &keys.entries {
                let found = keys.entries.find(entry.hash, |other| other.key == entry.key);
                assert!(found.is_some_and(|found| std::ptr::eq(found, entry)), "a key twice");
                let first = keys.first_idle(entry.hash).expect("the entry has the hash");
                let latest = shard.newest(first);
                let mut filed = keys.deadlines.range_by_score(..=latest);
                let is_filed = filed.any(|(hash, _)| *hash == entry.hash);
                assert!(is_filed, "a key of shard {index} without a deadline in time");
            }
            len += keys.entries.len() + keys.held.len();
        }
        assert_eq!(len, self.len(), "the number of keys");
        assert!(len <= self.max_keys, "more keys than the most");
    }
}

impl<K, L: Limiter> Shard<K, L> {
    /// Returns the effective time.
    #[inline]
    fn newest(&self, now: Timestamp) -> Timestamp {
        now.max(Timestamp::from_nanos(self.newest.load(Ordering::Relaxed)))
    }

    /// Records the time, and returns the effective time. Must be called under the shard's lock.
    #[inline]
    fn advance(&self, now: Timestamp) -> Timestamp {
        let newest = self.newest.load(Ordering::Relaxed);
        if now.as_nanos() <= newest {
            return Timestamp::from_nanos(newest);
        }
        // A plain store is enough, since the shard is locked. A `fetch_max` would take a quarter of
        // the time of a check.
        self.newest.store(now.as_nanos(), Ordering::Relaxed);
        now
    }

    fn next_deadline(&self) -> Timestamp {
        Timestamp::from_nanos(self.next_deadline.load(Ordering::Relaxed))
    }

    /// Publishes the first deadline.
    fn note_deadline(&self, keys: &Keys<K, L>) {
        self.next_deadline.store(keys.next_deadline().as_nanos(), Ordering::Relaxed);
    }
}

/// A key whose shard is locked.
pub(crate) struct Locked<'a, K, L: Limiter, Q: ?Sized> {
    shard: &'a Shard<K, L>,
    keys: SpinGuard<'a, Keys<K, L>>,
    hash: u64,
    key: &'a Q,
    /// Where the key's entry is, if it is present.
    slot: Option<Slot>,
    /// The effective time.
    pub(crate) now: Timestamp,
}

impl<K, L: Limiter, Q: ToKey<K> + ?Sized> Locked<'_, K, L, Q> {
    /// Records the time: later calls for keys of the shard never use an earlier one.
    #[inline]
    pub(crate) fn advance(&self) {
        self.shard.advance(self.now);
    }

    pub(crate) fn limiter(&self) -> &L {
        &self.keys.limiter
    }

    /// Looks the key up among the held keys.
    pub(crate) fn or_held(mut self) -> Self {
        if !self.keys.held.is_empty() {
            let is_key = |held: &Held<K, L::State>| self.key.is_key(&held.entry.key);
            self.slot = self.keys.held.find_bucket_index(self.hash, is_key).map(Slot::Held);
        }
        self
    }

    /// Returns whether the key is present.
    pub(crate) fn is_present(&self) -> bool {
        self.slot.is_some()
    }

    /// Returns the algorithm, and the state and the held units of the key, if it is present.
    #[inline]
    pub(crate) fn entry(&mut self) -> Option<(&L, &mut L::State, u64)> {
        let Keys { limiter, entries, held, .. } = &mut *self.keys;
        match self.slot? {
            Slot::Entry(slot) => Some((limiter, &mut entries.get_bucket_mut(slot)?.state, 0)),
            Slot::Held(slot) => {
                let Held { entry, units, .. } = held.get_bucket_mut(slot)?;
                Some((limiter, &mut entry.state, *units))
            }
        }
    }

    /// Changes the state of the key, if it is present, in a way that may make it idle sooner.
    pub(crate) fn shorten<R>(&mut self, change: impl FnOnce(&L, &mut L::State) -> R) -> Option<R> {
        let (limiter, state, _) = self.entry()?;
        let before = limiter.idle_from(state);
        let result = change(limiter, state);
        let idle_at = limiter.idle_from(state);
        // If the key is held, it does not need this deadline. A sweep drops the deadline once it
        // has passed.
        if idle_at < before {
            self.keys.file(self.hash, idle_at);
            self.keys.forget_deadlines();
            self.shard.note_deadline(&self.keys);
        }
        Some(result)
    }

    /// Holds units of the key, which must be present. A no-op for 0 units.
    fn hold(&mut self, units: u32) {
        match self.slot.filter(|_| units > 0) {
            None => {}
            Some(Slot::Held(slot)) => {
                if let Some(held) = self.keys.held.get_bucket_mut(slot) {
                    held.units += u64::from(units);
                    held.holds += 1;
                }
            }
            Some(Slot::Entry(slot)) => {
                if let Some(entry) = take(&mut self.keys.entries, slot) {
                    self.keys.hold(self.shard, entry, units);
                }
            }
        }
    }

    /// Ends a hold of units of the key; `charge` may record some of them.
    pub(crate) fn settle(self, units: u32, charge: impl FnOnce(&L, &mut L::State, Timestamp)) {
        let Some(Slot::Held(slot)) = self.slot else { return };
        self.advance();
        let Locked { shard, mut keys, hash, now, .. } = self;
        let Keys { limiter, held: all, .. } = &mut *keys;
        let Some(held) = all.get_bucket_mut(slot) else { return };
        charge(limiter, &mut held.entry.state, now);
        held.units -= u64::from(units);
        held.holds -= 1;
        if held.holds > 0 {
            return;
        }
        let Some(Held { entry, .. }) = take(all, slot) else { return };
        shrink(all, Held::hash);
        shard.has_held.store(!all.is_empty(), Ordering::Relaxed);
        let idle_at = limiter.idle_from(&entry.state);
        keys.entries.insert_unique(hash, entry, Entry::hash);
        keys.file(hash, idle_at);
        keys.forget_deadlines();
        shard.note_deadline(&keys);
    }
}

/// A reserved place for a key, already counted in `len`. Released on drop, unless it is kept.
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

/// The number of deadlines examined under one lock when there is no room.
const SWEPT_FOR_ROOM: usize = 32;

/// Returns whether a deadline has passed; [`Timestamp::MAX`] never does.
fn is_due(deadline: Timestamp, now: Timestamp) -> bool {
    deadline <= now && deadline < Timestamp::MAX
}

impl<K: Eq + Hash, L: Limiter, H: BuildHasher> Registry<K, L, H> {
    /// Checks whether there is room for an absent key, or an idle key that could be swept to make
    /// room. The error is the earliest time at which some key may be idle.
    ///
    /// The time may be in the future, so this sweeps nothing, and files only deadlines that are
    /// valid at any time. As in [`get_or_insert`](Self::get_or_insert), only a longer search
    /// unlocks the shard.
    pub(crate) fn has_room<Q: ?Sized>(&self, locked: Locked<'_, K, L, Q>) -> Result<(), Timestamp> {
        let Locked { shard, mut keys, hash, now, .. } = locked;
        if self.len() < self.max_keys || keys.has_idle(shard, now) {
            return Ok(());
        }
        drop(keys);
        self.look_for_room(hash, now, |shard| {
            shard.keys.lock().has_idle(shard, shard.newest(now)).then_some(())
        })
    }

    /// Searches the shards that may have an idle key, starting with the one selected by `hash`,
    /// until `find` succeeds. Each call of `find` examines a few keys. The error is the earliest
    /// time at which some key may be idle.
    fn look_for_room<R>(
        &self,
        hash: u64,
        now: Timestamp,
        find: impl Fn(&Shard<K, L>) -> Option<R>,
    ) -> Result<R, Timestamp> {
        let mut next = Timestamp::MAX;
        let (before, from) = self.shards.split_at(self.index(hash));
        for shard in from.iter().chain(before) {
            // Read the deadline without locking the shard: under a flood of new keys, most shards
            // have no idle key, and must not be locked for each new key. The loop terminates, since
            // each round drops the deadlines that it examines, or replaces them with deadlines
            // after the effective time.
            while is_due(shard.next_deadline(), shard.newest(now)) {
                if let Some(found) = find(shard) {
                    return Ok(found);
                }
            }
            next = next.min(shard.next_deadline());
        }
        if next == Timestamp::MAX {
            // The thread that reserved the last place may not have published its deadline yet. It
            // publishes the deadline under the lock of its shard, so lock each shard to wait for
            // it, except the one that this call has already locked.
            let others = before.iter().chain(&from[1..]);
            let deadlines = others.map(|shard| shard.keys.lock().next_deadline());
            next = deadlines.min().unwrap_or(Timestamp::MAX);
        }
        if self.shards.iter().any(|shard| shard.has_held.load(Ordering::Relaxed)) {
            next = next.min(now.saturating_add(HELD_FOR));
        }
        Err(next)
    }

    /// Examines keys whose deadlines have passed, about `budget` in all. Removes those that are
    /// idle, and returns their number.
    pub(crate) fn sweep(&self, now: Timestamp, budget: usize) -> usize {
        let each = budget.div_ceil(self.shards.len());
        self.shards.iter().map(|shard| self.sweep_shard(shard, now, each)).sum()
    }

    fn sweep_shard(&self, shard: &Shard<K, L>, now: Timestamp, budget: usize) -> usize {
        let keys = &mut *shard.keys.lock();
        let now = shard.advance(now);
        self.sweep_keys(shard, keys, now, budget)
    }

    /// Like `sweep`, in a shard that is already locked.
    fn sweep_keys(
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
            let Keys { limiter, entries, .. } = &mut *keys;
            let idle = look.and_then(|hash| {
                let idle = entries.find_entry(hash, |entry| {
                    entry.hash == hash && is_due(limiter.idle_from(&entry.state), now)
                });
                Some(idle.ok()?.remove().0)
            });
            if let Some(entry) = idle {
                swept += 1;
                // The sweep has removed the deadline from the list. Other keys with this hash need
                // a new deadline.
                keys.file_again(entry.hash);
                // Restore the invariants before dropping the key, which may panic.
                self.len.fetch_sub(1, Ordering::Relaxed);
                keys.forget_deadlines();
                shard.note_deadline(keys);
                drop(entry);
            }
        }
        shrink(&mut keys.entries, Entry::hash);
        shard.note_deadline(keys);
        swept
    }
}

impl<K, V> Entry<K, V> {
    fn hash(&self) -> u64 {
        self.hash
    }
}

impl<K, V> Held<K, V> {
    fn hash(&self) -> u64 {
        self.entry.hash
    }
}

/// Removes and returns the entry in a bucket of a table.
fn take<E>(table: &mut HashTable<E>, bucket: usize) -> Option<E> {
    Some(table.get_bucket_entry(bucket).ok()?.remove().0)
}

/// A table with fewer entries counts as having this many, so a small table keeps its memory.
const FEW_ENTRIES: usize = 4;

/// Frees memory if most of a table is empty.
fn shrink<E>(table: &mut HashTable<E>, hash: impl Fn(&E) -> u64) {
    if table.num_buckets() > 8 * table.len().max(FEW_ENTRIES) {
        table.shrink_to(2 * table.len(), hash);
    }
}

/// An estimate of how long a key stays held: its hold may end at any time.
const HELD_FOR: Duration = Duration::from_secs(1);

/// This many stale deadlines may be kept even if there are no keys.
const FEW_DEADLINES: usize = 16;

impl<K, L: Limiter> Keys<K, L> {
    /// Holds units of a key that has none in flight yet. The deadlines of the key become stale.
    fn hold(&mut self, shard: &Shard<K, L>, entry: Entry<K, L::State>, units: u32) {
        let hash = entry.hash;
        self.held.insert_unique(hash, Held { entry, units: units.into(), holds: 1 }, Held::hash);
        shard.has_held.store(true, Ordering::Relaxed);
        self.forget_deadlines();
        shard.note_deadline(self);
    }

    /// Removes the first deadline, if it has passed, and examines the keys with its hash. Returns
    /// the hash if one of them is idle; otherwise files a deadline for the first to become idle.
    #[expect(clippy::option_option, reason = "whether there was a deadline, and an idle key")]
    fn look(&mut self, now: Timestamp) -> Option<Option<u64>> {
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

    /// Examines up to [`SWEPT_FOR_ROOM`] deadlines that have passed. Returns whether one belongs to
    /// an idle key.
    fn has_idle(&mut self, shard: &Shard<K, L>, now: Timestamp) -> bool {
        let idle = (0..SWEPT_FOR_ROOM).map_while(|_| self.look(now)).find_map(|look| look);
        if let Some(hash) = idle {
            self.file_again(hash);
        }
        shard.note_deadline(self);
        idle.is_some()
    }

    /// Files a deadline, unless it is already filed.
    fn file(&mut self, hash: u64, deadline: Timestamp) {
        if self.deadlines.rank(&hash, &deadline).is_none() {
            self.deadlines.insert(hash, deadline);
        }
    }

    /// Files a deadline for the first of the keys with a hash to become idle, if there are any.
    fn file_again(&mut self, hash: u64) {
        if let Some(idle_at) = self.first_idle(hash) {
            self.file(hash, idle_at);
        }
    }

    /// Returns when the first of the keys with a hash becomes idle.
    fn first_idle(&self, hash: u64) -> Option<Timestamp> {
        let entries = self.entries.iter_hash(hash).filter(|entry| entry.hash == hash);
        entries.map(|entry| self.limiter.idle_from(&entry.state)).min()
    }

    /// Rebuilds the list of deadlines if most of it is stale. **O(log n)** amortized for each
    /// deadline that has been filed or has become stale since the last rebuild.
    fn forget_deadlines(&mut self) {
        if self.deadlines.len() > 2 * self.entries.len() + FEW_DEADLINES {
            self.rebuild_deadlines();
        }
    }

    /// Files a deadline for each entry, and no others. **O(n log n)**.
    fn rebuild_deadlines(&mut self) {
        // Shrink first, so that visiting the entries takes time proportional to their number.
        shrink(&mut self.entries, Entry::hash);
        self.deadlines.clear();
        for entry in &self.entries {
            self.deadlines.insert(entry.hash, self.limiter.idle_from(&entry.state));
        }
    }

    /// Returns the first deadline, or the last timestamp if there is none.
    fn next_deadline(&self) -> Timestamp {
        self.deadlines.first().map_or(Timestamp::MAX, |(_, deadline)| *deadline)
    }
}

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_table_shrinks_if_less_than_an_eighth_is_in_use() {
        for (len, buckets, left) in [(4, 32, 32), (4, 64, 16), (8, 64, 64), (7, 64, 16)] {
            let mut table = HashTable::with_capacity(buckets / 2);
            (0..len).for_each(|key| _ = table.insert_unique(key, key, |key| *key));
            assert_eq!(table.num_buckets(), buckets);
            shrink(&mut table, |key| *key);
            assert_eq!(table.num_buckets(), left, "{len} of {buckets}");
        }
    }
}
