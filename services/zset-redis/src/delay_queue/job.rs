//! The types that a queue returns, such as [`Lease`], and functions that convert times to and from
//! the microseconds of the scripts.

use std::time::Duration;

use redis::Value;
use zset_std::Timestamp;
use zset_std::shared_delay_queue::Nacked;

use crate::operation::read;
use crate::script::{MOST, NANOS_PER_MICRO};
use crate::{DelayQueueError, Failure};

/// A job that was taken from a queue.
pub type Job = zset_std::Job<Vec<u8>, Vec<u8>>;

/// A leased job, which must be acknowledged when it is done.
///
/// At the end of its lease, the job is due again, for any worker. The lease stays valid until a
/// worker takes the job, so a late worker may still acknowledge it. After that it is stale: it can
/// no longer be acknowledged, nacked or renewed. At most one lease of a job is valid at any time.
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
    /// The end of the lease, unless it is renewed.
    pub until: Timestamp,
    /// Identifies this lease on the server; unique among all leases.
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
    /// The number of jobs, due or not, leased or not. It includes lost jobs that have not been
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
    /// The number of dead letters dropped because of the bound, or replaced by a later one with the
    /// same id.
    pub dropped_dead_letters: u64,
    /// The number of jobs and dead letters dropped because a part of them was missing on the
    /// server: one of the queue's keys, or an entry of one, was deleted or evicted.
    pub lost_jobs: u64,
    /// The due time of the first job, or the end of its lease.
    pub next_due: Option<Timestamp>,
    /// The server's time.
    pub now: Timestamp,
}

impl Lease {
    pub(super) fn read(reply: Value) -> Result<Lease, DelayQueueError> {
        let (id, payload, deliveries, until, receipt) =
            read::<(Vec<u8>, Vec<u8>, u32, u64, Vec<u8>)>(reply)?;
        Ok(Lease { id, payload, deliveries, until: timestamp(until), receipt })
    }
}

pub(super) fn read_job(reply: Value) -> Result<Job, DelayQueueError> {
    let (id, due, payload) = read::<(Vec<u8>, u64, Vec<u8>)>(reply)?;
    Ok(Job { id, due: timestamp(due), payload })
}

pub(super) fn read_dead_letters(reply: Value) -> Result<Vec<DeadLetter>, DelayQueueError> {
    let letters = read::<Vec<Value>>(reply)?.into_iter().map(|letter| {
        let (id, payload, deliveries, since) = read::<(Vec<u8>, Vec<u8>, u32, u64)>(letter)?;
        Ok(DeadLetter { id, payload, deliveries, since: timestamp(since) })
    });
    letters.collect()
}

pub(super) fn read_nacked(reply: Value) -> Result<Nacked, DelayQueueError> {
    match reply {
        Value::Int(due) => {
            let due = u64::try_from(due).map_err(|_| Failure::UnexpectedReply)?;
            Ok(Nacked::Requeued { due: timestamp(due) })
        }
        Value::BulkString(outcome) if outcome == b"dead" => Ok(Nacked::Dead),
        Value::BulkString(outcome) if outcome == b"stale" => Err(DelayQueueError::StaleLease),
        _ => Err(Failure::UnexpectedReply.into()),
    }
}

/// Returns the error if the server did not add a job.
pub(super) fn refused(reply: &Value) -> Result<(), DelayQueueError> {
    match reply {
        Value::BulkString(reason) if reason == b"duplicate" => Err(DelayQueueError::DuplicateJob),
        Value::BulkString(reason) if reason == b"full" => Err(DelayQueueError::QueueFull),
        _ => Ok(()),
    }
}

/// The numbers of jobs pushed, delivered and acknowledged, of dropped dead letters, and of lost
/// jobs.
type Counts = (u64, u64, u64, u64, u64);

impl Stats {
    pub(super) fn read(reply: Value) -> Result<Stats, DelayQueueError> {
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

/// Returns the time of a call in microseconds, rounded down.
pub(super) fn rounded_down(at: Timestamp) -> Result<u64, DelayQueueError> {
    checked(at.as_nanos() / NANOS_PER_MICRO)
}

/// Returns the due time of a job in microseconds, rounded up, so no job is delivered early.
pub(super) fn rounded_up(at: Timestamp) -> Result<u64, DelayQueueError> {
    checked(at.as_nanos().div_ceil(NANOS_PER_MICRO))
}

fn checked(micros: u64) -> Result<u64, DelayQueueError> {
    if micros > MOST { Err(DelayQueueError::TimeTooLate) } else { Ok(micros) }
}

/// Returns a duration in microseconds, rounded up, at most 142 years.
pub(super) fn micros(duration: Duration) -> u64 {
    let micros = duration.as_nanos().div_ceil(NANOS_PER_MICRO.into());
    u64::try_from(micros).unwrap_or(u64::MAX).min(MOST)
}

/// Converts a time in microseconds, as scripts return it.
pub(super) fn timestamp(micros: u64) -> Timestamp {
    Timestamp::from_nanos(micros.saturating_mul(NANOS_PER_MICRO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_so_that_no_job_is_early() {
        let at = Timestamp::from_nanos(1_500);
        assert_eq!((rounded_down(at).unwrap(), rounded_up(at).unwrap()), (1, 2));
        assert_eq!(micros(Duration::from_nanos(1)), 1);
        assert_eq!(micros(Duration::MAX), MOST);
        assert!(matches!(
            rounded_up(Timestamp::from_nanos(MOST * 1000 + 1)),
            Err(DelayQueueError::TimeTooLate)
        ));
        assert_eq!(rounded_up(timestamp(MOST)).unwrap(), MOST);
    }
}
