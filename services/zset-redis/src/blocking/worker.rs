//! [`Worker`]: a connection, and the thread that uses it.
//!
//! The blocking clients of `redis` apply a timeout to each read and write, not to a whole call. So
//! a reply that arrives byte by byte could block a call far beyond its deadline. The same holds for
//! opening a connection, which needs several reads and writes. Therefore, a separate thread waits
//! for the server, and the caller waits for that thread until its own deadline. If the caller has
//! given up, the thread drops the connection once the client returns.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use redis::{Cmd, ErrorKind, RedisError, Value};

use super::Connect;
use crate::Failure;
use crate::error::{is_refusal, is_reply};

/// No server closes an idle connection earlier than this: their timeouts are whole seconds.
const SURELY_OPEN: Duration = Duration::from_secs(1);

/// Returns the time until a deadline, or [`Failure::Timeout`] if none is left.
pub(super) fn left(deadline: Instant) -> Result<Duration, Failure> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Failure::Timeout) } else { Ok(left) }
}

/// A command and its deadline.
struct Job {
    command: Cmd,
    deadline: Instant,
}

/// A connection, and the thread that uses it.
pub(super) struct Worker {
    jobs: SyncSender<Job>,
    replies: Receiver<Result<Value, Failure>>,
}

impl Worker {
    /// Starts the thread. It opens the connection for its first job, closes it after `max_idle`
    /// without a job, and drops `permit` when it ends.
    pub(super) fn start<M: Connect>(
        client: Arc<M>,
        max_idle: Duration,
        permit: impl Send + 'static,
    ) -> Result<Worker, Failure> {
        // A worker has at most one job at a time, so sending never blocks.
        let (jobs, received) = sync_channel(1);
        let (sent, replies) = sync_channel(1);
        let run = move || {
            work(&*client, max_idle, &received, &sent);
            drop(permit);
        };
        let thread = thread::Builder::new().name("zset-redis".to_owned()).spawn(run);
        thread.map_err(RedisError::from)?;
        Ok(Worker { jobs, replies })
    }

    /// Sends a command to the thread, and returns its reply before the deadline.
    pub(super) fn query(&self, command: Cmd, deadline: Instant) -> Result<Value, Failure> {
        let ended =
            || Failure::Redis((ErrorKind::Client, "thread of the connection has ended").into());
        self.jobs.send(Job { command, deadline }).map_err(|_| ended())?;
        self.replies.recv_timeout(left(deadline)?).unwrap_or_else(|error| {
            Err(match error {
                RecvTimeoutError::Timeout => Failure::Timeout,
                RecvTimeoutError::Disconnected => ended(),
            })
        })
    }
}

fn work<M: Connect>(
    client: &M,
    max_idle: Duration,
    jobs: &Receiver<Job>,
    replies: &SyncSender<Result<Value, Failure>>,
) {
    let mut connection = None;
    let mut last_reply = Instant::now();
    loop {
        let job = match jobs.recv_timeout(max_idle) {
            Err(RecvTimeoutError::Timeout) => {
                connection = None;
                jobs.recv().ok()
            }
            job => job.ok(),
        };
        let Some(job) = job else { break };
        let reply = run(client, &mut connection, last_reply.elapsed(), &job);
        last_reply = Instant::now();
        if replies.send(reply).is_err() {
            break;
        }
    }
}

/// Runs a job over the kept connection. If there is none, or if its server refused to run the
/// command, opens a new one. A connection that fails is closed.
fn run<M: Connect>(
    client: &M,
    kept: &mut Option<M::Connection>,
    idle: Duration,
    Job { command, deadline }: &Job,
) -> Result<Value, Failure> {
    let time = left(*deadline)?;
    let is_open = |connection: &mut _| idle < SURELY_OPEN || M::is_open(connection, time);
    kept.take_if(|connection| !is_open(connection));
    if let Some(mut connection) = kept.take() {
        let reply = M::query(&mut connection, command, left(*deadline)?);
        if !matches!(&reply, Err(Failure::Redis(error)) if is_refusal(error)) {
            *kept = Some(connection).filter(|_| is_in_order(&reply));
            return reply;
        }
    }
    let mut connection = client.connect(left(*deadline)?)?;
    let reply = M::query(&mut connection, command, left(*deadline)?);
    *kept = Some(connection).filter(|_| is_in_order(&reply));
    reply
}

/// Returns whether the connection can be reused. After a timeout, the late reply would be taken for
/// the reply to the next command.
pub(super) fn is_in_order(reply: &Result<Value, Failure>) -> bool {
    match reply {
        Err(Failure::Redis(error)) => is_reply(error),
        reply => reply.is_ok(),
    }
}
