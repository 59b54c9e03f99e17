//! [`Error`]: why a call has no result.

use std::error;
use std::fmt;

use redis::{ErrorKind, RedisError, ServerErrorKind};
use zset_std::limit::ThrottleError;

use crate::script::is_reply;

/// Why a call has no result.
///
/// After a [`Timeout`](Error::Timeout), and after some connection errors, the server may have run
/// the call, or may run it later. So units may have been taken although the call failed: an error
/// towards denial.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// There was no reply before the deadline.
    Timeout,
    /// The connection failed, or the server replied with an error.
    Redis(RedisError),
    /// The limiter's [`Breaker`](crate::Breaker) did not send the call, since the latest calls
    /// failed.
    BreakerOpen,
    /// The reply is not one that this version of the script returns.
    UnexpectedReply,
    /// A given time is 2^52 microseconds (142 years) or more after its origin.
    TimeTooLate,
    /// The quota given with a call is not supported.
    Quota(UnsupportedQuota),
    /// The arguments of `throttle` are invalid.
    Throttle(ThrottleError),
    /// The sum of two scores is not a number; the member keeps its score.
    NanScore,
    /// A job with this id is already in the queue.
    DuplicateJob,
    /// The queue is full.
    QueueFull,
    /// The lease is no longer valid: the job was acknowledged, nacked, delivered again, rescheduled
    /// or removed.
    StaleLease,
}

impl Error {
    /// Returns whether the connection or the server failed, rather than the caller's arguments
    /// being invalid. **O(1)**.
    pub fn is_failure(&self) -> bool {
        use Error::{BreakerOpen, Redis, Timeout, UnexpectedReply};
        matches!(self, Timeout | Redis(_) | UnexpectedReply | BreakerOpen)
    }

    /// Returns whether the server is down or refuses all commands, so that the next call will
    /// probably fail too.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Error::Timeout => true,
            Error::Redis(error) => {
                let cluster_down = ErrorKind::Server(ServerErrorKind::ClusterDown);
                !is_reply(error) || error.kind() == cluster_down
            }
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Timeout => f.write_str("no reply before the deadline"),
            Error::Redis(error) => error.fmt(f),
            Error::BreakerOpen => f.write_str("not sent, since the latest calls have failed"),
            Error::UnexpectedReply => f.write_str("reply is not what the script returns"),
            Error::TimeTooLate => f.write_str("time is more than 142 years after its origin"),
            Error::Quota(error) => error.fmt(f),
            Error::Throttle(error) => error.fmt(f),
            Error::NanScore => f.write_str("sum of scores is not a number"),
            Error::DuplicateJob => f.write_str("a job with this id is already in the queue"),
            Error::QueueFull => f.write_str("the queue is full"),
            Error::StaleLease => f.write_str("the job is no longer held by this lease"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Redis(error) => Some(error),
            Error::Quota(error) => Some(error),
            Error::Throttle(error) => Some(error),
            _ => None,
        }
    }
}

impl From<RedisError> for Error {
    fn from(error: RedisError) -> Self {
        if error.is_timeout() { Error::Timeout } else { Error::Redis(error) }
    }
}

impl From<UnsupportedQuota> for Error {
    fn from(error: UnsupportedQuota) -> Self {
        Error::Quota(error)
    }
}

impl From<ThrottleError> for Error {
    fn from(error: ThrottleError) -> Self {
        Error::Throttle(error)
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
    /// [`SlidingWindow`](zset_std::SlidingWindow), one longer than its own; for a counter, any other
    /// than its own.
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
