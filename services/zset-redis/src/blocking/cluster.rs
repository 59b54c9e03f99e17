//! Connections to a cluster.
//!
//! The client of a cluster follows redirections, connects to other nodes and repeats commands, each
//! with its own timeout. Before it repeats a command it waits, by default longer than a call may
//! take. The blocking client would continue after the deadline, and take units then. So this module
//! uses the asynchronous client, which stops with the call.
//!
//! The client also repeats a command after its response timeout, which is shorter than a call may
//! take. A worker that waits for a job blocks its connection for longer, so its waits have another
//! connection, without that timeout.

use std::fmt;
use std::time::Duration;

use redis::cluster::ClusterClient;
use redis::{Arg, Cmd, RedisError, RedisResult, Value, cluster_async};
use tokio::runtime::{Builder, Runtime};
use tokio::time;

use super::Connect;
use crate::Failure;
use crate::connection::ConnectAsync;

/// A connection to a cluster, and the runtime that drives it.
pub struct ClusterConnection {
    // Connections are dropped before the runtime.
    connection: cluster_async::ClusterConnection,
    /// The connection for commands that block it, opened by the first one.
    blocked: Option<cluster_async::ClusterConnection>,
    client: ClusterClient,
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
            Ok(connection) => {
                let client = self.clone();
                Ok(ClusterConnection { connection, blocked: None, client, runtime })
            }
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
        let ClusterConnection { connection, blocked, client, runtime } = connection;
        within(runtime, timeout, async {
            let connection = match blocked {
                _ if !blocks(command) => connection,
                Some(blocked) => blocked,
                None => blocked.insert(client.connect_async().await?),
            };
            command.query_async(connection).await
        })
    }

    /// The client replaces broken connections to nodes, and repeats commands.
    fn is_open(_: &mut ClusterConnection, _: Duration) -> bool {
        true
    }
}

/// Returns whether a command may block on the server: only the command with which workers wait
/// does.
fn blocks(command: &Cmd) -> bool {
    command.args_iter().next() == Some(Arg::Simple(b"XREAD"))
}

fn within<T>(
    runtime: &Runtime,
    timeout: Duration,
    future: impl Future<Output = RedisResult<T>>,
) -> Result<T, Failure> {
    let result = runtime.block_on(async { time::timeout(timeout, future).await });
    Ok(result.map_err(|_| Failure::Timeout)??)
}
