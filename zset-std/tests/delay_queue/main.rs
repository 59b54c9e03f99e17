//! Compares delay queues with lists that are sorted for each query. Other tests share a queue
//! between threads.

#[path = "../fuse/mod.rs"]
mod fuse;
#[cfg(feature = "async")]
mod futures;
mod panics;
mod queue;
mod runner;
mod shared;
mod stress;
mod traits;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use zset_std::{Job, JobId, SharedDelayQueue, Timestamp};

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

/// Times that often coincide, and sometimes the earliest or latest possible ones.
fn times() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        20 => (0..20u64).prop_map(at),
        1 => Just(Timestamp::ZERO),
        1 => Just(at(u64::MAX - 1)),
        1 => Just(Timestamp::MAX),
    ]
}

/// When a job is due: the argument of a method such as `push`, or of its `_after` form.
#[derive(Clone, Copy, Debug)]
enum When {
    At(Timestamp),
    After(Duration),
}

impl When {
    fn due(self, now: Timestamp) -> Timestamp {
        match self {
            When::At(due) => due,
            When::After(delay) => now.saturating_add(delay),
        }
    }
}

fn whens() -> impl Strategy<Value = When> {
    let delays = prop_oneof![8 => 0..8u64, 1 => Just(u64::MAX)].prop_map(Duration::from_nanos);
    prop_oneof![2 => times().prop_map(When::At), 1 => delays.prop_map(When::After)]
}

/// A job of a naive queue, and its arrival number.
#[derive(Clone, Copy, Debug)]
struct Arrived<J> {
    due: Timestamp,
    arrival: usize,
    id: u64,
    job: J,
}

/// A queue that is sorted for each query.
#[derive(Clone, Debug)]
struct Naive<J> {
    jobs: Vec<Arrived<J>>,
    arrivals: usize,
}

impl<J: Clone> Naive<J> {
    fn new() -> Self {
        Naive { jobs: Vec::new(), arrivals: 0 }
    }

    fn push(&mut self, id: u64, due: Timestamp, job: J) {
        self.jobs.push(Arrived { due, arrival: self.arrivals, id, job });
        self.arrivals += 1;
    }

    fn sorted(&self) -> Vec<Arrived<J>> {
        let mut jobs = self.jobs.clone();
        jobs.sort_by_key(|job| (job.due, job.arrival));
        jobs
    }

    fn next_due(&self) -> Option<Timestamp> {
        self.jobs.iter().map(|job| job.due).min()
    }

    fn find(&mut self, id: u64) -> Option<&mut Arrived<J>> {
        self.jobs.iter_mut().find(|job| job.id == id)
    }

    fn remove(&mut self, id: u64) -> Option<Arrived<J>> {
        let index = self.jobs.iter().position(|job| job.id == id)?;
        Some(self.jobs.remove(index))
    }

    /// Changes the due time of a job, and moves it after all others due at that time.
    fn reschedule(&mut self, id: u64, due: Timestamp) -> Option<Timestamp> {
        let job = self.remove(id)?;
        self.push(id, due, job.job);
        Some(job.due)
    }

    /// Returns the first job if it is due.
    fn due(&self, now: Timestamp) -> Option<Arrived<J>> {
        self.sorted().into_iter().next().filter(|job| job.due <= now)
    }

    fn pop(&mut self, now: Timestamp) -> Option<Arrived<J>> {
        let id = self.due(now)?.id;
        self.remove(id)
    }
}

/// Returns the parts that identify a job.
fn parts<T, I>(job: Job<T, I>) -> (I, Timestamp, T) {
    (job.id, job.due, job.payload)
}

/// Held by a thread for which others wait. If the thread panics, the queue is closed, so the test
/// fails instead of hanging.
struct CloseOnPanic<'a, T, C>(&'a SharedDelayQueue<T, JobId, C>);

impl<T, C> Drop for CloseOnPanic<'_, T, C> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

/// A payload whose first clone panics, on whichever thread.
#[derive(Default)]
struct Fragile(Arc<AtomicBool>);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(self.0.swap(true, Ordering::SeqCst), "the first clone panics");
        Fragile(Arc::clone(&self.0))
    }
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}
