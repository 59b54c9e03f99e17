//! Tests of queues: leases, dead letters, waiting, and random steps whose results are compared with
//! those of zset-std.

mod dead_letters;
mod equality;
mod leases;
mod lost_keys;
mod waiting;

use std::time::Duration;

use zset_redis::DelayQueueError;
use zset_redis::blocking::DelayQueue;

use crate::servers::{PATIENCE, at_seconds};
pub(crate) use leases::awaited;

const MINUTE: Duration = Duration::from_secs(60);

/// Runs each script of a queue, and returns the errors.
pub(crate) fn use_queue(queue: &DelayQueue) -> Vec<DelayQueueError> {
    let mut errors = Vec::new();
    let mut all = |error: Option<DelayQueueError>| errors.extend(error);
    all(queue.push_after("payload", Duration::ZERO).err());
    for id in ["a", "b"] {
        all(queue.push_with_id_after(id, id, Duration::ZERO).err());
        match queue.lease(PATIENCE) {
            Ok(Some(lease)) => {
                all(queue.renew(&lease, PATIENCE).err());
                all(queue.nack(&lease, PATIENCE).err());
            }
            lease => all(lease.err()),
        }
    }
    match queue.lease(PATIENCE) {
        Ok(Some(lease)) => all(queue.ack(&lease).err()),
        lease => all(lease.err()),
    }
    all(queue.dead_letters(2).err());
    all(queue.requeue("a", PATIENCE).err());
    all(queue.take_dead_letters(2).err());
    all(queue.purge_dead_letters().err());
    all(queue.get("a").err());
    all(queue.contains("a").err());
    all(queue.due("a").err());
    all(queue.reschedule_after("a", Duration::ZERO).err());
    all(queue.cancel("a").err());
    all(queue.pop().err());
    all(queue.at(at_seconds(1 << 31)).lease(PATIENCE).err());
    all(queue.stats().err());
    all(queue.clear().err());
    match queue.wait_lease(PATIENCE).timeout(Duration::from_millis(1)).block() {
        // The wait times out, since there is no job.
        Err(DelayQueueError::TimedOut) => {}
        lease => all(lease.err()),
    }
    errors
}
