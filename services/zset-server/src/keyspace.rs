//! [`Keyspace`]: keys, their values, and their deadlines; and the limits of CL.THROTTLE.
//!
//! Invariants: each key with a deadline is also in `entries`. A set, sorted or not, is never empty:
//! a key is removed with its last member.
//!
//! No queue of clients is empty. `ready` may contain keys whose queues have been removed.
//!
//! Keys are in the order of an [`IndexMap`], whose `swap_remove` moves the last key into the gap. A
//! scan runs from the end to the front, so a key that moves has been returned already, and none is
//! missed.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};
use zset_core::ZSet;
use zset_std::{ExpiringSet, Funnel, Keyed, Quota, RandomState, Timestamp, WhenFull};

use crate::replies::CommandError;

/// A key, or a member of a set.
pub(crate) type Bytes = Box<[u8]>;

/// The set at a missing key.
pub(crate) static EMPTY: ZSet = ZSet::new();

/// The value of a key.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    String(Vec<u8>),
    /// A plain set, whose members have score 1, as in ZUNION.
    Set(ZSet),
    SortedSet(ZSet),
}

impl Value {
    /// Returns the type name returned by TYPE.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Value::String(_) => "string",
            Value::Set(_) => "set",
            Value::SortedSet(_) => "zset",
        }
    }

    /// Returns the elements of a set, sorted or not.
    pub(crate) fn elements(&self) -> Option<&ZSet> {
        match self {
            Value::String(_) => None,
            Value::Set(set) | Value::SortedSet(set) => Some(set),
        }
    }

    /// Returns whether the value is an empty set, sorted or not.
    pub(crate) fn is_empty_set(&self) -> bool {
        self.elements().is_some_and(ZSet::is_empty)
    }
}

/// Returns the milliseconds of a time since the Unix epoch.
pub(crate) fn millis_of(time: Timestamp) -> i64 {
    // Milliseconds of a `u64` of nanoseconds always fit an `i64`.
    (time.as_nanos() / NANOS_IN_MILLI).cast_signed()
}

/// Returns the time that is some milliseconds after the Unix epoch. Times before it become the
/// epoch, times after the year 2554 the last time that a [`Timestamp`] can be.
pub(crate) fn time_of(millis: i64) -> Timestamp {
    Timestamp::from_nanos(u64::try_from(millis).unwrap_or(0).saturating_mul(NANOS_IN_MILLI))
}

const NANOS_IN_MILLI: u64 = 1_000_000;

/// All keys.
#[derive(Debug, Default)]
pub(crate) struct Keyspace {
    entries: IndexMap<Bytes, Value, RandomState>,
    deadlines: ExpiringSet<Bytes>,
    /// The keys that clients wait for.
    pub(crate) awaited: Awaited,
    pub(crate) throttles: Throttles,
    /// The current time, for the commands being run.
    now: Timestamp,
    /// The number of keys removed because they expired.
    pub(crate) expired: u64,
}

/// The largest backward step of the clock that is ignored. Clocks are often adjusted by less. A
/// larger step corrects a clock that was wrong: waiting for the old time again could take years.
const MAX_STEP_BACK: Duration = Duration::from_secs(1);

/// A table shrinks when its capacity exceeds its length by this factor.
const MAX_SPARE: usize = 8;

/// Up to this number of keys a table does not shrink.
const FEW: usize = 1024;

impl Keyspace {
    /// Sets the time.
    pub(crate) fn set_now(&mut self, now: Timestamp) {
        // Expired keys are already invisible: a small step back must not make them visible again.
        let step_back = self.now.saturating_duration_since(now);
        if step_back.is_zero() || step_back > MAX_STEP_BACK {
            self.now = now;
        }
    }

    /// Removes at most `budget` expired keys; returns how many it removed.
    pub(crate) fn expire(&mut self, budget: usize) -> usize {
        if self.deadlines.len_with_expired() == 0 {
            return 0;
        }
        let due = self.deadlines.expire(budget, self.now);
        let gone: Vec<_> = due.map(|(key, _)| key).collect();
        for key in &gone {
            self.forget(key);
        }
        self.expired += gone.len() as u64;
        gone.len()
    }

    /// Removes a key if it has expired.
    fn expire_key(&mut self, key: &[u8]) {
        if self.has_expired(key) {
            self.forget(key);
            self.expired += 1;
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns whether a key has expired but is not removed yet.
    fn has_expired(&self, key: &[u8]) -> bool {
        // Usually no key has expired.
        self.deadlines.next_deadline().is_some_and(|deadline| deadline <= self.now)
            && self.deadlines.deadline(key).is_some_and(|deadline| deadline <= self.now)
    }

    /// Returns the number of keys, including expired keys not removed yet.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of keys with a deadline.
    pub(crate) fn expiring_len(&self) -> usize {
        self.deadlines.len_with_expired()
    }

    /// Returns the value of a key.
    pub(crate) fn value(&self, key: &[u8]) -> Option<&Value> {
        self.entries.get(key).filter(|_| !self.has_expired(key))
    }

    /// Returns all keys that have not expired, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Value)> {
        let entries = self.entries.iter().map(|(key, value)| (&**key, value));
        entries.filter(|(key, _)| !self.has_expired(key))
    }

    /// Returns a page of about `count` keys, and the cursor of the next page, which is 0 after the
    /// last page, as before the first. Every key that exists from the first page to the last is
    /// returned.
    pub(crate) fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(&[u8], &Value)>) {
        // A cursor is the number of entries before the page.
        let end = match usize::try_from(cursor) {
            Ok(0) | Err(_) => self.len(),
            Ok(end) => end.min(self.len()),
        };
        let start = end.saturating_sub(count.max(1));
        let page = (start..end).rev().filter_map(|index| self.entries.get_index(index));
        let page = page.map(|(key, value)| (&**key, value));
        (start as u64, page.filter(|(key, _)| !self.has_expired(key)).collect())
    }

    /// Returns the sorted set at a key; an empty one if the key does not exist.
    pub(crate) fn sorted_set(&self, key: &[u8]) -> Result<&ZSet, CommandError> {
        match self.value(key) {
            None => Ok(&EMPTY),
            Some(Value::SortedSet(set)) => Ok(set),
            Some(_) => Err(CommandError::WRONG_TYPE),
        }
    }

    /// Modifies the sorted set at a key, if the key exists; removes the key if the set is empty
    /// afterwards.
    pub(crate) fn change<R>(
        &mut self,
        key: &[u8],
        change: impl FnOnce(&mut ZSet) -> R,
    ) -> Result<Option<R>, CommandError> {
        match self.value(key) {
            None => Ok(None),
            Some(_) => self.change_or_insert(key, Value::SortedSet(ZSet::new()), change).map(Some),
        }
    }

    /// Modifies the set at a key, which must have the type of the value `empty`. Inserts `empty`
    /// first if the key does not exist. Removes the key if the set is empty afterwards.
    pub(crate) fn change_or_insert<R>(
        &mut self,
        key: &[u8],
        empty: Value,
        change: impl FnOnce(&mut ZSet) -> R,
    ) -> Result<R, CommandError> {
        self.expire_key(key);
        let kind = std::mem::discriminant(&empty);
        // Checking first avoids allocating the key.
        let value = match self.entries.get_index_of(key) {
            Some(index) => &mut self.entries[index],
            None => self.entries.entry(key.into()).or_insert(empty),
        };
        let has_kind = std::mem::discriminant(value) == kind;
        let result = match value {
            Value::Set(set) | Value::SortedSet(set) if has_kind => change(set),
            _ => return Err(CommandError::WRONG_TYPE),
        };
        if value.is_empty_set() {
            self.forget(key);
        }
        self.awaited.touch(key);
        Ok(result)
    }

    /// Sets the value of a key, with an optional deadline. An empty set, or a deadline that has
    /// passed, removes the key.
    pub(crate) fn set(&mut self, key: &[u8], value: Value, deadline: Option<Timestamp>) {
        self.expire_key(key);
        if value.is_empty_set() {
            self.remove(key);
            return;
        }
        if self.deadlines.len_with_expired() > 0 {
            self.deadlines.remove(key);
        }
        // An existing key keeps its position: at the end, a running scan would miss it.
        match self.entries.get_mut(key) {
            Some(old) => *old = value,
            None => _ = self.entries.insert(key.into(), value),
        }
        self.awaited.touch(key);
        if deadline.is_some() {
            self.set_deadline(key, deadline);
        }
    }

    /// Removes a key; returns its value.
    pub(crate) fn remove(&mut self, key: &[u8]) -> Option<Value> {
        self.expire_key(key);
        self.forget(key)
    }

    /// Removes a key, whether or not it has expired.
    fn forget(&mut self, key: &[u8]) -> Option<Value> {
        if self.deadlines.len_with_expired() > 0 {
            self.deadlines.remove(key);
        }
        let removed = self.entries.swap_remove(key);
        let len = self.entries.len().max(FEW);
        if self.entries.capacity() / MAX_SPARE > len {
            self.entries.shrink_to(2 * len);
            // These do not shrink by themselves, but a copy allocates only the memory it needs.
            self.deadlines = std::mem::take(&mut self.deadlines).into_iter().collect();
        }
        removed
    }

    /// Removes all keys, and all limits of CL.THROTTLE.
    pub(crate) fn clear(&mut self) {
        // Clearing the tables would keep their memory.
        self.entries = IndexMap::default();
        self.deadlines = ExpiringSet::default();
        self.throttles = Throttles::default();
    }

    /// Returns the deadline of a key; `Some(None)` means that it does not expire.
    #[allow(clippy::option_option, reason = "no key and no deadline are two things")]
    pub(crate) fn deadline(&self, key: &[u8]) -> Option<Option<Timestamp>> {
        self.value(key).map(|_| self.deadlines.deadline(key))
    }

    /// Sets or removes the deadline of an existing key; one that has passed removes the key.
    pub(crate) fn set_deadline(&mut self, key: &[u8], deadline: Option<Timestamp>) {
        if self.value(key).is_none() {
            return;
        }
        match deadline {
            None => _ = self.deadlines.remove(key),
            Some(deadline) if deadline <= self.now => _ = self.remove(key),
            // Without a capacity it never rejects a member.
            Some(deadline) => {
                let ttl = deadline.saturating_duration_since(self.now);
                _ = self.deadlines.insert(key.into(), ttl, self.now);
            }
        }
    }
}

/// A client's position in all of its queues: later clients have larger tickets.
pub(crate) type Ticket = u64;

/// The keys that clients wait for.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    /// The ids of the clients that wait for a key.
    queues: HashMap<Bytes, BTreeMap<Ticket, u64>, RandomState>,
    /// The waited-for keys that may have become ready since the last
    /// [`take_ready`](Self::take_ready), in order.
    ready: IndexSet<Bytes, RandomState>,
    last: Ticket,
}

impl Awaited {
    /// Appends a client to the queues of keys. **O(log n)** per key.
    pub(crate) fn join(&mut self, keys: &[Bytes], client: u64) -> Ticket {
        self.last += 1;
        for key in keys {
            // A repeated key is waited for once.
            self.queues.entry(key.clone()).or_default().insert(self.last, client);
        }
        self.last
    }

    /// Removes a client from the queues of keys. **O(log n)** per key.
    pub(crate) fn quit(&mut self, keys: &[Bytes], ticket: Ticket) {
        for key in keys {
            if let Some(queue) = self.queues.get_mut(key) {
                queue.remove(&ticket);
                if queue.is_empty() {
                    self.queues.remove(key);
                    if self.queues.len() < self.queues.capacity() / MAX_SPARE {
                        self.queues.shrink_to(2 * self.queues.len());
                    }
                }
            }
        }
    }

    /// Reports a write to a key. **O(1)**, and nearly free while no client waits.
    fn touch(&mut self, key: &[u8]) {
        if !self.queues.is_empty() && self.queues.contains_key(key) && !self.ready.contains(key) {
            self.ready.insert(key.into());
        }
    }

    /// Returns whether a waited-for key may have become ready.
    pub(crate) fn is_any_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes the keys that may have become ready.
    pub(crate) fn take_ready(&mut self) -> IndexSet<Bytes, RandomState> {
        std::mem::take(&mut self.ready)
    }

    /// Returns the client that has waited longest for a key among those after a ticket.
    pub(crate) fn next_after(&self, key: &[u8], ticket: Ticket) -> Option<(Ticket, u64)> {
        let later = (Bound::Excluded(ticket), Bound::Unbounded);
        let (ticket, client) = self.queues.get(key)?.range(later).next()?;
        Some((*ticket, *client))
    }
}

/// The maximum number of keys that are not idle, since clients may invent keys. Beyond it a new key
/// is denied, with a retry time at which another key may have become idle.
const MAX_KEYS: usize = 1 << 20;

/// The limits of CL.THROTTLE. They are not keys of the keyspace: TYPE, SCAN and DUMP ignore them.
/// DEL and FLUSHALL remove them, which is how limits are reset.
#[derive(Debug)]
pub(crate) struct Throttles {
    /// Each call passes its own quota.
    pub(crate) funnels: Keyed<Vec<u8>, Funnel>,
}

impl Default for Throttles {
    fn default() -> Self {
        let quota = Quota::new(1, Duration::from_secs(1)).expect("one a second is a valid quota");
        Throttles {
            funnels: Keyed::new(Funnel::new(quota)).with_max_keys(MAX_KEYS, WhenFull::RefuseNew),
        }
    }
}

impl Throttles {
    /// Resets a limit; returns whether any of it was used up.
    pub(crate) fn reset(&self, key: &[u8], now: Timestamp) -> bool {
        if self.funnels.is_empty() {
            return false;
        }
        let is_used = !self.funnels.at(now).peek_n(key, 0).reset_after.is_zero();
        self.funnels.reset(key) && is_used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Timestamp {
        Timestamp::from_nanos(nanos)
    }

    fn string(text: &str) -> Value {
        Value::String(text.into())
    }

    #[test]
    fn memory_of_removed_keys_is_freed() {
        let name = |n: u32| n.to_string().into_bytes();
        let filled = || {
            let mut keys = Keyspace::default();
            (0..20_000).for_each(|n| keys.set(&name(n), string(""), None));
            assert!(keys.entries.capacity() >= 20_000);
            keys
        };
        let mut keys = filled();
        keys.clear();
        assert_eq!(keys.entries.capacity(), 0);
        let mut keys = filled();
        (0..20_000).for_each(|n| keys.set_deadline(&name(n), Some(at(n.into()).max(at(7)))));
        (10..20_000).for_each(|n| _ = keys.remove(&name(n)));
        assert!(keys.entries.capacity() <= MAX_SPARE * FEW);
        let deadlines = (0..10).map(|n| keys.deadline(&name(n)).flatten());
        assert!(deadlines.eq([7, 7, 7, 7, 7, 7, 7, 7, 8, 9].map(|nanos| Some(at(nanos)))));
    }

    #[test]
    fn keys_no_longer_awaited_use_no_memory() {
        const KEYS: usize = 10_000;
        let mut keyspace = Keyspace::default();
        let keys: Vec<Bytes> = (0..KEYS).map(|key| key.to_string().into_bytes().into()).collect();
        let ticket = keyspace.awaited.join(&keys, 1);
        assert!(keyspace.awaited.queues.capacity() >= KEYS);
        keyspace.awaited.quit(&keys, ticket);
        assert!(keyspace.awaited.queues.capacity() < 16);
    }
}
