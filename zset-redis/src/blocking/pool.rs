//! [`Pool`]: idle connections that threads share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Cmd, ConnectionLike, RedisResult, Value};

use crate::Error;
use crate::script::{Call, is_unknown};

/// What opens the connections of a [`Pool`]: a [`redis::Client`], or a client of a cluster.
pub trait Connect: Send + Sync {
    /// A connection.
    type Connection: ConnectionLike + Send;

    /// Opens a connection within `timeout`.
    ///
    /// # Errors
    ///
    /// The client's error.
    fn connect(&self, timeout: Duration) -> RedisResult<Self::Connection>;

    /// Sets how long the next command may take.
    ///
    /// # Errors
    ///
    /// The connection's error.
    fn set_timeout(connection: &Self::Connection, timeout: Duration) -> RedisResult<()>;
}

impl Connect for redis::Client {
    type Connection = redis::Connection;

    fn connect(&self, timeout: Duration) -> RedisResult<redis::Connection> {
        self.get_connection_with_timeout(timeout)
    }

    fn set_timeout(connection: &redis::Connection, timeout: Duration) -> RedisResult<()> {
        connection.set_read_timeout(Some(timeout))?;
        connection.set_write_timeout(Some(timeout))
    }
}

#[cfg(feature = "cluster")]
impl Connect for redis::cluster::ClusterClient {
    type Connection = redis::cluster::ClusterConnection;

    fn connect(&self, timeout: Duration) -> RedisResult<redis::cluster::ClusterConnection> {
        let config = redis::cluster::ClusterConfig::new().set_connection_timeout(timeout);
        self.get_connection_with_config(config)
    }

    fn set_timeout(
        connection: &redis::cluster::ClusterConnection,
        timeout: Duration,
    ) -> RedisResult<()> {
        connection.set_read_timeout(Some(timeout))?;
        connection.set_write_timeout(Some(timeout))
    }
}

/// Idle connections that threads and limiters share. Clones are the same pool.
///
/// A call takes an idle connection, or opens one if there is none, and puts it back afterwards. So there are as
/// many connections as there were calls at the same time. After a failure of a connection, the idle ones are
/// closed as well, since the server has probably gone.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use zset_redis::OnFailure;
/// use zset_redis::blocking::{Funnel, Pool};
/// use zset_std::Quota;
///
/// let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
/// let quota = Quota::new(10, Duration::from_secs(60))?;
/// let logins = Funnel::new(pool.clone(), "logins", quota, OnFailure::Deny)?;
/// if logins.check("ann")?.is_allowed() {
///     println!("go ahead");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pool<M: Connect> {
    shared: Arc<Shared<M>>,
}

struct Shared<M: Connect> {
    client: M,
    idle: Mutex<Vec<M::Connection>>,
}

impl<M: Connect> Pool<M> {
    /// Makes a pool without connections; the first call opens one. **O(1)**.
    pub fn new(client: M) -> Self {
        Pool { shared: Arc::new(Shared { client, idle: Mutex::default() }) }
    }

    /// Runs a script within a deadline, and returns its reply.
    pub(crate) fn run(&self, call: &Call, deadline: Duration) -> Result<Value, Error> {
        let deadline = Deadline::after(deadline);
        self.with_connection(deadline, |connection| {
            M::set_timeout(connection, deadline.left()?)?;
            match call.by_hash().query(connection) {
                Err(error) if is_unknown(&error) => {
                    M::set_timeout(connection, deadline.left()?)?;
                    Ok(call.by_source().query(connection)?)
                }
                reply => Ok(reply?),
            }
        })
    }

    /// Runs a command within a deadline, and returns its reply.
    pub(crate) fn query(&self, command: &Cmd, deadline: Duration) -> Result<Value, Error> {
        let deadline = Deadline::after(deadline);
        self.with_connection(deadline, |connection| {
            M::set_timeout(connection, deadline.left()?)?;
            Ok(command.query(connection)?)
        })
    }

    fn with_connection(
        &self,
        deadline: Deadline,
        run: impl FnOnce(&mut M::Connection) -> Result<Value, Error>,
    ) -> Result<Value, Error> {
        let idle = self.idle().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.shared.client.connect(deadline.left()?)?,
        };
        let reply = run(&mut connection);
        match &reply {
            Err(Error::Redis(error)) if !error.is_io_error() && connection.is_open() => {
                self.idle().push(connection);
            }
            // The reply to this call may still come, and would be taken for that to the next one.
            Err(_) => self.idle().clear(),
            Ok(_) => self.idle().push(connection),
        }
        reply
    }

    fn idle(&self) -> MutexGuard<'_, Vec<M::Connection>> {
        // No code of a caller runs under the lock, so the connections are intact.
        self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: Connect> Clone for Pool<M> {
    fn clone(&self) -> Self {
        Pool { shared: self.shared.clone() }
    }
}

impl<M: Connect> fmt::Debug for Pool<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("idle", &self.idle().len()).finish_non_exhaustive()
    }
}

/// When a call has to end.
#[derive(Clone, Copy)]
struct Deadline(Option<Instant>);

impl Deadline {
    /// A deadline beyond the last instant is none.
    fn after(duration: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(duration))
    }

    /// Returns the time that is left, which is not zero.
    fn left(self) -> Result<Duration, Error> {
        let Some(deadline) = self.0 else { return Ok(Duration::MAX) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Error::Timeout) } else { Ok(left) }
    }
}
