//! Times of the caller, in the microseconds of the scripts.

use std::time::Duration;

use zset_std::Timestamp;

use crate::Error;

/// The latest time, and the longest duration, of which sums are exact in a script: 142 years.
const MOST: u64 = (1 << 52) - 1;

const NANOS_PER_MICRO: u64 = 1000;

/// When a job is due.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    At(Timestamp),
    /// From the time of the call.
    After(Duration),
}

/// Returns the time of a call, rounded down.
pub(super) fn now(at: Timestamp) -> Result<u64, Error> {
    checked(at.as_nanos() / NANOS_PER_MICRO)
}

/// Returns when a job is due, rounded up, so it is never early.
pub(super) fn due(at: Timestamp) -> Result<u64, Error> {
    checked(at.as_nanos().div_ceil(NANOS_PER_MICRO))
}

fn checked(micros: u64) -> Result<u64, Error> {
    if micros > MOST { Err(Error::TimeTooLate) } else { Ok(micros) }
}

/// Returns a duration, rounded up; the longest ones are 142 years.
pub(super) fn micros(duration: Duration) -> u64 {
    let micros = duration.as_nanos().div_ceil(NANOS_PER_MICRO.into());
    u64::try_from(micros).unwrap_or(u64::MAX).min(MOST)
}

/// Returns a time that a script has returned.
pub(super) fn timestamp(micros: u64) -> Timestamp {
    Timestamp::from_nanos(micros.saturating_mul(NANOS_PER_MICRO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_so_that_no_job_is_early() {
        let at = Timestamp::from_nanos(1_500);
        assert_eq!((now(at).unwrap(), due(at).unwrap()), (1, 2));
        assert_eq!(micros(Duration::from_nanos(1)), 1);
        assert_eq!(micros(Duration::MAX), MOST);
        assert!(matches!(due(Timestamp::from_nanos(MOST * 1000 + 1)), Err(Error::TimeTooLate)));
        assert_eq!(due(timestamp(MOST)).unwrap(), MOST);
    }
}
