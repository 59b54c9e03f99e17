//! [`Keyspace`]: keys, their values, and until when they are there.
//!
//! Invariants: each key with a deadline is in `entries` too. A value is never empty: a key whose last
//! member goes, goes with it.
//!
//! Keys lie in the order of an [`IndexMap`], whose `swap_remove` moves the last one into the gap. A scan
//! goes from the end to the front, so what moves has been returned already: no key is missed.

use std::collections::HashSet;

use indexmap::IndexMap;
use zset_core::{DefaultHashBuilder, ZSet};
use zset_std::{ExpiringSet, Timestamp};

/// A key, or a member of a set.
pub(crate) type Bytes = Box<[u8]>;

/// What a key stands for.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    String(Vec<u8>),
    Set(HashSet<Bytes, DefaultHashBuilder>),
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
}

/// A key that is there stands for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongType;

/// All keys.
#[derive(Debug, Default)]
pub(crate) struct Keyspace {
    entries: IndexMap<Bytes, Value, DefaultHashBuilder>,
    deadlines: ExpiringSet<Bytes>,
    /// What the commands that run now take as the time.
    now: Timestamp,
}

impl Keyspace {
    /// Sets the time, and lets at most `budget` keys go that have expired; returns how many.
    pub(crate) fn advance(&mut self, now: Timestamp, budget: usize) -> usize {
        self.now = now;
        let mut expired = 0;
        for (key, _) in self.deadlines.expire_due(now, budget) {
            self.entries.swap_remove(&key);
            expired += 1;
        }
        expired
    }

    /// Returns whether a key's time is over, though it has not gone yet.
    fn has_expired(&self, key: &[u8]) -> bool {
        // Most of the time nothing has.
        self.deadlines.next_deadline().is_some_and(|deadline| deadline <= self.now)
            && self.deadlines.deadline(key).is_some_and(|deadline| deadline <= self.now)
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&Value> {
        self.entries.get(key).filter(|_| !self.has_expired(key))
    }

    /// Returns the sorted set that a key stands for.
    pub(crate) fn sorted_set(&self, key: &[u8]) -> Result<Option<&ZSet>, WrongType> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::SortedSet(set)) => Ok(Some(set)),
            Some(_) => Err(WrongType),
        }
    }

    /// Changes the sorted set that a key stands for, if there is one; it goes if it is empty then.
    pub(crate) fn change_sorted_set<R>(
        &mut self,
        key: &[u8],
        change: impl FnOnce(&mut ZSet) -> R,
    ) -> Result<Option<R>, WrongType> {
        self.forget_expired(key);
        let result = match self.entries.get_mut(key) {
            None => return Ok(None),
            Some(Value::SortedSet(set)) => {
                let result = change(set);
                (result, set.is_empty())
            }
            Some(_) => return Err(WrongType),
        };
        if result.1 {
            self.remove(key);
        }
        Ok(Some(result.0))
    }

    fn forget_expired(&mut self, key: &[u8]) {
        if self.has_expired(key) {
            self.remove(key);
        }
    }

    /// Removes a key; returns what it stood for.
    pub(crate) fn remove(&mut self, key: &[u8]) -> Option<Value> {
        let expired = self.has_expired(key);
        self.deadlines.remove(key);
        self.entries.swap_remove(key).filter(|_| !expired)
    }

    /// Has a key stand for a value from now on, without a deadline; returns what it stood for.
    pub(crate) fn insert(&mut self, key: &[u8], value: Value) -> Option<Value> {
        let old = self.remove(key);
        self.entries.insert(key.into(), value);
        old
    }
}
