//! Inspecting and changing the queue.

use std::error::Error;
use std::fmt;
use std::hash::Hash;
use std::mem;
use std::sync::PoisonError;
use std::time::Duration;
use std::vec::Vec;

use zset_core::Equivalent;

use super::{CLOSED, FULL, Locked, SharedDelayQueue, Task, without_leases};
use crate::at::timed;
use crate::{Clock, DelayQueue, Job, JobId, Timestamp};

impl<T, I, C> SharedDelayQueue<T, I, C> {
    /// Returns the number of jobs, whether due or not, on lease or not. **O(1)**.
    pub fn len(&self) -> usize {
        self.lock().queue.len()
    }

    /// Returns whether there are no jobs, including jobs on lease. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of jobs on lease. **O(1)**.
    ///
    /// A job whose lease has expired counts until it is taken.
    pub fn leased_len(&self) -> usize {
        self.lock().leased
    }

    /// Returns the earliest time at which a job is due or its lease ends. **O(1)**.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.lock().queue.next_due()
    }

    /// Closes the queue: pushing and waiting fail from now on. **O(w)** for w waiters.
    ///
    /// All waiters return immediately, without a job. Remaining jobs can still be taken with
    /// [`pop`](Self::pop), [`lease`](Self::lease) and [`drain`](Self::drain), and existing leases
    /// stay valid.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::new();
    /// queue.push("mail", Timestamp::ZERO)?;
    /// queue.close();
    /// assert!(queue.is_closed());
    /// assert_eq!(queue.push("late", Timestamp::ZERO).unwrap_err().into_payload(), "late");
    /// assert!(queue.wait_pop().block().is_err());
    /// assert_eq!(queue.pop().unwrap().payload, "mail");
    /// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
    /// ```
    pub fn close(&self) {
        self.lock().close();
    }

    /// Returns whether the queue is closed. **O(1)**.
    pub fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Removes all jobs, due or not, on lease or not, and returns them in order. **O(n)**.
    ///
    /// All leases become stale. Dead letters are kept.
    pub fn drain(&self) -> Vec<Job<T, I>> {
        let mut state = self.lock();
        state.leased = 0;
        state.queue.drain().map(without_leases).collect()
    }

    /// Like [`drain`](Self::drain), without returning the jobs. **O(n)**.
    pub fn clear(&self) {
        drop(self.drain());
    }
}

impl<T, I: Hash, C> SharedDelayQueue<T, I, C> {
    /// Returns a clone of the payload of a job, whether due or not, on lease or not. **O(1)**
    /// expected.
    ///
    /// The payload is cloned under the lock, so put a large one in an [`Arc`](std::sync::Arc).
    pub fn get<Q>(&self, id: &Q) -> Option<T>
    where
        T: Clone,
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.lock().queue.get(id).map(|task| task.payload.clone())
    }

    /// Returns whether a job is in the queue, whether due or not, on lease or not. **O(1)**
    /// expected.
    pub fn contains<Q>(&self, id: &Q) -> bool
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.lock().queue.contains(id)
    }

    /// Returns the time at which a job is due or its lease ends. **O(1)** expected.
    pub fn due<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.lock().queue.due(id)
    }

    /// Removes a job, due or not, on lease or not, and returns it. **O(log n)**.
    ///
    /// Any lease on the job becomes stale.
    pub fn cancel<Q>(&self, id: &Q) -> Option<Job<T, I>>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.lock().remove(id).map(without_leases)
    }
}

impl<T, I: Eq + Hash, C> SharedDelayQueue<T, I, C> {
    /// Changes the due time of a job and returns the old one, or the end of its lease.
    /// **O(log n)**.
    ///
    /// This is equivalent to cancelling the job and pushing it again: it comes last among jobs due
    /// at the same time, any lease on it becomes stale, and its deliveries restart from 0. Wakes at
    /// most one waiter, and only if the job is now due before all others.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn reschedule<Q>(&self, id: &Q, due: Timestamp) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        let mut state = self.lock();
        let old = state.queue.reschedule(id, due)?;
        let task = state.queue.get_mut(id)?;
        task.deliveries = 0;
        let was_leased = task.receipt.take().is_some();
        state.leased -= usize::from(was_leased);
        Some(old)
    }
}

timed!(impl[T, I: Eq + Hash, C: Clock] SharedDelayQueue<T, I, C> {
    /// Like [`reschedule`](SharedDelayQueue::reschedule), for a job that is due after `delay`.
    /// **O(log n)**.
    #[track_caller]
    pub fn reschedule_after<Q>(&self, id: &Q, delay: Duration) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        let (queue, now) = self.timed();
        queue.reschedule(id, now.saturating_add(delay))
    }

    /// Turns a dead letter into a job again, due after `delay` and with no deliveries, and returns
    /// whether there is one with this id. **O(d + log n)** for d dead letters.
    ///
    /// If several dead letters have this id, the latest is requeued. If the id's `Hash` or `Eq`
    /// panics while the job is inserted, the job is lost.
    ///
    /// # Errors
    ///
    /// [`RequeueError`] if the queue is closed or full, or a job in it, on lease or not, has this
    /// id. The dead letter is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use std::time::Duration;
    /// use zset_std::{FakeClock, SharedDelayQueue};
    ///
    /// let queue = SharedDelayQueue::new()
    ///     .with_clock(FakeClock::new())
    ///     .with_max_deliveries(NonZeroU32::MIN);
    /// let id = queue.push_after("mail", Duration::ZERO)?;
    /// let lease = queue.lease(Duration::MAX).unwrap();
    /// queue.nack(&lease, Duration::ZERO)?;
    /// assert_eq!((queue.len(), queue.dead_letters_len()), (0, 1));
    ///
    /// assert_eq!(queue.requeue(&id, Duration::ZERO), Ok(true)); // the server is up again
    /// assert_eq!(queue.lease(Duration::MAX).unwrap().deliveries, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn requeue<Q>(&self, id: &Q, delay: Duration) -> Result<bool, RequeueError>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        let (queue, now) = self.timed();
        let mut state = queue.lock();
        if state.is_closed {
            return Err(RequeueError::Closed);
        }
        let Some(index) = state.dead.iter().rposition(|letter| id.equivalent(&letter.id)) else {
            return Ok(false);
        };
        if state.queue.contains(id) {
            return Err(RequeueError::Duplicate);
        }
        if state.queue.len() >= queue.max_len {
            return Err(RequeueError::Full);
        }
        if let Some(DeadLetter { id, payload, .. }) = state.dead.remove(index) {
            state.queue.insert(id, Task::new(payload), now.saturating_add(delay));
        }
        Ok(true)
    }
});

impl<T, I: Hash> Locked<'_, T, I> {
    /// Removes a job and its lease.
    pub(super) fn remove<Q>(&mut self, id: &Q) -> Option<Job<Task<T>, I>>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        let job = self.queue.cancel(id)?;
        self.forget_lease(&job.payload);
        Some(job)
    }
}

/// Keeps the jobs and the next id of the queue.
impl<T, I: Eq + Hash> From<DelayQueue<T, I>> for SharedDelayQueue<T, I> {
    #[track_caller]
    fn from(queue: DelayQueue<T, I>) -> Self {
        Self::of(queue.map(Task::new))
    }
}

impl<T, I: Eq + Hash, C> SharedDelayQueue<T, I, C> {
    /// Converts into a single-threaded queue, for example to store it. **O(n log n)**.
    ///
    /// A job on lease is due at the end of its lease. Delivery counts are lost, and dead letters
    /// are dropped: call [`take_dead_letters`](Self::take_dead_letters) first to keep them.
    #[track_caller]
    pub fn into_queue(self) -> DelayQueue<T, I> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.queue.map(|task| task.payload)
    }
}

/// A job that reached its maximum number of deliveries without being acknowledged.
///
/// # Examples
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use zset_std::{FakeClock, SharedDelayQueue, Timestamp};
///
/// let clock = FakeClock::new();
/// let queue = SharedDelayQueue::<&str>::new()
///     .with_clock(clock.clone())
///     .with_max_deliveries(NonZeroU32::MIN);
/// let id = queue.push("a page that crashes the printer", Timestamp::ZERO)?;
/// let minute = Duration::from_secs(60);
/// let _ = queue.lease(minute).unwrap();
/// clock.advance(minute);
/// // Its only permitted lease has expired.
/// assert!(queue.lease(minute).is_none());
///
/// let dead = queue.take_dead_letters(10).remove(0);
/// assert_eq!((dead.id, dead.deliveries), (id, 1));
/// assert_eq!(dead.since, Timestamp::ZERO.saturating_add(minute));
/// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DeadLetter<T, I = JobId> {
    /// The id of the job in its queue.
    pub id: I,
    /// The payload.
    pub payload: T,
    /// The number of deliveries.
    pub deliveries: u32,
    /// When the last delivery was nacked or its lease ended.
    pub since: Timestamp,
}

impl<T, I> DeadLetter<T, I> {
    pub(super) fn new(job: Job<Task<T>, I>, since: Timestamp) -> Self {
        let Task { payload, deliveries, .. } = job.payload;
        DeadLetter { id: job.id, payload, deliveries, since }
    }
}

/// The error returned when a dead letter is not [requeued](SharedDelayQueue::requeue).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequeueError {
    /// A job in the queue, on lease or not, already has this id.
    Duplicate,
    /// The queue has reached its maximum number of jobs.
    Full,
    /// The queue is closed.
    Closed,
}

impl fmt::Display for RequeueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RequeueError::Duplicate => "a job with this id is already in the queue",
            RequeueError::Full => FULL,
            RequeueError::Closed => CLOSED,
        })
    }
}

impl Error for RequeueError {}

impl<T, I, C> SharedDelayQueue<T, I, C> {
    /// Returns clones of up to `max` of the oldest dead letters. **O(m)** for m returned.
    ///
    /// They are cloned under the lock.
    pub fn dead_letters(&self, max: usize) -> Vec<DeadLetter<T, I>>
    where
        T: Clone,
        I: Clone,
    {
        self.lock().dead.iter().take(max).cloned().collect()
    }

    /// Removes all dead letters and returns how many there were. **O(d)** for d dead letters.
    pub fn purge_dead_letters(&self) -> usize {
        let dead = mem::take(&mut self.lock().dead);
        dead.len()
    }

    /// Removes and returns up to `max` of the oldest dead letters. **O(m)** for m returned.
    ///
    /// A job whose last lease has expired becomes a dead letter only when it would have been
    /// delivered again.
    pub fn take_dead_letters(&self, max: usize) -> Vec<DeadLetter<T, I>> {
        let mut state = self.lock();
        let max = max.min(state.dead.len());
        state.dead.drain(..max).collect()
    }

    /// Returns the number of dead letters. **O(1)**.
    pub fn dead_letters_len(&self) -> usize {
        self.lock().dead.len()
    }
}
