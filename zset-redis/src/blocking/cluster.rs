//! Connections to a cluster, each with a thread of its own.
//!
//! The client of a cluster follows redirections, connects to other nodes and repeats commands, each with
//! a timeout of its own, so a call may take many times as long as any of them. The caller waits for the
//! thread until the deadline. A thread whose caller no longer waits ends after its command.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use redis::cluster::{ClusterClient, ClusterConnection};
use redis::{Cmd, ErrorKind, RedisError, RedisResult, Value};

use super::Connect;
use crate::Error;

/// A connection to a cluster and the thread that uses it.
#[derive(Debug)]
pub struct ClusterWorker {
    commands: SyncSender<(Cmd, Duration)>,
    replies: Receiver<RedisResult<Value>>,
}

impl ClusterWorker {
    fn receive(&self, timeout: Duration) -> Result<Value, Error> {
        match self.replies.recv_timeout(timeout) {
            Ok(reply) => Ok(reply?),
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
        let run = move || match client.get_connection() {
            Ok(connection) => {
                let _ = sent.send(Ok(Value::Okay));
                run_commands(connection, &received, &sent);
            }
            Err(error) => {
                let _ = sent.send(Err(error));
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
    mut connection: ClusterConnection,
    commands: &Receiver<(Cmd, Duration)>,
    replies: &SyncSender<RedisResult<Value>>,
) {
    for (command, timeout) in commands {
        let reply = connection
            .set_read_timeout(Some(timeout))
            .and_then(|()| connection.set_write_timeout(Some(timeout)))
            .and_then(|()| command.query(&mut connection));
        if replies.send(reply).is_err() {
            break;
        }
    }
}

/// The error of a thread that has panicked.
fn has_ended() -> Error {
    Error::Redis((ErrorKind::Client, "thread of the connection has ended").into())
}
