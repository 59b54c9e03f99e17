//! [`Calls`]: how often each command was called.

use std::collections::{BTreeMap, HashMap};
use std::ptr;

use zset_std::RandomState;

use crate::command::Command;

/// How often each command was called, those in transactions too.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// By the address of the command, which is found sooner than its name.
    counts: HashMap<usize, Count, RandomState>,
}

/// How often a command was called, and what is told of it, to look that up once.
#[derive(Debug)]
struct Count {
    command: &'static Command,
    is_quick: bool,
    calls: u64,
}

impl Count {
    fn new(command: &'static Command) -> Self {
        Count { command, is_quick: command.details().flags.contains(&"fast"), calls: 0 }
    }
}

impl Calls {
    /// Counts a call; returns whether the command takes little time, however much data there is.
    /// **O(1)**.
    pub(crate) fn count(&mut self, command: &'static Command) -> bool {
        let key = ptr::from_ref(command).addr();
        let count = self.counts.entry(key).or_insert_with(|| Count::new(command));
        count.calls += 1;
        count.is_quick
    }

    /// Returns the commands that were called, in the order of their names, and how often each was.
    pub(crate) fn by_name(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for count in self.counts.values() {
            *counts.entry(count.command.name).or_default() += count.calls;
        }
        counts
    }
}
