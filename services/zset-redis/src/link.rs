//! [`Link`]: runs a script over any kind of connection.

use std::time::Duration;

use redis::Value;

use crate::Error;
use crate::blocking::{Connect, Pool};
use crate::script::Call;
#[cfg(feature = "tokio")]
pub(crate) use awaited::end;

/// A pool or an asynchronous connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Link<C> {
    connection: C,
    /// For connections whose calls are awaited.
    #[cfg(feature = "tokio")]
    shared: std::sync::Arc<awaited::Shared>,
}

impl<C> Link<C> {
    pub(crate) fn new(connection: C) -> Link<C> {
        Link {
            connection,
            #[cfg(feature = "tokio")]
            shared: std::sync::Arc::new(awaited::Shared::new()),
        }
    }
}

impl<M: Connect> Link<Pool<M>> {
    /// Runs a script within a deadline, and returns its reply.
    pub(crate) fn run(&self, call: &Call, deadline: Duration) -> Result<Value, Error> {
        self.connection.run(call, deadline)
    }

    pub(crate) fn pool(&self) -> &Pool<M> {
        &self.connection
    }
}

#[cfg(feature = "tokio")]
mod awaited {
    use std::any::type_name;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::atomic::{AtomicBool, AtomicU64};
    use std::time::Duration;

    use redis::aio::{ConnectionLike, ConnectionManager};
    use redis::{RedisResult, Value};
    use tokio::sync::RwLock;
    use tokio::time::{Instant, timeout_at};

    use super::Link;
    use crate::Error;
    use crate::script::{Call, is_refusal, is_unknown, is_unreadable, unreadable};

    /// An idle connection is certainly still open for this long, in milliseconds: servers' timeouts
    /// are whole seconds.
    const SURELY_OPEN: u64 = 1000;

    /// Longer than any call takes, and short enough for an `Instant`.
    const FOREVER: Duration = Duration::from_secs(1 << 31);

    /// Returns the deadline of a call that begins now.
    pub(crate) fn end(deadline: Duration) -> Instant {
        Instant::now() + deadline.min(FOREVER)
    }

    /// The state that clones share.
    pub(super) struct Shared {
        start: Instant,
        /// The time of the latest reply, in milliseconds since the start.
        last_reply: AtomicU64,
        /// Whether the latest reply was unreadable.
        is_unreadable: AtomicBool,
        /// How often the connection was replaced. Calls that fail together replace it once, and
        /// only after all of them have a reply.
        replaced: RwLock<u64>,
    }

    impl Shared {
        pub(super) fn new() -> Shared {
            let (last_reply, is_unreadable) = (AtomicU64::new(0), AtomicBool::new(false));
            Shared { start: Instant::now(), last_reply, is_unreadable, replaced: RwLock::new(0) }
        }

        /// Returns a reply, or the cause of an error: after an unreadable reply, the connection is
        /// broken until it is replaced.
        fn cause(&self, reply: RedisResult<Value>) -> RedisResult<Value> {
            let is_broken = self.is_unreadable.load(Relaxed);
            match reply {
                Err(error) if is_unreadable(&error) => {
                    self.is_unreadable.store(true, Relaxed);
                    Err(error)
                }
                Err(error) if error.is_connection_dropped() && is_broken => Err(unreadable()),
                reply => {
                    if is_broken {
                        self.is_unreadable.store(false, Relaxed);
                    }
                    reply
                }
            }
        }
    }

    impl<C: ConnectionLike + Clone> Link<C> {
        /// Runs a script until a deadline, and returns its reply.
        ///
        /// After the deadline the call is dropped, but the server may still run the script.
        pub(crate) async fn run(&self, call: &Call, until: Instant) -> Result<Value, Error> {
            call.check()?;
            let mut connection = self.connection.clone();
            let reply = timeout_at(until, async {
                // Only this kind of connection opens new ones but repeats nothing: it notices a
                // closed connection only when a call fails. Compared by name, since `TypeId` is for
                // `'static` types only. A mistake would cost one connection.
                if type_name::<C>() == type_name::<ConnectionManager>() {
                    self.run_managed(&mut connection, call).await
                } else {
                    run_once(&mut connection, call).await
                }
            });
            let reply = reply.await.map_err(|_| Error::Timeout)?;
            self.shared.cause(reply).map_err(|error| call.explained(error.into()))
        }

        /// Runs a script, and repeats it over a new connection if the server has run nothing.
        async fn run_managed(&self, manager: &mut C, call: &Call) -> RedisResult<Value> {
            if self.millis().saturating_sub(self.shared.last_reply.load(Relaxed)) > SURELY_OPEN {
                // If this fails, the manager opens a new connection.
                let _ = redis::cmd("PING").query_async::<Value>(manager).await;
            }
            let (mut reply, replaced) = self.run_and_count(manager, call).await;
            if reply.as_ref().is_err_and(is_refusal) {
                self.replace(manager, replaced).await;
                (reply, _) = self.run_and_count(manager, call).await;
            }
            if reply.is_ok() {
                self.shared.last_reply.fetch_max(self.millis(), Relaxed);
            }
            reply
        }

        /// Runs a script over a connection, which cannot be replaced during the call, and returns
        /// how often it was replaced before.
        async fn run_and_count(&self, manager: &mut C, call: &Call) -> (RedisResult<Value>, u64) {
            let replaced = self.shared.replaced.read().await;
            (run_once(manager, call).await, *replaced)
        }

        /// Makes the server close the connection, unless it was replaced since.
        async fn replace(&self, manager: &mut C, replaced: u64) {
            let mut now_replaced = self.shared.replaced.write().await;
            if *now_replaced == replaced {
                let _ = redis::cmd("QUIT").query_async::<Value>(manager).await;
                // This fails, so the manager opens a new connection.
                let _ = redis::cmd("PING").query_async::<Value>(manager).await;
                *now_replaced += 1;
            }
        }

        fn millis(&self) -> u64 {
            u64::try_from(self.shared.start.elapsed().as_millis()).unwrap_or(u64::MAX)
        }
    }

    async fn run_once(connection: &mut impl ConnectionLike, call: &Call) -> RedisResult<Value> {
        match call.by_hash().query_async(connection).await {
            Err(error) if is_unknown(&error) => call.by_source().query_async(connection).await,
            reply => reply,
        }
    }
}
