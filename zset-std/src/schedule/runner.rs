//! [`ScheduleRunner`]: a thread that waits for due ids.

use std::any::Any;
use std::boxed::Box;
use std::fmt;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use zset_core::Equivalent;

use super::{Schedule, Scheduled};
use crate::shared_delay_queue::PushWithIdError;
use crate::{Clock, Job, MonotonicClock, SharedDelayQueue, Timestamp};

/// A thread that calls a function for each id of a [`Schedule`] when it becomes due, returned by
/// [`Schedule::run`].
///
/// Other threads can change the schedule meanwhile. The function is called exactly once per scheduled
/// id, ordered by time; equal times are in scheduling order. It runs on the runner's thread without
/// holding a lock, and delays other due ids until it returns. If it panics, only that call ends, and
/// the panic is [counted](Self::panics); a panic in an id's `Hash` ends the thread. Dropping a runner
/// stops it as [`stop`](Self::stop) does.
///
/// # Examples
///
/// ```
/// use std::sync::mpsc;
/// use std::time::Duration;
/// use zset_std::{FakeClock, Schedule, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let clock = FakeClock::new();
/// let (open, opened) = mpsc::channel();
/// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
/// let runner = sales.run_with_clock(clock.clone(), move |sale, at| open.send((sale, at)).unwrap());
///
/// clock.set(at(10));
/// assert_eq!(opened.recv(), Ok(("hats", at(10))));
/// runner.schedule("bags", at(15));
/// clock.set(at(30));
/// assert_eq!(opened.recv(), Ok(("bags", at(15))));
/// assert_eq!(opened.recv(), Ok(("shoes", at(20))));
///
/// runner.schedule("coats", at(40));
/// let rest = runner.stop();
/// assert!(rest.iter().eq([(&"coats", at(40))]));
/// assert!(opened.recv().is_err()); // the thread has ended, and dropped the function
/// ```
pub struct ScheduleRunner<Id, C = MonotonicClock> {
    shared: Arc<Shared<Id, C>>,
    /// `None` once joined.
    thread: Option<JoinHandle<()>>,
}

struct Shared<Id, C> {
    queue: SharedDelayQueue<(), Id, C>,
    panics: AtomicU64,
}

impl<Id: Ord + Hash + Send + 'static> Schedule<Id> {
    /// Starts a thread that calls `activate` with each id when it is due, and its scheduled time. Times
    /// are those of a [`MonotonicClock`] that starts now. **O(n log n)**.
    ///
    /// # Panics
    ///
    /// Panics if the operating system fails to create a thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let (open, opened) = mpsc::channel();
    /// let sales = Schedule::from([("shoes", Timestamp::ZERO)]);
    /// let runner = sales.run(move |sale, _| open.send(sale).unwrap());
    /// assert_eq!(opened.recv(), Ok("shoes"));
    /// assert!(runner.stop().is_empty());
    /// ```
    pub fn run(self, activate: impl FnMut(Id, Timestamp) + Send + 'static) -> ScheduleRunner<Id> {
        self.run_with_clock(MonotonicClock::new(), activate)
    }

    /// Like [`run`](Self::run), with a custom clock, such as a [`SystemClock`](crate::SystemClock) for
    /// wall-clock times. **O(n log n)**.
    ///
    /// # Panics
    ///
    /// Panics if the operating system fails to create a thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let clock = FakeClock::new();
    /// let (open, opened) = mpsc::channel();
    /// let sales = Schedule::from([("shoes", Timestamp::from_nanos(10))]);
    /// let runner = sales.run_with_clock(clock.clone(), move |sale, _| open.send(sale).unwrap());
    /// clock.set(Timestamp::from_nanos(10));
    /// assert_eq!(opened.recv(), Ok("shoes"));
    /// ```
    pub fn run_with_clock<C>(
        self,
        clock: C,
        activate: impl FnMut(Id, Timestamp) + Send + 'static,
    ) -> ScheduleRunner<Id, C>
    where
        C: Clock + Send + Sync + 'static,
    {
        let queue = SharedDelayQueue::from(self.queue).with_clock(clock);
        let shared = Arc::new(Shared { queue, panics: AtomicU64::new(0) });
        let of_thread = Arc::clone(&shared);
        let thread = thread::spawn(move || of_thread.run(activate));
        ScheduleRunner { shared, thread: Some(thread) }
    }
}

impl<Id: Ord + Hash, C: Clock> Shared<Id, C> {
    fn run(&self, mut activate: impl FnMut(Id, Timestamp)) {
        while let Some(Job { id, due, .. }) = self.queue.wait_pop() {
            // A panic may break the state that the function captured; that is the caller's
            // responsibility.
            let outcome = catch_unwind(AssertUnwindSafe(|| activate(id, due)));
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
        std::mem::forget(again);
    }
}

impl<Id: Ord + Hash, C> ScheduleRunner<Id, C> {
    /// Schedules an id for a time, or moves an existing id to that time, like [`Schedule::schedule`].
    /// **O(log n)**.
    ///
    /// An id that has been activated may be scheduled again.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |sale, _| println!("{sale} open"));
    /// runner.schedule("coats", at(30));
    /// assert_eq!(runner.len(), 3);
    /// ```
    #[track_caller]
    pub fn schedule(&self, mut id: Id, at: Timestamp) -> Scheduled {
        loop {
            if let Some(from) = self.reschedule(&id, at) {
                return Scheduled::Moved { from };
            }
            match self.shared.queue.push_with_id(id, (), at) {
                Ok(()) => return Scheduled::New,
                // Another thread inserted the same id in between.
                Err(PushWithIdError::Duplicate(job)) => id = job.id,
                Err(_) => unreachable!("the queue is unbounded, and open while the runner exists"),
            }
        }
    }

    /// Moves an existing id to another time and returns its previous time, like
    /// [`Schedule::reschedule`]. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |_, _| {});
    /// assert_eq!(runner.reschedule("shoes", at(30)), Some(at(20)));
    /// assert_eq!(runner.cancel("shoes"), Some(at(30)));
    /// assert_eq!(runner.reschedule("shoes", at(40)), None);
    /// ```
    #[track_caller]
    pub fn reschedule<Q>(&self, id: &Q, at: Timestamp) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        // If the time is unchanged, the id keeps its place; a concurrent activation then counts as
        // after this call.
        if self.at(id) == Some(at) { Some(at) } else { self.shared.queue.reschedule(id, at) }
    }

    /// Cancels an id and returns its time, or `None` if it is not scheduled, for example because it has
    /// been activated. **O(log n)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |sale, _| println!("{sale} open"));
    /// assert_eq!(runner.cancel("hats"), Some(at(10)));
    /// assert_eq!(runner.cancel("hats"), None);
    /// ```
    pub fn cancel<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.shared.queue.cancel(id).map(|job| job.due)
    }

    /// Returns the time of a pending id. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |_, _| {});
    /// assert_eq!(runner.at("shoes"), Some(at(20)));
    /// assert_eq!(runner.next_at(), Some(at(20)));
    /// assert_eq!(runner.len(), 1);
    /// ```
    pub fn at<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.shared.queue.due(id)
    }

    /// Stops the thread and returns the pending ids. **O(n log n)**.
    ///
    /// Waits for a running call of the function to return, unless called from that function; ids due
    /// after it stay in the schedule.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |sale, _| println!("{sale} open"));
    /// let rest = runner.stop();
    /// assert!(rest.iter().eq([(&"hats", at(10)), (&"shoes", at(20))]));
    /// ```
    pub fn stop(mut self) -> Schedule<Id> {
        self.close_and_join();
        self.shared.queue.drain().into_iter().map(|job| (job.id, job.due)).collect()
    }
}

impl<Id, C> ScheduleRunner<Id, C> {
    /// Returns the earliest time of a pending id. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |sale, _| println!("{sale} open"));
    /// assert_eq!(runner.next_at(), Some(at(10)));
    /// ```
    pub fn next_at(&self) -> Option<Timestamp> {
        self.shared.queue.next_due()
    }

    /// Returns the number of pending ids. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |sale, _| println!("{sale} open"));
    /// assert_eq!(runner.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.shared.queue.len()
    }

    /// Returns whether no ids are pending. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
    /// let runner = sales.run_with_clock(FakeClock::new(), |sale, _| println!("{sale} open"));
    /// assert!(!runner.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of calls of the function that have panicked. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{FakeClock, Schedule};
    ///
    /// let runner = Schedule::<u32>::new().run_with_clock(FakeClock::new(), |_, _| {});
    /// assert_eq!(runner.panics(), 0);
    /// ```
    pub fn panics(&self) -> u64 {
        self.shared.panics.load(Ordering::Relaxed)
    }

    /// Returns the clock. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Clock, FakeClock, Schedule, Timestamp};
    ///
    /// let runner = Schedule::<u32>::new().run_with_clock(FakeClock::new(), |_, _| {});
    /// assert_eq!(runner.clock().now(), Timestamp::ZERO);
    /// ```
    pub fn clock(&self) -> &C {
        self.shared.queue.clock()
    }

    fn close_and_join(&mut self) {
        self.shared.queue.close();
        if let Some(thread) = self.thread.take() {
            // The function may own the runner and drop it on this thread, which cannot join itself.
            if thread.thread().id() != thread::current().id() {
                // The panic hook has already reported a panic of the thread.
                let _ = thread.join();
            }
        }
    }
}

impl<Id, C> Drop for ScheduleRunner<Id, C> {
    fn drop(&mut self) {
        self.close_and_join();
    }
}

impl<Id, C: fmt::Debug> fmt::Debug for ScheduleRunner<Id, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduleRunner").field("clock", self.clock()).finish_non_exhaustive()
    }
}
