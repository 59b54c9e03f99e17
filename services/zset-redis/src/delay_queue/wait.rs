//! Waiting for a job.
//!
//! Invariant: every waiting worker wakes by the due time of the first job. The reply to the
//! worker's last attempt contains that time. A call that makes a job due before all others adds an
//! entry to a stream, which ends the waits of all workers. A worker reads the stream from the entry
//! that was the latest at its last attempt, so it misses no entry added since then. Workers do not
//! depend on each other, so a worker that dies, or a future that is dropped, delays no other
//! worker.

use std::cmp::min;
use std::future::Future;
use std::time::{Duration, Instant};

use redis::{Cmd, Value};

use super::{DelayQueue, Lease, Queue};
use crate::blocking::{Connect, Pool, now};
use crate::connection::end;
use crate::operation::read;
use crate::script::explained;
use crate::{Connection, DelayQueueError, Failure};
#[cfg(feature = "tokio")]
pub use awaited::Waiter;

/// The longest wait before another attempt. A failover can lose an entry of the stream, and with it
/// a wake-up.
const LONGEST: Duration = Duration::from_secs(30);

/// The result of an attempt that finds no job.
#[derive(Debug)]
pub(super) struct Pause {
    /// The time until the first job is due.
    until_due: Option<Duration>,
    /// The id of the latest entry of the stream.
    latest: Vec<u8>,
}

impl Pause {
    pub(super) fn read(reply: Value) -> Result<Pause, DelayQueueError> {
        let (now, due, latest) = read::<(u64, Option<u64>, Vec<u8>)>(reply)?;
        let until_due = due.map(|due| Duration::from_micros(due.saturating_sub(now)));
        Ok(Pause { until_due, latest })
    }

    /// Returns the command that waits until the first job is due, an earlier job is added, or
    /// `left` has passed. Also returns how long the command may block.
    pub(super) fn command(&self, stream: &[u8], left: Duration) -> (Cmd, Duration) {
        let longest = min(self.until_due.unwrap_or(LONGEST), min(left, LONGEST));
        // `BLOCK 0` would wait forever, so block for at least a millisecond.
        let millis = longest.as_nanos().div_ceil(1_000_000).max(1);
        let millis = u64::try_from(millis).unwrap_or(u64::MAX);
        let mut command = redis::cmd("XREAD");
        command.arg("BLOCK").arg(millis).arg("STREAMS").arg(stream).arg(&self.latest);
        (command, Duration::from_millis(millis))
    }
}

impl Queue {
    /// Returns the queue without its fixed clock, if any: waiting takes real time.
    fn with_the_servers_clock(&self) -> Queue {
        Queue { at: None, ..self.clone() }
    }

    /// Returns the key of the stream that waiting workers read.
    fn stream(&self) -> &[u8] {
        &self.names.all[7]
    }
}

/// A wait for a job, which is then leased. It does nothing until it is
/// [blocked on](WaitLease::block) or, over an `AsyncConnection`, awaited.
///
/// It usually costs one round trip for each attempt and each wait: see
/// [waiting](crate::delay_queue#waiting). **O(log n)** on the server.
#[must_use = "it does nothing until it is blocked on or awaited"]
#[derive(Debug)]
pub struct WaitLease<W> {
    waiter: W,
    visibility: Duration,
    timeout: Duration,
}

impl<W> WaitLease<W> {
    /// Returns the wait with a bound: if no job is due within `timeout`, it ends with
    /// [`DelayQueueError::TimedOut`]. By default there is no bound. **O(1)**.
    pub fn timeout(self, timeout: Duration) -> Self {
        WaitLease { timeout, ..self }
    }
}

/// Waits for jobs of a queue.
trait Wait {
    type Connection: Connection;

    fn queue(&self) -> &DelayQueue<Self::Connection>;

    /// Sends a command that blocks its connection.
    fn query(
        &mut self,
        command: Cmd,
        deadline: Instant,
    ) -> impl Future<Output = Result<Value, Failure>> + Send;
}

async fn run<W: Wait>(wait: WaitLease<W>) -> Result<Lease, DelayQueueError> {
    let WaitLease { mut waiter, visibility, timeout } = wait;
    let start = Instant::now();
    let queue = waiter.queue().queue.with_the_servers_clock();
    loop {
        // The remaining time is read before the attempt, so a job due exactly at the deadline is
        // still leased.
        let left = timeout.saturating_sub(start.elapsed());
        let pause = match waiter.queue().run(queue.lease(visibility)).await? {
            Ok(lease) => return Ok(lease),
            Err(_) if left.is_zero() => return Err(DelayQueueError::TimedOut),
            Err(pause) => pause,
        };
        let (command, longest) = pause.command(queue.stream(), left);
        let reply = waiter.query(command, end(longest.saturating_add(queue.deadline)));
        // The entry only wakes the worker; its content does not matter.
        reply.await.map_err(|failure| explained("XREAD", failure))?;
    }
}

/// Each waiting thread uses a connection of the pool.
impl<M: Connect> DelayQueue<Pool<M>> {
    /// Waits until a job is due, and leases it like [`lease`](Self::lease).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::{DelayQueueError, blocking::DelayQueue};
    /// # fn example(queue: DelayQueue) -> Result<(), DelayQueueError> {
    /// let visibility = Duration::from_secs(30);
    /// let lease = queue.wait_lease(visibility).block()?;
    /// match queue.wait_lease(visibility).timeout(Duration::from_secs(5)).block() {
    ///     Err(DelayQueueError::TimedOut) => println!("no job for five seconds"),
    ///     lease => println!("{:?}", lease?.payload),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait_lease(&self, visibility: Duration) -> WaitLease<&Self> {
        WaitLease { waiter: self, visibility, timeout: Duration::MAX }
    }
}

impl<M: Connect> WaitLease<&DelayQueue<Pool<M>>> {
    /// Blocks the thread until a job is due, and leases it.
    ///
    /// # Errors
    ///
    /// [`DelayQueueError`] if the server fails, or no job is due within the
    /// [timeout](Self::timeout).
    pub fn block(self) -> Result<Lease, DelayQueueError> {
        now(run(self))
    }
}

impl<M: Connect> Wait for &DelayQueue<Pool<M>> {
    type Connection = Pool<M>;

    fn queue(&self) -> &DelayQueue<Pool<M>> {
        self
    }

    fn query(
        &mut self,
        command: Cmd,
        deadline: Instant,
    ) -> impl Future<Output = Result<Value, Failure>> + Send {
        self.caller.query(command, deadline)
    }
}

#[cfg(feature = "tokio")]
mod awaited {
    use std::fmt;
    use std::future::{Future, IntoFuture};
    use std::pin::Pin;
    use std::time::{Duration, Instant};

    use redis::{Cmd, Value};
    use tokio::time::{timeout, timeout_at};

    use super::super::{DelayQueue, Lease};
    use super::{Wait, WaitLease, run};
    use crate::connection::ConnectAsync;
    use crate::{AsyncConnection, DelayQueueError, Failure};

    /// A worker that waits for jobs of a [`DelayQueue`], returned by [`DelayQueue::waiter`].
    ///
    /// It has its own connection, since a blocking command would stall the queue's. The first wait
    /// opens the connection, and a wait after a failure reopens it. Jobs are taken over the queue's
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
    pub struct Waiter<C: AsyncConnection, M: ConnectAsync> {
        queue: DelayQueue<C>,
        client: M,
        /// `None` before the first wait, and after a wait that failed or was dropped.
        connection: Option<M::Connection>,
    }

    impl<C: AsyncConnection> DelayQueue<C> {
        /// Returns a worker that waits for jobs over its own connection, which `client` opens when
        /// it is first needed. **O(1)**.
        pub fn waiter<M: ConnectAsync>(&self, client: M) -> Waiter<C, M> {
            Waiter { queue: self.clone(), client, connection: None }
        }
    }

    impl<C: AsyncConnection, M: ConnectAsync> Waiter<C, M> {
        /// Waits until a job is due, and leases it like [`DelayQueue::lease`].
        ///
        /// # Errors
        ///
        /// The future returns a [`DelayQueueError`] if the server fails, or no job is due within
        /// the [timeout](WaitLease::timeout).
        pub fn wait_lease(&mut self, visibility: Duration) -> WaitLease<&mut Self> {
            WaitLease { waiter: self, visibility, timeout: Duration::MAX }
        }
    }

    impl<'a, C: AsyncConnection, M: ConnectAsync> IntoFuture for WaitLease<&'a mut Waiter<C, M>> {
        type Output = Result<Lease, DelayQueueError>;
        type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

        fn into_future(self) -> Self::IntoFuture {
            Box::pin(run(self))
        }
    }

    impl<C: AsyncConnection, M: ConnectAsync> Wait for &mut Waiter<C, M> {
        type Connection = C;

        fn queue(&self) -> &DelayQueue<C> {
            &self.queue
        }

        async fn query(&mut self, command: Cmd, deadline: Instant) -> Result<Value, Failure> {
            // Move the connection into this future. If the future is dropped while the command is
            // still blocking, the connection is closed with it.
            let mut connection = match self.connection.take() {
                Some(connection) => connection,
                None => timeout(self.queue.queue.deadline, self.client.connect_async()).await??,
            };
            let reply = command.query_async::<Value>(&mut connection);
            let reply = timeout_at(deadline.into(), reply).await??;
            self.connection = Some(connection);
            Ok(reply)
        }
    }

    impl<C: AsyncConnection, M: ConnectAsync> fmt::Debug for Waiter<C, M> {
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
        // The wait is rounded up to whole milliseconds, and is at least one millisecond.
        let micro = Duration::from_micros(1);
        assert_eq!(block(&pause(Some(second + micro)), minute), Duration::from_millis(1001));
        assert_eq!(block(&pause(Some(Duration::ZERO)), minute), Duration::from_millis(1));
    }
}
