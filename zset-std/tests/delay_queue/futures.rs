//! Tests futures that wait for jobs. Some are polled by hand, and only after a wake-up, so that a
//! missing wake-up is noticed. Others run on several threads.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use proptest::collection::vec;

use super::*;
use zset_std::shared_delay_queue::WaitError;
use zset_std::{Clock, FakeClock};

type Queue<C = FakeClock> = SharedDelayQueue<u32, JobId, C>;

fn queue() -> (Queue, FakeClock) {
    let clock = FakeClock::new();
    (SharedDelayQueue::new().with_clock(clock.clone()), clock)
}

/// Whether the task was woken since its last poll.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

type Boxed<'a> = Pin<Box<dyn Future<Output = Option<u32>> + Send + 'a>>;

/// A future that is polled only after a wake-up.
struct Task<'a> {
    future: Boxed<'a>,
    woken: Arc<Flag>,
}

impl<'a> Task<'a> {
    fn new(future: impl Future<Output = Option<u32>> + Send + 'a) -> Self {
        Task { future: Box::pin(future), woken: Arc::new(Flag(AtomicBool::new(true))) }
    }

    fn pop(queue: &'a Queue) -> Self {
        Task::new(async { Some(queue.wait_pop().await.ok()?.payload) })
    }

    /// Leases a job for 10 nanoseconds and never acknowledges it.
    fn lease(queue: &'a Queue) -> Self {
        Task::new(async { Some(queue.wait_lease(Duration::from_nanos(10)).await.ok()?.payload) })
    }

    fn is_woken(&self) -> bool {
        self.woken.0.load(Ordering::SeqCst)
    }

    /// Polls the future until it is ready or has not been woken again.
    fn run(&mut self) -> Poll<Option<u32>> {
        while self.woken.0.swap(false, Ordering::SeqCst) {
            let waker = Waker::from(self.woken.clone());
            let polled = self.future.as_mut().poll(&mut Context::from_waker(&waker));
            if polled.is_ready() {
                return polled;
            }
        }
        Poll::Pending
    }
}

#[test]
fn a_future_is_ready_exactly_when_the_job_is_due() {
    let (queue, clock) = queue();
    queue.push(1, at(10)).unwrap();
    let mut task = Task::pop(&queue);
    assert_eq!(task.run(), Poll::Pending);
    clock.set(at(9));
    assert_eq!(task.run(), Poll::Pending);
    clock.set(at(10));
    assert_eq!(task.run(), Poll::Ready(Some(1)));
    assert!(queue.is_empty());
}

#[test]
fn a_future_that_is_never_polled_takes_no_job() {
    let (queue, _) = queue();
    queue.push(1, at(0)).unwrap();
    drop(queue.wait_pop());
    drop(queue.wait_lease(Duration::MAX));
    assert_eq!((queue.len(), queue.leased_len()), (1, 0));
}

#[test]
fn a_future_dropped_after_a_wake_up_passes_it_on() {
    let (queue, _) = queue();
    let (mut first, mut second) = (Task::pop(&queue), Task::pop(&queue));
    assert_eq!((first.run(), second.run()), (Poll::Pending, Poll::Pending));
    queue.push(1, at(0)).unwrap();
    assert!(first.is_woken() && !second.is_woken(), "one job wakes one waiter");
    drop(first);
    assert_eq!(second.run(), Poll::Ready(Some(1)));
    queue.check_invariants();
}

#[test]
fn threads_and_futures_wait_in_one_line() {
    let (queue, _) = queue();
    let mut first = Task::pop(&queue);
    assert_eq!(first.run(), Poll::Pending);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.wait_pop().block().ok().map(|job| job.payload));
        let _closing = CloseOnPanic(&queue);
        // The thread and the future receive one job each, whether or not the thread is already
        // waiting.
        queue.push(1, at(0)).unwrap();
        queue.push(2, at(0)).unwrap();
        let by_future = loop {
            if let Poll::Ready(outcome) = first.run() {
                break outcome;
            }
            thread::yield_now();
        };
        let taken = BTreeSet::from([by_future, waiting.join().unwrap()]);
        assert_eq!(taken, BTreeSet::from([Some(1), Some(2)]));
    });
}

/// A waker that owns a future of the same queue, like a runtime's task.
struct Owner {
    _future: Mutex<Boxed<'static>>,
}

impl Wake for Owner {
    fn wake(self: Arc<Self>) {}
}

/// The test would deadlock if a waker were dropped under the lock.
#[test]
fn a_waker_may_own_a_future_waiting_for_the_same_queue() {
    let queue: Arc<Queue> = Arc::new(queue().0);
    let waits = || {
        let queue = Arc::clone(&queue);
        let mut future: Boxed<'static> =
            Box::pin(async move { Some(queue.wait_pop().await.ok()?.payload) });
        assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        future
    };
    let owner = || Waker::from(Arc::new(Owner { _future: Mutex::new(waits()) }));
    let mut future = waits();
    // Each poll replaces and drops the previous waker.
    for _ in 0..3 {
        assert!(future.as_mut().poll(&mut Context::from_waker(&owner())).is_pending());
    }
    drop(future);
    queue.check_invariants();
    queue.push(1, at(0)).unwrap();
    assert_eq!(queue.pop().unwrap().payload, 1);
}

/// A waker that panics.
struct Broken;

impl Wake for Broken {
    fn wake(self: Arc<Self>) {
        panic!("in a waker");
    }
}

#[test]
fn a_panicking_waker_on_close_leaves_no_waiter_asleep() {
    let queue = queue().0;
    let mut before = Task::pop(&queue);
    assert_eq!(before.run(), Poll::Pending);
    let mut broken = pin!(queue.wait_pop());
    let waker = Waker::from(Arc::new(Broken));
    assert!(broken.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let mut after = Task::pop(&queue);
    assert_eq!(after.run(), Poll::Pending);
    assert!(catch_unwind(AssertUnwindSafe(|| queue.close())).is_err());
    assert_eq!((before.run(), after.run()), (Poll::Ready(None), Poll::Ready(None)));
}

#[test]
fn a_panic_while_polling_loses_no_job_and_leaves_the_line() {
    let clock = FakeClock::new();
    let queue = SharedDelayQueue::<Fragile>::new().with_clock(clock.clone());
    let lease =
        || async { queue.wait_lease(Duration::MAX).await.ok().map(|lease| lease.deliveries) };
    let (mut first, mut second) = (Task::new(lease()), Task::new(lease()));
    assert_eq!((first.run(), second.run()), (Poll::Pending, Poll::Pending));
    queue.push(Fragile::default(), at(10)).unwrap();
    assert_eq!(first.run(), Poll::Pending);
    clock.set(at(10));
    assert!(catch_unwind(AssertUnwindSafe(|| first.run())).is_err());
    drop(first);
    assert_eq!(second.run(), Poll::Ready(Some(1)));
    queue.check_invariants();
}

#[test]
fn each_job_goes_to_exactly_one_of_many_futures_on_threads() {
    const JOBS: u32 = if cfg!(miri) { 20 } else { 4000 };
    const WORKERS: u32 = 4;
    let queue = SharedDelayQueue::<u32>::new();
    let taken = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let _closing = CloseOnPanic(&queue);
        for worker in 0..WORKERS {
            let (queue, taken) = (&queue, &taken);
            scope.spawn(move || {
                pollster::block_on(async {
                    loop {
                        // Drops some futures after one poll, as a timeout would.
                        if worker % 2 == 0 {
                            let mut context = Context::from_waker(Waker::noop());
                            if let Poll::Ready(Ok(job)) = pin!(queue.wait_pop()).poll(&mut context)
                            {
                                taken.lock().unwrap().push(job.payload);
                            }
                        }
                        let Ok(job) = queue.wait_pop().await else { break };
                        taken.lock().unwrap().push(job.payload);
                    }
                });
            });
        }
        for payload in 0..JOBS {
            let delay = Duration::from_micros(u64::from(payload % 7) * 10);
            queue.push_after(payload, delay).unwrap();
        }
        while taken.lock().unwrap().len() < JOBS as usize {
            thread::yield_now();
        }
        queue.close();
    });
    let mut taken = taken.into_inner().unwrap();
    taken.sort_unstable();
    assert!(taken.into_iter().eq(0..JOBS));
}

#[test]
fn futures_are_send() {
    fn sendable<T: Send>(_: T) {}
    let (queue, _) = queue();
    sendable(queue.wait_pop());
    sendable(queue.wait_lease(Duration::ZERO));
    assert!(format!("{:?}", queue.wait_pop()).starts_with("WaitFor { queue: SharedDelayQueue"));
}

#[derive(Clone, Debug)]
enum Operation {
    Push(u64),
    WaitToPop,
    WaitToLease,
    /// Drops a waiter.
    Drop(usize),
    Advance(u64),
    /// Runs a waiter. A woken waiter that is not run keeps its wake-up.
    Run(usize),
    Cancel(u64),
    Reschedule(u64, u64),
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (0..30_u64).prop_map(Operation::Push),
        4 => Just(Operation::WaitToPop),
        2 => Just(Operation::WaitToLease),
        3 => (0..6_usize).prop_map(Operation::Drop),
        4 => (0..12_u64).prop_map(Operation::Advance),
        3 => (0..6_usize).prop_map(Operation::Run),
        1 => (0..40_u64).prop_map(Operation::Cancel),
        2 => (0..20_u64, 0..30_u64).prop_map(|(id, delay)| Operation::Reschedule(id, delay)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 512 }, ..config() })]

    /// Once all woken waiters have run, no waiter sleeps while a job is due, and closing the queue
    /// completes all of them without a job.
    #[test]
    fn no_wake_up_is_lost(operations in vec((operations(), any::<bool>()), 0..40)) {
        let (queue, clock) = queue();
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for (operation, all_run) in operations {
            match operation {
                Operation::Push(delay) => {
                    queue.push_after(7, Duration::from_nanos(delay)).unwrap();
                }
                Operation::WaitToPop => tasks.push(Task::pop(&queue)),
                Operation::WaitToLease => tasks.push(Task::lease(&queue)),
                Operation::Drop(index) if index < tasks.len() => drop(tasks.remove(index)),
                Operation::Advance(nanos) => clock.advance(Duration::from_nanos(nanos)),
                Operation::Run(index) if index < tasks.len() => {
                    if tasks[index].run().is_ready() {
                        drop(tasks.remove(index));
                    }
                }
                Operation::Cancel(id) => _ = queue.cancel(&JobId::new(id)),
                Operation::Reschedule(id, delay) => {
                    queue.reschedule_after(&JobId::new(id), Duration::from_nanos(delay));
                }
                Operation::Drop(_) | Operation::Run(_) => {}
            }
            if all_run {
                // Running a waiter may wake an earlier one, so this repeats until none is woken.
                while tasks.iter().any(Task::is_woken) {
                    tasks.retain_mut(|task| task.run().is_pending());
                }
                let is_due = queue.next_due().is_some_and(|due| due <= clock.now());
                prop_assert!(tasks.is_empty() || !is_due, "a waiter sleeps while a job is due");
            }
            queue.check_invariants();
        }
        let len = queue.len();
        queue.close();
        tasks.push(Task::pop(&queue));
        prop_assert!(tasks.iter_mut().all(|task| task.run() == Poll::Ready(None)));
        prop_assert_eq!(queue.len(), len);
    }
}

#[test]
fn a_future_that_was_ready_waits_for_the_next_job_as_a_stream_does() {
    let (queue, clock) = queue();
    let woken = Arc::new(Flag(AtomicBool::new(false)));
    let waker = Waker::from(woken.clone());
    let mut jobs = queue.wait_pop();
    let mut poll = || {
        let polled = Pin::new(&mut jobs).poll(&mut Context::from_waker(&waker));
        polled.map(|job| job.map(|job| job.payload))
    };
    for (payload, due) in [(1, 10), (2, 20), (3, 20)] {
        queue.push(payload, at(due)).unwrap();
    }
    assert_eq!(poll(), Poll::Pending);
    clock.set(at(10));
    assert!(woken.0.swap(false, Ordering::SeqCst));
    assert_eq!(poll(), Poll::Ready(Ok(1)));
    // A future that has returned a job is no longer in the line of waiters, so another caller can
    // take the next due job.
    clock.set(at(20));
    assert_eq!(queue.pop().unwrap().payload, 2);
    assert_eq!(poll(), Poll::Ready(Ok(3)));
    assert_eq!(poll(), Poll::Pending);
    queue.push(4, at(30)).unwrap();
    clock.set(at(30));
    assert!(woken.0.swap(false, Ordering::SeqCst));
    assert_eq!(poll(), Poll::Ready(Ok(4)));
    assert_eq!(poll(), Poll::Pending);
    queue.close();
    assert!(woken.0.load(Ordering::SeqCst));
    assert_eq!(poll(), Poll::Ready(Err(WaitError::Closed)));
    assert_eq!(poll(), Poll::Ready(Err(WaitError::Closed)));
}

#[cfg(feature = "tokio")]
#[tokio::test(start_paused = true)]
async fn on_the_clock_of_tokio_jobs_are_popped_at_their_paused_time() {
    use futures_util::{FutureExt, StreamExt, stream};
    use tokio::time::{Instant, advance, sleep};
    use zset_std::TokioClock;

    let start = Instant::now();
    let queue = Arc::new(SharedDelayQueue::<u32>::new().with_clock(TokioClock::new()));
    for seconds in [7, 3_600, 5, 100_000_000] {
        queue.push_after(seconds, Duration::from_secs(seconds.into())).unwrap();
    }
    // Tokio's paused time advances automatically while all tasks wait.
    assert_eq!(queue.wait_pop().await.unwrap().payload, 5);
    assert_eq!(start.elapsed(), Duration::from_secs(5));
    // If the time is advanced by hand, a job becomes due at the exact millisecond.
    advance(Duration::from_millis(1999)).await;
    assert!(queue.pop().is_none());
    advance(Duration::from_millis(1)).await;
    assert_eq!(queue.pop().unwrap().payload, 7);

    // The waiter gets the job when its lease expires. If another job is pushed earlier, that push
    // wakes the waiter.
    let lease = queue.wait_lease(Duration::from_secs(10)).await.unwrap();
    assert_eq!((lease.payload, start.elapsed()), (3_600, Duration::from_secs(3_600)));
    let bounded = queue.wait_pop().timeout(Duration::from_secs(9)).await;
    assert_eq!(bounded, Err(WaitError::TimedOut));
    let later = Arc::clone(&queue);
    tokio::spawn(async move {
        sleep(Duration::from_millis(500)).await;
        later.push_after(1, Duration::ZERO).unwrap();
    });
    let mut next = queue.wait_pop();
    let mut jobs = stream::poll_fn(|cx| next.poll_unpin(cx).map(Result::ok)).map(|job| job.payload);
    assert_eq!(jobs.next().await, Some(1));
    assert_eq!(start.elapsed(), Duration::from_millis(3_609_500));
    assert_eq!(jobs.next().await, Some(3_600));
    assert_eq!(start.elapsed(), Duration::from_secs(3_610));
    // The last job is due in over three years, which exceeds the longest timer of the runtime.
    assert_eq!(jobs.next().await, Some(100_000_000));
    assert_eq!(start.elapsed(), Duration::from_secs(100_000_000));
    queue.close();
    assert_eq!(jobs.next().await, None);
}
