//! [`Place`]: one who waits for a job, on a thread or as a future.

use std::task::Waker;

use super::{Locked, SharedDelayQueue, WaitError};
use crate::{Clock, Timestamp};

/// A place in the line of a queue, which is left when this is dropped.
pub(super) struct Place<'a, T, I, C> {
    pub(super) queue: &'a SharedDelayQueue<T, I, C>,
    /// None while it is not in the line.
    ticket: Option<u64>,
}

/// What comes next for one who waits.
pub(super) enum Step<R> {
    Done(Result<R, WaitError>),
    /// To look again at this time, or when the waker is called.
    WaitUntil(Timestamp),
}

impl<'a, T, I, C> Place<'a, T, I, C> {
    pub(super) fn new(queue: &'a SharedDelayQueue<T, I, C>) -> Self {
        Place { queue, ticket: None }
    }
}

impl<T, I, C: Clock> Place<'_, T, I, C> {
    /// Takes something by `take` if a job is due, and lines up if not.
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
                // What is dropped with the lock may park, and take what is to wake this one from its
                // sleep: so that is another time.
                None if state.has_to_drop() => continue,
                None => {
                    let waker = waker();
                    let ticket = *self.ticket.get_or_insert_with(|| state.line.join());
                    let deadline = deadline.unwrap_or(Timestamp::MAX);
                    return Step::WaitUntil(state.sleep(ticket, deadline, waker));
                }
            };
            // In the same breath, so that the next one is woken once.
            if let Some(ticket) = self.ticket.take() {
                state.leave(ticket);
            }
            return Step::Done(result);
        }
    }
}

/// For a panic in a user's code while it waits, and for a future that is dropped. Whoever leaves the
/// head of the line has the next one woken, if there is something for it to do.
impl<T, I, C> Drop for Place<'_, T, I, C> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.queue.lock().leave(ticket);
        }
    }
}
