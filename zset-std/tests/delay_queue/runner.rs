//! Tests `JobRunner`, a thread that runs a function for each due job.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use super::*;
use zset_std::{DelayQueue, FakeClock, JobRunner, SystemClock};

type Opened = mpsc::Receiver<(u32, Timestamp)>;

/// A queue of jobs that have ids but no payloads.
type Ids<C = FakeClock> = SharedDelayQueue<(), u32, C>;

fn ids<const N: usize>(ids: [(u32, Timestamp); N]) -> SharedDelayQueue<(), u32> {
    let mut queue = DelayQueue::new();
    for (id, due) in ids {
        queue.push_with_id(id, (), due).unwrap();
    }
    queue.into()
}

fn run<const N: usize>(
    queue: [(u32, Timestamp); N],
) -> (JobRunner<(), u32, FakeClock>, FakeClock, Opened) {
    let clock = FakeClock::new();
    let (open, opened) = mpsc::channel();
    let runner = ids(queue).with_clock(clock.clone()).run(move |job| {
        // The send fails in tests that have already dropped the receiver.
        let _ = open.send((job.id, job.due));
    });
    (runner, clock, opened)
}

/// Pushes an id, or reschedules it if it is pending. Tries again if another thread pushes the id in
/// between, as in the guide.
fn schedule<C>(queue: &Ids<C>, id: u32, due: Timestamp) -> Option<Timestamp> {
    loop {
        if queue.due(&id) == Some(due) {
            return Some(due); // it keeps its place in the order
        }
        if let Some(old) = queue.reschedule(&id, due) {
            return Some(old);
        }
        if queue.push_with_id(id, (), due).is_ok() {
            return None;
        }
    }
}

#[test]
fn each_id_runs_once_in_order_at_its_time() {
    let (runner, clock, opened) = run([(3, at(20)), (1, at(10)), (2, at(20)), (4, at(30))]);
    clock.set(at(25));
    for expected in [(1, at(10)), (3, at(20)), (2, at(20))] {
        assert_eq!(opened.recv().unwrap(), expected);
    }
    // When the clock steps back, no job runs again.
    clock.set(at(5));
    clock.set(at(30));
    assert_eq!(opened.recv().unwrap(), (4, at(30)));
    assert!(runner.queue().is_empty());
    assert_eq!(runner.panics(), 0);
    assert!(runner.stop().is_empty());
    assert_eq!(opened.try_recv(), Err(mpsc::TryRecvError::Disconnected));
}

#[test]
fn a_runner_wakes_for_earlier_ids_and_changes() {
    let (runner, clock, opened) = run([(1, at(100))]);
    assert_eq!(schedule(runner.queue(), 2, at(50)), None);
    assert_eq!(schedule(runner.queue(), 3, at(50)), None);
    assert_eq!(schedule(runner.queue(), 2, at(50)), Some(at(50)));
    assert_eq!(schedule(runner.queue(), 4, at(10)), None);
    assert_eq!(runner.queue().cancel(&4).map(|job| job.due), Some(at(10)));
    assert_eq!(runner.queue().reschedule(&1, at(40)), Some(at(100)));
    let queue = runner.queue();
    assert_eq!((queue.len(), queue.next_due(), queue.due(&2)), (3, Some(at(40)), Some(at(50))));
    clock.set(at(60));
    // Id 2 was scheduled again for the same time, so it has kept its place before id 3.
    for expected in [(1, at(40)), (2, at(50)), (3, at(50))] {
        assert_eq!(opened.recv().unwrap(), expected);
    }
    assert_eq!(runner.queue().cancel(&2), None);
    // An id scheduled for a past time runs immediately, even if it has run before.
    schedule(runner.queue(), 2, at(0));
    assert_eq!(opened.recv().unwrap(), (2, at(0)));
}

#[test]
fn stop_returns_the_remaining_ids_in_order() {
    let (runner, _clock, opened) = run([(1, at(0)), (2, at(7)), (3, at(5))]);
    assert_eq!(opened.recv().unwrap(), (1, at(0)));
    schedule(runner.queue(), 4, at(5));
    let rest = runner.stop();
    rest.check_invariants();
    assert!(rest.iter().map(|job| (*job.id, job.due)).eq([(3, at(5)), (4, at(5)), (2, at(7))]));
}

#[test]
fn stop_waits_for_the_running_call_and_starts_no_other() {
    let (entered, has_entered) = mpsc::channel();
    let (leave, may_leave) = mpsc::channel::<()>();
    let calls = Arc::new(AtomicU64::new(0));
    let left = Arc::clone(&calls);
    let runner = ids([(1, at(0)), (2, at(0))]).with_clock(FakeClock::new()).run(move |_| {
        entered.send(()).unwrap();
        may_leave.recv().unwrap();
        left.fetch_add(1, Ordering::Relaxed);
    });
    has_entered.recv().unwrap();
    let stopping = thread::spawn(move || runner.stop());
    leave.send(()).unwrap();
    // Lets a second call finish, in case the runner started one before it stopped.
    let _ = leave.send(());
    let rest = stopping.join().unwrap();
    assert_eq!(rest.len() as u64 + calls.load(Ordering::Relaxed), 2);
}

#[test]
fn a_panic_in_the_function_ends_only_that_call() {
    let (open, opened) = mpsc::channel();
    let runner =
        ids([(1, at(0)), (2, at(0)), (3, at(0))]).with_clock(FakeClock::new()).run(move |job| {
            assert_ne!(job.id, 2, "on purpose");
            open.send(job.id).unwrap();
        });
    assert_eq!((opened.recv(), opened.recv()), (Ok(1), Ok(3)));
    assert_eq!(runner.panics(), 1);
}

#[test]
fn a_dropped_runner_stops() {
    let (runner, clock, opened) = run([(1, at(10))]);
    drop(runner);
    clock.set(at(10));
    assert_eq!(opened.recv(), Err(mpsc::RecvError));
}

#[test]
fn the_function_may_stop_its_own_runner() {
    let owner: Arc<Mutex<Option<JobRunner<(), u32, FakeClock>>>> = Arc::default();
    let (stopped, has_stopped) = mpsc::channel();
    let of_function = Arc::clone(&owner);
    let mut place = owner.lock().unwrap();
    *place = Some(ids([(1, at(0)), (2, at(9))]).with_clock(FakeClock::new()).run(move |_| {
        let runner = of_function.lock().unwrap().take().unwrap();
        stopped.send(runner.stop()).unwrap();
    }));
    drop(place);
    assert!(has_stopped.recv().unwrap().iter().map(|job| *job.id).eq([2]));
}

#[test]
fn a_system_clock_works() {
    let (open, opened) = mpsc::channel();
    let long_ago = ids([(1, at(1))]).with_clock(SystemClock);
    let runner = long_ago.run(move |job| open.send(job.id).unwrap());
    assert_eq!(opened.recv(), Ok(1));
    // This job, due in about five hundred years, does not keep the runner from stopping.
    schedule(runner.queue(), 2, Timestamp::MAX);
    assert_eq!(runner.stop().len(), 1);
}

/// Threads schedule, move and cancel ids while time advances: each id runs once or is cancelled.
#[test]
fn each_id_runs_once_or_is_cancelled_under_threads() {
    const EACH: u32 = if cfg!(miri) { 20 } else { 2_000 };
    let (runner, clock, opened) = run([]);
    let cancelled = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let queue = runner.queue();
                scope.spawn(move || {
                    let mut cancelled = Vec::new();
                    for n in 0..EACH {
                        let id = thread * EACH + n;
                        assert_eq!(schedule(queue, id, at(u64::from(n % 50))), None);
                        if n % 3 == 0 {
                            queue.reschedule(&id, at(u64::from(n % 70)));
                        }
                        if n % 5 == 0 && queue.cancel(&id).is_some() {
                            cancelled.push(id);
                        }
                    }
                    cancelled
                })
            })
            .collect();
        for now in 0..100 {
            clock.set(at(now));
            thread::yield_now();
        }
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let mut seen: HashSet<u32> = cancelled.iter().copied().collect();
    assert_eq!(seen.len(), cancelled.len());
    while seen.len() < 4 * EACH as usize {
        let (id, _) = opened.recv().unwrap();
        assert!(seen.insert(id), "{id} ran twice, or had been cancelled");
    }
    assert!(runner.stop().is_empty());
    assert_eq!(opened.recv(), Err(mpsc::RecvError));
}
