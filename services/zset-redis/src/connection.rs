//! The trait [`Connection`], which sends commands to a server, and [`Caller`], which calls scripts
//! over any connection.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use redis::{Cmd, Value};

use crate::Failure;
#[cfg(doc)]
use crate::blocking::Pool;
use crate::breaker::Pass;
use crate::error::is_unknown;
use crate::operation::Operation;
use crate::script::Call;
#[cfg(feature = "tokio")]
pub use awaited::{AsyncConnection, ConnectAsync};

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

/// Longer than any call takes, and short enough to be added to an `Instant`.
const FOREVER: Duration = Duration::from_secs(1 << 31);

/// Returns the time on the clock of deadlines. In tests, a `tokio` runtime can pause that clock.
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

/// Calls scripts over a connection. Clones share the connection.
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
    /// A call fails at its deadline, but the server may still run the script.
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

    /// Runs an operation of a board or a queue, each of whose calls has a deadline.
    pub(crate) async fn run<T, E: From<Failure>>(
        &self,
        Operation { call, read }: Operation<'_, T, E>,
        deadline: Duration,
    ) -> Result<T, E> {
        let call = match call {
            Ok(call) => call,
            Err(known) => return known,
        };
        loop {
            let reply = self.call(&call, end(deadline), Pass::shared(None)).await?;
            if let Some(result) = read(reply)? {
                return Ok(result);
            }
        }
    }
}

#[cfg(feature = "tokio")]
mod awaited {
    use std::collections::BTreeMap;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::atomic::{AtomicBool, AtomicU64};
    use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
    use std::time::Instant;

    use redis::aio::{ConnectionLike, ConnectionManager, MultiplexedConnection};
    use redis::{AsyncConnectionConfig, Cmd, RedisResult, Value};
    use tokio::sync::RwLock;
    use tokio::time::timeout_at;

    use super::Connection;
    use crate::Failure;
    use crate::error::{is_refusal, is_reply, is_unreadable, unreadable};

    /// A [`Connection`] over which calls are awaited: a [`ConnectionManager`], a
    /// [`MultiplexedConnection`], with the feature `cluster` a
    /// `redis::cluster_async::ClusterConnection`, or one of your own.
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

    /// Implements [`Connection`] for clients whose clones send commands over the same connections.
    macro_rules! connection {
        ($(#[$attribute:meta])* $Client:ty) => {
            $(#[$attribute])*
            impl Connection for $Client {
                type Shared = Unreadable;

                async fn query(
                    &self,
                    shared: &Unreadable,
                    command: Cmd,
                    deadline: Instant,
                ) -> Result<Value, Failure> {
                    let mut connection = self.clone();
                    let reply = command.query_async(&mut connection);
                    shared.cause(timeout_at(deadline.into(), reply).await?)
                }
            }
        };
    }

    connection!(MultiplexedConnection);

    #[cfg(feature = "cluster")]
    connection!(
        /// The client opens new connections to nodes, and repeats commands.
        redis::cluster_async::ClusterConnection
    );

    /// The manager opens a new connection only after a call has failed, and does not repeat that
    /// call. So it notices a closed connection only when a call fails.
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

    /// Opens the connection of a [`Waiter`](crate::delay_queue::Waiter): implemented by
    /// [`redis::Client`] and, with the feature `cluster`, by `redis::cluster::ClusterClient`.
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
            // The waiter applies its own deadlines, so the connection needs no timeouts.
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
            let timeout = std::time::Duration::from_secs(60);
            let config = redis::cluster::ClusterConfig::new().set_response_timeout(timeout);
            self.get_async_connection_with_config(config).await
        }
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
        /// Returns the reply, or the original cause of its error: an unreadable reply also breaks
        /// the connection for the calls after it.
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

    /// No server closes an idle connection earlier than this many milliseconds: their timeouts are
    /// whole seconds.
    const SURELY_OPEN: u64 = 1000;

    /// The state of a [`ConnectionManager`] that a limiter, a board or a queue uses.
    #[derive(Debug)]
    pub struct Managed {
        unreadable: Unreadable,
        start: Instant,
        /// The time of the latest reply, in milliseconds since the start.
        last_reply: AtomicU64,
        /// Set by the first call.
        replacements: OnceLock<Arc<Replacements>>,
        /// The number of replacements made through this state. It changes only under the exclusive
        /// lock of `replacements`.
        own_replacements: AtomicU64,
    }

    impl Default for Managed {
        fn default() -> Self {
            Managed {
                unreadable: Unreadable::default(),
                start: Instant::now(),
                last_reply: AtomicU64::new(0),
                replacements: OnceLock::new(),
                own_replacements: AtomicU64::new(0),
            }
        }
    }

    /// How often connections of managers with the same settings were replaced.
    ///
    /// A replacement would make all calls in flight over the connection fail. So it holds an
    /// exclusive lock, and each call holds a shared lock. Clones cannot be distinguished from other
    /// managers with the same settings, so all of these share the lock.
    type Replacements = RwLock<u64>;

    /// The replacements of managers, by their settings.
    static REPLACEMENTS: Mutex<BTreeMap<String, Weak<Replacements>>> = Mutex::new(BTreeMap::new());

    /// How often connections were replaced before a command was sent.
    struct Before {
        all: u64,
        own: u64,
    }

    impl Managed {
        /// Sends a command, and repeats it over a new connection if the server refused to run it.
        async fn query(&self, mut manager: ConnectionManager, command: &Cmd) -> RedisResult<Value> {
            if self.millis().saturating_sub(self.last_reply.load(Relaxed)) > SURELY_OPEN {
                // If the server has closed the connection, this `PING` fails, and the manager opens
                // a new one.
                let _ = redis::cmd("PING").query_async::<Value>(&mut manager).await;
            }
            let (mut reply, before) = self.send(&mut manager, command).await;
            if reply.as_ref().is_err_and(is_refusal) {
                let is_new = self.replace(&mut manager, &before, true).await;
                let (again, before) = self.send(&mut manager, command).await;
                reply = again;
                if !is_new && reply.as_ref().is_err_and(is_refusal) {
                    self.replace(&mut manager, &before, false).await;
                    (reply, _) = self.send(&mut manager, command).await;
                }
            }
            if reply.as_ref().map_or_else(is_reply, |_| true) {
                self.last_reply.fetch_max(self.millis(), Relaxed);
            }
            reply
        }

        /// Sends a command under the shared lock, so the connection is not replaced during the
        /// call.
        async fn send(
            &self,
            manager: &mut ConnectionManager,
            command: &Cmd,
        ) -> (RedisResult<Value>, Before) {
            let all = self.replacements(manager).read().await;
            let before = Before { all: *all, own: self.own_replacements.load(Relaxed) };
            (command.query_async(manager).await, before)
        }

        /// Makes the server close the connection, unless it was already replaced after `before`.
        /// Returns true if the connection has certainly been replaced. A replacement through
        /// another state may concern another manager. It suffices only if `others_count`, and the
        /// result is then false.
        async fn replace(
            &self,
            manager: &mut ConnectionManager,
            before: &Before,
            others_count: bool,
        ) -> bool {
            let mut all = self.replacements(manager).write().await;
            if self.own_replacements.load(Relaxed) != before.own {
                return true;
            }
            if others_count && *all != before.all {
                return false;
            }
            let _ = redis::cmd("QUIT").query_async::<Value>(manager).await;
            // The server closes the connection after `QUIT`. So this `PING` fails, and the manager
            // opens a new connection.
            let _ = redis::cmd("PING").query_async::<Value>(manager).await;
            *all += 1;
            self.own_replacements.fetch_add(1, Relaxed);
            true
        }

        fn replacements(&self, manager: &ConnectionManager) -> &Replacements {
            self.replacements.get_or_init(|| {
                // Managers with the same settings have the same debug output: it contains the
                // address, the database, the user, and the delays between attempts.
                let settings = format!("{manager:?}");
                let mut of_all = REPLACEMENTS.lock().unwrap_or_else(PoisonError::into_inner);
                of_all.retain(|_, replacements| replacements.strong_count() > 0);
                if let Some(replacements) = of_all.get(&settings).and_then(Weak::upgrade) {
                    return replacements;
                }
                let replacements = Arc::default();
                of_all.insert(settings, Arc::downgrade(&replacements));
                replacements
            })
        }

        fn millis(&self) -> u64 {
            u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
        }
    }
}
