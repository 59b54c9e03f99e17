//! Waiting for a job.
//!
//! Invariant: every waiting worker wakes no later than the due time of the first job, which its
//! last attempt returned. A job that becomes due before all others adds an entry to a stream, which
//! all waiting workers read. A worker reads from the latest entry at its last attempt, so it misses
//! none in between. No worker depends on another one, so a worker that dies, or a future that is
//! dropped, delays no other.

use std::cmp::min;
use std::time::{Duration, Instant};

use redis::{Cmd, Value};

use super::{DelayQueue, Lease, Queue};
use crate::Error;
use crate::blocking::{Connect, Pool};
use crate::operation::read;
use crate::script::explained;
#[cfg(feature = "tokio")]
pub use awaited::{ConnectAsync, Waiter};

/// The longest wait without another attempt: a failover can lose the entry, and with it the
/// wake-up.
const LONGEST: Duration = Duration::from_secs(30);

/// The result of an attempt that finds no job.
#[derive(Debug)]
pub(super) struct Pause {
    /// The time until the first job is due.
    until_due: Option<Duration>,
    /// The latest entry of the stream.
    latest: Vec<u8>,
}

impl Pause {
    pub(super) fn read(reply: Value) -> Result<Pause, Error> {
        let (now, due, latest) = read::<(u64, Option<u64>, Vec<u8>)>(reply)?;
        let until_due = due.map(|due| Duration::from_micros(due.saturating_sub(now)));
        Ok(Pause { until_due, latest })
    }

    /// Returns the command that waits until the first job is due, an earlier one is added, or
    /// `left` has passed, and the longest time that it takes.
    pub(super) fn command(&self, stream: &[u8], left: Duration) -> (Cmd, Duration) {
        let longest = min(self.until_due.unwrap_or(LONGEST), min(left, LONGEST));
        // A block of 0 would wait forever.
        let millis = longest.as_nanos().div_ceil(1_000_000).max(1);
        let millis = u64::try_from(millis).unwrap_or(u64::MAX);
        let mut command = redis::cmd("XREAD");
        command.arg("BLOCK").arg(millis).arg("STREAMS").arg(stream).arg(&self.latest);
        (command, Duration::from_millis(millis))
    }
}

impl Queue {
    /// Waiting takes real time, even if the queue's clock is fixed.
    fn with_the_servers_clock(&self) -> Queue {
        Queue { at: None, ..self.clone() }
    }

    /// Returns the key of the stream that waiting workers read.
    fn stream(&self) -> &[u8] {
        &self.keys[7]
    }
}

/// Defines the two waiting methods of a type with `attempt` and `sleep`; with `async .await`, they
/// are awaited.
macro_rules! waiting {
    (&$($mut:ident)? $(, $async:ident .$await:ident)?) => {
        /// Waits until a job is due, and leases it like [`DelayQueue::lease`].
        ///
        /// One round trip for each attempt and each wait: see
        /// [waiting](crate::delay_queue#waiting). **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// [`Error`] if the server fails.
        pub $($async)? fn wait_lease(&$($mut)? self, visibility: Duration) -> Result<Lease, Error> {
            loop {
                let lease = self.wait_lease_timeout(visibility, Duration::MAX)$(.$await)?;
                if let Some(lease) = lease? {
                    return Ok(lease);
                }
            }
        }

        /// Like [`wait_lease`](Self::wait_lease), but waits for at most `timeout`, and returns
        /// `None` if no job is due in that time.
        ///
        /// # Errors
        ///
        /// Like [`wait_lease`](Self::wait_lease).
        pub $($async)? fn wait_lease_timeout(
            &$($mut)? self,
            visibility: Duration,
            timeout: Duration,
        ) -> Result<Option<Lease>, Error> {
            let end = Instant::now().checked_add(timeout);
            loop {
                // Read before the attempt, so a job due exactly at the deadline is still leased.
                let left = |end: Instant| end.saturating_duration_since(Instant::now());
                let left = end.map_or(Duration::MAX, left);
                match self.attempt(visibility)$(.$await)?? {
                    Ok(lease) => return Ok(Some(lease)),
                    Err(_) if left.is_zero() => return Ok(None),
                    Err(pause) => self.sleep(&pause, left)$(.$await)??,
                }
            }
        }
    };
}

/// Each waiting thread uses a connection of the pool.
impl<M: Connect> DelayQueue<Pool<M>> {
    waiting!(&);

    fn attempt(&self, visibility: Duration) -> Result<Result<Lease, Pause>, Error> {
        self.run(self.queue.with_the_servers_clock().lease(visibility))
    }

    fn sleep(&self, pause: &Pause, left: Duration) -> Result<(), Error> {
        let (command, longest) = pause.command(self.queue.stream(), left);
        // The content of the entry does not matter.
        let reply = self.link.pool().query(command, longest.saturating_add(self.queue.deadline));
        reply.map(|_| ()).map_err(|error| explained("XREAD", error))
    }
}

#[cfg(feature = "tokio")]
mod awaited {
    use std::fmt;
    use std::time::Duration;

    use redis::aio::ConnectionLike;
    use redis::{AsyncConnectionConfig, RedisResult, Value};
    use tokio::time::{Instant, timeout};

    use super::super::{DelayQueue, Lease};
    use super::Pause;
    use crate::Error;
    use crate::script::explained;

    /// Opens the connection of a [`Waiter`]: implemented by [`redis::Client`] and, with the feature
    /// `cluster`, by `redis::cluster::ClusterClient`.
    pub trait ConnectAsync: Send + Sync {
        /// A connection.
        type Connection: ConnectionLike + Send;

        /// Opens a connection whose commands may take a minute.
        ///
        /// # Errors
        ///
        /// The client's error.
        fn connect_async(&self) -> impl Future<Output = RedisResult<Self::Connection>> + Send;
    }

    impl ConnectAsync for redis::Client {
        type Connection = redis::aio::MultiplexedConnection;

        async fn connect_async(&self) -> RedisResult<redis::aio::MultiplexedConnection> {
            // The waiter applies its own deadlines.
            let config = AsyncConnectionConfig::new()
                .set_connection_timeout(None)
                .set_response_timeout(None);
            self.get_multiplexed_async_connection_with_config(&config).await
        }
    }

    #[cfg(feature = "cluster")]
    impl ConnectAsync for redis::cluster::ClusterClient {
        type Connection = redis::cluster_async::ClusterConnection;

        async fn connect_async(&self) -> RedisResult<redis::cluster_async::ClusterConnection> {
            let timeout = Duration::from_secs(60);
            let config = redis::cluster::ClusterConfig::new().set_response_timeout(timeout);
            self.get_async_connection_with_config(config).await
        }
    }

    /// A worker that waits for jobs of a [`DelayQueue`], returned by [`DelayQueue::waiter`].
    ///
    /// It has its own connection, since a blocking command would stall the queue's. It opens it
    /// when it first has to wait, and reopens it after a failure. Jobs are taken over the queue's
    /// connection. The [module](crate::delay_queue) explains waiting.
    ///
    /// # Cancellation
    ///
    /// If a future is dropped while it waits, no job is taken, and the connection is closed. If it
    /// is dropped during an attempt, the server may have leased a job. That lease is lost, and the
    /// job is due again when it ends.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use zset_redis::DelayQueue;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = redis::Client::open("redis://127.0.0.1/")?;
    /// let queue = DelayQueue::new(client.get_connection_manager().await?, "mail");
    /// let mut waiter = queue.waiter(client);
    /// loop {
    ///     let lease = waiter.wait_lease(Duration::from_secs(30)).await?;
    ///     println!("sending {:?}", lease.payload);
    ///     queue.ack(&lease).await?;
    /// }
    /// # }
    /// ```
    pub struct Waiter<C, M: ConnectAsync> {
        queue: DelayQueue<C>,
        client: M,
        /// `None` before the first wait, and after a wait that failed or was dropped.
        connection: Option<M::Connection>,
    }

    impl<C: ConnectionLike + Clone> DelayQueue<C> {
        /// Returns a worker that waits for jobs over its own connection, which `client` opens when
        /// it is first needed. **O(1)**.
        pub fn waiter<M: ConnectAsync>(&self, client: M) -> Waiter<C, M> {
            Waiter { queue: self.clone(), client, connection: None }
        }
    }

    impl<C: ConnectionLike + Clone, M: ConnectAsync> Waiter<C, M> {
        waiting!(&mut, async .await);

        async fn attempt(&self, visibility: Duration) -> Result<Result<Lease, Pause>, Error> {
            self.queue.run(self.queue.queue.with_the_servers_clock().lease(visibility)).await
        }

        async fn sleep(&mut self, pause: &Pause, left: Duration) -> Result<(), Error> {
            let deadline = self.queue.queue.deadline;
            let (command, longest) = pause.command(self.queue.queue.stream(), left);
            // Taken out, so dropping the future closes it: the command may still block it.
            let mut connection = match self.connection.take() {
                Some(connection) => connection,
                None => timeout(deadline, self.client.connect_async())
                    .await
                    .map_err(|_| Error::Timeout)??,
            };
            // The content of the entry does not matter.
            let reply = command.query_async::<Value>(&mut connection);
            let reply = timeout(longest.saturating_add(deadline), reply).await;
            reply.map_err(|_| Error::Timeout)?.map_err(|error| explained("XREAD", error.into()))?;
            self.connection = Some(connection);
            Ok(())
        }
    }

    impl<C, M: ConnectAsync> fmt::Debug for Waiter<C, M> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Waiter").field("queue", &self.queue).finish_non_exhaustive()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_when_the_first_job_is_due_or_no_time_is_left() {
        let pause = |until_due| Pause { until_due, latest: b"0-0".into() };
        let block = |pause: &Pause, left| pause.command(b"queue:{a}:wake", left).1;
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        assert_eq!(block(&pause(Some(second)), minute), second);
        assert_eq!(block(&pause(Some(minute)), second), second);
        assert_eq!(block(&pause(None), minute), LONGEST);
        // Rounded up, and never 0.
        let micro = Duration::from_micros(1);
        assert_eq!(block(&pause(Some(second + micro)), minute), Duration::from_millis(1001));
        assert_eq!(block(&pause(Some(Duration::ZERO)), minute), Duration::from_millis(1));
    }
}
