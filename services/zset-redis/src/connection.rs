//! [`Connection`]: how commands reach a server; and [`Caller`], which calls scripts over any of
//! them.

use std::future::{Future, ready};
use std::sync::Arc;
use std::time::{Duration, Instant};

use redis::{Cmd, Value};

use crate::Failure;
use crate::blocking::{Connect, Pool};
use crate::breaker::{Breaker, Pass};
use crate::operation::{Operation, Reply};
use crate::script::{Call, is_unknown};
#[cfg(feature = "tokio")]
pub use awaited::AsyncConnection;

/// A connection to a server or a cluster: a [`Pool`], over which calls block, or an
/// `AsyncConnection`, over which they are awaited.
pub trait Connection: Clone + Send + Sync + 'static {
    /// The state of the connection that the clones of a limiter, a board or a queue share.
    type Shared: Default + Send + Sync + 'static;

    /// Sends a command, and returns the reply before the deadline.
    ///
    /// # Errors
    ///
    /// [`Failure::Timeout`], or the error of the connection or the server.
    fn query(
        &self,
        shared: &Self::Shared,
        command: Cmd,
        deadline: Instant,
    ) -> impl Future<Output = Result<Value, Failure>> + Send;
}

/// Its futures are ready: the calling thread has waited for the reply.
impl<M: Connect> Connection for Pool<M> {
    type Shared = ();

    fn query(
        &self,
        (): &(),
        command: Cmd,
        deadline: Instant,
    ) -> impl Future<Output = Result<Value, Failure>> + Send {
        // The pool uses the system's clock.
        let left = deadline.saturating_duration_since(instant());
        ready(Pool::query(self, command, Instant::now() + left))
    }
}

/// Longer than any call takes, and short enough for an `Instant`.
const FOREVER: Duration = Duration::from_secs(1 << 31);

/// Returns the time by the clock of deadlines, which a `tokio` runtime can pause in tests.
pub(crate) fn instant() -> Instant {
    #[cfg(feature = "tokio")]
    let now = tokio::time::Instant::now().into_std();
    #[cfg(not(feature = "tokio"))]
    let now = Instant::now();
    now
}

/// Returns the deadline of a call that begins now.
pub(crate) fn end(deadline: Duration) -> Instant {
    instant() + deadline.min(FOREVER)
}

/// Calls scripts over a connection. Clones share it.
pub(crate) struct Caller<C: Connection> {
    connection: C,
    shared: Arc<C::Shared>,
}

impl<C: Connection> Clone for Caller<C> {
    fn clone(&self) -> Self {
        Caller { connection: self.connection.clone(), shared: self.shared.clone() }
    }
}

impl<C: Connection> Caller<C> {
    pub(crate) fn new(connection: C) -> Self {
        Caller { connection, shared: Arc::default() }
    }

    /// Sends a command, and returns the reply before the deadline.
    pub(crate) async fn query(&self, command: Cmd, deadline: Instant) -> Result<Value, Failure> {
        self.connection.query(&self.shared, command, deadline).await
    }

    /// Calls a script, returns its reply, and reports to the breaker.
    ///
    /// After the deadline the call has failed, but the server may still run the script.
    pub(crate) async fn call<E>(
        &self,
        call: &Call<E>,
        deadline: Instant,
        pass: Pass<'_>,
    ) -> Result<Value, Failure> {
        let mut reply = self.send(call, deadline).await;
        if let Err(Failure::Redis(error)) = &reply {
            if let Some((other, is_valid)) = call.if_refused(error) {
                let instead = self.send(&other, deadline).await;
                if instead.as_ref().is_ok_and(is_valid) {
                    reply = instead;
                }
            }
        }
        pass.end(&reply);
        reply.map_err(|failure| call.explained(failure))
    }

    async fn send<E>(&self, call: &Call<E>, deadline: Instant) -> Result<Value, Failure> {
        match self.query(call.by_hash(), deadline).await {
            Err(Failure::Redis(error)) if is_unknown(&error) => {
                self.query(call.by_source(), deadline).await
            }
            reply => reply,
        }
    }

    /// Runs an operation, each of whose calls has a deadline and passes the breaker.
    pub(crate) async fn run<O: Operation>(
        &self,
        mut operation: O,
        deadline: Duration,
        breaker: Option<&Breaker>,
    ) -> Result<O::Output, O::Error> {
        let call = match operation.call() {
            Ok(call) => call,
            Err(known) => return known,
        };
        loop {
            let reply = match Pass::of(breaker) {
                Ok(pass) => self.call(&call, end(deadline), pass).await,
                Err(failure) => Err(failure),
            };
            if let Some(result) = operation.read(reply.map(Reply::Script))? {
                return Ok(result);
            }
        }
    }
}

#[cfg(feature = "tokio")]
mod awaited {
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::atomic::{AtomicBool, AtomicU64};
    use std::time::Instant;

    use redis::aio::{ConnectionLike, ConnectionManager, MultiplexedConnection};
    use redis::{Cmd, RedisResult, Value};
    use tokio::sync::RwLock;
    use tokio::time::timeout_at;

    use super::Connection;
    use crate::Failure;
    use crate::script::{is_refusal, is_reply, is_unreadable, unreadable};

    /// A [`Connection`] over which calls are awaited: a [`ConnectionManager`], a
    /// [`MultiplexedConnection`] or, with the feature `cluster`, a
    /// `redis::cluster_async::ClusterConnection`.
    ///
    /// # Examples
    ///
    /// A connection that counts the commands:
    ///
    /// ```
    /// use std::future::Future;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use std::time::Instant;
    ///
    /// use zset_redis::redis::aio::ConnectionManager;
    /// use zset_redis::redis::{Cmd, Value};
    /// use zset_redis::{AsyncConnection, Connection, Failure};
    ///
    /// #[derive(Clone)]
    /// struct Counted {
    ///     connection: ConnectionManager,
    ///     commands: Arc<AtomicU64>,
    /// }
    ///
    /// impl Connection for Counted {
    ///     type Shared = <ConnectionManager as Connection>::Shared;
    ///
    ///     fn query(
    ///         &self,
    ///         shared: &Self::Shared,
    ///         command: Cmd,
    ///         deadline: Instant,
    ///     ) -> impl Future<Output = Result<Value, Failure>> + Send {
    ///         self.commands.fetch_add(1, Ordering::Relaxed);
    ///         self.connection.query(shared, command, deadline)
    ///     }
    /// }
    ///
    /// impl AsyncConnection for Counted {}
    /// ```
    pub trait AsyncConnection: Connection {}

    impl AsyncConnection for MultiplexedConnection {}

    impl AsyncConnection for ConnectionManager {}

    #[cfg(feature = "cluster")]
    impl AsyncConnection for redis::cluster_async::ClusterConnection {}

    impl Connection for MultiplexedConnection {
        type Shared = Unreadable;

        async fn query(
            &self,
            shared: &Unreadable,
            command: Cmd,
            deadline: Instant,
        ) -> Result<Value, Failure> {
            query(self.clone(), shared, command, deadline).await
        }
    }

    /// It opens new connections to nodes, and repeats commands.
    #[cfg(feature = "cluster")]
    impl Connection for redis::cluster_async::ClusterConnection {
        type Shared = Unreadable;

        async fn query(
            &self,
            shared: &Unreadable,
            command: Cmd,
            deadline: Instant,
        ) -> Result<Value, Failure> {
            query(self.clone(), shared, command, deadline).await
        }
    }

    /// It opens a new connection after a call has failed, but repeats nothing: so it notices only
    /// then that the server has closed the connection.
    impl Connection for ConnectionManager {
        type Shared = Managed;

        async fn query(
            &self,
            shared: &Managed,
            command: Cmd,
            deadline: Instant,
        ) -> Result<Value, Failure> {
            let reply = shared.query(self.clone(), &command);
            shared.unreadable.cause(timeout_at(deadline.into(), reply).await?)
        }
    }

    async fn query(
        mut connection: impl ConnectionLike,
        shared: &Unreadable,
        command: Cmd,
        deadline: Instant,
    ) -> Result<Value, Failure> {
        let reply = command.query_async(&mut connection);
        shared.cause(timeout_at(deadline.into(), reply).await?)
    }

    impl From<tokio::time::error::Elapsed> for Failure {
        fn from(_: tokio::time::error::Elapsed) -> Failure {
            Failure::Timeout
        }
    }

    /// Whether the latest reply was unreadable.
    #[derive(Debug, Default)]
    pub struct Unreadable(AtomicBool);

    impl Unreadable {
        /// Returns a reply, or the cause of an error: after an unreadable reply, the connection is
        /// broken until it is replaced.
        fn cause(&self, reply: RedisResult<Value>) -> Result<Value, Failure> {
            let is_broken = self.0.load(Relaxed);
            match &reply {
                Err(error) if is_unreadable(error) => self.0.store(true, Relaxed),
                Err(error) if error.is_connection_dropped() && is_broken => {
                    return Err(unreadable().into());
                }
                _ if is_broken => self.0.store(false, Relaxed),
                _ => {}
            }
            Ok(reply?)
        }
    }

    /// An idle connection is certainly still open for this long, in milliseconds: servers' timeouts
    /// are whole seconds.
    const SURELY_OPEN: u64 = 1000;

    /// The state of a [`ConnectionManager`].
    #[derive(Debug)]
    pub struct Managed {
        unreadable: Unreadable,
        start: Instant,
        /// The time of the latest reply, in milliseconds since the start.
        last_reply: AtomicU64,
        /// How often the connection was replaced. Calls that fail together replace it once, and
        /// only after all of them have a reply.
        replaced: RwLock<u64>,
    }

    impl Default for Managed {
        fn default() -> Self {
            Managed {
                unreadable: Unreadable::default(),
                start: Instant::now(),
                last_reply: AtomicU64::new(0),
                replaced: RwLock::new(0),
            }
        }
    }

    impl Managed {
        /// Sends a command, and repeats it over a new connection if the server has run nothing.
        async fn query(&self, mut manager: ConnectionManager, command: &Cmd) -> RedisResult<Value> {
            if self.millis().saturating_sub(self.last_reply.load(Relaxed)) > SURELY_OPEN {
                // If this fails, the manager opens a new connection.
                let _ = redis::cmd("PING").query_async::<Value>(&mut manager).await;
            }
            let (mut reply, replaced) = self.query_and_count(&mut manager, command).await;
            if reply.as_ref().is_err_and(is_refusal) {
                self.replace(&mut manager, replaced).await;
                (reply, _) = self.query_and_count(&mut manager, command).await;
            }
            if reply.as_ref().map_or_else(is_reply, |_| true) {
                self.last_reply.fetch_max(self.millis(), Relaxed);
            }
            reply
        }

        /// Sends a command over a connection, which cannot be replaced during the call, and returns
        /// how often it was replaced before.
        async fn query_and_count(
            &self,
            manager: &mut ConnectionManager,
            command: &Cmd,
        ) -> (RedisResult<Value>, u64) {
            let replaced = self.replaced.read().await;
            (command.query_async(manager).await, *replaced)
        }

        /// Makes the server close the connection, unless it was replaced since.
        async fn replace(&self, manager: &mut ConnectionManager, replaced: u64) {
            let mut now_replaced = self.replaced.write().await;
            if *now_replaced == replaced {
                let _ = redis::cmd("QUIT").query_async::<Value>(manager).await;
                // This fails, so the manager opens a new connection.
                let _ = redis::cmd("PING").query_async::<Value>(manager).await;
                *now_replaced += 1;
            }
        }

        fn millis(&self) -> u64 {
            u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
        }
    }
}
