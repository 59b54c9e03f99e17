//! [`Lease`], [`DeadLetter`] and [`Stats`]: what a queue returns.

use redis::Value;
use zset_std::Timestamp;
use zset_std::shared_delay_queue::Nacked;

use super::time::timestamp;
use super::wake::Pause;
use crate::Error;
use crate::operation::read;

/// A job that was taken out of a queue.
pub type Job = zset_std::Job<Vec<u8>, Vec<u8>>;

/// A leased job, to be acknowledged when done.
///
/// At the end of its lease, the job is due again, for any worker. The lease stays valid until a worker
/// takes the job, so a late worker may still acknowledge it. After that the lease is stale: it can no
/// longer acknowledge, nack or extend. At most one lease of a job is valid at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a job that is not acknowledged is delivered again"]
#[non_exhaustive]
pub struct Lease {
    /// The id of the job.
    pub id: Vec<u8>,
    /// The payload.
    pub payload: Vec<u8>,
    /// The number of deliveries of the job, including this one.
    pub deliveries: u32,
    /// The end of the lease, unless it is extended.
    pub until: Timestamp,
    /// Identifies this lease among all leases.
    pub(super) receipt: Vec<u8>,
}

/// A job that reached its maximum number of deliveries without being acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadLetter {
    /// The id of the job.
    pub id: Vec<u8>,
    /// The payload.
    pub payload: Vec<u8>,
    /// The number of deliveries.
    pub deliveries: u32,
    /// When the last delivery was nacked or its lease ended.
    pub since: Timestamp,
}

/// The lengths and counts of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The number of jobs, whether due or not, on lease or not, and of lost ones that were not
    /// dropped yet.
    pub len: u64,
    /// The number of jobs on lease. An expired lease counts until a worker takes the job.
    pub leased: u64,
    /// The number of dead letters.
    pub dead_letters: u64,
    /// The number of jobs that have been pushed, or requeued from the dead letters.
    pub pushed: u64,
    /// The number of leases.
    pub delivered: u64,
    /// The number of jobs that have been acknowledged.
    pub acknowledged: u64,
    /// The number of dead letters that were dropped because of their bound, or replaced by a later one
    /// with the same id.
    pub dropped_dead_letters: u64,
    /// The number of jobs and dead letters that were dropped since the server had only a part of
    /// them: one of the queue's keys, or an entry of it, was deleted or evicted.
    pub lost_jobs: u64,
    /// When the first job is due, or its lease ends.
    pub next_due: Option<Timestamp>,
    /// The server's time.
    pub now: Timestamp,
}

/// The outcome of one attempt to take a job.
pub(crate) enum Attempt<T> {
    Taken(T),
    /// No job is due.
    Nothing(Pause),
    /// The attempt has made as many dead letters, and dropped as many lost jobs, as one call may.
    Again,
}

/// Reads the reply of an attempt whose job `take` reads.
pub(super) fn read_attempt<T>(
    reply: Value,
    take: impl FnOnce(Value) -> Result<T, Error>,
) -> Result<Attempt<T>, Error> {
    let Value::Array(mut parts) = reply else { return Ok(Attempt::Again) };
    match parts.len() {
        1 => Ok(Attempt::Taken(take(parts.remove(0))?)),
        _ => Ok(Attempt::Nothing(Pause::read(Value::Array(parts))?)),
    }
}

impl Lease {
    pub(super) fn read(reply: Value) -> Result<Lease, Error> {
        let (id, payload, deliveries, until, receipt) =
            read::<(Vec<u8>, Vec<u8>, u32, u64, Vec<u8>)>(reply)?;
        Ok(Lease { id, payload, deliveries, until: timestamp(until), receipt })
    }
}

pub(super) fn read_job(reply: Value) -> Result<Job, Error> {
    let (id, due, payload) = read::<(Vec<u8>, u64, Vec<u8>)>(reply)?;
    Ok(Job { id, due: timestamp(due), payload })
}

pub(super) fn read_dead_letters(reply: Value) -> Result<Vec<DeadLetter>, Error> {
    let letters = read::<Vec<Value>>(reply)?.into_iter().map(|letter| {
        let (id, payload, deliveries, since) = read::<(Vec<u8>, Vec<u8>, u32, u64)>(letter)?;
        Ok(DeadLetter { id, payload, deliveries, since: timestamp(since) })
    });
    letters.collect()
}

pub(super) fn read_nacked(reply: Value) -> Result<Nacked, Error> {
    match reply {
        Value::Int(due) => {
            let due = u64::try_from(due).map_err(|_| Error::UnexpectedReply)?;
            Ok(Nacked::Requeued { due: timestamp(due) })
        }
        Value::BulkString(outcome) if outcome == b"dead" => Ok(Nacked::Dead),
        Value::BulkString(outcome) if outcome == b"stale" => Err(Error::StaleLease),
        _ => Err(Error::UnexpectedReply),
    }
}

/// Returns the error of a job that was not added.
pub(super) fn refused(reply: &Value) -> Result<(), Error> {
    match reply {
        Value::BulkString(reason) if reason == b"duplicate" => Err(Error::DuplicateJob),
        Value::BulkString(reason) if reason == b"full" => Err(Error::QueueFull),
        _ => Ok(()),
    }
}

/// Pushed, delivered, acknowledged, dropped, lost.
type Counts = (u64, u64, u64, u64, u64);

impl Stats {
    pub(super) fn read(reply: Value) -> Result<Stats, Error> {
        let (len, leased, dead_letters, counts, next_due, now) =
            read::<(u64, u64, u64, Counts, Option<u64>, u64)>(reply)?;
        let (pushed, delivered, acknowledged, dropped_dead_letters, lost_jobs) = counts;
        Ok(Stats {
            len,
            leased,
            dead_letters,
            pushed,
            delivered,
            acknowledged,
            dropped_dead_letters,
            lost_jobs,
            next_due: next_due.map(timestamp),
            now: timestamp(now),
        })
    }
}
