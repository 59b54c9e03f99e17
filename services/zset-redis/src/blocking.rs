//! Blocking calls: the [`Pool`] of connections, and the types of boards and queues over a pool.

#[cfg(feature = "cluster")]
mod cluster;
mod pool;
mod worker;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use redis::{Cmd, Value};

use crate::Failure;
use crate::error::is_reply;
#[cfg(feature = "cluster")]
pub use cluster::ClusterConnection;
pub use pool::Pool;

/// Defines an alias of each type, over a [`Pool`].
macro_rules! over_a_pool {
    ($($Type:ident),*) => {$(
        #[doc = concat!("A [`", stringify!($Type), "`](crate::", stringify!($Type), ") over a [`Pool`].")]
        pub type $Type<M = redis::Client> = crate::$Type<Pool<M>>;
    )*};
}

over_a_pool!(Leaderboard, DelayQueue);

/// Opens the connections of a [`Pool`]: implemented by [`redis::Client`] and, with the feature
/// `cluster`, by `redis::cluster::ClusterClient`.
///
/// Each connection is used by its own thread, and callers stop waiting at the deadline. So a method
/// that takes longer than its `timeout` only occupies its thread and its place in the pool.
pub trait Connect: Send + Sync + 'static {
    /// A connection.
    type Connection;

    /// Opens a connection within `timeout`.
    ///
    /// # Errors
    ///
    /// [`Failure::Timeout`], or the client's error.
    fn connect(&self, timeout: Duration) -> Result<Self::Connection, Failure>;

    /// Sends a command and returns the reply within `timeout`.
    ///
    /// # Errors
    ///
    /// [`Failure::Timeout`], or the error of the connection or the server.
    fn query(
        connection: &mut Self::Connection,
        command: &Cmd,
        timeout: Duration,
    ) -> Result<Value, Failure>;

    /// Returns whether a connection that was idle is still open; a server may have closed it since.
    fn is_open(connection: &mut Self::Connection, timeout: Duration) -> bool;
}

impl Connect for redis::Client {
    type Connection = redis::Connection;

    fn connect(&self, timeout: Duration) -> Result<redis::Connection, Failure> {
        Ok(self.get_connection_with_timeout(timeout)?)
    }

    fn query(
        connection: &mut redis::Connection,
        command: &Cmd,
        timeout: Duration,
    ) -> Result<Value, Failure> {
        // These timeouts apply to each read and write, not to the whole call, so callers do not
        // rely on them.
        connection.set_read_timeout(Some(timeout))?;
        connection.set_write_timeout(Some(timeout))?;
        Ok(command.query(connection)?)
    }

    fn is_open(connection: &mut redis::Connection, timeout: Duration) -> bool {
        match Self::query(connection, &redis::cmd("PING"), timeout) {
            // An error reply, e.g. that the user may not send `PING`, also shows that the
            // connection is open.
            Err(Failure::Redis(error)) => is_reply(&error),
            reply => reply.is_ok(),
        }
    }
}

/// Returns the result of an operation over a [`Pool`], whose queries are ready futures.
pub(crate) fn now<T>(operation: impl Future<Output = T>) -> T {
    match pin!(operation).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("the calling thread waits for the reply to a query"),
    }
}
