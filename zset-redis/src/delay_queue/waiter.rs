//! [`Waiter`]: a worker that waits for jobs, and how it connects.

use std::fmt;
use std::time::Duration;

use redis::aio::ConnectionLike;
use redis::{AsyncConnectionConfig, RedisResult, Value};
use tokio::time::{Instant, timeout};

use super::wake::Pause;
use super::{DelayQueue, Lease};
use crate::Error;
use crate::script::explained;

/// What opens the connection of a [`Waiter`]: a [`redis::Client`], or with the feature `cluster` a
/// `redis::cluster::ClusterClient`.
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
        // The waiter has its own deadlines.
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
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
/// It has a connection of its own, since a command that blocks would stall the queue's. It opens it
/// when it first has to wait, and again after a failure. Jobs are taken over the queue's connection.
/// The [module](crate::delay_queue) explains waiting.
///
/// # Cancellation
///
/// If a future is dropped while it waits, no job is taken, and the connection is closed. If it is
/// dropped during an attempt, the server may have leased a job whose lease is then lost: it is due
/// again at the end of the lease.
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
    /// `None` before the first wait, and after one that failed or was dropped.
    connection: Option<M::Connection>,
}

impl<C: ConnectionLike + Clone, M: ConnectAsync> Waiter<C, M> {
    pub(super) fn new(queue: DelayQueue<C>, client: M) -> Self {
        Waiter { queue, client, connection: None }
    }

    /// Waits until a job is due and leases it as [`lease`](DelayQueue::lease) does.
    ///
    /// One round trip for each attempt and each wait: see [waiting](crate::delay_queue#waiting).
    /// **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// See [`Waiter`].
    pub async fn wait_lease(&mut self, visibility: Duration) -> Result<Lease, Error> {
        loop {
            match self.attempt(visibility).await? {
                Ok(lease) => return Ok(lease),
                Err(pause) => self.sleep(&pause, Duration::MAX).await?,
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
    /// # use redis::aio::ConnectionManager;
    /// # async fn example(
    /// #     mut waiter: zset_redis::delay_queue::Waiter<ConnectionManager, redis::Client>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// let (visibility, timeout) = (Duration::from_secs(30), Duration::from_secs(5));
    /// while let Some(lease) = waiter.wait_lease_timeout(visibility, timeout).await? {
    ///     println!("{:?} has {:?}", lease.id, lease.payload);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn wait_lease_timeout(
        &mut self,
        visibility: Duration,
        timeout: Duration,
    ) -> Result<Option<Lease>, Error> {
        let Some(deadline) = Instant::now().checked_add(timeout) else {
            return self.wait_lease(visibility).await.map(Some);
        };
        loop {
            // Before the attempt, so a job that is due at the deadline is still leased.
            let left = deadline.saturating_duration_since(Instant::now());
            match self.attempt(visibility).await? {
                Ok(lease) => return Ok(Some(lease)),
                Err(_) if left.is_zero() => return Ok(None),
                Err(pause) => self.sleep(&pause, left).await?,
            }
        }
    }

    async fn attempt(&self, visibility: Duration) -> Result<Result<Lease, Pause>, Error> {
        self.queue.take(|queue| queue.lease(visibility, None)).await
    }

    async fn sleep(&mut self, pause: &Pause, left: Duration) -> Result<(), Error> {
        let deadline = self.queue.queue.deadline;
        let (command, longest) = pause.command(self.queue.queue.stream(), left);
        // Taken, so that a future that is dropped closes it: the command may still block it.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => timeout(deadline, self.client.connect_async())
                .await
                .map_err(|_| Error::Timeout)??,
        };
        // The entry itself does not matter.
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
