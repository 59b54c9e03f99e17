//! [`Locked`]: the lock guard of the state. It also does the work that must follow the release of
//! the lock.

use std::collections::VecDeque;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::task::Waker;
use std::vec::Vec;

use super::{DeadLetter, State};
use crate::Timestamp;
use crate::sync::{MutexGuard, wake_all};

/// The lock guard of the state. Dropping it wakes the first waiter if a job is due before its sleep
/// ends.
pub(super) struct Locked<'a, T, I> {
    // Fields are dropped in this order, so the lock is released first.
    state: MutexGuard<'a, State<T, I>>,
    woken: WakeOnDrop,
    /// Dead letters to drop after the lock is released.
    dropped: Vec<DeadLetter<T, I>>,
    /// A waker to drop after the lock is released: it may be the last reference to a task.
    stale_waker: Option<Waker>,
}

/// Calls its wakers when dropped.
struct WakeOnDrop(Vec<Waker>);

impl Drop for WakeOnDrop {
    fn drop(&mut self) {
        wake_all(mem::take(&mut self.0));
    }
}

impl<'a, T, I> Locked<'a, T, I> {
    pub(super) fn new(state: MutexGuard<'a, State<T, I>>) -> Self {
        Locked { state, woken: WakeOnDrop(Vec::new()), dropped: Vec::new(), stale_waker: None }
    }

    /// Adds a dead letter. If there are more than `max`, evicts the oldest.
    pub(super) fn bury(&mut self, letter: DeadLetter<T, I>, max: usize) {
        self.state.dead.push_back(letter);
        self.forget_dead(max);
    }

    /// Evicts the oldest dead letters if there are more than `max`.
    pub(super) fn forget_dead(&mut self, max: usize) {
        while self.state.dead.len() > max {
            self.dropped.extend(self.state.dead.pop_front());
        }
    }

    /// Puts a waiter to sleep, as [`Line::sleep`] does, and returns the time until which it sleeps.
    pub(super) fn sleep(&mut self, ticket: u64, deadline: Timestamp, waker: Waker) -> Timestamp {
        let next_due = self.state.queue.next_due();
        let (until, stale) = self.state.line.sleep(ticket, deadline, next_due, waker);
        self.stale_waker = stale;
        until
    }

    /// Removes a waiter from the line.
    pub(super) fn leave(&mut self, ticket: u64) {
        self.stale_waker = self.state.line.leave(ticket);
    }

    /// Returns whether payloads will be dropped when the lock is released.
    pub(super) fn has_to_drop(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// Closes the queue and wakes all waiters.
    pub(super) fn close(&mut self) {
        self.state.is_closed = true;
        self.woken.0.extend(self.state.line.rouse_all());
    }
}

impl<T, I> Drop for Locked<'_, T, I> {
    fn drop(&mut self) {
        let State { queue, line, .. } = &mut *self.state;
        if let Some(due) = queue.next_due() {
            self.woken.0.extend(line.rouse(due));
        }
    }
}

impl<T, I> Deref for Locked<'_, T, I> {
    type Target = State<T, I>;

    fn deref(&self) -> &State<T, I> {
        &self.state
    }
}

impl<T, I> DerefMut for Locked<'_, T, I> {
    fn deref_mut(&mut self) -> &mut State<T, I> {
        &mut self.state
    }
}

// The line of waiters, in order of arrival.
//
// Invariant: tickets are ascending.
//
// Only the first waiter waits for the next job; the others sleep until they become the first or
// their deadline passes. So a pushed job wakes at most one thread.

#[derive(Default)]
pub(super) struct Line {
    next_ticket: u64,
    waiters: VecDeque<Waiter>,
}

struct Waiter {
    ticket: u64,
    /// The time until which the waiter sleeps, and the waker that ends the sleep early; `None` if
    /// the waiter is awake or has been woken.
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

    /// Removes a waiter from the line and returns its waker, to be dropped after the lock is
    /// released.
    pub(super) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        let index = self.waiters.partition_point(|waiter| waiter.ticket < ticket);
        self.waiters.get(index).filter(|waiter| waiter.ticket == ticket)?;
        let (_, waker) = self.waiters.remove(index)?.sleep?;
        Some(waker)
    }

    /// Puts the waiter with this ticket to sleep until `until`. The first in the line sleeps until
    /// `next_due` if that is earlier. Returns the actual time, and the waker of the previous sleep,
    /// to be dropped after the lock is released.
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

    /// Marks the first waiter as woken and returns its waker, if it sleeps past `next_due`.
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

    /// Panics with a description of the first broken invariant.
    pub(super) fn check_invariants(&self, is_closed: bool, next_due: Option<Timestamp>) {
        let tickets = self.waiters.iter().map(|waiter| waiter.ticket);
        assert!(tickets.is_sorted_by(|a, b| a < b), "the line is out of order");
        let is_asleep = self.waiters.iter().any(|waiter| waiter.sleep.is_some());
        assert!(!is_closed || !is_asleep, "a waiter sleeps on a closed queue");
        let first = self.waiters.front().and_then(|first| first.sleep.as_ref());
        if let (Some((until, _)), Some(due)) = (first, next_due) {
            assert!(*until <= due, "the first waiter sleeps while a job is due");
        }
    }
}
