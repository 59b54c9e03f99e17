//! Waiting for a job.

use std::time::{Duration, Instant};

use super::{Connect, DelayQueue};
use crate::Error;
use crate::delay_queue::Lease;
use crate::delay_queue::wake::Pause;
use crate::script::explained;

impl<M: Connect> DelayQueue<M> {
    /// Waits until a job is due and leases it as [`lease`](Self::lease) does.
    ///
    /// Each thread that waits uses a connection of the pool. One round trip for each attempt and each
    /// wait: see [waiting](crate::delay_queue#waiting). **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// See [`DelayQueue`].
    pub fn wait_lease(&self, visibility: Duration) -> Result<Lease, Error> {
        loop {
            match self.attempt(visibility)? {
                Ok(lease) => return Ok(lease),
                Err(pause) => self.sleep(&pause, Duration::MAX)?,
            }
        }
    }

    /// Like [`wait_lease`](Self::wait_lease), but waits for at most `timeout`, and returns `None` if no
    /// job is due in that time.
    ///
    /// # Errors
    ///
    /// Like [`wait_lease`](Self::wait_lease).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// let (visibility, timeout) = (Duration::from_secs(30), Duration::from_secs(5));
    /// while let Some(lease) = queue.wait_lease_timeout(visibility, timeout)? {
    ///     println!("{:?} has {:?}", lease.id, lease.payload);
    ///     queue.ack(&lease)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wait_lease_timeout(
        &self,
        visibility: Duration,
        timeout: Duration,
    ) -> Result<Option<Lease>, Error> {
        let Some(deadline) = Instant::now().checked_add(timeout) else {
            return self.wait_lease(visibility).map(Some);
        };
        loop {
            // Before the attempt, so a job that is due at the deadline is still leased.
            let left = deadline.saturating_duration_since(Instant::now());
            match self.attempt(visibility)? {
                Ok(lease) => return Ok(Some(lease)),
                Err(_) if left.is_zero() => return Ok(None),
                Err(pause) => self.sleep(&pause, left)?,
            }
        }
    }

    fn attempt(&self, visibility: Duration) -> Result<Result<Lease, Pause>, Error> {
        self.take(|queue| queue.lease(visibility, None))
    }

    fn sleep(&self, pause: &Pause, left: Duration) -> Result<(), Error> {
        let (command, longest) = pause.command(self.queue.stream(), left);
        // The entry itself does not matter.
        let reply = self.pool.query(command, longest.saturating_add(self.queue.deadline));
        reply.map(|_| ()).map_err(|error| explained("XREAD", error))
    }
}
