//! [`WaitFor`]: a wait for a job, on a thread or as a future.

use std::error::Error;
use std::fmt;
#[cfg(feature = "async")]
use std::future::Future;
use std::hash::Hash;
#[cfg(feature = "async")]
use std::pin::Pin;
use std::task::Waker;
#[cfg(feature = "async")]
use std::task::{Context, Poll};
use std::time::Duration;

use super::{Lease, Locked, SharedDelayQueue};
use crate::wait::{Alarm, Step, block};
use crate::{Clock, Job, JobId, MonotonicClock, Timestamp};

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
    /// Waits until a job is due, and removes and returns it, either by blocking or as a future.
    /// **O(log n)** once a job is due.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::thread;
    /// use std::time::Duration;
    /// use zset_std::shared_delay_queue::WaitError;
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::<&str>::new();
    /// thread::scope(|scope| {
    ///     let worker = scope.spawn(|| queue.wait_pop().block());
    ///     queue.push("mail", Timestamp::ZERO).unwrap();
    ///     assert_eq!(worker.join().unwrap().unwrap().payload, "mail");
    /// });
    /// let short = Duration::from_millis(1);
    /// assert_eq!(queue.wait_pop().timeout(short).block(), Err(WaitError::TimedOut));
    /// queue.close();
    /// assert_eq!(queue.wait_pop().block(), Err(WaitError::Closed));
    /// ```
    ///
    /// As a future, with the `async` feature:
    ///
    /// ```
    /// # #[cfg(feature = "async")]
    /// # pollster::block_on(async {
    /// use std::time::Duration;
    /// use zset_std::SharedDelayQueue;
    ///
    /// let queue = SharedDelayQueue::new();
    /// queue.push_after("mail", Duration::from_millis(1))?;
    /// assert_eq!(queue.wait_pop().await.unwrap().payload, "mail");
    /// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
    /// # }).unwrap();
    /// ```
    pub fn wait_pop(&self) -> WaitFor<'_, Job<T, I>, T, I, C> {
        WaitFor::new(self, Duration::ZERO, |queue, state, _, now| queue.pop_locked(state, now))
    }
}

impl<T: Clone, I: Eq + Hash + Clone, C: Clock> SharedDelayQueue<T, I, C> {
    /// Like [`wait_pop`](Self::wait_pop), but leases the job as [`lease`](Self::lease) does.
    /// **O(log n)** once a job is due.
    pub fn wait_lease(&self, visibility: Duration) -> WaitFor<'_, Lease<T, I>, T, I, C> {
        WaitFor::new(self, visibility, Self::lease_locked)
    }
}

/// A wait for a job or for the lease of a job, returned by [`SharedDelayQueue::wait_pop`] and
/// [`wait_lease`](SharedDelayQueue::wait_lease).
///
/// A waiter also wakes for jobs that are pushed or rescheduled in the meantime, and for leases that
/// expire. Any number of threads and futures may wait for one queue. They wait in a single line,
/// and one of them wakes per job. A caller that arrives when a job is due takes it, even if others
/// are waiting.
///
/// As a future, it works on any runtime or none. It is in the line from its first poll until it is
/// ready or dropped. It is cancel safe: a dropped future takes no job, and passes an unused wake-up
/// on to the next waiter. The waiters after a woken future are blocked until it is polled or
/// dropped. A job due at [`Timestamp::MAX`] does not wake a future.
///
/// After the future is ready, it may be polled again for the next job. So it can be used as a
/// stream that ends when the queue is closed. With futures-util, `stream::poll_fn(move |cx|
/// next.poll_unpin(cx).map(Result::ok))` is a stream that borrows the queue. For a stream that owns
/// the queue, see `unfold` in [this guide](crate::_guide::coming_from).
#[must_use = "it does nothing until it is blocked on or awaited"]
pub struct WaitFor<'a, R, T, I = JobId, C = MonotonicClock> {
    queue: &'a SharedDelayQueue<T, I, C>,
    take: Take<R, T, I, C>,
    visibility: Duration,
    deadline: Option<Timestamp>,
    /// `None` while not in the line.
    ticket: Option<u64>,
    #[cfg_attr(not(feature = "async"), expect(dead_code, reason = "only futures sleep"))]
    alarm: Alarm,
}

/// Takes a job that is due. The last two arguments are the duration of a lease and the time.
type Take<R, T, I, C> =
    fn(&SharedDelayQueue<T, I, C>, &mut Locked<'_, T, I>, Duration, Timestamp) -> Option<R>;

impl<'a, R, T, I, C: Clock> WaitFor<'a, R, T, I, C> {
    fn new(
        queue: &'a SharedDelayQueue<T, I, C>,
        visibility: Duration,
        take: Take<R, T, I, C>,
    ) -> Self {
        let alarm = Alarm::default();
        WaitFor { queue, take, visibility, deadline: None, ticket: None, alarm }
    }

    /// Waits at most until `deadline`, a time of the queue's clock. **O(1)**.
    ///
    /// A job due exactly at the deadline is still returned.
    pub fn deadline(mut self, deadline: Timestamp) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Waits at most for `timeout`, counted from this call; see [`deadline`](Self::deadline).
    /// **O(1)**.
    pub fn timeout(self, timeout: Duration) -> Self {
        let deadline = self.queue.clock.now().saturating_add(timeout);
        self.deadline(deadline)
    }

    /// Blocks the current thread until a job is due. **O(log n)** once it is.
    ///
    /// # Errors
    ///
    /// [`WaitError`] if no job becomes due by the deadline, or the queue is closed.
    pub fn block(mut self) -> Result<R, WaitError> {
        block(&self.queue.clock, |waker| self.step(waker))
    }

    /// Takes a job if one is due; otherwise joins the line.
    fn step(&mut self, waker: &mut dyn FnMut() -> Waker) -> Step<Result<R, WaitError>> {
        loop {
            let now = self.queue.clock.now();
            let mut state = self.queue.lock();
            let taken = if state.is_closed {
                None
            } else {
                (self.take)(self.queue, &mut state, self.visibility, now)
            };
            let result = match taken {
                Some(taken) => Ok(taken),
                None if state.is_closed => Err(WaitError::Closed),
                None if self.deadline.is_some_and(|deadline| deadline <= now) => {
                    Err(WaitError::TimedOut)
                }
                // Releasing the lock drops payloads, whose destructors may park this thread and so
                // consume a wake-up meant for this waiter. So retry instead of sleeping.
                None if state.has_to_drop() => continue,
                None => {
                    // `waker` may panic, so it is called before joining the line.
                    let waker = waker();
                    let ticket = *self.ticket.get_or_insert_with(|| state.line.join());
                    let deadline = self.deadline.unwrap_or(Timestamp::MAX);
                    return Step::WaitUntil(state.sleep(ticket, deadline, waker));
                }
            };
            // Leave the line before the lock is released, so that the next waiter is woken only
            // once.
            if let Some(ticket) = self.ticket.take() {
                state.leave(ticket);
            }
            return Step::Done(result);
        }
    }
}

#[cfg(feature = "async")]
impl<R, T, I, C: Clock> Future for WaitFor<'_, R, T, I, C> {
    type Output = Result<R, WaitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut alarm = std::mem::take(&mut self.alarm);
        let polled = alarm.poll(&self.queue.clock, context, |waker| self.step(waker));
        self.alarm = alarm;
        polled
    }
}

/// Leaves the line if user code panics during the wait, or if a future is dropped early. When the
/// first waiter leaves, the next is woken if a job is due before its sleep ends.
impl<R, T, I, C> Drop for WaitFor<'_, R, T, I, C> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.queue.lock().leave(ticket);
        }
    }
}

impl<R, T, I, C> fmt::Debug for WaitFor<'_, R, T, I, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitFor")
            .field("queue", self.queue)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
