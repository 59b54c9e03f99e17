//! [`JobRunner`]: a thread that calls a function for each due job.

use std::any::Any;
use std::boxed::Box;
use std::fmt;
use std::hash::Hash;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use super::{SharedDelayQueue, Task};
use crate::{Clock, DelayQueue, Job, JobId, MonotonicClock};

/// A thread that calls a function for each job of a [`SharedDelayQueue`] when it is due, returned
/// by [`SharedDelayQueue::run`].
///
/// Other threads can change the [queue](Self::queue) in the meantime. A job leaves the queue before
/// the function is called with it, so the function is called at most once per job. Each call gets
/// the earliest job in the queue. Jobs due at the same time are in order of arrival.
///
/// The function runs on the runner's thread while no lock is held, and other due jobs wait until it
/// returns. If the function panics and unwinds, only that call ends, and the panic is
/// [counted](Self::panics). A panic elsewhere, e.g. in an id's `Hash`, ends the thread. Dropping a
/// runner stops it as [`stop`](Self::stop) does.
///
/// # Examples
///
/// Sales that open once, at scheduled times:
///
/// ```
/// use std::sync::mpsc;
/// use zset_std::{FakeClock, SharedDelayQueue, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let clock = FakeClock::new();
/// let sales = SharedDelayQueue::new().with_clock(clock.clone());
/// sales.push_with_id("shoes", (), at(20))?;
/// sales.push_with_id("hats", (), at(10))?;
/// let (open, opened) = mpsc::channel();
/// let runner = sales.run(move |sale| open.send((sale.id, sale.due)).unwrap());
///
/// clock.set(at(10));
/// assert_eq!(opened.recv(), Ok(("hats", at(10))));
/// runner.queue().push_with_id("bags", (), at(15))?;
/// clock.set(at(30));
/// assert_eq!(opened.recv(), Ok(("bags", at(15))));
/// assert_eq!(opened.recv(), Ok(("shoes", at(20))));
///
/// runner.queue().push_with_id("coats", (), at(40))?;
/// let rest = runner.stop();
/// assert!(rest.iter().map(|job| *job.id).eq(["coats"]));
/// assert!(opened.recv().is_err()); // the thread has ended, and dropped the function
/// # Ok::<(), zset_std::shared_delay_queue::PushWithIdError<(), &str>>(())
/// ```
pub struct JobRunner<T, I = JobId, C = MonotonicClock> {
    shared: Arc<Shared<T, I, C>>,
    /// `None` once joined.
    thread: Option<JoinHandle<()>>,
}

struct Shared<T, I, C> {
    queue: SharedDelayQueue<T, I, C>,
    panics: AtomicU64,
}

impl<T, I, C> SharedDelayQueue<T, I, C>
where
    T: Send + 'static,
    I: Hash + Send + 'static,
    C: Clock + Send + Sync + 'static,
{
    /// Starts a thread that calls `call` with each job when it is due. **O(1)**.
    ///
    /// # Panics
    ///
    /// Panics if the operating system fails to create a thread.
    pub fn run(self, call: impl FnMut(Job<T, I>) + Send + 'static) -> JobRunner<T, I, C> {
        let shared = Arc::new(Shared { queue: self, panics: AtomicU64::new(0) });
        let of_thread = Arc::clone(&shared);
        let thread = thread::spawn(move || of_thread.run(call));
        JobRunner { shared, thread: Some(thread) }
    }
}

impl<T, I: Hash, C: Clock> Shared<T, I, C> {
    fn run(&self, mut call: impl FnMut(Job<T, I>)) {
        while let Ok(job) = self.queue.wait_pop().block() {
            // A panic may leave the state captured by the function inconsistent. The caller is
            // responsible for that.
            let outcome = catch_unwind(AssertUnwindSafe(|| call(job)));
            if let Err(payload) = outcome {
                self.panics.fetch_add(1, Ordering::Relaxed);
                forget_if_it_panics(payload);
            }
        }
    }
}

/// Drops the payload of a panic; if that panics too, leaks the second payload.
fn forget_if_it_panics(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(again);
    }
}

impl<T, I, C> JobRunner<T, I, C> {
    /// Returns the queue, to which any thread may push jobs. **O(1)**.
    ///
    /// If the queue is closed, the thread ends.
    pub fn queue(&self) -> &SharedDelayQueue<T, I, C> {
        &self.shared.queue
    }

    /// Returns the number of calls of the function that have panicked. **O(1)**.
    pub fn panics(&self) -> u64 {
        self.shared.panics.load(Ordering::Relaxed)
    }

    /// Stops the thread and returns the queue with the remaining jobs, as
    /// [`SharedDelayQueue::into_queue`] does. **O(n log n)**.
    ///
    /// Waits for a running call of the function to return, unless called from that function; jobs
    /// due after it stay in the queue.
    pub fn stop(mut self) -> DelayQueue<T, I>
    where
        I: Eq + Hash,
    {
        self.close_and_join();
        let mut state = self.shared.queue.lock();
        state.leased = 0;
        let queue: DelayQueue<Task<T>, I> = mem::take(&mut state.queue);
        drop(state);
        queue.map(|task| task.payload)
    }

    fn close_and_join(&mut self) {
        self.shared.queue.close();
        if let Some(thread) = self.thread.take() {
            // The function may own the runner and drop it on the runner's thread, which cannot join
            // itself.
            if thread.thread().id() != thread::current().id() {
                // If the thread has panicked, the panic hook has already reported it.
                let _ = thread.join();
            }
        }
    }
}

impl<T, I, C> Drop for JobRunner<T, I, C> {
    fn drop(&mut self) {
        self.close_and_join();
    }
}

impl<T, I, C> fmt::Debug for JobRunner<T, I, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobRunner").field("queue", self.queue()).finish_non_exhaustive()
    }
}
