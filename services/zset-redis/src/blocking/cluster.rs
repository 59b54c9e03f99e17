//! Connections to a cluster.
//!
//! A cluster client follows redirections, connects to other nodes and repeats commands. Each of
//! these steps has its own timeout, and the client waits before it repeats a command, by default
//! for longer than the default deadline of a call. The blocking client would continue after the
//! deadline, and could still take units. So this module uses the asynchronous client, which stops
//! when the call ends.
//!
//! The client also repeats a command if no reply arrives within the response timeout. A worker that
//! waits for a job would exceed that timeout, so it waits over a separate connection, whose timeout
//! is longer.

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
    // Fields are dropped in order: the connections must be dropped before the runtime.
    connection: cluster_async::ClusterConnection,
    /// The connection for blocking commands, opened by the first of them.
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
                // A DNS look-up may still be running, and dropping the runtime would wait for it.
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

    /// Always true: the client replaces broken connections to nodes, and repeats commands.
    fn is_open(_: &mut ClusterConnection, _: Duration) -> bool {
        true
    }
}

/// Returns whether a command may block on the server. Only `XREAD` does: workers use it to wait for
/// jobs.
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
