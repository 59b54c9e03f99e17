//! The standard traits.

use core::fmt;

use super::DelayQueue;
use crate::Timestamp;

impl<T: Clone, I: Clone> Clone for DelayQueue<T, I> {
    fn clone(&self) -> Self {
        DelayQueue { jobs: self.jobs.clone(), ..*self }
    }
}

impl<T, I> Default for DelayQueue<T, I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug, I: fmt::Debug> fmt::Debug for DelayQueue<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// Two queues are equal if they have the same jobs in the same order. **O(n)**.
impl<T: PartialEq, I: PartialEq> PartialEq for DelayQueue<T, I> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<T: Eq, I: Eq> Eq for DelayQueue<T, I> {}

/// Pushes each job in order.
impl<T> Extend<(T, Timestamp)> for DelayQueue<T> {
    #[track_caller]
    fn extend<J: IntoIterator<Item = (T, Timestamp)>>(&mut self, jobs: J) {
        for (payload, due) in jobs {
            self.push(payload, due);
        }
    }
}

impl<T> FromIterator<(T, Timestamp)> for DelayQueue<T> {
    #[track_caller]
    fn from_iter<J: IntoIterator<Item = (T, Timestamp)>>(jobs: J) -> Self {
        let mut queue = Self::new();
        queue.extend(jobs);
        queue
    }
}
