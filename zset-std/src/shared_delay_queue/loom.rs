//! Tests that explore all interleavings of a few threads with loom. Run them with `.ci/run loom`.
//! If a wake-up is lost, all threads block, and loom fails.

use std::boxed::Box;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;
use std::vec::Vec;

use super::{SharedDelayQueue, StaleLease, WaitError};
use crate::sync::explore::{explore, explore_interrupting, start};
use crate::sync::waker_of_this_thread;
use crate::sync::{Mutex, lock, thread};
use crate::{Clock, JobId, Timestamp};

/// A clock that wakes only waiters whose time has come, like the operating system's clock.
#[derive(Clone, Default)]
struct Watch {
    shared: Arc<Mutex<(Timestamp, Vec<(Timestamp, Waker)>)>>,
}

impl Watch {
    fn set(&self, now: Timestamp) {
        let mut shared = lock(&self.shared);
        shared.0 = now;
        let over: Vec<_> = shared.1.extract_if(.., |(at, _)| *at <= now).collect();
        drop(shared);
        over.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

impl Clock for Watch {
    fn now(&self) -> Timestamp {
        lock(&self.shared).0
    }

    fn park_until(&self, at: Timestamp) {
        let waker = waker_of_this_thread();
        let mut shared = lock(&self.shared);
        let (now, sleepers) = &mut *shared;
        if *now < at {
            sleepers.push((at, waker));
            drop(shared);
            thread::park();
        }
    }

    #[cfg(feature = "async")]
    fn sleep_until(&self, at: Timestamp) -> crate::clock::Sleep {
        let shared = Arc::clone(&self.shared);
        Box::pin(std::future::poll_fn(move |context| {
            let mut shared = lock(&shared);
            let (now, sleepers) = &mut *shared;
            if *now >= at {
                return std::task::Poll::Ready(());
            }
            sleepers.push((at, context.waker().clone()));
            std::task::Poll::Pending
        }))
    }
}

type Queue = SharedDelayQueue<u8, JobId, Watch>;

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn queue() -> Arc<Queue> {
    Arc::new(SharedDelayQueue::new().with_clock(Watch::default()))
}

fn wait(queue: &Queue) -> Option<u8> {
    queue.wait_pop().block().ok().map(|job| job.payload)
}

fn sorted<const N: usize>(mut payloads: [Option<u8>; N]) -> [Option<u8>; N] {
    payloads.sort_unstable();
    payloads
}

#[test]
fn a_waiter_wakes_for_a_pushed_job() {
    explore(|| {
        let queue = queue();
        let waiting = start(&queue, wait);
        queue.push(1, at(0)).unwrap();
        assert_eq!(waiting.join().unwrap(), Some(1));
        queue.check_invariants();
    });
}

#[test]
fn a_waiter_wakes_for_an_earlier_job() {
    explore(|| {
        let queue = queue();
        queue.push(1, at(10)).unwrap();
        let waiting = start(&queue, wait);
        queue.push(2, at(5)).unwrap();
        queue.clock().set(at(5));
        assert_eq!(waiting.join().unwrap(), Some(2));
    });
}

#[test]
fn a_waiter_wakes_for_a_rescheduled_job() {
    explore(|| {
        let queue = queue();
        let id = queue.push(1, at(10)).unwrap();
        let waiting = start(&queue, wait);
        queue.reschedule(&id, at(0)).unwrap();
        assert_eq!(waiting.join().unwrap(), Some(1));
    });
}

#[test]
fn a_waiter_wakes_when_a_lease_expires_or_is_released() {
    for is_given_up in [false, true] {
        explore(move || {
            let queue = queue();
            queue.push(1, at(0)).unwrap();
            let lease = queue.lease(Duration::from_nanos(10)).unwrap();
            let waiting = start(&queue, wait);
            if is_given_up {
                queue.nack(&lease, Duration::ZERO).unwrap();
            } else {
                queue.clock().set(at(10));
            }
            assert_eq!(waiting.join().unwrap(), Some(1));
            assert_eq!(queue.ack(&lease), Err(StaleLease));
        });
    }
}

#[test]
fn two_waiters_each_get_one_of_two_jobs() {
    explore_interrupting(4, || {
        let queue = queue();
        let waiting = [(), ()].map(|()| start(&queue, wait));
        queue.push(1, at(0)).unwrap();
        queue.push(2, at(0)).unwrap();
        let taken = waiting.map(|waiting| waiting.join().unwrap());
        assert_eq!(sorted(taken), [Some(1), Some(2)]);
        queue.check_invariants();
    });
}

/// When the first waiter has its job, the second waiter must wait for the next job.
#[test]
fn two_waiters_each_get_a_job_when_it_falls_due() {
    explore_interrupting(4, || {
        let queue = queue();
        queue.push(1, at(5)).unwrap();
        queue.push(2, at(10)).unwrap();
        let waiting = [(), ()].map(|()| start(&queue, wait));
        queue.clock().set(at(5));
        queue.clock().set(at(10));
        let taken = waiting.map(|waiting| waiting.join().unwrap());
        assert_eq!(sorted(taken), [Some(1), Some(2)]);
    });
}

#[test]
fn two_pushes_wake_two_waiters() {
    explore_interrupting(3, || {
        let queue = queue();
        let waiting = [(), ()].map(|()| start(&queue, wait));
        let pushing = start(&queue, |queue| queue.push(1, at(0)).is_ok());
        queue.push(2, at(0)).unwrap();
        assert!(pushing.join().unwrap());
        let taken = waiting.map(|waiting| waiting.join().unwrap());
        assert_eq!(sorted(taken), [Some(1), Some(2)]);
    });
}

#[test]
fn exactly_one_of_three_threads_gets_a_job() {
    explore(|| {
        let queue = queue();
        let id = queue.push(1, at(0)).unwrap();
        let popping = start(&queue, |queue| queue.pop_due(9).pop().map(|job| job.payload));
        let leasing = start(&queue, |queue| queue.lease(Duration::MAX).map(|lease| lease.payload));
        let cancelled = queue.cancel(&id).map(|job| job.payload);
        let (popped, leased) = (popping.join().unwrap(), leasing.join().unwrap());
        // A job on lease can still be cancelled.
        let taken = [popped, leased, cancelled].into_iter().flatten().count();
        assert!(
            taken == 1 || taken == 2 && leased == cancelled,
            "{popped:?} {leased:?} {cancelled:?}"
        );
        assert_eq!(queue.len(), usize::from(popped.is_none() && cancelled.is_none()));
        queue.check_invariants();
    });
}

/// A thread that arrives when a job is due takes it before the waiters, which keep waiting.
#[test]
fn a_waiter_that_loses_its_job_waits_for_the_next() {
    explore_interrupting(4, || {
        let queue = queue();
        let waiting = start(&queue, wait);
        let popping = start(&queue, |queue| queue.pop().map(|job| job.payload));
        queue.push(1, at(0)).unwrap();
        if popping.join().unwrap().is_some() {
            queue.push(2, at(0)).unwrap();
            assert_eq!(waiting.join().unwrap(), Some(2));
        } else {
            assert_eq!(waiting.join().unwrap(), Some(1));
        }
    });
}

#[test]
fn closing_wakes_all_waiters() {
    explore_interrupting(4, || {
        let queue = queue();
        queue.push(1, at(10)).unwrap();
        let waiting = [(), ()].map(|()| start(&queue, wait));
        queue.close();
        assert_eq!(waiting.map(|waiting| waiting.join().unwrap()), [None, None]);
        assert_eq!(queue.len(), 1);
        queue.check_invariants();
    });
}

#[test]
fn a_job_pushed_while_closing_is_taken_kept_or_rejected() {
    explore_interrupting(4, || {
        let queue = queue();
        let waiting = start(&queue, wait);
        let closing = start(&queue, Queue::close);
        let is_pushed = queue.push(1, at(0)).is_ok();
        closing.join().unwrap();
        let is_taken = waiting.join().unwrap().is_some();
        assert!(is_pushed || !is_taken);
        assert_eq!(queue.len(), usize::from(is_pushed && !is_taken));
    });
}

#[test]
fn a_job_is_either_acknowledged_or_redelivered() {
    explore(|| {
        let queue = queue();
        queue.push(1, at(0)).unwrap();
        let visibility = Duration::from_nanos(10);
        let lease = queue.lease(visibility).unwrap();
        let late = start(&queue, move |queue| queue.ack(&lease));
        let again = queue.at(at(10)).lease(visibility);
        let acked = late.join().unwrap();
        match again {
            Some(lease) => {
                assert_eq!(acked, Err(StaleLease));
                assert_eq!(lease.deliveries, 2);
                assert_eq!(queue.ack(&lease), Ok(()));
            }
            None => assert_eq!(acked, Ok(())),
        }
        assert!(queue.is_empty());
        queue.check_invariants();
    });
}

#[test]
fn a_lease_is_either_extended_or_its_job_redelivered() {
    explore(|| {
        let queue = queue();
        queue.push(1, at(0)).unwrap();
        let visibility = Duration::from_nanos(10);
        let lease = queue.lease(visibility).unwrap();
        let extending = start(&queue, move |queue| queue.at(at(5)).renew(&lease, visibility));
        let again = queue.at(at(10)).lease(visibility);
        assert_eq!(extending.join().unwrap().is_ok(), again.is_none());
        queue.check_invariants();
    });
}

/// The first waiter is responsible for the job due at 10. When it times out, the other waiter,
/// which sleeps without a deadline, must take over.
#[test]
fn a_leaving_waiter_hands_over_its_wait() {
    explore_interrupting(4, || {
        let queue = queue();
        queue.push(1, at(10)).unwrap();
        let leaving =
            start(&queue, |queue| queue.wait_pop().deadline(at(5)).block().map(|job| job.payload));
        let staying = start(&queue, wait);
        queue.clock().set(at(5));
        assert_eq!(leaving.join().unwrap(), Err(WaitError::TimedOut));
        queue.clock().set(at(10));
        assert_eq!(staying.join().unwrap(), Some(1));
        queue.check_invariants();
    });
}

#[test]
fn a_waiter_leaving_during_a_push_passes_the_wake_up_on() {
    explore_interrupting(4, || {
        let queue = queue();
        let leaving =
            start(&queue, |queue| queue.wait_pop().deadline(at(5)).block().map(|job| job.payload));
        let staying = start(&queue, wait);
        queue.clock().set(at(5));
        queue.push(1, at(5)).unwrap();
        if leaving.join().unwrap().is_ok() {
            queue.push(1, at(5)).unwrap();
        }
        assert_eq!(staying.join().unwrap(), Some(1));
    });
}

/// Payloads are dropped after the lock is released.
#[test]
fn a_payload_may_use_its_queue_when_it_is_dropped() {
    struct Sees(Arc<SharedDelayQueue<Option<Arc<Sees>>, JobId, Watch>>);

    impl Drop for Sees {
        fn drop(&mut self) {
            drop(lock(&self.0.state));
        }
    }

    ::loom::model(|| {
        let queue = Arc::new(SharedDelayQueue::new().with_clock(Watch::default()));
        let payload = || Some(Arc::new(Sees(Arc::clone(&queue))));
        queue.push(payload(), at(0)).unwrap();
        let lease = queue.lease(Duration::MAX).unwrap();
        queue.ack(&lease).unwrap();
        drop(lease);
        queue.push(payload(), at(0)).unwrap();
        queue.clear();
    });
}

#[cfg(feature = "async")]
mod futures {
    use std::pin::pin;
    use std::task::{Context, Poll};

    use super::*;

    /// Runs a future on this thread, polling it only when woken.
    fn block_on<F: Future>(future: F) -> F::Output {
        let waker = waker_of_this_thread();
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            thread::park();
        }
    }

    fn await_job(queue: &Queue) -> Option<u8> {
        block_on(queue.wait_pop()).ok().map(|job| job.payload)
    }

    #[test]
    fn a_future_wakes_for_a_pushed_job() {
        explore(|| {
            let queue = queue();
            let waiting = start(&queue, await_job);
            queue.push(1, at(0)).unwrap();
            assert_eq!(waiting.join().unwrap(), Some(1));
            queue.check_invariants();
        });
    }

    #[test]
    fn a_future_wakes_when_a_job_falls_due() {
        explore_interrupting(4, || {
            let queue = queue();
            queue.push(1, at(10)).unwrap();
            let waiting = start(&queue, await_job);
            queue.clock().set(at(10));
            assert_eq!(waiting.join().unwrap(), Some(1));
        });
    }

    #[test]
    fn closing_wakes_a_future() {
        explore_interrupting(4, || {
            let queue = queue();
            queue.push(1, at(10)).unwrap();
            let waiting = start(&queue, await_job);
            queue.close();
            assert_eq!(waiting.join().unwrap(), None);
        });
    }

    /// Polls the future once and drops it, while a job is pushed and another thread waits: either
    /// the other thread gets the job and the wake-up, or the future has taken the job.
    #[test]
    fn a_dropped_future_loses_neither_the_job_nor_the_wake_up() {
        explore_interrupting(3, || {
            let queue = queue();
            let dropping = start(&queue, |queue| {
                let waker = waker_of_this_thread();
                let mut future = Box::pin(queue.wait_pop());
                match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    Poll::Ready(job) => job.is_ok(),
                    Poll::Pending => false,
                }
            });
            let staying = start(&queue, wait);
            queue.push(1, at(0)).unwrap();
            if dropping.join().unwrap() {
                queue.push(1, at(0)).unwrap();
            }
            assert_eq!(staying.join().unwrap(), Some(1));
            queue.check_invariants();
        });
    }
}
