//! [`Place`]: a waiter, whether a thread or a future.

use std::task::Waker;

use super::{Locked, SharedDelayQueue, WaitError};
use crate::{Clock, Timestamp};

/// A place in the line of a queue; dropping it leaves the line.
pub(super) struct Place<'a, T, I, C> {
    pub(super) queue: &'a SharedDelayQueue<T, I, C>,
    /// `None` while not in the line.
    ticket: Option<u64>,
}

/// The outcome of one step of waiting.
pub(super) enum Step<R> {
    Done(Result<R, WaitError>),
    /// Step again at this time, or when the waker is called.
    WaitUntil(Timestamp),
}

impl<'a, T, I, C> Place<'a, T, I, C> {
    pub(super) fn new(queue: &'a SharedDelayQueue<T, I, C>) -> Self {
        Place { queue, ticket: None }
    }
}

impl<T, I, C: Clock> Place<'_, T, I, C> {
    /// Calls `take`; joins the line if that returns nothing.
    pub(super) fn step<R>(
        &mut self,
        deadline: Option<Timestamp>,
        take: impl Fn(&mut Locked<'_, T, I>, Timestamp) -> Option<R>,
        waker: impl FnOnce() -> Waker,
    ) -> Step<R> {
        loop {
            let now = self.queue.clock.now();
            let mut state = self.queue.lock();
            let taken = if state.is_closed { None } else { take(&mut state, now) };
            let result = match taken {
                Some(taken) => Ok(taken),
                None if state.is_closed => Err(WaitError::Closed),
                None if deadline.is_some_and(|deadline| deadline <= now) => {
                    Err(WaitError::TimedOut)
                }
                // Releasing the lock drops payloads, whose destructors may park this thread and so
                // consume a wake-up meant for this waiter. Retry without going to sleep.
                None if state.has_to_drop() => continue,
                None => {
                    let waker = waker();
                    let ticket = *self.ticket.get_or_insert_with(|| state.line.join());
                    let deadline = deadline.unwrap_or(Timestamp::MAX);
                    return Step::WaitUntil(state.sleep(ticket, deadline, waker));
                }
            };
            // Leave under the same lock, so that the next waiter is woken only once.
            if let Some(ticket) = self.ticket.take() {
                state.leave(ticket);
            }
            return Step::Done(result);
        }
    }
}

/// Handles panics in user code while waiting, and futures dropped early. When the first of the line
/// leaves, the next is woken if it has something to do.
impl<T, I, C> Drop for Place<'_, T, I, C> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.queue.lock().leave(ticket);
        }
    }
}
