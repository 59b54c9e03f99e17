//! The waits of limiters and queues, which run step by step, on a thread or as a future.

#[cfg(feature = "async")]
use std::sync::{Mutex, PoisonError};
use std::task::Waker;
#[cfg(feature = "async")]
use std::task::{Context, Poll, ready};

#[cfg(feature = "async")]
use crate::clock::Sleep;
use crate::sync::waker_of_this_thread;
use crate::{Clock, Timestamp};

/// The outcome of one step of a wait.
pub(crate) enum Step<R> {
    Done(R),
    /// Step again at this time, or when the waker is called.
    WaitUntil(Timestamp),
}

/// Runs `step` on the current thread until it is done, parking in between. `step` receives a
/// function that makes the waker; making it may panic during thread shutdown.
pub(crate) fn block<R>(
    clock: &impl Clock,
    mut step: impl FnMut(&mut dyn FnMut() -> Waker) -> Step<R>,
) -> R {
    let mut waker = None;
    loop {
        match step(&mut || waker.get_or_insert_with(waker_of_this_thread).clone()) {
            Step::Done(result) => return result,
            Step::WaitUntil(at) => clock.park_until(at),
        }
    }
}

/// The time until which a future sleeps, and the timer for it.
#[derive(Default)]
pub(crate) struct Alarm {
    /// A timer is `Send` but not `Sync`. The mutex, which is never locked, makes the wait `Sync`,
    /// as it is without the `async` feature.
    #[cfg(feature = "async")]
    sleep: Mutex<Option<(Timestamp, Sleep)>>,
}

#[cfg(feature = "async")]
impl Alarm {
    /// Runs `step` in a task until it is done. The task sleeps in between.
    pub(crate) fn poll<R>(
        &mut self,
        clock: &impl Clock,
        context: &mut Context<'_>,
        mut step: impl FnMut(&mut dyn FnMut() -> Waker) -> Step<R>,
    ) -> Poll<R> {
        let sleep = self.sleep.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            let at = match step(&mut || context.waker().clone()) {
                Step::WaitUntil(at) => at,
                Step::Done(result) => {
                    *sleep = None;
                    return Poll::Ready(result);
                }
            };
            // No timer is needed: only the waker ends this wait.
            if at == Timestamp::MAX {
                *sleep = None;
                return Poll::Pending;
            }
            let (_, timer) = match &mut *sleep {
                Some(sleep) if sleep.0 == at => sleep,
                sleep => sleep.insert((at, clock.sleep_until(at))),
            };
            // The timer may complete early, so the loop continues. Drop the timer: once completed,
            // it must not be polled again.
            ready!(timer.as_mut().poll(context));
            *sleep = None;
        }
    }
}
