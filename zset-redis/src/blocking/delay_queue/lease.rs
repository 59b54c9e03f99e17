//! Leasing jobs: each is held until it is acknowledged or the lease expires.

use std::time::Duration;

use zset_std::Timestamp;

use super::{Connect, DelayQueue};
use crate::Error;
use crate::delay_queue::{Lease, Nacked};

impl<M: Connect> DelayQueue<M> {
    /// Leases the first job if it is due; it is due again after `visibility`.
    ///
    /// One round trip, **O(log n)** on the server. Jobs whose last permitted lease has ended become
    /// dead letters on the way, and [lost jobs](crate::delay_queue#deleted-keys) are dropped: a
    /// round trip more for each hundred of them.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// if let Some(lease) = queue.lease(Duration::from_secs(30))? {
    ///     println!("{:?}, delivery {}", lease.payload, lease.deliveries);
    ///     queue.ack(&lease)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lease(&self, visibility: Duration) -> Result<Option<Lease>, Error> {
        Ok(self.take(|queue| queue.lease(visibility, None))?.ok())
    }

    /// Like [`lease`](Self::lease), at the time `now`, rounded down to microseconds.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, or [`Error::TimeTooLate`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_std::{Clock, SystemClock};
    ///
    /// let lease = queue.lease_at(Duration::from_secs(30), SystemClock.now())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lease_at(&self, visibility: Duration, now: Timestamp) -> Result<Option<Lease>, Error> {
        Ok(self.take(|queue| queue.lease(visibility, Some(now)))?.ok())
    }

    /// Acknowledges that a job is done, and removes it.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::StaleLease`] if the job is no longer on this lease: it may then be delivered again, or
    /// has been already. [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_redis::Error;
    ///
    /// if let Some(lease) = queue.lease(Duration::from_secs(30))? {
    ///     match queue.ack(&lease) {
    ///         Err(Error::StaleLease) => println!("too late, another worker has it"),
    ///         acknowledged => acknowledged?,
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ack(&self, lease: &Lease) -> Result<(), Error> {
        self.run(self.queue.ack(lease))
    }

    /// Reports that a job has failed: it is due again after a delay, or becomes a [dead
    /// letter](crate::delay_queue::DeadLetter) if this was its last permitted delivery.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::StaleLease`] if the job is no longer on this lease; the queue is unchanged. [`Error`]
    /// if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// if let Some(lease) = queue.lease(Duration::from_secs(30))? {
    ///     queue.nack(&lease, Duration::from_secs(60))?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nack(&self, lease: &Lease, delay: Duration) -> Result<Nacked, Error> {
        self.run(self.queue.nack(lease, delay, None)?)
    }

    /// Like [`nack`](Self::nack), at the time `now`, rounded down to microseconds.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// Like [`nack`](Self::nack), or [`Error::TimeTooLate`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_std::{Clock, SystemClock};
    ///
    /// if let Some(lease) = queue.lease(Duration::from_secs(30))? {
    ///     queue.nack_at(&lease, Duration::from_secs(60), SystemClock.now())?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nack_at(&self, lease: &Lease, delay: Duration, now: Timestamp) -> Result<Nacked, Error> {
        self.run(self.queue.nack(lease, delay, Some(now))?)
    }

    /// Sets the end of a lease to `visibility` from now, and returns it.
    ///
    /// One round trip, **O(log n)** on the server. The new end may be earlier than the old one.
    ///
    /// # Errors
    ///
    /// [`Error::StaleLease`] if the job is no longer on this lease; the queue is unchanged. [`Error`]
    /// if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// if let Some(lease) = queue.lease(Duration::from_secs(30))? {
    ///     // This takes longer.
    ///     queue.extend(&lease, Duration::from_secs(300))?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend(&self, lease: &Lease, visibility: Duration) -> Result<Timestamp, Error> {
        self.run(self.queue.extend(lease, visibility, None)?)
    }

    /// Like [`extend`](Self::extend), at the time `now`, rounded down to microseconds.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// Like [`extend`](Self::extend), or [`Error::TimeTooLate`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_std::{Clock, SystemClock};
    ///
    /// if let Some(lease) = queue.lease(Duration::from_secs(30))? {
    ///     queue.extend_at(&lease, Duration::from_secs(300), SystemClock.now())?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend_at(
        &self,
        lease: &Lease,
        visibility: Duration,
        now: Timestamp,
    ) -> Result<Timestamp, Error> {
        self.run(self.queue.extend(lease, visibility, Some(now))?)
    }
}
