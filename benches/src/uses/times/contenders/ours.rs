//! The subjects: the collections of `zset_std`.

use zset_std::{DelayQueue, ExpiringSet, JobId, Timestamp};

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

/// A queue that assigns the ids of its jobs.
impl Timed for DelayQueue<u64> {
    const NAME: &'static str = "zset";

    type Key = JobId;

    #[inline]
    fn push(&mut self, payload: u64, due: u64) -> JobId {
        self.push(payload, at(due))
    }

    #[inline]
    fn cancel(&mut self, id: &JobId) -> bool {
        self.cancel(id).is_some()
    }

    #[inline]
    fn reschedule(&mut self, id: &JobId, due: u64) {
        self.reschedule(id, at(due));
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.pop(at(now)).map(|job| (job.payload, millis(job.due)))
    }

    #[inline]
    fn drain_due(&mut self, now: u64) -> impl Iterator<Item = (u64, u64)> {
        self.pop_due(usize::MAX, at(now)).map(|job| (job.payload, millis(job.due)))
    }
}

/// All writes are made at a time before any deadline.
impl Timed for ExpiringSet<u64> {
    const NAME: &'static str = "zset";

    type Key = u64;

    #[inline]
    fn push(&mut self, member: u64, deadline: u64) -> u64 {
        let inserted = self.insert_until(member, at(deadline), Timestamp::ZERO);
        assert!(inserted.is_ok(), "a set without a cap is never full");
        member
    }

    #[inline]
    fn cancel(&mut self, member: &u64) -> bool {
        self.remove(member).is_some()
    }

    #[inline]
    fn reschedule(&mut self, member: &u64, deadline: u64) {
        let touched = self.touch_until(member, at(deadline), Timestamp::ZERO);
        assert!(touched.is_ok(), "a deadline is after the origin");
    }

    #[inline]
    fn contains(&self, member: &u64, now: u64) -> bool {
        self.contains(member, at(now))
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.expire_due(1, at(now)).next().map(|(member, due)| (member, millis(due)))
    }

    #[inline]
    fn drain_due(&mut self, now: u64) -> impl Iterator<Item = (u64, u64)> {
        self.expire_due(usize::MAX, at(now)).map(|(member, due)| (member, millis(due)))
    }
}
