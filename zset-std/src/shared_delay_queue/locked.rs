//! [`Locked`]: the lock guard of the state, and what runs when it is released.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::task::Waker;
use std::vec::Vec;

use super::{DeadLetter, State};
use crate::Timestamp;
use crate::sync::{MutexGuard, wake_all};

/// The lock guard of the state. Dropping it wakes the first of the line if it has something to do.
pub(super) struct Locked<'a, T, I> {
    // Fields drop in this order: the lock is released first.
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

    /// Adds a dead letter, evicting the oldest ones beyond `max`.
    pub(super) fn bury(&mut self, letter: DeadLetter<T, I>, max: usize) {
        self.state.dead.push_back(letter);
        self.forget_dead(max);
    }

    /// Evicts the oldest dead letters beyond `max`.
    pub(super) fn forget_dead(&mut self, max: usize) {
        while self.state.dead.len() > max {
            self.dropped.extend(self.state.dead.pop_front());
            self.state.dropped_dead_letters = self.state.dropped_dead_letters.saturating_add(1);
        }
    }

    /// Puts a waiter to sleep and returns the time until which it sleeps. See
    /// [`Line::sleep`](super::line::Line::sleep).
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
