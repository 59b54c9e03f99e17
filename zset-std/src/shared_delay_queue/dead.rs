//! [`DeadLetter`]: a job that failed for good.

use std::vec::Vec;

use super::{SharedDelayQueue, Task};
use crate::{Job, JobId, Timestamp};

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

impl<T, I, C> SharedDelayQueue<T, I, C> {
    /// Removes and returns up to `max` of the oldest dead letters. **O(m)** for m returned.
    ///
    /// A job whose last lease has expired becomes a dead letter only when it would have been delivered
    /// again.
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
    /// queue.push("mail", Timestamp::ZERO).unwrap();
    /// let lease = queue.lease(Duration::from_secs(1)).unwrap();
    /// queue.nack(&lease, Duration::ZERO).unwrap();
    /// let dead = queue.take_dead_letters(10);
    /// assert_eq!(dead[0].payload, "mail");
    /// assert!(queue.take_dead_letters(10).is_empty());
    /// ```
    pub fn take_dead_letters(&self, max: usize) -> Vec<DeadLetter<T, I>> {
        let mut state = self.lock();
        let max = max.min(state.dead.len());
        state.dead.drain(..max).collect()
    }

    /// Returns the number of dead letters. **O(1)**.
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
    /// queue.push("mail", Timestamp::ZERO).unwrap();
    /// let lease = queue.lease(Duration::from_secs(1)).unwrap();
    /// queue.nack(&lease, Duration::ZERO).unwrap();
    /// assert_eq!(queue.dead_letters_len(), 1);
    /// ```
    pub fn dead_letters_len(&self) -> usize {
        self.lock().dead.len()
    }

    /// Returns the number of dead letters dropped because of
    /// [`with_max_dead_letters`](Self::with_max_dead_letters). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use std::time::Duration;
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::<&str>::new()
    ///     .with_max_deliveries(NonZeroU32::MIN)
    ///     .with_max_dead_letters(1);
    /// for payload in ["a", "b"] {
    ///     queue.push(payload, Timestamp::ZERO)?;
    ///     let lease = queue.lease(Duration::MAX).unwrap();
    ///     queue.nack(&lease, Duration::ZERO)?;
    /// }
    /// assert_eq!((queue.dead_letters_len(), queue.dropped_dead_letters()), (1, 1));
    /// assert_eq!(queue.take_dead_letters(10)[0].payload, "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dropped_dead_letters(&self) -> u64 {
        self.lock().dropped_dead_letters
    }
}
