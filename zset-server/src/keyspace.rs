//! [`Keyspace`]: keys, their values, and until when they are there.
//!
//! Invariants: each key with a deadline is in `entries` too. A set, sorted or not, is never empty: a key
//! whose last member goes, goes with it.
//!
//! Keys lie in the order of an [`IndexMap`], whose `swap_remove` moves the last one into the gap. A scan
//! goes from the end to the front, so what moves has been returned already: no key is missed.

mod awaited;
mod scan;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};
use zset_core::ZSet;
use zset_std::{ExpiringSet, RandomState, Timestamp};

pub(crate) use awaited::{Awaited, Ticket};
pub(crate) use scan::page;

/// A key, or a member of a set.
pub(crate) type Bytes = Box<[u8]>;

/// A number that grows whenever a key is changed.
pub(crate) type Version = u64;

/// A set without scores, whose members have numbers, so that they can be drawn and scanned.
pub(crate) type Set = IndexSet<Bytes, RandomState>;

/// What a key stands for.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    String(Vec<u8>),
    /// In a box, since it would be the largest by far, and is the rarest.
    Set(Box<Set>),
    SortedSet(ZSet),
}

impl Value {
    /// Returns what TYPE answers.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Value::String(_) => "string",
            Value::Set(_) => "set",
            Value::SortedSet(_) => "zset",
        }
    }

    /// Returns whether it is a set, sorted or not, of no members.
    pub(crate) fn is_empty_set(&self) -> bool {
        match self {
            Value::String(_) => false,
            Value::Set(set) => set.is_empty(),
            Value::SortedSet(set) => set.is_empty(),
        }
    }
}

/// A key that is there stands for something of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongType;

/// What a key may stand for, by its Rust type.
pub(crate) trait Typed: Sized {
    fn of(value: &Value) -> Option<&Self>;
    fn of_mut(value: &mut Value) -> Option<&mut Self>;
    fn into_value(self) -> Value;
}

macro_rules! typed {
    ($type:ty, $variant:ident) => {
        impl Typed for $type {
            fn of(value: &Value) -> Option<&Self> {
                if let Value::$variant(value) = value { Some(value) } else { None }
            }

            fn of_mut(value: &mut Value) -> Option<&mut Self> {
                if let Value::$variant(value) = value { Some(value) } else { None }
            }

            fn into_value(self) -> Value {
                Value::$variant(self.into())
            }
        }
    };
}

typed!(Vec<u8>, String);
typed!(Set, Set);
typed!(ZSet, SortedSet);

/// Gives back the memory of a table of which little is in use.
fn shrink<V>(table: &mut HashMap<Bytes, V, RandomState>) {
    if table.len() < table.capacity() / 8 {
        table.shrink_to(2 * table.len());
    }
}

/// All keys.
#[derive(Debug, Default)]
pub(crate) struct Keyspace {
    entries: IndexMap<Bytes, Value, RandomState>,
    deadlines: ExpiringSet<Bytes>,
    /// The keys that some client watches: how many do, and the version since the last change.
    watched: HashMap<Bytes, (usize, Version), RandomState>,
    /// The keys that some client waits for.
    pub(crate) awaited: Awaited,
    /// Of the last change.
    version: Version,
    /// The time, for the commands that run now.
    now: Timestamp,
    /// How many keys have gone because their time was over.
    expired: u64,
}

/// How far the clock may step back without the time doing so. Clocks are set by less all the time; what
/// steps back by more had been wrong, and to wait until it is as late again could take years.
const MAX_STEP_BACK: Duration = Duration::from_secs(1);

/// A table gives memory back when it is this much larger than what is in it.
const MAX_SPARE: usize = 8;

/// The keys whose table is small enough to be kept.
const FEW: usize = 1024;

impl Keyspace {
    /// Sets the time.
    pub(crate) fn set_now(&mut self, now: Timestamp) {
        // Expired keys are gone already for whoever asks: a small step back brings none again.
        let step_back = self.now.saturating_duration_since(now);
        if step_back.is_zero() || step_back > MAX_STEP_BACK {
            self.now = now;
        }
    }

    /// Lets at most `budget` keys go that have expired; returns how many.
    pub(crate) fn expire(&mut self, budget: usize) -> usize {
        if self.deadlines.is_empty() {
            return 0;
        }
        let due = self.deadlines.expire_due(budget, self.now);
        let gone: Vec<_> = due.map(|(key, _)| key).collect();
        for key in &gone {
            self.forget(key);
            self.touch(key);
        }
        self.expired += gone.len() as u64;
        gone.len()
    }

    /// Lets a key go if its time is over, though nobody has come to that yet.
    fn expire_key(&mut self, key: &[u8]) {
        if self.has_expired(key) {
            self.forget(key);
            self.touch(key);
            self.expired += 1;
        }
    }

    /// Returns how many keys have gone because their time was over, since it was counted from zero.
    pub(crate) fn expired(&self) -> u64 {
        self.expired
    }

    /// Counts from zero what [`expired`](Self::expired) returns.
    pub(crate) fn reset_expired(&mut self) {
        self.expired = 0;
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns whether a key's time is over, though it has not gone yet.
    fn has_expired(&self, key: &[u8]) -> bool {
        // Most of the time nothing has.
        self.deadlines.next_deadline().is_some_and(|deadline| deadline <= self.now)
            && self.deadlines.deadline(key).is_some_and(|deadline| deadline <= self.now)
    }

    /// Returns the number of keys, those among them that have expired and not gone yet.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of keys that go at some time.
    pub(crate) fn expiring_len(&self) -> usize {
        self.deadlines.len()
    }

    /// Returns what a key stands for.
    pub(crate) fn value(&self, key: &[u8]) -> Option<&Value> {
        self.entries.get(key).filter(|_| !self.has_expired(key))
    }

    /// Returns what a key stands for, which has to be of a type.
    pub(crate) fn get<T: Typed>(&self, key: &[u8]) -> Result<Option<&T>, WrongType> {
        self.value(key).map(|value| T::of(value).ok_or(WrongType)).transpose()
    }

    /// Changes what a key stands for, if there is something of a type; what is empty then goes.
    ///
    /// Whoever changes something says so by [`touch`](Self::touch): a removal of no member does not.
    pub(crate) fn change<T: Typed, R>(
        &mut self,
        key: &[u8],
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<Option<R>, WrongType> {
        if self.value(key).is_none() {
            return Ok(None);
        }
        let Some(value) = self.entries.get_mut(key) else { return Ok(None) };
        let result = change(T::of_mut(value).ok_or(WrongType)?);
        if value.is_empty_set() {
            self.forget(key);
        }
        Ok(Some(result))
    }

    /// Changes what a key stands for, which is `new` if there is nothing yet; what is empty then goes.
    ///
    /// Whoever changes something says so by [`touch`](Self::touch): what was made and stays empty is none.
    pub(crate) fn change_or_insert<T: Typed, R>(
        &mut self,
        key: &[u8],
        new: impl FnOnce() -> T,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, WrongType> {
        self.expire_key(key);
        // To look first saves the allocation of the key.
        let value = match self.entries.get_index_of(key) {
            Some(index) => &mut self.entries[index],
            None => self.entries.entry(key.into()).or_insert(new().into_value()),
        };
        let result = change(T::of_mut(value).ok_or(WrongType)?);
        if value.is_empty_set() {
            self.forget(key);
        }
        Ok(result)
    }

    /// Has a key stand for a value from now on, for ever; an empty set removes it.
    pub(crate) fn set(&mut self, key: &[u8], value: Value) {
        self.expire_key(key);
        if value.is_empty_set() {
            self.remove(key);
            return;
        }
        if !self.deadlines.is_empty() {
            self.deadlines.remove(key);
        }
        // A key stays in its place: at the end, a scan that has begun would miss it.
        match self.entries.get_mut(key) {
            Some(old) => *old = value,
            None => _ = self.entries.insert(key.into(), value),
        }
        self.touch(key);
    }

    /// Does what [`set`](Self::set) does, but until a deadline, if there is one; one that is over removes
    /// the key.
    pub(crate) fn set_until(&mut self, key: &[u8], value: Value, deadline: Option<Timestamp>) {
        self.set(key, value);
        if deadline.is_some() {
            self.set_deadline(key, deadline);
        }
    }

    /// Removes a key; returns what it stood for.
    pub(crate) fn remove(&mut self, key: &[u8]) -> Option<Value> {
        self.expire_key(key);
        let removed = self.forget(key)?;
        self.touch(key);
        Some(removed)
    }

    /// Removes a key, without a word to those who watch it.
    fn forget(&mut self, key: &[u8]) -> Option<Value> {
        if !self.deadlines.is_empty() {
            self.deadlines.remove(key);
        }
        let removed = self.entries.swap_remove(key);
        let len = self.entries.len().max(FEW);
        if self.entries.capacity() / MAX_SPARE > len {
            self.entries.shrink_to(2 * len);
            // These keep what they have: a copy takes what it needs.
            self.deadlines = std::mem::take(&mut self.deadlines).into_iter().collect();
        }
        removed
    }

    /// Removes all keys.
    pub(crate) fn clear(&mut self) {
        self.version += 1;
        for (key, (_, version)) in &mut self.watched {
            if self.entries.contains_key(key) {
                *version = self.version;
            }
        }
        // To clear them would keep their memory.
        self.entries = IndexMap::default();
        self.deadlines = ExpiringSet::default();
    }

    /// Returns a number that is another one after each change.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Notes that a key has changed, for those who watch it or wait for it.
    pub(crate) fn touch(&mut self, key: &[u8]) {
        self.awaited.touch(key);
        self.version += 1;
        if let Some((_, version)) = self.watched.get_mut(key) {
            *version = self.version;
        }
    }

    /// Returns until when a key is there; `Some(None)` is for ever.
    #[allow(clippy::option_option, reason = "no key and no deadline are two things")]
    pub(crate) fn deadline(&self, key: &[u8]) -> Option<Option<Timestamp>> {
        self.value(key).map(|_| self.deadlines.deadline(key))
    }

    /// Has a key that is there go at a time, or never; one that is over removes it.
    pub(crate) fn set_deadline(&mut self, key: &[u8], deadline: Option<Timestamp>) {
        if self.value(key).is_none() {
            return;
        }
        self.touch(key);
        match deadline {
            None => _ = self.deadlines.remove(key),
            Some(deadline) if deadline <= self.now => _ = self.remove(key),
            // Without a bound on the members it refuses none.
            Some(deadline) => _ = self.deadlines.insert_until(key.into(), deadline, self.now),
        }
    }

    /// Begins to watch a key; returns its version, to compare with that of later.
    pub(crate) fn watch(&mut self, key: &[u8]) -> Version {
        self.expire_key(key);
        let (watchers, version) = self.watched.entry(key.into()).or_insert((0, self.version));
        *watchers += 1;
        *version
    }

    /// Ends to watch a key; returns whether it has not changed since it had a version.
    pub(crate) fn unwatch(&mut self, key: &[u8], seen: Version) -> bool {
        // What expires meanwhile has changed.
        self.expire_key(key);
        let Some((watchers, version)) = self.watched.get_mut(key) else { return false };
        let is_unchanged = *version == seen;
        *watchers -= 1;
        if *watchers == 0 {
            self.watched.remove(key);
            shrink(&mut self.watched);
        }
        is_unchanged
    }
}
