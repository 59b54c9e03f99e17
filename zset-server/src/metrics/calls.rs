//! [`Calls`]: how often each command was called.

use std::collections::{BTreeMap, HashMap};
use std::ptr;

use zset_std::DefaultHashBuilder;

use crate::command::Command;

/// How often each command was called, those in transactions too.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// By the address of the command, which is found sooner than its name.
    counts: HashMap<usize, (&'static Command, u64), DefaultHashBuilder>,
}

impl Calls {
    /// Counts a call. **O(1)**.
    pub(crate) fn count(&mut self, command: &'static Command) {
        self.counts.entry(ptr::from_ref(command).addr()).or_insert((command, 0)).1 += 1;
    }

    /// Returns the commands that were called, in the order of their names, and how often each was.
    pub(crate) fn by_name(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for (command, count) in self.counts.values() {
            *counts.entry(command.name).or_default() += count;
        }
        counts
    }
}
