//! Taking jobs out, inspecting and changing the queue.

use std::time::Duration;

use redis::aio::ConnectionLike;
use zset_std::Timestamp;

use super::DelayQueue;
use crate::Error;
use crate::delay_queue::time::When;
use crate::delay_queue::{Job, Stats};

impl<C: ConnectionLike + Clone> DelayQueue<C> {
    /// Removes and returns the first job if it is due.
    ///
    /// One round trip, **O(log n)** on the server. If the reply does not arrive, the job is lost:
    /// prefer [`lease`](Self::lease).
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// while let Some(job) = queue.pop().await? {
    ///     println!("{:?} was due at {:?}", job.id, job.due);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn pop(&self) -> Result<Option<Job>, Error> {
        Ok(self.take(|queue| queue.pop(None)).await?.ok())
    }

    /// Like [`pop`](Self::pop), at the time `now`, rounded down to microseconds.
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
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::{Clock, SystemClock};
    ///
    /// let job = queue.pop_at(SystemClock.now()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn pop_at(&self, now: Timestamp) -> Result<Option<Job>, Error> {
        Ok(self.take(|queue| queue.pop(Some(now))).await?.ok())
    }

    /// Removes and returns a job, whether due or not, on lease or not.
    ///
    /// One round trip, **O(log n)** on the server. A lease of it is then stale.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if queue.cancel("order 17").await?.is_none() {
    ///     println!("too late");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn cancel(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Result<Option<Job>, Error> {
        self.run(self.queue.cancel(id.as_ref())).await
    }

    /// Sets when a job is due, and returns when it was due before, or `None` if it is not in the queue.
    ///
    /// One round trip, **O(log n)** on the server. A lease of it is then stale, and its deliveries
    /// start from zero.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, or [`Error::TimeTooLate`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::{Clock, SystemClock};
    ///
    /// queue.reschedule("order 17", SystemClock.now()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn reschedule(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        due: Timestamp,
    ) -> Result<Option<Timestamp>, Error> {
        self.run(self.queue.reschedule(id.as_ref(), When::At(due))?).await
    }

    /// Like [`reschedule`](Self::reschedule), but the job is due after a delay by the server's clock.
    ///
    /// One round trip, **O(log n)** on the server.
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
    /// queue.reschedule_after("order 17", Duration::from_secs(60)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn reschedule_after(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        delay: Duration,
    ) -> Result<Option<Timestamp>, Error> {
        self.run(self.queue.reschedule(id.as_ref(), When::After(delay))?).await
    }

    /// Returns when a job is due, or its lease ends.
    ///
    /// One round trip, **O(1)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// let is_queued = queue.due("order 17").await?.is_some();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn due(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Result<Option<Timestamp>, Error> {
        self.run(self.queue.due(id.as_ref())).await
    }

    /// Returns when the first job is due, or its lease ends.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// let is_empty = queue.next_due().await?.is_none();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next_due(&self) -> Result<Option<Timestamp>, Error> {
        Ok(self.stats().await?.next_due)
    }

    /// Returns the number of jobs, whether due or not, on lease or not.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// println!("{} jobs", queue.len().await?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn len(&self) -> Result<u64, Error> {
        Ok(self.stats().await?.len)
    }

    /// Returns whether there are no jobs.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if queue.is_empty().await? {
    ///     println!("no jobs");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len().await? == 0)
    }

    /// Returns the lengths and counts of the queue.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// let stats = queue.stats().await?;
    /// println!("{} jobs, {} of them on lease", stats.len, stats.leased);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stats(&self) -> Result<Stats, Error> {
        self.run(self.queue.stats()).await
    }

    /// Removes all jobs, but not the dead letters, and returns how many there were.
    ///
    /// One round trip, **O(1)** on the server, which frees them in the background. Their leases are
    /// then stale.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// queue.clear().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn clear(&self) -> Result<u64, Error> {
        self.run(self.queue.clear()).await
    }
}
