//! When to look at the keys of a shard.

use super::Keys;
use super::sweep::is_due;
use crate::Timestamp;
use crate::limit::KeyState;
use crate::limit::table::KeyHash;

/// Deadlines that lead nowhere which are kept, however few keys there are.
const FEW_DEADLINES: usize = 16;

impl<K, V: KeyState> Keys<K, V> {
    /// Looks at the first deadline, if it has passed: takes it out if a key is idle, whose hash it
    /// returns, and otherwise files it anew.
    #[expect(clippy::option_option, reason = "whether there was a deadline, and an idle key")]
    pub(super) fn look(&mut self, now: Timestamp) -> Option<Option<KeyHash>> {
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
    pub(super) fn file(&mut self, hash: KeyHash, deadline: Timestamp) {
        if self.deadlines.rank(&hash, deadline).is_none() {
            self.deadlines.insert(hash, deadline);
        }
    }

    /// Files the deadline of the first to be idle of the keys with a hash, if there is any.
    pub(super) fn file_again(&mut self, hash: KeyHash) {
        if let Some(idle_at) = self.first_idle(hash) {
            self.file(hash, idle_at);
        }
    }

    /// Returns when the first of the keys with a hash is idle.
    pub(super) fn first_idle(&self, hash: KeyHash) -> Option<Timestamp> {
        let mut first = None;
        self.entries.find(hash, |entry| {
            let idle_at = entry.state.idle_at();
            first = Some(first.map_or(idle_at, |first: Timestamp| first.min(idle_at)));
            false
        });
        first
    }

    /// Returns how many deadlines there may be, those that lead nowhere among them.
    pub(super) fn most_deadlines(&self) -> usize {
        2 * self.entries.len() + FEW_DEADLINES
    }

    /// Rebuilds the list of deadlines if most of it leads nowhere: **O(log n)** amortized for each that
    /// has been filed or has lost its key since the last time.
    pub(super) fn forget_deadlines(&mut self) {
        if self.deadlines.len() > self.most_deadlines() {
            self.rebuild_deadlines();
        }
    }

    /// Files a deadline for each entry, and no others. **O(n log n)**.
    pub(super) fn rebuild_deadlines(&mut self) {
        // So that to visit the entries takes time in proportion to their number.
        self.entries.shrink();
        self.deadlines.clear();
        for entry in self.entries.iter() {
            self.deadlines.insert(entry.hash, entry.state.idle_at());
        }
    }

    /// Returns the first deadline, or the end of time.
    pub(super) fn next_deadline(&self) -> Timestamp {
        self.deadlines.first().map_or(Timestamp::MAX, |(_, deadline)| deadline)
    }
}
