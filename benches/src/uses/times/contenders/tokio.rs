//! The `tokio-util` crate: a hierarchical timer wheel.
//!
//! It is polled here with a manually advanced clock, so neither the task that would wait for it nor
//! the runtime that would wake that task is timed. Its wheel has slots of one millisecond; jobs due
//! in the same slot are returned in any order.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::{Builder, EnterGuard, Runtime};
use tokio::time::{Instant, advance};
use tokio_util::time::DelayQueue;
use tokio_util::time::delay_queue::Key;

use crate::uses::times::Timed;

thread_local! {
    /// A runtime with a paused clock, one per measuring thread. It is leaked because queues stay in
    /// its context permanently.
    static RUNTIME: &'static Runtime = Box::leak(Box::new(
        Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime without I/O asks nothing of the system")
    ));
}

/// `tokio_util::time::DelayQueue<u64>`.
pub struct TokioQueue {
    queue: DelayQueue<u64>,
    /// Time zero.
    start: Instant,
    runtime: &'static Runtime,
    /// Held permanently: entering the runtime at each call would take longer than some calls.
    _guard: EnterGuard<'static>,
}

impl Default for TokioQueue {
    fn default() -> Self {
        let runtime = RUNTIME.with(|&runtime| runtime);
        let guard = runtime.enter();
        TokioQueue { queue: DelayQueue::new(), start: Instant::now(), runtime, _guard: guard }
    }
}

impl TokioQueue {
    #[inline]
    fn at(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }
}

impl Timed for TokioQueue {
    const NAME: &'static str = "tokio-util";

    type Key = Key;

    #[inline]
    fn push(&mut self, payload: u64, due: u64) -> Key {
        self.queue.insert_at(payload, self.at(due))
    }

    #[inline]
    fn cancel(&mut self, key: &Key) -> bool {
        self.queue.try_remove(key).is_some()
    }

    #[inline]
    fn reschedule(&mut self, key: &Key, due: u64) {
        self.queue.reset_at(key, self.at(due));
    }

    fn reach(&mut self, now: u64) {
        let left = self.at(now).saturating_duration_since(Instant::now());
        self.runtime.block_on(advance(left));
    }

    #[inline]
    fn pop_due(&mut self, _now: u64) -> Option<(u64, u64)> {
        match self.queue.poll_expired(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(expired)) => {
                let due = expired.deadline() - self.start;
                Some((expired.into_inner(), due.as_millis() as u64))
            }
            Poll::Ready(None) | Poll::Pending => None,
        }
    }
}
