//! Who waits for a job, in the order in which they came.
//!
//! Invariant: the tickets ascend.
//!
//! Only the first of the line waits for the next job; the others sleep until they are the first, or
//! do not want to wait any longer. So a job that is pushed wakes one thread at most.

use std::collections::VecDeque;
use std::task::Waker;

use crate::Timestamp;

#[derive(Default)]
pub(super) struct Line {
    next_ticket: u64,
    waiters: VecDeque<Waiter>,
}

struct Waiter {
    ticket: u64,
    /// Until when it sleeps, and what wakes it before. None if it is awake, or has been woken.
    sleep: Option<(Timestamp, Waker)>,
}

impl Line {
    /// Lines up at the end; returns what finds the place again.
    pub(super) fn join(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiters.push_back(Waiter { ticket, sleep: None });
        ticket
    }

    /// Leaves the line; returns the waker, to be dropped without the lock.
    pub(super) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        let index = self.waiters.partition_point(|waiter| waiter.ticket < ticket);
        self.waiters.get(index).filter(|waiter| waiter.ticket == ticket)?;
        let (_, waker) = self.waiters.remove(index)?.sleep?;
        Some(waker)
    }

    /// Goes to sleep until a time, or for the first of the line until `next_due` if that is earlier;
    /// returns until when, and the waker of the sleep before, to be dropped without the lock.
    pub(super) fn sleep(
        &mut self,
        ticket: u64,
        until: Timestamp,
        next_due: Option<Timestamp>,
        waker: Waker,
    ) -> (Timestamp, Option<Waker>) {
        let index = self.waiters.partition_point(|waiter| waiter.ticket < ticket);
        let until = if index == 0 { next_due.map_or(until, |due| due.min(until)) } else { until };
        let Some(waiter) = self.waiters.get_mut(index) else { return (until, None) };
        let before = waiter.sleep.replace((until, waker));
        (until, before.map(|(_, waker)| waker))
    }

    /// Returns what wakes the first of the line if it sleeps beyond a time.
    pub(super) fn rouse(&mut self, next_due: Timestamp) -> Option<Waker> {
        let first = self.waiters.front_mut()?;
        let (_, waker) = first.sleep.take_if(|(until, _)| *until > next_due)?;
        Some(waker)
    }

    /// Returns what wakes all who sleep.
    pub(super) fn rouse_all(&mut self) -> impl Iterator<Item = Waker> + '_ {
        self.waiters.iter_mut().filter_map(|waiter| {
            let (_, waker) = waiter.sleep.take()?;
            Some(waker)
        })
    }

    /// Returns until when the first of the line sleeps, if it does.
    pub(super) fn first_sleeps_until(&self) -> Option<Timestamp> {
        let (until, _) = self.waiters.front()?.sleep.as_ref()?;
        Some(*until)
    }

    /// Returns whether somebody sleeps.
    pub(super) fn is_asleep(&self) -> bool {
        self.waiters.iter().any(|waiter| waiter.sleep.is_some())
    }

    /// Panics with what is wrong if an invariant does not hold.
    pub(super) fn check_invariants(&self) {
        let tickets = self.waiters.iter().map(|waiter| waiter.ticket);
        assert!(tickets.is_sorted_by(|a, b| a < b), "a line out of order");
    }
}
