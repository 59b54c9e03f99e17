//! Connections to a cluster, each with a thread of its own.
//!
//! The client of a cluster follows redirections, connects to other nodes and repeats commands, each with a
//! timeout of its own, and waits before repeating, by default longer than a call may take. The blocking one
//! would go on after the deadline and take the units then, so the thread uses the asynchronous one, which
//! ends with the call.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use redis::cluster::ClusterClient;
use redis::{Cmd, RedisError, RedisResult, Value};
use tokio::runtime::{Builder, Runtime};
use tokio::time;

use super::Connect;
use super::connect::has_ended;
use crate::Error;

/// A connection to a cluster and the thread that uses it.
#[derive(Debug)]
pub struct ClusterWorker {
    commands: SyncSender<(Cmd, Duration)>,
    replies: Receiver<Result<Value, Error>>,
}

impl ClusterWorker {
    fn receive(&self, timeout: Duration) -> Result<Value, Error> {
        match self.replies.recv_timeout(timeout) {
            Ok(reply) => reply,
            Err(RecvTimeoutError::Timeout) => Err(Error::Timeout),
            Err(RecvTimeoutError::Disconnected) => Err(has_ended()),
        }
    }
}

impl Connect for ClusterClient {
    type Connection = ClusterWorker;

    fn connect(&self, timeout: Duration) -> Result<ClusterWorker, Error> {
        // One command at a time, so sending never blocks.
        let (commands, received) = sync_channel(1);
        let (sent, replies) = sync_channel(1);
        let client = self.clone();
        let run = move || match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => {
                run_commands(&runtime, &client, timeout, &received, &sent);
                // The look-up of an address may still run.
                runtime.shutdown_background();
            }
            Err(error) => {
                let _ = sent.send(Err(RedisError::from(error).into()));
            }
        };
        let thread = thread::Builder::new().name("zset-redis cluster".to_owned()).spawn(run);
        thread.map_err(RedisError::from)?;
        let worker = ClusterWorker { commands, replies };
        worker.receive(timeout)?;
        Ok(worker)
    }

    fn query(worker: &mut ClusterWorker, command: Cmd, timeout: Duration) -> Result<Value, Error> {
        worker.commands.send((command, timeout)).map_err(|_| has_ended())?;
        worker.receive(timeout)
    }

    fn is_open(_: &ClusterWorker) -> bool {
        true
    }
}

fn run_commands(
    runtime: &Runtime,
    client: &ClusterClient,
    connect_timeout: Duration,
    commands: &Receiver<(Cmd, Duration)>,
    replies: &SyncSender<Result<Value, Error>>,
) {
    let mut connection = match within(runtime, connect_timeout, client.get_async_connection()) {
        Ok(connection) => connection,
        Err(error) => {
            let _ = replies.send(Err(error));
            return;
        }
    };
    let mut reply = Ok(Value::Okay);
    while replies.send(reply).is_ok() {
        let Ok((command, timeout)) = commands.recv() else { break };
        reply = within(runtime, timeout, command.query_async(&mut connection));
    }
}

fn within<T>(
    runtime: &Runtime,
    timeout: Duration,
    future: impl Future<Output = RedisResult<T>>,
) -> Result<T, Error> {
    let result = runtime.block_on(async { time::timeout(timeout, future).await });
    Ok(result.map_err(|_| Error::Timeout)??)
}
