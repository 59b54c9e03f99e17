//! [`Pause`]: how long a worker has to wait, and the command that waits.
//!
//! Invariant: every worker that waits wakes no later than when the first job is due. Its last attempt
//! returned when that was. A job that becomes due before all others adds an entry to a stream, which
//! all waiting workers read. The worker reads from the latest entry of its last attempt, so none is
//! missed in between. No worker depends on another one, so one that dies, or a future that is dropped,
//! delays nothing.

use std::cmp::min;
use std::time::Duration;

use redis::{Cmd, Value};

use crate::Error;
use crate::operation::read;

/// How long a worker waits at most without another attempt: a wake-up is lost if a failover loses the
/// entry.
const LONGEST: Duration = Duration::from_secs(30);

/// What an attempt that finds no job knows.
#[derive(Debug)]
pub(crate) struct Pause {
    /// The time until the first job is due.
    until_due: Option<Duration>,
    /// The latest entry of the stream.
    latest: Vec<u8>,
}

impl Pause {
    pub(super) fn read(reply: Value) -> Result<Pause, Error> {
        let (now, due, latest) = read::<(u64, Option<u64>, Vec<u8>)>(reply)?;
        let until_due = due.map(|due| Duration::from_micros(due.saturating_sub(now)));
        Ok(Pause { until_due, latest })
    }

    /// Returns the command that waits until the first job is due, an earlier one is added, or `left`
    /// has passed, and how long that takes at most.
    pub(crate) fn command(&self, stream: &[u8], left: Duration) -> (Cmd, Duration) {
        let longest = min(self.until_due.unwrap_or(LONGEST), min(left, LONGEST));
        // A block of 0 would last for ever.
        let millis = longest.as_nanos().div_ceil(1_000_000).max(1);
        let millis = u64::try_from(millis).unwrap_or(u64::MAX);
        let mut command = redis::cmd("XREAD");
        command.arg("BLOCK").arg(millis).arg("STREAMS").arg(stream).arg(&self.latest);
        (command, Duration::from_millis(millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_when_the_first_job_is_due_or_no_time_is_left() {
        let pause = |until_due| Pause { until_due, latest: b"0-0".into() };
        let block = |pause: &Pause, left| pause.command(b"queue:{a}:wake", left).1;
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        assert_eq!(block(&pause(Some(second)), minute), second);
        assert_eq!(block(&pause(Some(minute)), second), second);
        assert_eq!(block(&pause(None), minute), LONGEST);
        // Rounded up, and never 0.
        let micro = Duration::from_micros(1);
        assert_eq!(block(&pause(Some(second + micro)), minute), Duration::from_millis(1001));
        assert_eq!(block(&pause(Some(Duration::ZERO)), minute), Duration::from_millis(1));
    }
}
