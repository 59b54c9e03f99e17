//! Connections to a cluster.
//!
//! The client of a cluster follows redirections, connects to other nodes and repeats commands, each
//! with its own timeout, and waits before a repetition, by default longer than a call may take. The
//! blocking client would continue after the deadline and take the units then. So this module uses
//! the asynchronous client, which stops with the call.

use std::fmt;
use std::time::Duration;

use redis::cluster::ClusterClient;
use redis::{Cmd, RedisError, RedisResult, Value, cluster_async};
use tokio::runtime::{Builder, Runtime};
use tokio::time;

use super::Connect;
use crate::Failure;

/// A connection to a cluster, and the runtime that drives it.
pub struct ClusterConnection {
    // Dropped before the runtime.
    connection: cluster_async::ClusterConnection,
    runtime: Runtime,
}

impl fmt::Debug for ClusterConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterConnection").finish_non_exhaustive()
    }
}

impl Connect for ClusterClient {
    type Connection = ClusterConnection;

    fn connect(&self, timeout: Duration) -> Result<ClusterConnection, Failure> {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(RedisError::from)?;
        match within(&runtime, timeout, self.get_async_connection()) {
            Ok(connection) => Ok(ClusterConnection { connection, runtime }),
            Err(error) => {
                // A DNS look-up may still be running.
                runtime.shutdown_background();
                Err(error)
            }
        }
    }

    fn query(
        connection: &mut ClusterConnection,
        command: &Cmd,
        timeout: Duration,
    ) -> Result<Value, Failure> {
        let ClusterConnection { connection, runtime } = connection;
        within(runtime, timeout, command.query_async(connection))
    }

    /// The client replaces broken connections to nodes, and repeats commands.
    fn is_open(_: &mut ClusterConnection, _: Duration) -> bool {
        true
    }
}

fn within<T>(
    runtime: &Runtime,
    timeout: Duration,
    future: impl Future<Output = RedisResult<T>>,
) -> Result<T, Failure> {
    let result = runtime.block_on(async { time::timeout(timeout, future).await });
    Ok(result.map_err(|_| Failure::Timeout)??)
}
