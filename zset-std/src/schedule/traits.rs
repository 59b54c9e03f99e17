//! The standard traits.

use core::fmt;
use core::hash::Hash;

use super::{IntoUpcoming, Schedule, Upcoming};
use crate::Timestamp;

impl<Id> Default for Schedule<Id> {
    fn default() -> Self {
        Self::new()
    }
}

/// Two schedules are equal if they have the same ids at the same times in the same order. **O(n)**.
impl<Id: PartialEq> PartialEq for Schedule<Id> {
    fn eq(&self, other: &Self) -> bool {
        self.queue == other.queue
    }
}

impl<Id: Eq> Eq for Schedule<Id> {}

impl<Id: fmt::Debug> fmt::Debug for Schedule<Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Schedules each id in order.
impl<Id: Ord + Hash> Extend<(Id, Timestamp)> for Schedule<Id> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (Id, Timestamp)>>(&mut self, ids: I) {
        for (id, at) in ids {
            self.schedule(id, at);
        }
    }
}

/// If an id repeats, the last time wins.
impl<Id: Ord + Hash> FromIterator<(Id, Timestamp)> for Schedule<Id> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (Id, Timestamp)>>(ids: I) -> Self {
        let mut schedule = Schedule::new();
        schedule.extend(ids);
        schedule
    }
}

impl<Id: Ord + Hash, const N: usize> From<[(Id, Timestamp); N]> for Schedule<Id> {
    #[track_caller]
    fn from(ids: [(Id, Timestamp); N]) -> Self {
        ids.into_iter().collect()
    }
}

impl<'a, Id> IntoIterator for &'a Schedule<Id> {
    type Item = (&'a Id, Timestamp);
    type IntoIter = Upcoming<'a, Id>;

    fn into_iter(self) -> Upcoming<'a, Id> {
        self.iter()
    }
}

impl<Id> IntoIterator for Schedule<Id> {
    type Item = (Id, Timestamp);
    type IntoIter = IntoUpcoming<Id>;

    fn into_iter(self) -> IntoUpcoming<Id> {
        IntoUpcoming(self.queue.into_iter())
    }
}
