//! The subjects: the collections of `zset_std`.

use zset_std::{DelayQueue, ExpiringSet, Job, JobId, Timestamp};

use crate::uses::times::Timed;

/// Returns the timestamp `millis` milliseconds after the origin.
#[inline]
fn at(millis: u64) -> Timestamp {
    Timestamp::from_nanos(millis * 1_000_000)
}

#[inline]
fn millis(at: Timestamp) -> u64 {
    at.as_nanos() / 1_000_000
}

/// `zset_std::DelayQueue<u64>`, which assigns the ids of its jobs.
pub struct ZsetQueue(DelayQueue<u64>);

impl Timed for ZsetQueue {
    const NAME: &'static str = "zset";

    type Key = JobId;

    fn new() -> Self {
        ZsetQueue(DelayQueue::new())
    }

    #[inline]
    fn push(&mut self, payload: u64, due: u64) -> JobId {
        self.0.push(payload, at(due))
    }

    #[inline]
    fn cancel(&mut self, id: &JobId) -> bool {
        self.0.cancel(id).is_some()
    }

    #[inline]
    fn reschedule(&mut self, id: &JobId, due: u64) {
        self.0.reschedule(id, at(due));
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.0.pop(at(now)).map(|job| (job.payload, millis(job.due)))
    }

    #[inline]
    fn drain_due(&mut self, now: u64, mut each: impl FnMut(u64, u64)) {
        for job in self.0.pop_due(usize::MAX, at(now)) {
            each(job.payload, millis(job.due));
        }
    }
}

/// `zset_std::DelayQueue<(), u64>`: ids that are each due once.
pub struct ZsetSchedule(DelayQueue<(), u64>);

impl Timed for ZsetSchedule {
    const NAME: &'static str = "zset";

    type Key = u64;

    fn new() -> Self {
        ZsetSchedule(DelayQueue::new())
    }

    #[inline]
    fn push(&mut self, id: u64, due: u64) -> u64 {
        if self.0.reschedule(&id, at(due)).is_none() {
            let pushed = self.0.push_with_id(id, (), at(due));
            assert!(pushed.is_ok(), "the id is not in the queue");
        }
        id
    }

    #[inline]
    fn cancel(&mut self, id: &u64) -> bool {
        self.0.cancel(id).is_some()
    }

    #[inline]
    fn reschedule(&mut self, id: &u64, due: u64) {
        self.0.reschedule(id, at(due));
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.0.pop(at(now)).map(|job| (job.id, millis(job.due)))
    }

    #[inline]
    fn drain_due(&mut self, now: u64, mut each: impl FnMut(u64, u64)) {
        for Job { id, due, .. } in self.0.pop_due(usize::MAX, at(now)) {
            each(id, millis(due));
        }
    }
}

/// `zset_std::ExpiringSet<u64>`; all writes are made at a time before any deadline.
pub struct ZsetExpiring(ExpiringSet<u64>);

impl Timed for ZsetExpiring {
    const NAME: &'static str = "zset";

    type Key = u64;

    fn new() -> Self {
        ZsetExpiring(ExpiringSet::new())
    }

    #[inline]
    fn push(&mut self, member: u64, deadline: u64) -> u64 {
        let inserted = self.0.insert_until(member, at(deadline), Timestamp::ZERO);
        assert!(inserted.is_ok(), "a set without a cap is never full");
        member
    }

    #[inline]
    fn cancel(&mut self, member: &u64) -> bool {
        self.0.remove(member).is_some()
    }

    #[inline]
    fn reschedule(&mut self, member: &u64, deadline: u64) {
        let touched = self.0.touch_until(member, at(deadline), Timestamp::ZERO);
        assert!(touched.is_ok(), "a deadline is after the origin");
    }

    #[inline]
    fn contains(&self, member: &u64, now: u64) -> Option<bool> {
        Some(self.0.contains(member, at(now)))
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.0.expire_due(1, at(now)).next().map(|(member, due)| (member, millis(due)))
    }

    #[inline]
    fn drain_due(&mut self, now: u64, mut each: impl FnMut(u64, u64)) {
        for (member, due) in self.0.expire_due(usize::MAX, at(now)) {
            each(member, millis(due));
        }
    }
}
