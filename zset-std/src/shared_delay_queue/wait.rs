//! Waiting for a job.

use std::error::Error;
use std::fmt;
use std::hash::Hash;
use std::task::Waker;
use std::time::Duration;

use super::{Lease, Locked, SharedDelayQueue};
use crate::clock::waker_of_this_thread;
use crate::{Clock, Job, Timestamp};

/// The error returned when a wait ends without a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitError {
    /// No job became due by the deadline.
    TimedOut,
    /// The queue is closed.
    Closed,
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WaitError::TimedOut => "no job was due by the deadline",
            WaitError::Closed => "the queue is closed",
        })
    }
}

impl Error for WaitError {}

impl<T, I: Hash, C: Clock> SharedDelayQueue<T, I, C> {
    /// Waits until a job is due, and removes and returns it, or returns `None` if the queue is
    /// closed. **O(log n)** once a job is due.
    ///
    /// Jobs that are pushed or rescheduled in the meantime and leases that expire wake the waiter.
    /// Any number of threads may wait; one of them wakes per job. A thread that arrives when a job
    /// is due takes it, even if others are waiting.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::thread;
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::<&str>::new();
    /// thread::scope(|scope| {
    ///     let worker = scope.spawn(|| queue.wait_pop());
    ///     queue.push("mail", Timestamp::ZERO).unwrap();
    ///     assert_eq!(worker.join().unwrap().map(|job| job.payload), Some("mail"));
    /// });
    /// queue.close();
    /// assert!(queue.wait_pop().is_none());
    /// ```
    pub fn wait_pop(&self) -> Option<Job<T, I>> {
        self.wait(None, |state, now| self.pop_locked(state, now)).ok()
    }

    /// Like [`wait_pop`](Self::wait_pop), but waits for at most `timeout`. **O(log n)** once a job
    /// is due.
    ///
    /// # Errors
    ///
    /// [`WaitError`] if no job becomes due in time, or the queue is closed.
    pub fn wait_pop_timeout(&self, timeout: Duration) -> Result<Job<T, I>, WaitError> {
        self.wait_pop_until(self.clock.now().saturating_add(timeout))
    }

    /// Like [`wait_pop`](Self::wait_pop), but waits until `deadline`, a time of the queue's clock.
    /// **O(log n)** once a job is due.
    ///
    /// A job due exactly at the deadline is still returned.
    ///
    /// # Errors
    ///
    /// [`WaitError`] if no job becomes due in time, or the queue is closed.
    pub fn wait_pop_until(&self, deadline: Timestamp) -> Result<Job<T, I>, WaitError> {
        self.wait(Some(deadline), |state, now| self.pop_locked(state, now))
    }

    /// Waits until a job is due and `take` returns a value.
    fn wait<R>(
        &self,
        deadline: Option<Timestamp>,
        take: impl Fn(&mut Locked<'_, T, I>, Timestamp) -> Option<R>,
    ) -> Result<R, WaitError> {
        let mut place = Place::new(self);
        let mut waker = None;
        loop {
            // Creating a waker may panic during thread shutdown, so it precedes joining the line.
            let waker = || waker.get_or_insert_with(waker_of_this_thread).clone();
            match place.step(deadline, &take, waker) {
                Step::Done(result) => return result,
                Step::WaitUntil(until) => self.clock.park_until(until),
            }
        }
    }
}

impl<T: Clone, I: Eq + Hash + Clone, C: Clock> SharedDelayQueue<T, I, C> {
    /// Like [`wait_pop`](Self::wait_pop), but leases the job as [`lease`](Self::lease) does.
    /// **O(log n)** once a job is due.
    pub fn wait_lease(&self, visibility: Duration) -> Option<Lease<T, I>> {
        self.wait(None, |state, now| self.lease_locked(state, visibility, now)).ok()
    }

    /// Like [`wait_lease`](Self::wait_lease), but waits for at most `timeout`. **O(log n)** once a
    /// job is due.
    ///
    /// # Errors
    ///
    /// [`WaitError`] as for [`wait_pop_timeout`](Self::wait_pop_timeout).
    pub fn wait_lease_timeout(
        &self,
        visibility: Duration,
        timeout: Duration,
    ) -> Result<Lease<T, I>, WaitError> {
        self.wait_lease_until(visibility, self.clock.now().saturating_add(timeout))
    }

    /// Like [`wait_lease`](Self::wait_lease), but waits until `deadline`, as
    /// [`wait_pop_until`](Self::wait_pop_until) does. **O(log n)** once a job is due.
    ///
    /// # Errors
    ///
    /// [`WaitError`] as for [`wait_pop_until`](Self::wait_pop_until).
    pub fn wait_lease_until(
        &self,
        visibility: Duration,
        deadline: Timestamp,
    ) -> Result<Lease<T, I>, WaitError> {
        self.wait(Some(deadline), |state, now| self.lease_locked(state, visibility, now))
    }
}

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
