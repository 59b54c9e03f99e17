//! [`Connect`]: opening connections, and sending commands within a time.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use redis::{Cmd, ConnectionLike, ErrorKind, RedisError, Value};

use crate::Error;

/// What opens the connections of a [`Pool`](super::Pool): a [`redis::Client`], or with the feature
/// `cluster` a `redis::cluster::ClusterClient`.
pub trait Connect: Send + Sync {
    /// A connection.
    type Connection: Send;

    /// Opens a connection within `timeout`.
    ///
    /// # Errors
    ///
    /// [`Error::Timeout`], or the client's error.
    fn connect(&self, timeout: Duration) -> Result<Self::Connection, Error>;

    /// Sends a command and returns the reply within `timeout`.
    ///
    /// # Errors
    ///
    /// [`Error::Timeout`], or the error of the connection or the server.
    fn query(
        connection: &mut Self::Connection,
        command: Cmd,
        timeout: Duration,
    ) -> Result<Value, Error>;

    /// Returns whether a connection can still be used, after an error from the server.
    fn is_open(connection: &Self::Connection) -> bool;
}

impl Connect for redis::Client {
    type Connection = redis::Connection;

    /// A thread opens the connection: the client looks up addresses, tries several of them, and waits for
    /// several replies, each with the whole timeout.
    fn connect(&self, timeout: Duration) -> Result<redis::Connection, Error> {
        let (sender, receiver) = sync_channel(1);
        let client = self.clone();
        let run = move || {
            let _ = sender.send(client.get_connection_with_timeout(timeout));
        };
        let thread = thread::Builder::new().name("zset-redis connect".to_owned()).spawn(run);
        thread.map_err(RedisError::from)?;
        match receiver.recv_timeout(timeout) {
            Ok(connection) => Ok(connection?),
            Err(RecvTimeoutError::Timeout) => Err(Error::Timeout),
            Err(RecvTimeoutError::Disconnected) => Err(has_ended()),
        }
    }

    fn query(
        connection: &mut redis::Connection,
        command: Cmd,
        timeout: Duration,
    ) -> Result<Value, Error> {
        connection.set_read_timeout(Some(timeout))?;
        connection.set_write_timeout(Some(timeout))?;
        Ok(command.query(connection)?)
    }

    fn is_open(connection: &redis::Connection) -> bool {
        connection.is_open()
    }
}

/// The error of a thread that has panicked.
pub(super) fn has_ended() -> Error {
    Error::Redis((ErrorKind::Client, "thread of the connection has ended").into())
}
