//! Futures that wait for a job.

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::wait::{Place, Step};
use super::{Lease, Locked, SharedDelayQueue};
use crate::clock::Alarm;
use crate::{Clock, Job, JobId, MonotonicClock, Timestamp};

impl<T, I: Hash, C: Clock> SharedDelayQueue<T, I, C> {
    /// Returns a future that waits until a job is due, and removes and returns it; its output is
    /// `None` if the queue is closed. Requires the `async` feature. **O(log n)** once a job is due.
    ///
    /// It waits as [`wait_pop`](Self::wait_pop) does, in the same line, on any runtime or none:
    /// threads and futures may wait for one queue. A future is in the line from its first poll
    /// until it is ready or dropped. It is cancel safe: a dropped future takes no job, and passes
    /// an unused wake-up on to the next waiter. A woken future that is neither polled nor dropped
    /// blocks the waiters after it.
    ///
    /// Once it was ready, it may be polled again, for the next job. So it is a stream, which ends
    /// when the queue is closed: `stream::poll_fn(move |cx| next.poll_unpin(cx))` of futures-util
    /// borrows the queue, and the `unfold` of [this guide](crate::_guide::coming_from) owns it.
    ///
    /// For a timeout, use that of your runtime. A job due at [`Timestamp::MAX`] does not wake a
    /// future.
    ///
    /// # Examples
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use std::time::Duration;
    /// use zset_std::SharedDelayQueue;
    ///
    /// let queue = SharedDelayQueue::new();
    /// queue.push_after("mail", Duration::from_millis(1))?;
    /// assert_eq!(queue.pop_async().await.unwrap().payload, "mail");
    /// queue.close();
    /// assert_eq!(queue.pop_async().await, None);
    /// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
    /// # }).unwrap();
    /// ```
    pub fn pop_async(&self) -> PopAsync<'_, T, I, C> {
        PopAsync { waiting: Waiting::new(self) }
    }
}

impl<T: Clone, I: Eq + Hash + Clone, C: Clock> SharedDelayQueue<T, I, C> {
    /// Like [`pop_async`](Self::pop_async), but leases the job as [`lease`](Self::lease) does.
    /// Requires the `async` feature. **O(log n)** once a job is due.
    pub fn lease_async(&self, visibility: Duration) -> LeaseAsync<'_, T, I, C> {
        LeaseAsync { waiting: Waiting::new(self), visibility }
    }
}

/// The future returned by [`SharedDelayQueue::pop_async`].
#[must_use = "a future does nothing until it is polled"]
pub struct PopAsync<'a, T, I = JobId, C = MonotonicClock> {
    waiting: Waiting<'a, T, I, C>,
}

/// The future returned by [`SharedDelayQueue::lease_async`].
#[must_use = "a future does nothing until it is polled"]
pub struct LeaseAsync<'a, T, I = JobId, C = MonotonicClock> {
    waiting: Waiting<'a, T, I, C>,
    visibility: Duration,
}

impl<T, I: Hash, C: Clock> Future for PopAsync<'_, T, I, C> {
    type Output = Option<Job<T, I>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let queue = self.waiting.place.queue;
        self.waiting.poll(context, |state, now| queue.pop_locked(state, now))
    }
}

impl<T: Clone, I: Eq + Hash + Clone, C: Clock> Future for LeaseAsync<'_, T, I, C> {
    type Output = Option<Lease<T, I>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (queue, visibility) = (self.waiting.place.queue, self.visibility);
        self.waiting.poll(context, |state, now| queue.lease_locked(state, visibility, now))
    }
}

/// A place in the line and the timer it waits for.
struct Waiting<'a, T, I, C> {
    place: Place<'a, T, I, C>,
    alarm: Alarm,
}

impl<'a, T, I, C> Waiting<'a, T, I, C> {
    fn new(queue: &'a SharedDelayQueue<T, I, C>) -> Self {
        Waiting { place: Place::new(queue), alarm: Alarm::default() }
    }
}

impl<T, I, C: Clock> Waiting<'_, T, I, C> {
    fn poll<R>(
        &mut self,
        context: &mut Context<'_>,
        take: impl Fn(&mut Locked<'_, T, I>, Timestamp) -> Option<R>,
    ) -> Poll<Option<R>> {
        loop {
            match self.place.step(None, &take, || context.waker().clone()) {
                Step::Done(result) => {
                    self.alarm = Alarm::default();
                    return Poll::Ready(result.ok());
                }
                // This waiter may not be the first, or there may be no job: it is then woken when
                // another leaves the line or a job is pushed.
                Step::WaitUntil(until) => {
                    ready!(self.alarm.poll(&self.place.queue.clock, until, context));
                }
            }
        }
    }
}

impl<T, I, C> fmt::Debug for PopAsync<'_, T, I, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PopAsync").field("queue", self.waiting.place.queue).finish()
    }
}

impl<T, I, C> fmt::Debug for LeaseAsync<'_, T, I, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseAsync")
            .field("queue", self.waiting.place.queue)
            .field("visibility", &self.visibility)
            .finish()
    }
}
