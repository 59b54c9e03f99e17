//! [`Pool`]: idle connections that threads share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Cmd, ErrorKind, RedisError, ServerErrorKind, Value};

use super::Connect;
use crate::Error;
use crate::script::{Call, is_unknown};

/// Idle connections that threads and limiters share. Clones are the same pool.
///
/// A call takes an idle connection, or opens one if there is none, and puts it back afterwards. So there
/// are as many connections as there were calls at the same time. After a failure of a connection, the
/// idle ones are closed as well, since the server has probably failed.
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
    ///
    /// After the deadline the connection is closed, but what was sent may still be run.
    pub(crate) fn run(&self, call: &Call, deadline: Duration) -> Result<Value, Error> {
        let deadline = Deadline::after(deadline);
        let reply = self.with_connection(deadline, |connection| {
            match M::query(connection, call.by_hash(), deadline.left()?) {
                Err(Error::Redis(error)) if is_unknown(&error) => {
                    M::query(connection, call.by_source(), deadline.left()?)
                }
                reply => reply,
            }
        });
        reply.map_err(|error| call.explained(error))
    }

    /// Runs a command within a deadline, and returns its reply.
    pub(crate) fn query(&self, command: Cmd, deadline: Duration) -> Result<Value, Error> {
        let deadline = Deadline::after(deadline);
        self.with_connection(deadline, |connection| M::query(connection, command, deadline.left()?))
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
            Err(Error::Redis(error)) if is_reply(error) && M::is_open(&connection) => {
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

/// Returns whether an error is the server's reply, so that the connection is still in order.
///
/// A server that has become a replica is no longer the one to talk to: a new connection may reach the
/// primary.
fn is_reply(error: &RedisError) -> bool {
    match error.kind() {
        ErrorKind::Server(kind) => kind != ServerErrorKind::ReadOnly,
        kind => kind == ErrorKind::Extension,
    }
}

/// Longer than any call takes, and short enough for a system's timeout.
const FOREVER: Duration = Duration::from_secs(1 << 31);

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
        let Some(deadline) = self.0 else { return Ok(FOREVER) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Error::Timeout) } else { Ok(left) }
    }
}
