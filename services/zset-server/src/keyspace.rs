//! [`Keyspace`]: keys with their values and deadlines, and the limits of CL.THROTTLE.
//!
//! Invariants: each key with a deadline is also in `entries`. No stored set, sorted or not, is
//! empty: a key is removed together with its last member.
//!
//! In [`Awaited`], no queue is empty, but `ready` may contain keys whose queues have been removed.
//!
//! Keys are stored in an [`IndexMap`], whose `swap_remove` moves the last key into the gap. A scan
//! runs from the end to the front. Existing keys move only towards the front, so the scan cannot
//! miss a key, although it may return a moved key again.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};
use zset_core::ZSet;
use zset_std::{ExpiringSet, Funnel, Keyed, Quota, RandomState, Timestamp, WhenFull};

use crate::replies::CommandError;

/// A key, or a member of a set.
pub(crate) type Bytes = Box<[u8]>;

/// The empty set that stands for a missing key.
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
    /// Returns the type's name, as reported by TYPE.
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

/// Converts a time to milliseconds since the Unix epoch.
pub(crate) fn millis_of(time: Timestamp) -> i64 {
    // `u64::MAX` nanoseconds are fewer than `i64::MAX` milliseconds, so the cast keeps the value.
    (time.as_nanos() / NANOS_IN_MILLI).cast_signed()
}

/// Converts milliseconds since the Unix epoch to a time. Times before the epoch become the epoch;
/// times after the year 2554 become the latest [`Timestamp`].
pub(crate) fn time_of(millis: i64) -> Timestamp {
    Timestamp::from_nanos(u64::try_from(millis).unwrap_or(0).saturating_mul(NANOS_IN_MILLI))
}

const NANOS_IN_MILLI: u64 = 1_000_000;

/// All keys with their values, and the limits of CL.THROTTLE.
#[derive(Debug, Default)]
pub(crate) struct Keyspace {
    entries: IndexMap<Bytes, Value, RandomState>,
    deadlines: ExpiringSet<Bytes>,
    /// The keys that clients wait for.
    pub(crate) awaited: Awaited,
    pub(crate) throttles: Throttles,
    /// The current time, as seen by the running command.
    now: Timestamp,
    /// The number of keys removed because they expired.
    pub(crate) expired: u64,
}

/// The largest backward step of the clock that is ignored. Routine adjustments are smaller. A
/// larger step corrects a wrong clock, which may have been years ahead.
const MAX_STEP_BACK: Duration = Duration::from_secs(1);

/// A table shrinks when its capacity exceeds its length by this factor.
const MAX_SPARE: usize = 8;

/// A table with fewer keys shrinks as if it had this many, so a small table keeps its capacity.
const FEW: usize = 1024;

impl Keyspace {
    /// Sets the time; ignores a small step back.
    pub(crate) fn set_now(&mut self, now: Timestamp) {
        // Ignore a small step back, so that expired keys do not become visible again.
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

    /// Returns whether a key has expired but has not been removed yet.
    fn has_expired(&self, key: &[u8]) -> bool {
        // Check the earliest deadline first: usually no key has expired, and no lookup is needed.
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

    /// Returns the value of a key, unless it has expired.
    pub(crate) fn value(&self, key: &[u8]) -> Option<&Value> {
        self.entries.get(key).filter(|_| !self.has_expired(key))
    }

    /// Returns all keys that have not expired, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Value)> {
        let entries = self.entries.iter().map(|(key, value)| (&**key, value));
        entries.filter(|(key, _)| !self.has_expired(key))
    }

    /// Returns a page of up to `count` keys, and the cursor of the next page. The cursor is 0
    /// before the first page and after the last. A key that exists during the whole scan is
    /// returned.
    pub(crate) fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(&[u8], &Value)>) {
        // A cursor is the number of entries that remain to be scanned, except that 0 starts a new
        // scan.
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
        // Look the key up first, so that an existing key is not copied.
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
        // An existing key must keep its position. If it moved to the end, a scan in progress would
        // miss it.
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
            // An `ExpiringSet` does not shrink by itself. A copy of it allocates only the memory
            // that it needs.
            self.deadlines = std::mem::take(&mut self.deadlines).into_iter().collect();
        }
        removed
    }

    /// Removes all keys, and all limits of CL.THROTTLE.
    pub(crate) fn clear(&mut self) {
        // Replace the tables: `clear` would keep their memory.
        self.entries = IndexMap::default();
        self.deadlines = ExpiringSet::default();
        self.throttles = Throttles::default();
    }

    /// Returns the deadline of a key: `None` if there is no such key, `Some(None)` if it does not
    /// expire.
    #[allow(clippy::option_option, reason = "no key and no deadline are two things")]
    pub(crate) fn deadline(&self, key: &[u8]) -> Option<Option<Timestamp>> {
        self.value(key).map(|_| self.deadlines.deadline(key))
    }

    /// Sets or removes the deadline of an existing key. A deadline that has passed removes the key.
    pub(crate) fn set_deadline(&mut self, key: &[u8], deadline: Option<Timestamp>) {
        if self.value(key).is_none() {
            return;
        }
        match deadline {
            None => _ = self.deadlines.remove(key),
            Some(deadline) if deadline <= self.now => _ = self.remove(key),
            // `deadlines` has no maximum length, so it does not reject the new deadline.
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
    /// For each key, the ids of the clients that wait for it, in order of arrival.
    queues: HashMap<Bytes, BTreeMap<Ticket, u64>, RandomState>,
    /// The awaited keys that have been written to since the last [`take_ready`](Self::take_ready),
    /// in order.
    ready: IndexSet<Bytes, RandomState>,
    last: Ticket,
}

impl Awaited {
    /// Appends a client to the queues of keys. **O(log n)** per key.
    pub(crate) fn join(&mut self, keys: &[Bytes], client: u64) -> Ticket {
        self.last += 1;
        for key in keys {
            // If a key is repeated, the client still joins its queue only once.
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

    /// Records a write to a key. **O(1)**, and nearly free while no client waits.
    fn touch(&mut self, key: &[u8]) {
        if !self.queues.is_empty() && self.queues.contains_key(key) && !self.ready.contains(key) {
            self.ready.insert(key.into());
        }
    }

    /// Returns whether an awaited key has been written to.
    pub(crate) fn is_any_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Takes the awaited keys that have been written to.
    pub(crate) fn take_ready(&mut self) -> IndexSet<Bytes, RandomState> {
        std::mem::take(&mut self.ready)
    }

    /// Returns the first client after a ticket in the queue of a key.
    pub(crate) fn next_after(&self, key: &[u8], ticket: Ticket) -> Option<(Ticket, u64)> {
        let later = (Bound::Excluded(ticket), Bound::Unbounded);
        let (ticket, client) = self.queues.get(key)?.range(later).next()?;
        Some((*ticket, *client))
    }
}

/// The maximum number of CL.THROTTLE keys in use, since clients may invent any number of them. At
/// the maximum, a new key is denied, with a retry time at which another key may have become idle.
const MAX_KEYS: usize = 1 << 20;

/// The limits of CL.THROTTLE. They are not keys of the keyspace: TYPE, SCAN and DUMP ignore them.
/// DEL and FLUSHALL reset them.
#[derive(Debug)]
pub(crate) struct Throttles {
    /// The funnel of each key. Each call passes its own quota.
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
    /// Resets a limit; returns whether any of it was in use.
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
