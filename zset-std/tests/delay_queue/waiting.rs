//! Tests threads that wait for jobs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use super::*;
use zset_std::shared_delay_queue::WaitError;
use zset_std::{Clock, FakeClock};

/// A clock that counts how often threads fall asleep and wake.
#[derive(Clone, Default)]
pub(super) struct Watched {
    clock: FakeClock,
    pub(super) fallen_asleep: Arc<AtomicUsize>,
    woken: Arc<AtomicUsize>,
}

impl Clock for Watched {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn park_until(&self, until: Timestamp) {
        self.fallen_asleep.fetch_add(1, Ordering::SeqCst);
        self.clock.park_until(until);
        self.woken.fetch_add(1, Ordering::SeqCst);
    }
}

impl Watched {
    /// Waits until threads have fallen asleep this many times in total.
    fn wait_until_asleep(&self, sleepers: usize) {
        while self.fallen_asleep.load(Ordering::SeqCst) < sleepers {
            thread::yield_now();
        }
    }
}

type Queue = SharedDelayQueue<u32, JobId, Watched>;

fn queue() -> (Queue, Watched) {
    let clock = Watched::default();
    (SharedDelayQueue::new().with_clock(clock.clone()), clock)
}

/// Runs `wake` while one thread waits. That thread must then receive the job.
#[track_caller]
fn assert_wakes<P>(prepare: impl Fn(&Queue) -> P, wake: impl Fn(&Queue, &FakeClock, P)) {
    let (queue, watch) = queue();
    let prepared = prepare(&queue);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.wait_pop().block().unwrap().payload);
        let _closing = CloseOnPanic(&queue);
        watch.wait_until_asleep(1);
        wake(&queue, &watch.clock, prepared);
        assert_eq!(waiting.join().unwrap(), 1);
    });
    assert!(queue.is_empty());
    queue.check_invariants();
}

#[test]
fn waits_at_the_last_time_of_the_clock_end_at_once() {
    let clock = FakeClock::new();
    let queue = SharedDelayQueue::<&str>::new().with_clock(clock.clone());
    for now in [u64::MAX - 1, u64::MAX].map(Timestamp::from_nanos) {
        clock.set(now);
        assert_eq!(queue.wait_pop().timeout(Duration::ZERO).block(), Err(WaitError::TimedOut));
        assert_eq!(queue.wait_pop().deadline(now).block(), Err(WaitError::TimedOut));
        queue.push("job", now).unwrap();
        assert!(queue.wait_pop().block().is_ok());
    }
    let minute = Duration::from_secs(60);
    assert_eq!(queue.wait_lease(minute).timeout(minute).block().err(), Some(WaitError::TimedOut));
}

#[test]
fn a_waiter_wakes_for_every_change_that_makes_a_job_due() {
    let push = |due: u64| move |queue: &Queue| assert!(queue.push(1, at(due)).is_ok());
    assert_wakes(|_| (), |queue, _, ()| push(0)(queue));
    assert_wakes(push(10), |_, clock, ()| clock.set(at(10)));
    assert_wakes(push(10), |queue, _, ()| _ = queue.reschedule(&JobId::new(0), at(0)));
    let leased = |queue: &Queue| {
        push(0)(queue);
        queue.lease(Duration::from_nanos(10)).unwrap()
    };
    // In order: the lease expires, is shortened, and is released.
    assert_wakes(leased, |_, clock, _| clock.set(at(10)));
    assert_wakes(leased, |queue, _, lease| _ = queue.renew(&lease, Duration::ZERO).unwrap());
    assert_wakes(leased, |queue, _, lease| _ = queue.nack(&lease, Duration::ZERO).unwrap());
}

#[test]
fn a_pushed_job_wakes_one_of_many_waiters() {
    let (queue, watch) = queue();
    let (sender, popped) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..8 {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || {
                while let Ok(job) = queue.wait_pop().block() {
                    sender.send(job.payload).unwrap();
                }
            });
        }
        let _closing = CloseOnPanic(&queue);
        watch.wait_until_asleep(8);
        for payload in 0..20 {
            queue.push(payload, at(0)).unwrap();
            assert_eq!(popped.recv().unwrap(), payload);
            // Waits until the thread that received the job is asleep again.
            watch.wait_until_asleep(9 + payload as usize);
        }
        assert_eq!(watch.woken.load(Ordering::SeqCst), 20);
        queue.check_invariants();
        // The first push wakes a thread, which then sleeps until that job is due. The second job is
        // due later, so its push wakes no thread.
        queue.push(20, at(10)).unwrap();
        watch.wait_until_asleep(29);
        queue.push(21, at(11)).unwrap();
        assert_eq!(watch.woken.load(Ordering::SeqCst), 21);
        queue.check_invariants();
        queue.close();
    });
    assert_eq!(queue.len(), 2);
}

#[test]
fn closing_wakes_all_waiters() {
    let (queue, watch) = queue();
    queue.push(1, at(10)).unwrap();
    thread::scope(|scope| {
        let popping = [(), ()].map(|()| scope.spawn(|| queue.wait_pop().block()));
        let leasing = scope.spawn(|| queue.wait_lease(Duration::MAX).block());
        let timed = scope.spawn(|| queue.wait_pop().deadline(Timestamp::MAX).block());
        watch.wait_until_asleep(4);
        queue.close();
        assert!(popping.map(|thread| thread.join().unwrap()).iter().all(Result::is_err));
        assert!(leasing.join().unwrap().is_err());
        assert_eq!(timed.join().unwrap(), Err(WaitError::Closed));
    });
    queue.check_invariants();
    assert_eq!(queue.at(at(10)).pop_due(9).len(), 1);
}

#[test]
fn a_timed_wait_returns_jobs_due_at_its_deadline_but_none_later() {
    for (due, is_popped) in [(5, true), (6, false)] {
        let (queue, watch) = queue();
        queue.push(1, at(due)).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.wait_pop().timeout(Duration::from_nanos(5)).block());
            watch.wait_until_asleep(1);
            watch.clock.set(at(5));
            let wanted = if is_popped { Ok(1) } else { Err(WaitError::TimedOut) };
            assert_eq!(waiting.join().unwrap().map(|job| job.payload), wanted);
        });
        queue.check_invariants();
    }
}

/// The job becomes a dead letter when it would be delivered to the waiting worker.
#[test]
fn a_waiter_skips_a_job_whose_last_lease_has_expired() {
    let (queue, watch) = queue();
    let queue = queue.with_max_deliveries(std::num::NonZeroU32::MIN);
    queue.push(1, at(0)).unwrap();
    queue.push(2, at(20)).unwrap();
    let lease = queue.lease(Duration::from_nanos(10)).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.wait_lease(Duration::MAX).block().unwrap().payload);
        watch.wait_until_asleep(1);
        watch.clock.set(at(10));
        watch.wait_until_asleep(2);
        assert_eq!(queue.take_dead_letters(9)[0].since, lease.until);
        watch.clock.set(at(20));
        assert_eq!(waiting.join().unwrap(), 2);
    });
    assert!(queue.ack(&lease).is_err());
}

#[test]
fn waiters_sleep_no_longer_than_needed_by_the_real_clock() {
    let queue = SharedDelayQueue::new();
    thread::scope(|scope| {
        let waiting =
            [(), (), ()].map(|()| scope.spawn(|| queue.wait_pop().block().unwrap().payload));
        for (delay, payload) in [(3, 'c'), (1, 'a'), (2, 'b')] {
            queue.push_after(payload, Duration::from_millis(delay)).unwrap();
        }
        let mut popped = waiting.map(|thread| thread.join().unwrap());
        popped.sort_unstable();
        assert_eq!(popped, ['a', 'b', 'c']);
    });
}

#[test]
fn a_queue_at_a_given_time_does_not_read_its_clock() {
    struct Unread;

    impl Clock for Unread {
        fn now(&self) -> Timestamp {
            panic!("the clock was read");
        }
    }

    let queue = SharedDelayQueue::<u32>::new().with_clock(Unread);
    let minute = Duration::from_nanos(60);
    for payload in 0..4 {
        queue.at(at(0)).push_after(payload, Duration::from_nanos(10)).unwrap();
    }
    assert!(queue.at(at(9)).pop().is_none());
    assert_eq!(queue.at(at(10)).pop().unwrap().payload, 0);
    assert_eq!(queue.at(at(10)).pop_due(1).len(), 1);
    let lease = queue.at(at(10)).lease(minute).unwrap();
    assert_eq!((lease.payload, lease.until), (2, at(70)));
    assert_eq!(queue.at(at(20)).renew(&lease, minute), Ok(at(80)));
    assert!(queue.at(at(20)).nack(&lease, Duration::ZERO).is_ok());
    assert_eq!(queue.at(at(20)).pop_due(9).len(), 2);
}
