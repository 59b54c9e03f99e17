//! [`DelayQueue`], a queue of jobs ordered by due time, and its iterators and errors.

mod iter;

pub use iter::{DrainJobs, IntoJobs, Jobs};

use core::error::Error;
use core::fmt;
use core::hash::Hash;
use core::iter::FusedIterator;
use core::time::Duration;

use zset_core::{Equivalent, SortedMap, Unordered, UnorderedRef};

use crate::Timestamp;

/// A queue of jobs ordered by due time. Jobs due at the same time are in order of arrival.
///
/// A `DelayQueue<(), Id>` is a schedule of events, each of which is returned once, when it is due:
/// see the [guide](crate::_guide::queues#events-and-expiry).
///
/// The queue is a sorted map. Finding a job by its id takes O(1) expected time, and cancelling or
/// rescheduling it takes O(log n). Any time is valid, including [`Timestamp::ZERO`] and
/// [`Timestamp::MAX`]. The queue has no clock, so operations that depend on the time take it as an
/// argument. A [`SharedDelayQueue`](crate::SharedDelayQueue) has a clock, and is for use by
/// multiple threads.
///
/// A job has either a [`JobId`] assigned by the queue, or an id of a type `I` chosen by the caller.
/// In a queue of a hundred jobs or more, each job uses about 16 to 50 bytes in addition to its
/// payload and id. It uses more after many other jobs have left. Payloads are moved in memory, so
/// box large ones.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{DelayQueue, Timestamp};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let mut mails = DelayQueue::new();
/// mails.push("remind ann", at(60));
/// let bob = mails.push("remind bob", at(30));
/// let cid = mails.push("remind cid", at(10));
/// assert_eq!(mails.next_due(), Some(at(10)));
///
/// mails.cancel(&cid); // Cid has answered.
/// mails.reschedule(&bob, at(90)); // Bob asked for more time.
/// let due: Vec<_> = mails.pop_due(10, at(60)).map(|job| job.payload).collect();
/// assert_eq!(due, ["remind ann"]);
/// assert_eq!(mails.next_due(), Some(at(90)));
/// ```
pub struct DelayQueue<T, I = JobId> {
    jobs: SortedMap<Unordered<I>, T, Timestamp>,
    /// The next id to assign, unless it is in use.
    next_id: u64,
}

impl<T, I> DelayQueue<T, I> {
    /// Creates an empty queue, which does not allocate until the first push. **O(1)**.
    pub fn new() -> Self {
        DelayQueue { jobs: SortedMap::new(), next_id: 0 }
    }
}

impl<T, I: Eq + Hash> DelayQueue<T, I> {
    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.jobs.check();
    }
}

/// An id assigned to a job by its queue.
///
/// # Examples
///
/// ```
/// use zset_std::{DelayQueue, JobId, Timestamp};
///
/// let mut queue = DelayQueue::new();
/// let id = queue.push("mail", Timestamp::ZERO);
/// assert_eq!(id.to_string(), "0");
/// assert_eq!(JobId::new(id.get()), id); // can be stored as a number
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct JobId(u64);

impl JobId {
    /// Creates the id with this number. **O(1)**.
    pub const fn new(number: u64) -> Self {
        JobId(number)
    }

    /// Returns the number of the id. **O(1)**.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A job: a payload and when it is due.
///
/// [`DelayQueue::first`] and [`DelayQueue::iter`] return jobs as `Job<&T, &I>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct Job<T, I = JobId> {
    /// The id, unique within its queue.
    pub id: I,
    /// When the job is due.
    pub due: Timestamp,
    /// The payload.
    pub payload: T,
}

/// Converts an entry of the map into a job.
fn job<T, I>((Unordered(id), payload, due): (Unordered<I>, T, Timestamp)) -> Job<T, I> {
    Job { id, due, payload }
}

/// Like `job`, for a borrowed entry.
fn job_ref<'a, T, I>(
    (Unordered(id), payload, due): (&'a Unordered<I>, &'a T, &Timestamp),
) -> Job<&'a T, &'a I> {
    Job { id, due: *due, payload }
}

/// The error returned when a job's id is already in use. It contains the job.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateJob<T, I = JobId> {
    /// The job that was not pushed.
    pub job: Job<T, I>,
}

impl<T, I> fmt::Debug for DuplicateJob<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DuplicateJob").finish_non_exhaustive()
    }
}

impl<T, I> fmt::Display for DuplicateJob<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a job with this id is already in the queue")
    }
}

impl<T, I> Error for DuplicateJob<T, I> {}

impl<T> DelayQueue<T> {
    /// Pushes a job and returns the id assigned to it. **O(log n)**.
    ///
    /// Ids are consecutive numbers, each assigned once. Ids of queued jobs that were pushed
    /// [with an id](Self::push_with_id) are skipped.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted, which takes at least 2 *
    /// 10^9 jobs if none is removed.
    #[track_caller]
    pub fn push(&mut self, payload: T, due: Timestamp) -> JobId {
        loop {
            let id = JobId::new(self.next_id);
            self.next_id = self.next_id.wrapping_add(1);
            if !self.contains(&id) {
                self.insert(id, payload, due);
                return id;
            }
        }
    }

    /// Like [`push`](Self::push), for a job that is due after `delay`. **O(log n)**.
    #[track_caller]
    pub fn push_after(&mut self, payload: T, delay: Duration, now: Timestamp) -> JobId {
        self.push(payload, now.saturating_add(delay))
    }
}

impl<T, I: Eq + Hash> DelayQueue<T, I> {
    /// Like [`push`](Self::push), with an id chosen by the caller. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`DuplicateJob`], which contains the job, if a job in the queue already has this id. The
    /// queue is unchanged. To change the due time of a queued job, see
    /// [`reschedule`](Self::reschedule).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// assert!(queue.push_with_id("backup", 1, Timestamp::from_nanos(10)).is_ok());
    /// assert!(queue.push_with_id("backup", 2, Timestamp::from_nanos(20)).is_err());
    /// assert_eq!(queue.len(), 1);
    /// ```
    #[track_caller]
    pub fn push_with_id(
        &mut self,
        id: I,
        payload: T,
        due: Timestamp,
    ) -> Result<(), DuplicateJob<T, I>> {
        if self.contains(&id) {
            return Err(DuplicateJob { job: Job { id, due, payload } });
        }
        self.insert(id, payload, due);
        Ok(())
    }

    /// Like [`push_with_id`](Self::push_with_id), for a job that is due after `delay`.
    /// **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`DuplicateJob`], which contains the job, if a job in the queue already has this id.
    #[track_caller]
    pub fn push_with_id_after(
        &mut self,
        id: I,
        payload: T,
        delay: Duration,
        now: Timestamp,
    ) -> Result<(), DuplicateJob<T, I>> {
        self.push_with_id(id, payload, now.saturating_add(delay))
    }

    /// Inserts a job whose id is not in use.
    #[track_caller]
    pub(crate) fn insert(&mut self, id: I, payload: T, due: Timestamp) {
        self.jobs.insert(Unordered(id), payload, due);
    }
}

impl<T, I> DelayQueue<T, I> {
    /// Returns the due time of the first job. **O(1)**.
    pub fn next_due(&self) -> Option<Timestamp> {
        let (_, _, due) = self.jobs.first()?;
        Some(*due)
    }

    /// Returns the first job, due or not. **O(1)**.
    pub fn first(&self) -> Option<Job<&T, &I>> {
        self.jobs.first().map(job_ref)
    }

    /// Returns the number of jobs, due or not. **O(1)**.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns whether there are no jobs. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Returns the number of jobs that are due: not after `now`. **O(log n)**.
    pub fn count_due(&self, now: Timestamp) -> usize {
        self.jobs.count_by_score(..=now)
    }

    /// Returns the jobs in order, the earliest due first. Lazy, double-ended, **O(1)** per step.
    pub fn iter(&self) -> Jobs<'_, T, I> {
        Jobs(self.jobs.iter())
    }

    /// Returns the payload of a job. **O(1)** expected.
    pub fn get<Q>(&self, id: &Q) -> Option<&T>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.get(&UnorderedRef(id))
    }

    /// Returns a mutable reference to the payload of a job. **O(1)** expected.
    pub fn get_mut<Q>(&mut self, id: &Q) -> Option<&mut T>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.get_mut(&UnorderedRef(id))
    }

    /// Returns the due time of a job. **O(1)** expected.
    pub fn due<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.score(&UnorderedRef(id)).copied()
    }

    /// Returns whether a job is in the queue, due or not. **O(1)** expected.
    pub fn contains<Q>(&self, id: &Q) -> bool
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.contains_key(&UnorderedRef(id))
    }
}

impl<T, I: Hash> DelayQueue<T, I> {
    /// Removes and returns the first job if it is due: not after `now`. **O(log n)**.
    pub fn pop(&mut self, now: Timestamp) -> Option<Job<T, I>> {
        self.jobs.pop_first_if(|_, _, &due| due <= now).map(job)
    }

    /// Returns an iterator that removes and returns up to `max` jobs that are due, in order. Lazy;
    /// **O(log n)** per step, and to compute its length.
    ///
    /// Each job is removed when the iterator returns it. If the iterator is dropped or leaked
    /// early, the remaining jobs stay.
    pub fn pop_due(&mut self, max: usize, now: Timestamp) -> PopDue<'_, T, I> {
        PopDue { queue: self, now, left: max }
    }
}

/// An iterator that removes the jobs that are due, returned by [`DelayQueue::pop_due`].
#[must_use = "a job is removed when the iterator comes to it"]
pub struct PopDue<'a, T, I = JobId> {
    queue: &'a mut DelayQueue<T, I>,
    now: Timestamp,
    /// The number of jobs that may still be returned. The number due is computed only on request,
    /// since most callers take only a few.
    left: usize,
}

impl<T, I> PopDue<'_, T, I> {
    fn due(&self) -> usize {
        self.queue.count_due(self.now).min(self.left)
    }
}

impl<T, I: Hash> Iterator for PopDue<'_, T, I> {
    type Item = Job<T, I>;

    fn next(&mut self) -> Option<Job<T, I>> {
        let left = self.left.checked_sub(1)?;
        let job = self.queue.pop(self.now)?;
        self.left = left;
        Some(job)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.due();
        (count, Some(count))
    }
}

impl<T, I: Hash> ExactSizeIterator for PopDue<'_, T, I> {}

impl<T, I: Hash> FusedIterator for PopDue<'_, T, I> {}

impl<T: fmt::Debug, I: fmt::Debug> fmt::Debug for PopDue<'_, T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.queue.iter().take(self.due())).finish()
    }
}

impl<T, I: Hash> DelayQueue<T, I> {
    /// Removes a job, due or not, and returns it. **O(log n)**.
    pub fn cancel<Q>(&mut self, id: &Q) -> Option<Job<T, I>>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.remove_entry(&UnorderedRef(id)).map(job)
    }
}

impl<T, I: Eq + Hash> DelayQueue<T, I> {
    /// Changes the due time of a job and returns the old one. **O(log n)**.
    ///
    /// The job counts as a new arrival: it comes last among jobs due at the same time, even if its
    /// time does not change.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, JobId, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut queue = DelayQueue::new();
    /// let (a, _) = (queue.push("a", at(1)), queue.push("b", at(2)));
    /// assert_eq!(queue.reschedule(&a, at(2)), Some(at(1)));
    /// assert_eq!(queue.reschedule(&JobId::new(7), at(2)), None);
    /// assert!(queue.iter().map(|job| *job.payload).eq(["b", "a"]));
    /// ```
    #[track_caller]
    pub fn reschedule<Q>(&mut self, id: &Q, due: Timestamp) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.set_score(&UnorderedRef(id), due)
    }

    /// Like [`reschedule`](Self::reschedule), for a job that is due after `delay`. **O(log n)**.
    #[track_caller]
    pub fn reschedule_after<Q>(
        &mut self,
        id: &Q,
        delay: Duration,
        now: Timestamp,
    ) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.reschedule(id, now.saturating_add(delay))
    }
}

impl<T, I> DelayQueue<T, I> {
    /// Removes all jobs. Keeps the memory for new ones. **O(n)**.
    pub fn clear(&mut self) {
        self.jobs.clear();
    }

    /// Removes all jobs, due or not, and returns them in order. **O(n)**.
    ///
    /// The queue is emptied immediately, even if the iterator is leaked.
    pub fn drain(&mut self) -> DrainJobs<'_, T, I> {
        DrainJobs(self.jobs.drain())
    }
}

#[cfg(feature = "std")]
impl<T, I: Eq + Hash> DelayQueue<T, I> {
    /// Returns the queue with each payload mapped by `payload`.
    #[track_caller]
    pub(crate) fn map<U>(self, mut payload: impl FnMut(T) -> U) -> DelayQueue<U, I> {
        let DelayQueue { jobs, next_id } = self;
        let jobs = jobs.into_iter().map(|(id, old, due)| (id, payload(old), due));
        DelayQueue { jobs: jobs.collect(), next_id }
    }
}

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

#[cfg(feature = "serde")]
mod serde {
    //! Serialization of a queue: its next id, and its jobs in order.

    use alloc::vec::Vec;
    use core::hash::Hash;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, SerializeStruct, Serializer};
    use zset_core::Unordered;

    use super::{DelayQueue, Job, Jobs};

    /// Serializes the next id, and the jobs as a sequence in order.
    impl<T: Serialize, I: Serialize> Serialize for DelayQueue<T, I> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            struct Sequence<'a, T, I>(Jobs<'a, T, I>);

            impl<T: Serialize, I: Serialize> Serialize for Sequence<'_, T, I> {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_seq(self.0.clone())
                }
            }

            let mut queue = serializer.serialize_struct("DelayQueue", 2)?;
            queue.serialize_field("next_id", &self.next_id)?;
            queue.serialize_field("jobs", &Sequence(self.iter()))?;
            queue.end()
        }
    }

    /// Deserializes jobs in any order; jobs due at the same time keep the order of the sequence.
    ///
    /// A repeated id is an error.
    impl<'de, T, I> Deserialize<'de> for DelayQueue<T, I>
    where
        T: Deserialize<'de>,
        I: Deserialize<'de> + Eq + Hash,
    {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            #[derive(serde::Deserialize)]
            #[serde(rename = "DelayQueue", bound = "T: Deserialize<'de>, I: Deserialize<'de>")]
            struct Parts<T, I> {
                next_id: u64,
                jobs: Vec<Job<T, I>>,
            }

            let Parts { next_id, jobs } = Parts::deserialize(deserializer)?;
            let mut queue = DelayQueue { next_id, ..DelayQueue::new() };
            for Job { id, due, payload } in jobs {
                let old = queue.jobs.try_insert(Unordered(id), payload, due);
                if old.map_err(D::Error::custom)?.is_some() {
                    return Err(D::Error::custom("two jobs have the same id"));
                }
            }
            Ok(queue)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_ids_skip_ids_in_use_and_wrap_around() {
        let mut queue = DelayQueue::new();
        for id in [0, 1, 3, u64::MAX] {
            queue.push_with_id(JobId::new(id), (), Timestamp::ZERO).unwrap();
        }
        let ids = [(); 3].map(|()| queue.push((), Timestamp::ZERO).get());
        assert_eq!(ids, [2, 4, 5]);
        queue.next_id = u64::MAX;
        assert_eq!(queue.push((), Timestamp::ZERO).get(), 6);
        queue.check_invariants();
    }

    #[test]
    fn an_id_is_not_reused_after_its_job_is_cancelled() {
        let mut queue = DelayQueue::new();
        let first = queue.push((), Timestamp::ZERO);
        queue.cancel(&first);
        assert_ne!(queue.push((), Timestamp::ZERO), first);
    }
}
