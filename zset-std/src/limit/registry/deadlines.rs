//! The deadlines of a shard: when to examine its keys.

use super::Keys;
use super::sweep::is_due;
use crate::Timestamp;
use crate::limit::limiter::per_key::PerKey;
use crate::limit::table::KeyHash;

/// The number of stale deadlines that may be kept however few keys there are.
const FEW_DEADLINES: usize = 16;

impl<K, L: PerKey> Keys<K, L> {
    /// Examines the first deadline, if it has passed. If a key with its hash is idle, removes the
    /// deadline and returns the hash; otherwise files the deadline again for a later time.
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

    /// Files a deadline, unless it is already filed.
    pub(super) fn file(&mut self, hash: KeyHash, deadline: Timestamp) {
        if self.deadlines.rank(&hash, deadline).is_none() {
            self.deadlines.insert(hash, deadline);
        }
    }

    /// Files a deadline for the first of the keys with a hash to become idle, if there are any.
    pub(super) fn file_again(&mut self, hash: KeyHash) {
        if let Some(idle_at) = self.first_idle(hash) {
            self.file(hash, idle_at);
        }
    }

    /// Returns when the first of the keys with a hash becomes idle.
    pub(super) fn first_idle(&self, hash: KeyHash) -> Option<Timestamp> {
        let mut first = None;
        self.entries.find(hash, |entry| {
            let idle_at = L::state_idle_from(&entry.state);
            first = Some(first.map_or(idle_at, |first: Timestamp| first.min(idle_at)));
            false
        });
        first
    }

    /// Returns the largest number of deadlines to keep, including stale ones.
    pub(super) fn most_deadlines(&self) -> usize {
        2 * self.entries.len() + FEW_DEADLINES
    }

    /// Rebuilds the list of deadlines if most of it is stale. **O(log n)** amortized for each deadline
    /// that has been filed or has become stale since the last rebuild.
    pub(super) fn forget_deadlines(&mut self) {
        if self.deadlines.len() > self.most_deadlines() {
            self.rebuild_deadlines();
        }
    }

    /// Files a deadline for each entry, and no others. **O(n log n)**.
    pub(super) fn rebuild_deadlines(&mut self) {
        // Shrink first, so that visiting the entries takes time proportional to their number.
        self.entries.shrink();
        self.deadlines.clear();
        for entry in self.entries.iter() {
            self.deadlines.insert(entry.hash, L::state_idle_from(&entry.state));
        }
    }

    /// Returns the first deadline, or the last timestamp if there is none.
    pub(super) fn next_deadline(&self) -> Timestamp {
        self.deadlines.first().map_or(Timestamp::MAX, |(_, deadline)| deadline)
    }
}
