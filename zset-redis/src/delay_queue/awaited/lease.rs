//! Leasing jobs: each is held until it is acknowledged or the lease expires.

use std::time::Duration;

use redis::aio::ConnectionLike;
use zset_std::Timestamp;

use super::DelayQueue;
use crate::Error;
use crate::delay_queue::{Lease, Nacked};

impl<C: ConnectionLike + Clone> DelayQueue<C> {
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if let Some(lease) = queue.lease(Duration::from_secs(30)).await? {
    ///     println!("{:?}, delivery {}", lease.payload, lease.deliveries);
    ///     queue.ack(&lease).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn lease(&self, visibility: Duration) -> Result<Option<Lease>, Error> {
        Ok(self.take(|queue| queue.lease(visibility, None)).await?.ok())
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::{Clock, SystemClock};
    ///
    /// let lease = queue.lease_at(Duration::from_secs(30), SystemClock.now()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn lease_at(
        &self,
        visibility: Duration,
        now: Timestamp,
    ) -> Result<Option<Lease>, Error> {
        Ok(self.take(|queue| queue.lease(visibility, Some(now))).await?.ok())
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_redis::Error;
    ///
    /// if let Some(lease) = queue.lease(Duration::from_secs(30)).await? {
    ///     match queue.ack(&lease).await {
    ///         Err(Error::StaleLease) => println!("too late, another worker has it"),
    ///         acknowledged => acknowledged?,
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn ack(&self, lease: &Lease) -> Result<(), Error> {
        self.run(self.queue.ack(lease)).await
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if let Some(lease) = queue.lease(Duration::from_secs(30)).await? {
    ///     queue.nack(&lease, Duration::from_secs(60)).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn nack(&self, lease: &Lease, delay: Duration) -> Result<Nacked, Error> {
        self.run(self.queue.nack(lease, delay, None)?).await
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::{Clock, SystemClock};
    ///
    /// if let Some(lease) = queue.lease(Duration::from_secs(30)).await? {
    ///     queue.nack_at(&lease, Duration::from_secs(60), SystemClock.now()).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn nack_at(
        &self,
        lease: &Lease,
        delay: Duration,
        now: Timestamp,
    ) -> Result<Nacked, Error> {
        self.run(self.queue.nack(lease, delay, Some(now))?).await
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if let Some(lease) = queue.lease(Duration::from_secs(30)).await? {
    ///     // This takes longer.
    ///     queue.extend(&lease, Duration::from_secs(300)).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn extend(&self, lease: &Lease, visibility: Duration) -> Result<Timestamp, Error> {
        self.run(self.queue.extend(lease, visibility, None)?).await
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::{Clock, SystemClock};
    ///
    /// if let Some(lease) = queue.lease(Duration::from_secs(30)).await? {
    ///     queue.extend_at(&lease, Duration::from_secs(300), SystemClock.now()).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn extend_at(
        &self,
        lease: &Lease,
        visibility: Duration,
        now: Timestamp,
    ) -> Result<Timestamp, Error> {
        self.run(self.queue.extend(lease, visibility, Some(now))?).await
    }
}
