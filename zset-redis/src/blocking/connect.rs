//! [`Connect`]: opening connections, and sending commands within a time.

use std::time::Duration;

use redis::{Cmd, ConnectionLike, Value};

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

    fn connect(&self, timeout: Duration) -> Result<redis::Connection, Error> {
        Ok(self.get_connection_with_timeout(timeout)?)
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
