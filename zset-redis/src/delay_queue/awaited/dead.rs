//! Dead letters: jobs that failed for good.

use std::time::Duration;

use redis::aio::ConnectionLike;

use super::DelayQueue;
use crate::Error;
use crate::delay_queue::DeadLetter;

impl<C: ConnectionLike + Clone> DelayQueue<C> {
    /// Returns up to `max` of the oldest dead letters.
    ///
    /// One round trip, **O(log n + m)** on the server for m returned. [Lost
    /// ones](crate::delay_queue#deleted-keys) are dropped: after a thousand of them, a call may
    /// return fewer than there are.
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
    /// for dead in queue.dead_letters(10).await? {
    ///     println!("{:?} failed {} times", dead.id, dead.deliveries);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn dead_letters(&self, max: u32) -> Result<Vec<DeadLetter>, Error> {
        match self.queue.dead_letters(max, false) {
            Some(operation) => self.run(operation).await,
            None => Ok(Vec::new()),
        }
    }

    /// Removes and returns up to `max` of the oldest dead letters.
    ///
    /// One round trip, **O(m log n)** on the server for m returned. If the reply does not arrive, they
    /// are lost.
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
    /// let dead = queue.take_dead_letters(10).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn take_dead_letters(&self, max: u32) -> Result<Vec<DeadLetter>, Error> {
        match self.queue.dead_letters(max, true) {
            Some(operation) => self.run(operation).await,
            None => Ok(Vec::new()),
        }
    }

    /// Makes a dead letter a job again, due after a delay, with no deliveries, and returns whether
    /// there was one with this id.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateJob`] if a job with this id is in the queue, [`Error::QueueFull`], or
    /// [`Error`] if the server fails. The dead letter is then unchanged.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # async fn example(
    /// #     queue: zset_redis::DelayQueue<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// for dead in queue.dead_letters(10).await? {
    ///     queue.requeue(&dead.id, Duration::ZERO).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn requeue(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        delay: Duration,
    ) -> Result<bool, Error> {
        self.run(self.queue.requeue(id.as_ref(), delay)?).await
    }

    /// Removes all dead letters, and returns how many there were.
    ///
    /// One round trip, **O(1)** on the server, which frees them in the background.
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
    /// queue.purge_dead_letters().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn purge_dead_letters(&self) -> Result<u64, Error> {
        self.run(self.queue.purge()).await
    }
}
