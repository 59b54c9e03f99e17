//! The line of waiters, in order of arrival.
//!
//! Invariant: tickets are ascending.
//!
//! Only the first waiter waits for the next job; the others sleep until they are first or their
//! deadline passes. So a pushed job wakes at most one thread.

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
    /// How long it sleeps, and the waker that ends the sleep early; `None` if it is awake or has been
    /// woken.
    sleep: Option<(Timestamp, Waker)>,
}

impl Line {
    /// Joins the end of the line and returns the ticket of the new place.
    pub(super) fn join(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiters.push_back(Waiter { ticket, sleep: None });
        ticket
    }

    /// Leaves the line and returns the waker, to be dropped after the lock is released.
    pub(super) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        let index = self.waiters.partition_point(|waiter| waiter.ticket < ticket);
        self.waiters.get(index).filter(|waiter| waiter.ticket == ticket)?;
        let (_, waker) = self.waiters.remove(index)?.sleep?;
        Some(waker)
    }

    /// Sleeps until `until`, or, if first in the line, until `next_due` if that is earlier. Returns the
    /// actual time, and the waker of the previous sleep, to be dropped after the lock is released.
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

    /// Marks the first waiter as woken and returns its waker, if it sleeps beyond `next_due`.
    pub(super) fn rouse(&mut self, next_due: Timestamp) -> Option<Waker> {
        let first = self.waiters.front_mut()?;
        let (_, waker) = first.sleep.take_if(|(until, _)| *until > next_due)?;
        Some(waker)
    }

    /// Marks all sleeping waiters as woken and returns their wakers.
    pub(super) fn rouse_all(&mut self) -> impl Iterator<Item = Waker> + '_ {
        self.waiters.iter_mut().filter_map(|waiter| {
            let (_, waker) = waiter.sleep.take()?;
            Some(waker)
        })
    }

    /// Returns the time until which the first waiter sleeps, if it does.
    pub(super) fn first_sleeps_until(&self) -> Option<Timestamp> {
        let (until, _) = self.waiters.front()?.sleep.as_ref()?;
        Some(*until)
    }

    /// Returns whether any waiter sleeps.
    pub(super) fn is_asleep(&self) -> bool {
        self.waiters.iter().any(|waiter| waiter.sleep.is_some())
    }

    /// Panics with a description of the first broken invariant.
    pub(super) fn check_invariants(&self) {
        let tickets = self.waiters.iter().map(|waiter| waiter.ticket);
        assert!(tickets.is_sorted_by(|a, b| a < b), "the line is out of order");
    }
}
