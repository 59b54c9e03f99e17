//! Leasing jobs: a leased job stays in the queue, hidden from other workers, until its worker
//! acknowledges or nacks it, or the lease expires.

use std::error::Error;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU64;
// Use std's `AtomicU64` instead of loom's: nothing depends on the order of receipts.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{DeadLetter, Locked, SharedDelayQueue, Task};
use crate::at::timed;
use crate::{Clock, JobId, Timestamp};

/// A leased job, to be [acknowledged](SharedDelayQueue::ack) when done.
///
/// At the end of its lease, the job is due again, for any worker. The lease stays valid until the
/// job is taken, rescheduled or removed, so a late worker may still acknowledge it. After that the
/// lease is stale: it can no longer be acknowledged, nacked or renewed. A lease is also stale for
/// every queue other than its own.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::shared_delay_queue::StaleLease;
/// use zset_std::{FakeClock, SharedDelayQueue};
///
/// let clock = FakeClock::new();
/// let queue = SharedDelayQueue::<&str>::new().with_clock(clock.clone());
/// queue.push_after("mail", Duration::ZERO)?;
///
/// let a_minute = Duration::from_secs(60);
/// let first = queue.lease(a_minute).unwrap();
/// assert!(queue.lease(a_minute).is_none());
/// clock.advance(a_minute); // The worker has died, or so it seems.
/// let second = queue.lease(a_minute).unwrap();
/// assert_eq!((second.payload, second.deliveries), ("mail", 2));
///
/// assert_eq!(queue.ack(&first), Err(StaleLease));
/// assert_eq!(queue.ack(&second), Ok(()));
/// assert!(queue.is_empty());
/// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a job that is not acknowledged is delivered again"]
#[non_exhaustive]
pub struct Lease<T, I = JobId> {
    /// The id of the job.
    pub id: I,
    /// The payload.
    pub payload: T,
    /// The number of deliveries of the job, including this one.
    pub deliveries: u32,
    /// The end of the lease, unless it is renewed.
    pub until: Timestamp,
    /// Identifies this lease among all leases of all queues.
    receipt: NonZeroU64,
}

/// The error returned for a lease whose job has been acknowledged, nacked, delivered again,
/// rescheduled or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleLease;

impl fmt::Display for StaleLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the job is no longer held by this lease")
    }
}

impl Error for StaleLease {}

/// The outcome of a nack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nacked {
    /// The job will be delivered again when it is due.
    Requeued {
        /// When the job is due.
        due: Timestamp,
    },
    /// The job has reached its maximum number of deliveries, and is now a [`DeadLetter`].
    Dead,
}

timed!(impl[T: Clone, I: Eq + Hash + Clone, C: Clock] SharedDelayQueue<T, I, C> {
    /// Leases the first job if it is due; it is due again after `visibility`. **O(log n)**.
    ///
    /// The payload is cloned under the lock, so put a large one in an [`Arc`](std::sync::Arc).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    pub fn lease(&self, visibility: Duration) -> Option<Lease<T, I>> {
        let (queue, now) = self.timed();
        queue.lease_locked(&mut queue.lock(), visibility, now)
    }
});

impl<T: Clone, I: Eq + Hash + Clone, C> SharedDelayQueue<T, I, C> {
    /// Leases the first job if it is due.
    pub(super) fn lease_locked(
        &self,
        state: &mut Locked<'_, T, I>,
        visibility: Duration,
        now: Timestamp,
    ) -> Option<Lease<T, I>> {
        self.bury_exhausted(state, now);
        let job = state.queue.first().filter(|job| job.due <= now)?;
        // Clone first: if cloning panics, the job is unchanged.
        let (id, payload) = (job.id.clone(), job.payload.payload.clone());
        let until = now.saturating_add(visibility);
        state.queue.reschedule(&id, until)?;
        let task = state.queue.get_mut(&id)?;
        let deliveries = task.deliveries.saturating_add(1);
        task.deliveries = deliveries;
        let receipt = next_receipt();
        let is_first = task.receipt.replace(receipt).is_none();
        state.leased += usize::from(is_first);
        Some(Lease { id, payload, deliveries, until, receipt })
    }
}

/// Returns a receipt that is unique within the process, across all queues.
fn next_receipt() -> NonZeroU64 {
    static RECEIPTS: AtomicU64 = AtomicU64::new(0);

    NonZeroU64::MIN.saturating_add(RECEIPTS.fetch_add(1, Ordering::Relaxed))
}

impl<T, I: Hash + Eq> Locked<'_, T, I> {
    /// Returns the task of a valid lease.
    fn leased(&self, lease: &Lease<T, I>) -> Result<&Task<T>, StaleLease> {
        let task = self.queue.get(&lease.id);
        task.filter(|task| task.receipt == Some(lease.receipt)).ok_or(StaleLease)
    }
}

impl<T, I: Eq + Hash, C> SharedDelayQueue<T, I, C> {
    /// Acknowledges that a job is done, and removes it. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`StaleLease`] if the lease is no longer valid. The job may then be delivered again, or has
    /// been already.
    pub fn ack(&self, lease: &Lease<T, I>) -> Result<(), StaleLease> {
        // Declared before the guard, so that the job is dropped after the lock is released.
        let _job;
        let mut state = self.lock();
        state.leased(lease)?;
        _job = state.remove(&lease.id);
        Ok(())
    }
}

timed!(impl[T, I: Eq + Hash, C: Clock] SharedDelayQueue<T, I, C> {
    /// Reports that a job has failed: it is due again after a delay, or becomes a [`DeadLetter`].
    /// **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`StaleLease`] if the lease is no longer valid. The queue is unchanged.
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
    /// use zset_std::shared_delay_queue::Nacked;
    /// use zset_std::{FakeClock, SharedDelayQueue, Timestamp};
    ///
    /// let two = NonZeroU32::new(2).unwrap();
    /// let clock = FakeClock::new();
    /// let queue = SharedDelayQueue::<&str>::new().with_clock(clock.clone());
    /// let queue = queue.with_max_deliveries(two);
    /// queue.push("mail", Timestamp::ZERO)?;
    /// let minute = Duration::from_secs(60);
    ///
    /// let lease = queue.lease(minute).unwrap();
    /// let due = Timestamp::ZERO.saturating_add(minute);
    /// assert_eq!(queue.nack(&lease, minute), Ok(Nacked::Requeued { due }));
    /// clock.set(due);
    /// let lease = queue.lease(minute).unwrap();
    /// assert_eq!(queue.nack(&lease, minute), Ok(Nacked::Dead));
    /// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
    /// ```
    pub fn nack(&self, lease: &Lease<T, I>, delay: Duration) -> Result<Nacked, StaleLease> {
        let (queue, now) = self.timed();
        let mut state = queue.lock();
        if queue.is_exhausted(state.leased(lease)?) {
            if let Some(job) = state.remove(&lease.id) {
                state.bury(DeadLetter::new(job, now), queue.max_dead_letters);
            }
            return Ok(Nacked::Dead);
        }
        let due = now.saturating_add(delay);
        state.queue.reschedule(&lease.id, due);
        state.queue.get_mut(&lease.id).ok_or(StaleLease)?.receipt = None;
        state.leased -= 1;
        Ok(Nacked::Requeued { due })
    }

    /// Sets the end of a lease to `visibility` from now, and returns it. **O(log n)**.
    ///
    /// The new end may be earlier than the old one.
    ///
    /// # Errors
    ///
    /// [`StaleLease`] if the lease is no longer valid. The queue is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    pub fn renew(&self, lease: &Lease<T, I>, visibility: Duration) -> Result<Timestamp, StaleLease> {
        let (queue, now) = self.timed();
        let mut state = queue.lock();
        state.leased(lease)?;
        let until = now.saturating_add(visibility);
        state.queue.reschedule(&lease.id, until);
        Ok(until)
    }
});
