//! Pushing jobs.

use std::time::Duration;

use redis::aio::ConnectionLike;
use zset_std::Timestamp;

use super::DelayQueue;
use crate::Error;
use crate::delay_queue::time::When;

impl<C: ConnectionLike + Clone> DelayQueue<C> {
    /// Pushes a job that is due at a time of the server's clock, and returns the id that the queue
    /// assigns to it.
    ///
    /// One round trip, **O(log n)** on the server. The id is a number as text, unique among the jobs in
    /// the queue. If the call may be repeated after a failure, use
    /// [`push_with_id`](Self::push_with_id).
    ///
    /// # Errors
    ///
    /// [`Error::QueueFull`], [`Error::TimeTooLate`], or [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::{Clock, SystemClock};
    ///
    /// let id = queue.push("mail", SystemClock.now()).await?;
    /// queue.cancel(&id).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn push(
        &self,
        payload: &(impl AsRef<[u8]> + ?Sized),
        due: Timestamp,
    ) -> Result<String, Error> {
        self.run(self.queue.push(None, payload.as_ref(), When::At(due))?).await
    }

    /// Like [`push`](Self::push), but the job is due after a delay by the server's clock.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::QueueFull`], or [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// queue.push_after("mail", Duration::from_secs(60)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn push_after(
        &self,
        payload: &(impl AsRef<[u8]> + ?Sized),
        delay: Duration,
    ) -> Result<String, Error> {
        self.run(self.queue.push(None, payload.as_ref(), When::After(delay))?).await
    }

    /// Pushes a job with the caller's id, which is due at a time of the server's clock.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateJob`] if a job with this id is in the queue, [`Error::QueueFull`],
    /// [`Error::TimeTooLate`], or [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_redis::Error;
    /// use zset_std::{Clock, SystemClock};
    ///
    /// match queue.push_with_id("order 17", "mail", SystemClock.now()).await {
    ///     Err(Error::DuplicateJob) => println!("it is there already"),
    ///     pushed => pushed?,
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn push_with_id(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        payload: &(impl AsRef<[u8]> + ?Sized),
        due: Timestamp,
    ) -> Result<(), Error> {
        self.run(self.queue.push(Some(id.as_ref()), payload.as_ref(), When::At(due))?)
            .await
            .map(|_| ())
    }

    /// Like [`push_with_id`](Self::push_with_id), but the job is due after a delay by the server's
    /// clock.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateJob`] if a job with this id is in the queue, [`Error::QueueFull`], or
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// queue.push_with_id_after("order 17", "mail", Duration::from_secs(60)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn push_with_id_after(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        payload: &(impl AsRef<[u8]> + ?Sized),
        delay: Duration,
    ) -> Result<(), Error> {
        self.run(self.queue.push(Some(id.as_ref()), payload.as_ref(), When::After(delay))?)
            .await
            .map(|_| ())
    }
}
