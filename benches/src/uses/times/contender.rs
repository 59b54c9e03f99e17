//! The interface of a measured queue, schedule or expiring set.

use super::workload::Operation;

/// Elements with due times in whole milliseconds, like those of a timer wheel.
///
/// Each contender implements every operation in the best way that its public API allows, and all
/// hashing uses `hashbrown::DefaultHashBuilder`.
pub trait Timed: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [Operation] = &[];

    /// The handle of an element.
    type Key;

    /// Returns an empty collection.
    fn new() -> Self;

    /// Builds a collection from ids and due times.
    fn load(elements: &[(u64, u64)]) -> (Self, Vec<Self::Key>) {
        let mut new = Self::new();
        let keys = elements.iter().map(|&(id, due)| new.push(id, due)).collect();
        (new, keys)
    }

    /// Inserts an element with a new id.
    fn push(&mut self, id: u64, due: u64) -> Self::Key;

    /// Removes an element; returns whether it was present.
    fn cancel(&mut self, key: &Self::Key) -> bool;

    /// Changes the due time of an element that is present.
    fn reschedule(&mut self, key: &Self::Key, due: u64);

    /// Returns whether an element is present and due after `now`. `None` for collections that are
    /// not sets, for which this operation is not measured.
    fn contains(&self, _key: &Self::Key, _now: u64) -> Option<bool> {
        None
    }

    /// Advances the internal clock, if there is one, to `now`.
    fn reach(&mut self, _now: u64) {}

    /// Removes the first element if it is due at or before `now`; returns its id and due time.
    ///
    /// An internal clock has already reached `now`.
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)>;

    /// Removes all elements that are due.
    #[inline]
    fn drain_due(&mut self, now: u64, mut each: impl FnMut(u64, u64)) {
        while let Some((id, due)) = self.pop_due(now) {
            each(id, due);
        }
    }
}
