//! What must be offered to be measured as a queue, a schedule or an expiring set.

use super::workload::Operation;

/// Elements that are each due at a time, a whole number of milliseconds, as a timer wheel has them.
///
/// Each contender does every operation in the best way that its public API has, and where something
/// is hashed it is by `hashbrown::DefaultHashBuilder`.
pub trait Timed: Sized {
    /// What the tables call it.
    const NAME: &'static str;

    /// What takes linear time.
    const LINEAR: &'static [Operation] = &[];

    /// What an element is found by.
    type Key;

    /// Makes an empty one.
    fn new() -> Self;

    /// Makes one of elements: ids, and when each is due.
    fn load(elements: &[(u64, u64)]) -> (Self, Vec<Self::Key>) {
        let mut new = Self::new();
        let keys = elements.iter().map(|&(id, due)| new.push(id, due)).collect();
        (new, keys)
    }

    /// Adds an element with an id that no other has.
    fn push(&mut self, id: u64, due: u64) -> Self::Key;

    /// Removes an element; returns whether it was there.
    fn cancel(&mut self, key: &Self::Key) -> bool;

    /// Gives an element that is there another time.
    fn reschedule(&mut self, key: &Self::Key, due: u64);

    /// Returns whether an element is there and due after `now`; `None` of what is not a set, and
    /// therefore not asked.
    fn contains(&self, _key: &Self::Key, _now: u64) -> Option<bool> {
        None
    }

    /// Tells what has a clock of its own that it is `now`.
    fn reach(&mut self, _now: u64) {}

    /// Removes the first element if it is due, at `now` or before; returns its id and time.
    ///
    /// What has a clock has reached `now` already.
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)>;

    /// Removes all that is due.
    #[inline]
    fn drain_due(&mut self, now: u64, mut each: impl FnMut(u64, u64)) {
        while let Some((id, due)) = self.pop_due(now) {
            each(id, due);
        }
    }
}
