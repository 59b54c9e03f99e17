//! [`Pool`]: idle connections that threads share.

use std::fmt;
use std::future::{Future, ready};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use redis::{Cmd, Value};

use super::Connect;
use super::worker::{Worker, is_in_order, left};
use crate::connection::instant;
use crate::{Connection, Failure};

const DEFAULT_MAX_CONNECTIONS: usize = 256;

/// Shorter than the usual idle timeouts of balancers and firewalls.
const DEFAULT_MAX_IDLE: Duration = Duration::from_secs(60);

/// Idle connections that threads and limiters share. Clones are the same pool.
///
/// A call takes an idle connection, or opens one if there is none, and puts it back afterwards. So
/// there is one connection for each concurrent call, up to a [bound](Self::with_max_connections).
/// An idle one is closed [after a minute](Self::with_max_idle). When a connection fails, the idle
/// ones are closed as well, since the server has probably failed.
///
/// Each connection has a thread, so a call ends at its deadline whatever the server does.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use zset_redis::blocking::Pool;
/// use zset_redis::{Keyed, OnFailure};
/// use zset_std::{Funnel, Quota};
///
/// let client = redis::Client::open("redis://127.0.0.1/")?;
/// let pool = Pool::new(client).with_max_connections(16);
/// let quota = Quota::new(10, Duration::from_secs(60))?;
/// let logins = Keyed::new(pool.clone(), "logins", Funnel::new(quota), OnFailure::Deny)?;
/// if logins.check("ann")?.is_allowed() {
///     println!("go ahead");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pool<M: Connect = redis::Client> {
    shared: Arc<Shared<M>>,
    max_connections: usize,
    max_idle: Duration,
}

struct Shared<M> {
    // The threads share the client but not the rest of the pool, so they end once the last clone of
    // the pool is dropped.
    client: Arc<M>,
    connections: Mutex<Connections>,
    /// Notified when a connection becomes idle or is closed.
    changed: Condvar,
}

#[derive(Default)]
struct Connections {
    /// Idle connections with the time at which each became idle, oldest first.
    idle: Vec<(Instant, Worker)>,
    /// The number of connections whose threads have not ended, idle or in use.
    open: usize,
}

impl<M: Connect> Pool<M> {
    /// Creates a pool without connections; the first call opens one. **O(1)**.
    pub fn new(client: M) -> Self {
        let connections = Mutex::default();
        let shared = Shared { client: Arc::new(client), connections, changed: Condvar::new() };
        Pool {
            shared: Arc::new(shared),
            max_connections: DEFAULT_MAX_CONNECTIONS,
            max_idle: DEFAULT_MAX_IDLE,
        }
    }

    /// Returns the pool with a different bound on its connections, at least one; the default is
    /// 256. **O(1)**.
    ///
    /// A call that finds all connections in use waits for one until its deadline. A thread that
    /// waits for a job of a [`DelayQueue`](super::DelayQueue) uses one. So does a call that has
    /// timed out, until its thread notices.
    pub fn with_max_connections(mut self, max_connections: usize) -> Self {
        self.max_connections = max_connections.max(1);
        self
    }

    /// Returns the pool with a different time after which an idle connection is closed; the default
    /// is one minute. **O(1)**.
    ///
    /// It applies to connections that are opened afterwards and, as calls end, to idle ones.
    pub fn with_max_idle(mut self, max_idle: Duration) -> Self {
        self.max_idle = max_idle;
        self
    }

    /// Sends a command, and returns the reply before the deadline.
    ///
    /// After the deadline the connection is closed, but the server may still run the command.
    pub(crate) fn query(&self, command: Cmd, deadline: Instant) -> Result<Value, Failure> {
        let worker = self.take(deadline)?;
        let reply = worker.query(command, deadline);
        let mut connections = self.shared.lock();
        if is_in_order(&reply) {
            let expired = connections.idle.partition_point(|(at, _)| at.elapsed() > self.max_idle);
            connections.idle.drain(..expired);
            connections.idle.push((Instant::now(), worker));
            self.shared.changed.notify_one();
        } else {
            connections.idle.clear();
        }
        reply
    }

    /// Returns an idle connection, or a new one, which opens on its first use.
    fn take(&self, deadline: Instant) -> Result<Worker, Failure> {
        let mut connections = self.shared.lock();
        loop {
            if let Some((_, worker)) = connections.idle.pop() {
                return Ok(worker);
            }
            if connections.open < self.max_connections {
                connections.open += 1;
                drop(connections);
                let permit = Permit(Arc::downgrade(&self.shared));
                return Worker::start(self.shared.client.clone(), self.max_idle, permit);
            }
            let waited = self.shared.changed.wait_timeout(connections, left(deadline)?);
            connections = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The returned futures are ready: the calling thread has already waited for the reply.
impl<M: Connect> Connection for Pool<M> {
    type Shared = ();

    fn query(
        &self,
        (): &(),
        command: Cmd,
        deadline: Instant,
    ) -> impl Future<Output = Result<Value, Failure>> + Send {
        // The deadline is a time on the clock of `instant`, which tests can pause. Convert it to
        // the system's clock, which the pool uses.
        let left = deadline.saturating_duration_since(instant());
        ready(Pool::query(self, command, Instant::now() + left))
    }
}

impl<M> Shared<M> {
    fn lock(&self) -> MutexGuard<'_, Connections> {
        // No caller's code runs while the lock is held, so the connections are valid even if the
        // lock is poisoned.
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a connection until its thread has ended.
struct Permit<M>(Weak<Shared<M>>);

impl<M> Drop for Permit<M> {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.lock().open -= 1;
            shared.changed.notify_one();
        }
    }
}

impl<M: Connect> Clone for Pool<M> {
    fn clone(&self) -> Self {
        Pool { shared: self.shared.clone(), ..*self }
    }
}

impl<M: Connect> fmt::Debug for Pool<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connections = self.shared.lock();
        f.debug_struct("Pool")
            .field("idle", &connections.idle.len())
            .field("open", &connections.open)
            .finish_non_exhaustive()
    }
}
