//! Mapping payloads, for [`SharedDelayQueue`](crate::SharedDelayQueue).

use std::hash::Hash;

use super::DelayQueue;

impl<T, I: Ord + Hash> DelayQueue<T, I> {
    /// Returns the queue with each payload mapped by `payload`.
    #[track_caller]
    pub(crate) fn map<U>(self, mut payload: impl FnMut(T) -> U) -> DelayQueue<U, I> {
        let DelayQueue { jobs, arrivals, next_id } = self;
        let jobs = jobs.into_iter().map(|(id, old, key)| (id, payload(old), key));
        DelayQueue { jobs: jobs.collect(), arrivals, next_id }
    }
}
