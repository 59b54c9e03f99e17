//! Waiting in steps, on a thread or as a future: what limiters and queues share.

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

/// Takes steps on the current thread, which parks in between. `step` receives a function that makes
/// the waker, which may panic during thread shutdown.
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
    /// Never locked. It makes the wait `Sync`, as it is without the feature; a timer is only `Send`.
    #[cfg(feature = "async")]
    sleep: Mutex<Option<(Timestamp, Sleep)>>,
}

#[cfg(feature = "async")]
impl Alarm {
    /// Takes steps in a task, which sleeps in between.
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
            // Until something else wakes the task.
            if at == Timestamp::MAX {
                *sleep = None;
                return Poll::Pending;
            }
            let (_, timer) = match &mut *sleep {
                Some(sleep) if sleep.0 == at => sleep,
                sleep => sleep.insert((at, clock.sleep_until(at))),
            };
            // It may complete early, and a completed timer must not be polled again.
            ready!(timer.as_mut().poll(context));
            *sleep = None;
        }
    }
}
