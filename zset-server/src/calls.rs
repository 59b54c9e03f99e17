//! [`Calls`]: how often each command was called.

use std::collections::{BTreeMap, HashMap};
use std::ptr;

use zset_std::RandomState;

use crate::command::Command;

/// How often each command was called, including calls within transactions.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// By the address of the command, which is faster to look up than its name.
    counts: HashMap<usize, Count, RandomState>,
}

/// The calls of a command, with cached details.
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
    /// Counts a call; returns whether the command is fast regardless of the amount of data. **O(1)**.
    pub(crate) fn count(&mut self, command: &'static Command) -> bool {
        let key = ptr::from_ref(command).addr();
        let count = self.counts.entry(key).or_insert_with(|| Count::new(command));
        count.calls += 1;
        count.is_quick
    }

    /// Returns the number of calls of each command that was called, sorted by name.
    pub(crate) fn by_name(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for count in self.counts.values() {
            *counts.entry(count.command.name).or_default() += count.calls;
        }
        counts
    }
}
