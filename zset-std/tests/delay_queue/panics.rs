//! Tests that a panic in user code loses no job and does not affect other threads.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{self, AtomicBool};
use std::thread;
use std::time::Duration;

use super::waiting::Watched;
use super::*;
use crate::fuse::{self, Fused};
use zset_std::{FakeClock, Lease};

type Queue = SharedDelayQueue<Fused, Fused, FakeClock>;

const JOBS: u64 = 200;

/// Returns a queue of due jobs, the first of which is leased.
fn queue() -> (Queue, Lease<Fused, Fused>) {
    let queue = SharedDelayQueue::new().with_clock(FakeClock::new());
    for id in 0..JOBS {
        queue.push_with_id(Fused(id), Fused(id), Timestamp::ZERO).unwrap();
    }
    let lease = queue.lease(Duration::from_nanos(10)).unwrap();
    (queue, lease)
}

/// Applies an operation with ever longer fuses until it completes. After each run, all jobs must
/// remain except those in `may_be_taken`.
fn verify_with_every_fuse<R>(
    operation: impl Fn(&Queue, &Lease<Fused, Fused>) -> R,
    may_be_taken: &[u64],
) {
    let mut panics = 0;
    for length in 1.. {
        let (queue, lease) = queue();
        fuse::arm(length);
        let result = catch_unwind(AssertUnwindSafe(|| drop(operation(&queue, &lease))));
        fuse::disarm();
        // Another thread must still be able to use the queue.
        let drain = || {
            queue.check_invariants();
            queue.drain()
        };
        let rest = thread::scope(|scope| scope.spawn(drain).join().unwrap());
        let ids: HashSet<_> = rest.iter().map(|job| job.id.0).collect();
        let is_there = |id: u64| ids.contains(&id);
        assert!((0..JOBS).all(|id| may_be_taken.contains(&id) || is_there(id)), "a job was lost");
        if result.is_ok() {
            break;
        }
        assert!((0..JOBS).all(is_there), "a panic has lost a job");
        panics += 1;
    }
    assert!(panics > 0, "no code of an id was run");
}

#[test]
fn no_panic_loses_a_job() {
    let long = Duration::from_secs(1);
    for id in [7, JOBS] {
        let push = |queue: &Queue, _: &_| queue.push_with_id(Fused(id), Fused(0), Timestamp::MAX);
        verify_with_every_fuse(push, &[]);
    }
    verify_with_every_fuse(|queue, _| queue.pop(), &[1]);
    verify_with_every_fuse(|queue, _| queue.wait_pop().block(), &[1]);
    verify_with_every_fuse(|queue, _| queue.lease(long), &[]);
    verify_with_every_fuse(|queue, _| queue.wait_lease(long).block(), &[]);
    verify_with_every_fuse(Queue::ack, &[0]);
    verify_with_every_fuse(|queue, lease| queue.nack(lease, long), &[]);
    verify_with_every_fuse(|queue, lease| queue.renew(lease, long), &[]);
    verify_with_every_fuse(|queue, _| queue.cancel(&Fused(7)), &[7]);
    for id in [0, 7] {
        verify_with_every_fuse(|queue, _| queue.reschedule(&Fused(id), Timestamp::MAX), &[]);
    }
}

#[test]
fn a_waiter_that_panics_leaves_the_job_to_the_next() {
    let queue = SharedDelayQueue::<Fragile>::new();
    thread::scope(|scope| {
        let wait = || queue.wait_lease(Duration::MAX).block().map(|lease| queue.ack(&lease));
        let waiting = [(), ()].map(|()| scope.spawn(wait));
        queue.push_after(Fragile::default(), Duration::from_millis(1)).unwrap();
        let results = waiting.map(std::thread::ScopedJoinHandle::join);
        assert!(matches!(results, [Ok(Ok(Ok(()))), Err(_)] | [Err(_), Ok(Ok(Ok(())))]));
    });
    assert!(queue.is_empty());
    queue.check_invariants();
}

/// Payloads are dropped outside the lock, so a payload whose `Drop` uses the queue does not
/// deadlock.
#[test]
fn payloads_are_dropped_outside_the_lock() {
    #[derive(Clone)]
    struct Looks<'a>(&'a SharedDelayQueue<Looks<'a>>);

    impl Drop for Looks<'_> {
        fn drop(&mut self) {
            let _ = self.0.len();
        }
    }

    let queue = SharedDelayQueue::new().with_max_deliveries(NonZeroU32::MIN);
    let queue: &SharedDelayQueue<Looks<'static>> =
        Box::leak(Box::new(queue.with_max_dead_letters(0)));
    for round in 0..4 {
        queue.push(Looks(queue), Timestamp::ZERO).unwrap();
        match round {
            0 => drop(queue.pop()),
            1 => queue.clear(),
            2 => assert!(queue.ack(&queue.lease(Duration::MAX).unwrap()).is_ok()),
            // The queue keeps no dead letters, so the payload of the expired job is dropped.
            _ => {
                drop(queue.lease(Duration::ZERO));
                assert!(queue.pop().is_none());
            }
        }
        assert!(queue.is_empty());
    }
    assert_eq!(queue.dead_letters_len(), 0);
}

/// A payload's `Drop` parks the waiter after it has found no job and before it sleeps. This must
/// not consume a wake-up for a job.
#[test]
fn a_wake_up_is_not_lost_while_a_payload_is_dropped() {
    struct Blocks<'a>(Option<&'a [AtomicBool; 2]>);

    impl Clone for Blocks<'_> {
        fn clone(&self) -> Self {
            Blocks(None)
        }
    }

    impl Drop for Blocks<'_> {
        fn drop(&mut self) {
            if let Some([is_dropping, may_continue]) = self.0 {
                is_dropping.store(true, atomic::Ordering::SeqCst);
                wait_for(may_continue);
                // Consumes the thread's unpark token, as waiting on a channel would.
                thread::park_timeout(Duration::ZERO);
            }
        }
    }

    fn wait_for(is_set: &AtomicBool) {
        while !is_set.load(atomic::Ordering::SeqCst) {
            thread::yield_now();
        }
    }

    let signals @ [is_dropping, may_continue] = &[const { AtomicBool::new(false) }; 2];
    let clock = Watched::default();
    let queue = SharedDelayQueue::<Blocks<'_>>::new()
        .with_clock(clock.clone())
        .with_max_deliveries(NonZeroU32::MIN)
        .with_max_dead_letters(0);
    queue.push(Blocks(Some(signals)), Timestamp::ZERO).unwrap();
    drop(queue.lease(Duration::ZERO));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.wait_pop().block().is_ok());
        let _closing = CloseOnPanic(&queue);
        wait_for(is_dropping);
        // This push wakes the waiter while it is still running the payload's `drop`. No other
        // wake-up follows.
        queue.push(Blocks(None), Timestamp::ZERO).unwrap();
        may_continue.store(true, atomic::Ordering::SeqCst);
        while !waiting.is_finished() {
            if clock.fallen_asleep.load(atomic::Ordering::SeqCst) > 0 {
                queue.close();
                waiting.thread().unpark();
                panic!("the waiter sleeps while a job is due");
            }
            thread::yield_now();
        }
        assert!(waiting.join().unwrap());
    });
}
