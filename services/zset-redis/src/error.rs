//! The errors of limiters, boards and queues, including a [`Failure`] of the server, and functions
//! that classify the client's errors.

use std::error;
use std::fmt;

use redis::{ErrorKind, RedisError, ServerErrorKind};
use zset_std::limit::ThrottleError;

/// A failure of the server or of the connection to it.
///
/// After a [`Timeout`](Failure::Timeout), and after some connection errors, the server may have run
/// the call, or may run it later. So units may have been taken although the call failed, which errs
/// on the side of denying.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Failure {
    /// There was no reply before the deadline, or within the connection's own timeout.
    Timeout,
    /// The connection failed, or the server replied with an error.
    Redis(RedisError),
    /// The limiter's [`Breaker`](crate::Breaker) did not send the call, since the latest calls
    /// failed. Boards and queues have no breaker.
    BreakerOpen,
    /// The reply is not one that this version of the script returns.
    UnexpectedReply,
}

impl Failure {
    /// Returns whether the server is down or refuses all commands, so that the next call will
    /// probably fail too.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Failure::Timeout => true,
            Failure::Redis(error) => {
                let cluster_down = ErrorKind::Server(ServerErrorKind::ClusterDown);
                !is_reply(error) || error.kind() == cluster_down
            }
            _ => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Timeout => f.write_str("no reply before the deadline"),
            Failure::Redis(error) => error.fmt(f),
            Failure::BreakerOpen => f.write_str("not sent, since the latest calls have failed"),
            Failure::UnexpectedReply => f.write_str("reply is not what the script returns"),
        }
    }
}

impl error::Error for Failure {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Failure::Redis(error) => Some(error),
            _ => None,
        }
    }
}

impl From<RedisError> for Failure {
    fn from(error: RedisError) -> Self {
        if error.is_timeout() { Failure::Timeout } else { Failure::Redis(error) }
    }
}

/// Returns whether an error is an unreadable reply, after which the connection is broken.
#[cfg(feature = "tokio")]
pub(crate) fn is_unreadable(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Parse
}

/// Returns the error of an unreadable reply.
#[cfg(feature = "tokio")]
pub(crate) fn unreadable() -> RedisError {
    (ErrorKind::Parse, "unreadable reply").into()
}

/// Returns whether the server does not know the script, e.g. since it has restarted, its scripts
/// were flushed, or it has become the primary.
pub(crate) fn is_unknown(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// Returns whether an error means that the server refuses all commands: it has become a replica, or
/// has not loaded its data yet. A new connection may reach the primary.
pub(crate) fn is_refusal(error: &RedisError) -> bool {
    use ServerErrorKind::{BusyLoading, MasterDown, ReadOnly};
    matches!(error.kind(), ErrorKind::Server(BusyLoading | MasterDown | ReadOnly))
}

/// Returns whether an error is the reply of a server that can be used again over the same
/// connection.
pub(crate) fn is_reply(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension) && !is_refusal(error)
}

/// Implements the traits of an error with the variant `Failure`, given the messages of the other
/// variants.
macro_rules! error {
    ($Error:ident: $($variant:pat => $message:expr),* $(,)?) => {
        impl fmt::Display for $Error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $Error::Failure(failure) => failure.fmt(f),
                    $($variant => fmt::Display::fmt($message, f),)*
                }
            }
        }

        impl error::Error for $Error {
            fn source(&self) -> Option<&(dyn error::Error + 'static)> {
                match self {
                    $Error::Failure(failure) => failure.source(),
                    _ => None,
                }
            }
        }

        impl From<Failure> for $Error {
            fn from(failure: Failure) -> Self {
                $Error::Failure(failure)
            }
        }
    };
}

/// Why a call of a limiter has no result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LimiterError {
    /// The server failed, and [`OnFailure`](crate::OnFailure) did not decide in its place.
    Failure(Failure),
    /// The given time is 2^52 microseconds (142 years) or more after its origin.
    TimeTooLate,
    /// The quota given with the call is not supported.
    Quota(UnsupportedQuota),
    /// The arguments of `throttle` are invalid.
    Throttle(ThrottleError),
}

error! {
    LimiterError:
    LimiterError::TimeTooLate => TIME_TOO_LATE,
    LimiterError::Quota(error) => error,
    LimiterError::Throttle(error) => error,
}

/// Why a call of a board has no result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LeaderboardError {
    /// The server failed.
    Failure(Failure),
    /// The sum of two scores is not a number; the member keeps its score.
    NanScore,
}

error! {
    LeaderboardError:
    LeaderboardError::NanScore => "sum of scores is not a number",
}

/// Why a call of a queue has no result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DelayQueueError {
    /// The server failed.
    Failure(Failure),
    /// The given time is 2^52 microseconds (142 years) or more after its origin.
    TimeTooLate,
    /// A job with this id is already in the queue.
    DuplicateJob,
    /// The queue is full.
    QueueFull,
    /// The lease is no longer valid: the job was acknowledged, nacked, delivered again, rescheduled
    /// or removed.
    StaleLease,
    /// No job was due within the timeout of a wait.
    TimedOut,
}

error! {
    DelayQueueError:
    DelayQueueError::TimeTooLate => TIME_TOO_LATE,
    DelayQueueError::DuplicateJob => "a job with this id is already in the queue",
    DelayQueueError::QueueFull => "the queue is full",
    DelayQueueError::StaleLease => "the job is no longer held by this lease",
    DelayQueueError::TimedOut => "no job was due within the timeout",
}

const TIME_TOO_LATE: &str = "time is more than 142 years after its origin";

impl From<UnsupportedQuota> for LimiterError {
    fn from(error: UnsupportedQuota) -> Self {
        LimiterError::Quota(error)
    }
}

impl From<ThrottleError> for LimiterError {
    fn from(error: ThrottleError) -> Self {
        LimiterError::Throttle(error)
    }
}

/// Why a limiter cannot be exact for a quota.
///
/// Scripts count time in microseconds, and compute with numbers that are exact up to 2^53.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsupportedQuota {
    /// The period is not a whole number of microseconds.
    PeriodTooFine,
    /// The period, or the time that a full funnel takes to leak out, is 2^51 microseconds (71
    /// years) or more.
    PeriodTooLong,
    /// The limiter keeps no history for the period of a quota given with a call: for a
    /// [`SlidingWindow`](zset_std::SlidingWindow), one longer than its own; for a counter, any
    /// other than its own.
    OtherPeriod,
    /// There are no limits.
    NoLimit,
    /// There is no script for the variant of an [`AnyLimiter`](zset_std::AnyLimiter).
    NoScript,
}

impl fmt::Display for UnsupportedQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnsupportedQuota::PeriodTooFine => "period is not a whole number of microseconds",
            UnsupportedQuota::PeriodTooLong => "quota takes more than 71 years to recover",
            UnsupportedQuota::OtherPeriod => "limiter keeps no history for the period of the call",
            UnsupportedQuota::NoLimit => "limits are empty",
            UnsupportedQuota::NoScript => "algorithm has no script",
        })
    }
}

impl error::Error for UnsupportedQuota {}
