//! [`Alarm`]: the timer of a future, kept between its polls.

use std::task::{Context, Poll, ready};

use super::{AsyncTimer, Sleep, Timestamp};

/// The time until which a future sleeps, and the timer for it.
#[derive(Default)]
pub(crate) struct Alarm(Option<(Timestamp, Sleep)>);

impl Alarm {
    /// Sleeps until time `at`; the last timestamp means until something else wakes the task. It may be
    /// ready early.
    pub(crate) fn poll(
        &mut self,
        clock: &impl AsyncTimer,
        at: Timestamp,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        if at == Timestamp::MAX {
            self.0 = None;
            return Poll::Pending;
        }
        let (_, timer) = match &mut self.0 {
            Some(sleep) if sleep.0 == at => sleep,
            sleep => sleep.insert((at, clock.sleep_until(at))),
        };
        ready!(timer.as_mut().poll(context));
        // A completed timer must not be polled again.
        self.0 = None;
        Poll::Ready(())
    }
}
