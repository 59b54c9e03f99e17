//! [`SharedDelayQueue`], a thread-safe delay queue, and its outcomes, futures and errors.

mod lease;
mod locked;
#[cfg(all(test, zset_loom))]
mod loom;
mod manage;
mod runner;
mod wait;

pub use lease::{Lease, Nacked, StaleLease};
pub use manage::{DeadLetter, RequeueError};
pub use runner::JobRunner;
pub use wait::{WaitError, WaitFor};

use std::collections::{HashSet, VecDeque};
use std::error::Error;
use std::fmt;
use std::hash::Hash;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;
use std::vec::Vec;

use crate::at::timed;
use crate::delay_queue::DuplicateJob;
use crate::sync::{Mutex, lock};
use crate::{At, Clock, DelayQueue, Job, JobId, MonotonicClock, Timestamp};
use locked::{Line, Locked};

// Invariants:
//
// - A job has a receipt if and only if it is on lease, and `leased` is the number of receipts.
// - No job has been delivered more often than permitted.
// - Every waiter is in the line.
// - The first waiter is awake, has been woken, or sleeps at most until the next job is due.
//
// A `Locked` restores the last invariant whenever it releases the lock, so neither an operation nor
// a panic can break it.

/// The default bound on the number of dead letters kept.
const DEFAULT_MAX_DEAD_LETTERS: usize = 1024;

/// A thread-safe [`DelayQueue`] with a clock: threads push jobs, and take them or wait for them.
///
/// There are two ways to take a job. [`pop`](Self::pop), [`pop_due`](Self::pop_due) and
/// [`wait_pop`](Self::wait_pop) remove it: exactly one caller gets the job, and if that caller
/// dies, the job is lost. [`lease`](Self::lease) and [`wait_lease`](Self::wait_lease) keep the job
/// in the queue: it is due again at the end of the lease unless it is [acknowledged](Self::ack)
/// first. So no job is lost when a worker dies, but a job may be delivered more than once.
///
/// Share the queue by reference or in an [`Arc`](std::sync::Arc). One lock protects all state. It
/// is held for **O(log n)** amortized at a time, or longer by operations on many jobs, dead letters
/// or waiters.
///
/// The `Hash` and `Eq` of ids, and the `Clone` of ids, payloads and wakers, run under the lock, so
/// they must not use the queue. If one of them panics, other threads are not affected. The only
/// jobs that can be lost are those that the call was pushing, requeuing, or taking by
/// [`pop_due`](Self::pop_due).
///
/// In a queue of a hundred jobs or more, each job uses about 30 to 65 bytes in addition to its
/// payload and id. It uses more after many other jobs have left.
/// [`with_max_len`](Self::with_max_len) bounds the number of jobs.
///
/// # Examples
///
/// ```
/// use std::thread;
/// use std::time::Duration;
/// use zset_std::{Clock, SharedDelayQueue};
///
/// let queue = SharedDelayQueue::<&str>::new();
/// let soon = |millis| queue.clock().now().saturating_add(Duration::from_millis(millis));
/// let (first, second) = (soon(1), soon(2));
/// queue.push("second", second)?;
/// queue.push("first", first)?;
/// thread::scope(|scope| {
///     let worker = scope.spawn(|| {
///         let mut done = Vec::new();
///         while let Ok(job) = queue.wait_pop().block() {
///             done.push(job.payload);
///             if done.len() == 2 {
///                 queue.close();
///             }
///         }
///         done
///     });
///     assert_eq!(worker.join().unwrap(), ["first", "second"]);
/// });
/// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
/// ```
pub struct SharedDelayQueue<T, I = JobId, C = MonotonicClock> {
    state: Mutex<State<T, I>>,
    clock: C,
    max_len: usize,
    max_deliveries: Option<NonZeroU32>,
    max_dead_letters: usize,
}

/// The state protected by the lock.
struct State<T, I> {
    queue: DelayQueue<Task<T>, I>,
    /// The number of jobs with a receipt.
    leased: usize,
    dead: VecDeque<DeadLetter<T, I>>,
    line: Line,
    is_closed: bool,
}

/// The payload of a job and the state of its leases.
struct Task<T> {
    payload: T,
    deliveries: u32,
    /// The receipt of the last lease, or `None` if the job is not on lease. A job with an expired
    /// lease is on lease until a worker takes it.
    receipt: Option<NonZeroU64>,
}

impl<T> Task<T> {
    fn new(payload: T) -> Self {
        Task { payload, deliveries: 0, receipt: None }
    }
}

/// Converts a task back into a plain job.
fn without_leases<T, I>(job: Job<Task<T>, I>) -> Job<T, I> {
    Job { id: job.id, due: job.due, payload: job.payload.payload }
}

impl<T, I> SharedDelayQueue<T, I> {
    /// Creates an empty queue with a [`MonotonicClock`]. **O(1)**.
    pub fn new() -> Self {
        Self::of(DelayQueue::new())
    }

    fn of(queue: DelayQueue<Task<T>, I>) -> Self {
        let state = State {
            queue,
            leased: 0,
            dead: VecDeque::new(),
            line: Line::default(),
            is_closed: false,
        };
        SharedDelayQueue {
            state: Mutex::new(state),
            clock: MonotonicClock::new(),
            max_len: usize::MAX,
            max_deliveries: None,
            max_dead_letters: DEFAULT_MAX_DEAD_LETTERS,
        }
    }
}

/// Builder methods.
impl<T, I, C> SharedDelayQueue<T, I, C> {
    /// Returns the queue with a different clock. **O(1)**.
    pub fn with_clock<C2>(self, clock: C2) -> SharedDelayQueue<T, I, C2> {
        let SharedDelayQueue { state, max_len, max_deliveries, max_dead_letters, .. } = self;
        SharedDelayQueue { state, clock, max_len, max_deliveries, max_dead_letters }
    }

    /// Returns the queue with a bound on the number of jobs, whether due or not, on lease or not.
    /// **O(1)**.
    pub fn with_max_len(self, max_len: usize) -> Self {
        SharedDelayQueue { max_len, ..self }
    }

    /// Returns the queue with a bound on the number of deliveries per job. **O(1)**.
    ///
    /// A job whose last permitted delivery fails becomes a [`DeadLetter`]: immediately if the
    /// worker calls [`nack`](Self::nack), or, if the lease expires, when the job would be delivered
    /// again.
    pub fn with_max_deliveries(self, max_deliveries: NonZeroU32) -> Self {
        SharedDelayQueue { max_deliveries: Some(max_deliveries), ..self }
    }

    /// Returns the queue with a bound on the number of dead letters kept, 1024 by default. When it
    /// is exceeded, the oldest is dropped. **O(1)**.
    pub fn with_max_dead_letters(self, max_dead_letters: usize) -> Self {
        self.lock().forget_dead(max_dead_letters);
        SharedDelayQueue { max_dead_letters, ..self }
    }

    /// Returns the clock. **O(1)**.
    pub fn clock(&self) -> &C {
        &self.clock
    }

    /// Returns the queue at time `now`, for the calls that depend on the time: its clock is not
    /// read. **O(1)**.
    pub fn at(&self, now: Timestamp) -> At<'_, Self> {
        At::new(self, now)
    }

    fn timed(&self) -> (&Self, Timestamp)
    where
        C: Clock,
    {
        (self, self.clock.now())
    }

    /// Acquires the lock.
    fn lock(&self) -> Locked<'_, T, I> {
        Locked::new(lock(&self.state))
    }

    /// Returns whether a job has reached its maximum number of deliveries.
    fn is_exhausted(&self, task: &Task<T>) -> bool {
        self.max_deliveries.is_some_and(|max| task.deliveries >= max.get())
    }
}

impl<T, I: Eq + Hash, C> SharedDelayQueue<T, I, C> {
    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        let state = self.lock();
        state.queue.check_invariants();
        let tasks = || state.queue.iter().map(|job| job.payload);
        let receipts = || tasks().filter_map(|task| task.receipt);
        assert_eq!(receipts().count(), state.leased, "the number of leases is wrong");
        let different: HashSet<_> = receipts().collect();
        assert_eq!(different.len(), state.leased, "two jobs have the same receipt");
        let most = tasks().map(|task| task.deliveries).max().unwrap_or(0);
        let permitted = self.max_deliveries.map_or(u32::MAX, NonZeroU32::get);
        assert!(most <= permitted, "a job was delivered too often");
        assert!(state.dead.len() <= self.max_dead_letters, "too many dead letters");
        state.line.check_invariants(state.is_closed, state.queue.next_due());
    }
}

impl<T, I> Default for SharedDelayQueue<T, I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, I, C> fmt::Debug for SharedDelayQueue<T, I, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("SharedDelayQueue")
            .field("len", &state.queue.len())
            .field("leased", &state.leased)
            .field("dead_letters", &state.dead.len())
            .field("is_closed", &state.is_closed)
            .finish_non_exhaustive()
    }
}

/// The error returned when a payload is not pushed. It contains the payload.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushError<T> {
    /// The queue has reached its maximum number of jobs.
    Full(T),
    /// The queue is closed.
    Closed(T),
}

/// The error returned when a job is not pushed with its id. It contains the job.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushWithIdError<T, I = JobId> {
    /// A job in the queue, on lease or not, already has this id.
    Duplicate(Job<T, I>),
    /// The queue has reached its maximum number of jobs.
    Full(Job<T, I>),
    /// The queue is closed.
    Closed(Job<T, I>),
}

const FULL: &str = "the queue is full";
const CLOSED: &str = "the queue is closed";

impl<T> PushError<T> {
    /// Returns the payload that was not pushed. **O(1)**.
    pub fn into_payload(self) -> T {
        match self {
            PushError::Full(payload) | PushError::Closed(payload) => payload,
        }
    }
}

impl<T, I> PushWithIdError<T, I> {
    /// Returns the job that was not pushed. **O(1)**.
    pub fn into_job(self) -> Job<T, I> {
        match self {
            PushWithIdError::Duplicate(job)
            | PushWithIdError::Full(job)
            | PushWithIdError::Closed(job) => job,
        }
    }
}

// Like the channel errors of std, these errors implement `Debug` for any payload type.

impl<T> fmt::Debug for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushError::Full(_) => "Full(..)",
            PushError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T, I> fmt::Debug for PushWithIdError<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushWithIdError::Duplicate(_) => "Duplicate(..)",
            PushWithIdError::Full(_) => "Full(..)",
            PushWithIdError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushError::Full(_) => FULL,
            PushError::Closed(_) => CLOSED,
        })
    }
}

impl<T, I> fmt::Display for PushWithIdError<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushWithIdError::Duplicate(_) => "a job with this id is already in the queue",
            PushWithIdError::Full(_) => FULL,
            PushWithIdError::Closed(_) => CLOSED,
        })
    }
}

impl<T> Error for PushError<T> {}

impl<T, I> Error for PushWithIdError<T, I> {}

impl<T, C> SharedDelayQueue<T, JobId, C> {
    /// Pushes a job and returns the id assigned to it. **O(log n)**.
    ///
    /// Wakes at most one waiter, and only if the job is due before all others.
    ///
    /// # Errors
    ///
    /// [`PushError`], which contains the payload, if the queue is closed or full.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted, which takes at least 2 *
    /// 10^9 jobs if none is removed.
    #[track_caller]
    pub fn push(&self, payload: T, due: Timestamp) -> Result<JobId, PushError<T>> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(PushError::Closed(payload));
        }
        if state.queue.len() >= self.max_len {
            return Err(PushError::Full(payload));
        }
        Ok(state.queue.push(Task::new(payload), due))
    }
}

timed!(impl[T, C: Clock] SharedDelayQueue<T, JobId, C> {
    /// Like [`push`](SharedDelayQueue::push), for a job that is due after `delay`. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`PushError`], which contains the payload, if the queue is closed or full.
    #[track_caller]
    pub fn push_after(&self, payload: T, delay: Duration) -> Result<JobId, PushError<T>> {
        let (queue, now) = self.timed();
        queue.push(payload, now.saturating_add(delay))
    }
});

impl<T, I: Eq + Hash, C> SharedDelayQueue<T, I, C> {
    /// Like [`push`](Self::push), with an id chosen by the caller. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`PushWithIdError`], which contains the job, if the queue is closed or full, or a job in it,
    /// on lease or not, already has this id.
    #[track_caller]
    pub fn push_with_id(
        &self,
        id: I,
        payload: T,
        due: Timestamp,
    ) -> Result<(), PushWithIdError<T, I>> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(PushWithIdError::Closed(Job { id, due, payload }));
        }
        if state.queue.len() >= self.max_len {
            let job = Job { id, due, payload };
            return Err(if state.queue.contains(&job.id) {
                PushWithIdError::Duplicate(job)
            } else {
                PushWithIdError::Full(job)
            });
        }
        let pushed = state.queue.push_with_id(id, Task::new(payload), due);
        pushed.map_err(|DuplicateJob { job }| PushWithIdError::Duplicate(without_leases(job)))
    }
}

timed!(impl[T, I: Eq + Hash, C: Clock] SharedDelayQueue<T, I, C> {
    /// Like [`push_with_id`](SharedDelayQueue::push_with_id), for a job that is due after `delay`.
    /// **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`PushWithIdError`], which contains the job, if the queue is closed or full, or a job in it,
    /// on lease or not, already has this id.
    #[track_caller]
    pub fn push_with_id_after(
        &self,
        id: I,
        payload: T,
        delay: Duration,
    ) -> Result<(), PushWithIdError<T, I>> {
        let (queue, now) = self.timed();
        queue.push_with_id(id, payload, now.saturating_add(delay))
    }
});

timed!(impl[T, I: Hash, C: Clock] SharedDelayQueue<T, I, C> {
    /// Removes and returns the first job if it is due. **O(log n)**.
    ///
    /// If several threads compete for a job, exactly one gets it.
    pub fn pop(&self) -> Option<Job<T, I>> {
        let (queue, now) = self.timed();
        queue.pop_locked(&mut queue.lock(), now)
    }

    /// Removes and returns up to `max` jobs that are due, in order. **O(m log n)** for m returned.
    ///
    /// This is atomic: no other thread takes a job in between.
    pub fn pop_due(&self, max: usize) -> Vec<Job<T, I>> {
        let (queue, now) = self.timed();
        let mut jobs = Vec::new();
        let mut state = queue.lock();
        jobs.reserve_exact(state.queue.count_due(now).min(max));
        while jobs.len() < max {
            let Some(job) = queue.pop_locked(&mut state, now) else { break };
            jobs.push(job);
        }
        jobs
    }
});

impl<T, I: Hash, C> SharedDelayQueue<T, I, C> {
    /// Removes and returns the first job if it is due.
    fn pop_locked(&self, state: &mut Locked<'_, T, I>, now: Timestamp) -> Option<Job<T, I>> {
        self.bury_exhausted(state, now);
        state.take_first(now).map(without_leases)
    }

    /// Turns jobs at the front that are due and have reached their maximum number of deliveries
    /// into dead letters.
    fn bury_exhausted(&self, state: &mut Locked<'_, T, I>, now: Timestamp) {
        while state.queue.first().is_some_and(|job| self.is_exhausted(job.payload)) {
            let Some(job) = state.take_first(now) else { break };
            let since = job.due;
            state.bury(DeadLetter::new(job, since), self.max_dead_letters);
        }
    }
}

impl<T, I: Hash> Locked<'_, T, I> {
    /// Removes and returns the first job if it is due.
    fn take_first(&mut self, now: Timestamp) -> Option<Job<Task<T>, I>> {
        let job = self.queue.pop(now)?;
        self.forget_lease(&job.payload);
        Some(job)
    }

    /// Updates the lease count for a task that has left the queue.
    fn forget_lease(&mut self, task: &Task<T>) {
        self.leased -= usize::from(task.receipt.is_some());
    }
}
