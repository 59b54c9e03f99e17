//! [`Ready`]: the wait as a future.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::private::Waitable;
use super::{NotReady, Step, UntilReady, Waiting};
use crate::clock::Alarm;

/// The future of an [`UntilReady`].
///
/// It can be polled in any runtime. Dropping it leaves the line.
#[must_use = "a future does nothing until it is polled"]
pub struct Ready<'a, L: Waitable<Q>, Q: ?Sized> {
    waiting: Waiting<'a, L, Q>,
    alarm: Alarm,
}

impl<'a, L: Waitable<Q>, Q: ?Sized> IntoFuture for UntilReady<'a, L, Q> {
    type Output = Result<(), NotReady>;
    type IntoFuture = Ready<'a, L, Q>;

    fn into_future(self) -> Ready<'a, L, Q> {
        Ready { waiting: Waiting::new(self), alarm: Alarm::default() }
    }
}

impl<L: Waitable<Q>, Q: ?Sized> Future for Ready<'_, L, Q> {
    type Output = Result<(), NotReady>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Ready { waiting, alarm } = &mut *self;
        if waiting.place.is_none() {
            if let Some(result) = waiting.at_once() {
                return Poll::Ready(result);
            }
        }
        loop {
            match waiting.step(context.waker()) {
                Step::Done(result) => {
                    waiting.place = None;
                    return Poll::Ready(result);
                }
                // Without a deadline, only the waiter ahead wakes this one.
                Step::WaitUntil(at) => {
                    ready!(alarm.poll(waiting.asked.limiter.clock(), at, context));
                }
            }
        }
    }
}

impl<L: Waitable<Q> + fmt::Debug, Q: fmt::Debug + ?Sized> fmt::Debug for Ready<'_, L, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ready").field(&self.waiting.asked).finish()
    }
}
