//! Iterators over all jobs of a [`DelayQueue`].

use core::fmt;

use zset_core::Unordered;
use zset_core::sorted_map::{Drain, IntoIter, Iter};

use super::{DelayQueue, Job, JobId, job, job_ref};
use crate::Timestamp;
use crate::mapped::mapped_iterator;

/// A double-ended, exact-size iterator over the jobs, returned by [`DelayQueue::iter`].
pub struct Jobs<'a, T, I = JobId>(pub(super) Iter<'a, Unordered<I>, T, Timestamp>);

/// A double-ended, exact-size draining iterator, returned by [`DelayQueue::drain`].
pub struct DrainJobs<'a, T, I = JobId>(pub(super) Drain<'a, Unordered<I>, T, Timestamp>);

/// A double-ended, exact-size owning iterator over the jobs of a [`DelayQueue`].
pub struct IntoJobs<T, I = JobId>(IntoIter<Unordered<I>, T, Timestamp>);

mapped_iterator!(['a, T, I] Jobs<'a, T, I>, Job<&'a T, &'a I>, job_ref);
mapped_iterator!([T, I] DrainJobs<'_, T, I>, Job<T, I>, job);
mapped_iterator!([T, I] IntoJobs<T, I>, Job<T, I>, job);

impl<T, I> Clone for Jobs<'_, T, I> {
    fn clone(&self) -> Self {
        Jobs(self.0.clone())
    }
}

impl<T: fmt::Debug, I: fmt::Debug> fmt::Debug for Jobs<'_, T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<T, I> fmt::Debug for DrainJobs<'_, T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DrainJobs").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<T, I> fmt::Debug for IntoJobs<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoJobs").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<T, I> IntoIterator for DelayQueue<T, I> {
    type Item = Job<T, I>;
    type IntoIter = IntoJobs<T, I>;

    fn into_iter(self) -> IntoJobs<T, I> {
        IntoJobs(self.jobs.into_iter())
    }
}

impl<'a, T, I> IntoIterator for &'a DelayQueue<T, I> {
    type Item = Job<&'a T, &'a I>;
    type IntoIter = Jobs<'a, T, I>;

    fn into_iter(self) -> Jobs<'a, T, I> {
        self.iter()
    }
}
