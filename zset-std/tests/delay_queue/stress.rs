//! Tests that producer and consumer threads sharing a queue lose no job and complete none twice.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::*;
use zset_std::Clock;
use zset_std::shared_delay_queue::StaleLease;

const JOBS: usize = if cfg!(miri) { 40 } else { 4000 };

/// A deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn of(thread: usize) -> Self {
        Dice((thread as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Returns a number below `sides`. The algorithm is from Marsaglia, "Xorshift RNGs", 2003.
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// The number of events per job, and in total.
struct Counts {
    each: Vec<AtomicU32>,
    total: AtomicUsize,
}

impl Counts {
    fn new() -> Self {
        Counts { each: (0..JOBS).map(|_| AtomicU32::new(0)).collect(), total: AtomicUsize::new(0) }
    }

    /// Counts an event of a job; returns the total.
    fn count(&self, job: usize) -> usize {
        self.each[job].fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn of(&self, job: usize) -> u32 {
        self.each[job].load(Ordering::Relaxed)
    }
}

/// Pushes one thread's share of the jobs, due now or soon. Some are pushed at the last timestamp
/// and then rescheduled.
fn produce(queue: &SharedDelayQueue<usize>, thread: usize, threads: usize) {
    let mut dice = Dice::of(thread);
    for job in (thread..JOBS).step_by(threads) {
        let delay = Duration::from_micros(dice.throw(50));
        if dice.throw(4) == 0 {
            let id = queue.push(job, Timestamp::MAX).unwrap();
            let due = queue.clock().now().saturating_add(delay);
            assert_eq!(queue.reschedule(&id, due), Some(Timestamp::MAX));
        } else {
            queue.push_after(job, delay).unwrap();
        }
        if dice.throw(8) == 0 {
            thread::yield_now();
        }
    }
}

/// Runs equal numbers of producer and consumer threads.
fn run(queue: &SharedDelayQueue<usize>, threads: usize, consume: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        for thread in 0..threads {
            let consume = &consume;
            scope.spawn(move || {
                let _closing = CloseOnPanic(queue);
                produce(queue, thread, threads);
            });
            scope.spawn(move || {
                let _closing = CloseOnPanic(queue);
                consume(thread);
            });
        }
    });
    queue.check_invariants();
    assert!(queue.is_empty());
}

/// Runs 1, 2 and 4 producers with the same number of consumers, which pop jobs with `consume`.
fn pop_all(consume: impl Fn(&SharedDelayQueue<usize>, &mut Dice) -> Vec<Job<usize>> + Sync) {
    for threads in [1, 2, 4] {
        let queue = SharedDelayQueue::new();
        let popped = Counts::new();
        run(&queue, threads, |thread| {
            let mut dice = Dice::of(thread + threads);
            while !queue.is_closed() {
                for job in consume(&queue, &mut dice) {
                    if popped.count(job.payload) == JOBS {
                        queue.close();
                    }
                }
            }
        });
        for job in 0..JOBS {
            assert_eq!(popped.of(job), 1, "job {job}, {threads} threads on each side");
        }
    }
}

#[test]
fn every_job_is_popped_exactly_once() {
    pop_all(|queue, dice| match dice.throw(8) {
        0 => queue.pop_due(3),
        1 => queue.pop().into_iter().collect(),
        // With a timeout, consumers leave the line of waiters at arbitrary moments.
        2..5 => {
            let timeout = Duration::from_micros(dice.throw(60));
            queue.wait_pop().timeout(timeout).block().into_iter().collect()
        }
        _ => queue.wait_pop().block().into_iter().collect(),
    });
}

/// Consumers rely on wake-ups alone, so a lost wake-up would leave jobs in the queue forever.
#[test]
fn consumers_that_only_wait_miss_no_job() {
    pop_all(|queue, _| queue.wait_pop().block().into_iter().collect());
}

/// On average, of eight deliveries, one goes to a worker that dies, one fails, and one exceeds its
/// lease.
#[test]
fn every_leased_job_is_done_once_or_becomes_a_dead_letter() {
    for (threads, max_deliveries) in [(1, None), (2, NonZeroU32::new(2)), (4, None)] {
        let mut queue = SharedDelayQueue::new().with_max_dead_letters(JOBS);
        if let Some(max) = max_deliveries {
            queue = queue.with_max_deliveries(max);
        }
        let (delivered, done, dead) = (Counts::new(), Counts::new(), Counts::new());
        let end = |finished: &Counts, other: &Counts, job| {
            finished.count(job);
            // Several threads may finish the last jobs at once. At least one of them sees the full
            // count.
            if finished.total.load(Ordering::SeqCst) + other.total.load(Ordering::SeqCst) == JOBS {
                queue.close();
            }
        };
        run(&queue, threads, |thread| {
            let mut dice = Dice::of(thread + threads);
            let visibility = Duration::from_micros(300);
            while !queue.is_closed() {
                for letter in queue.take_dead_letters(2) {
                    assert_eq!(Some(letter.deliveries), max_deliveries.map(NonZeroU32::get));
                    end(&dead, &done, letter.payload);
                }
                // A new dead letter wakes no thread, so the wait needs a timeout.
                let lease = queue.wait_lease(visibility).timeout(Duration::from_millis(1)).block();
                let Ok(lease) = lease else { continue };
                delivered.count(lease.payload);
                let result = match dice.throw(8) {
                    0 => continue,
                    1 => queue.nack(&lease, Duration::from_micros(dice.throw(50))).map(|_| ()),
                    2 => {
                        while queue.clock().now() <= lease.until {
                            thread::yield_now();
                        }
                        queue.ack(&lease).map(|()| end(&done, &dead, lease.payload))
                    }
                    3 => queue
                        .renew(&lease, Duration::from_secs(3600))
                        .and_then(|_| queue.ack(&lease))
                        .map(|()| end(&done, &dead, lease.payload)),
                    _ => queue.ack(&lease).map(|()| end(&done, &dead, lease.payload)),
                };
                assert!(matches!(result, Ok(()) | Err(StaleLease)));
            }
        });
        for job in 0..JOBS {
            let (done, dead) = (done.of(job), dead.of(job));
            assert_eq!(done + dead, 1, "job {job}: done {done} times, dead {dead} times");
            assert!(delivered.of(job) >= 1, "job {job}");
        }
        assert_eq!(queue.leased_len() + queue.dead_letters_len(), 0);
    }
}
