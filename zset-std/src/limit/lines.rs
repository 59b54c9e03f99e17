//! The waiters for each key, in order of arrival.
//!
//! Invariant: a line has at least one waiter, and its tickets ascend; `waiting` is the number of
//! waiters in all lines.
//!
//! Only the first waiter in a line checks the limiter. When the first waiter leaves the line, it
//! wakes the next one.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, RandomState};
use std::task::Waker;

use hashbrown::HashTable;

use super::ToKey;
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};

/// The lines of all keys that have waiters.
pub(crate) struct Lines<K> {
    /// Read without the lock: usually there are no waiters.
    waiting: AtomicUsize,
    hasher: RandomState,
    queue: Mutex<Queue<K>>,
}

struct Queue<K> {
    next_ticket: u64,
    lines: HashTable<Line<K>>,
}

struct Line<K> {
    hash: u64,
    /// The ticket of the waiter that began the line. It identifies the line without comparing keys,
    /// which would run user code.
    begun_by: u64,
    key: K,
    waiters: VecDeque<Waiter>,
}

struct Waiter {
    ticket: u64,
    /// Called when this waiter becomes the first. `None` until [`Place::is_first`] registers it.
    waker: Option<Waker>,
}

/// A place in a line; dropping it leaves the line.
pub(crate) struct Place<'a, K> {
    lines: &'a Lines<K>,
    hash: u64,
    begun_by: u64,
    ticket: u64,
}

impl<K> Default for Lines<K> {
    fn default() -> Self {
        Lines {
            waiting: AtomicUsize::new(0),
            hasher: RandomState::new(),
            queue: Mutex::new(Queue { next_ticket: 0, lines: HashTable::new() }),
        }
    }
}

impl<K: Eq + Hash> Lines<K> {
    /// Returns whether a key has waiters.
    pub(crate) fn is_waited_for<Q: ToKey<K> + ?Sized>(&self, key: &Q) -> bool {
        if self.waiting.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let hash = self.hasher.hash_one(key);
        lock(&self.queue).lines.find(hash, |line| key.is_key(&line.key)).is_some()
    }

    /// Joins the line for a key, at its end.
    pub(crate) fn join<Q: ToKey<K> + ?Sized>(&self, key: &Q) -> Place<'_, K> {
        let hash = self.hasher.hash_one(key);
        let owned = key.to_key();
        let mut queue = lock(&self.queue);
        let Queue { next_ticket, lines } = &mut *queue;
        let ticket = *next_ticket;
        let waiter = Waiter { ticket, waker: None };
        let found = lines.find_mut(hash, |line| key.is_key(&line.key));
        let begun_by = if let Some(line) = found {
            line.waiters.push_back(waiter);
            line.begun_by
        } else {
            let waiters = VecDeque::from([waiter]);
            let line = Line { hash, begun_by: ticket, key: owned, waiters };
            lines.insert_unique(hash, line, |line| line.hash);
            ticket
        };
        *next_ticket += 1;
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Place { lines: self, hash, begun_by, ticket }
    }
}

impl<K> Place<'_, K> {
    /// Returns whether this waiter is the first in its line. If it is not, registers `waker`, to be
    /// called when it becomes the first.
    pub(crate) fn is_first(&self, waker: Waker) -> bool {
        // Declared before the guard, so that the old waker is dropped after the lock is released:
        // it may own a task whose drop acquires the lock.
        let _stale_waker: Option<Waker>;
        let mut queue = lock(&self.lines.queue);
        let line = queue.lines.find_mut(self.hash, |line| line.begun_by == self.begun_by);
        let Some(line) = line else { return true };
        let index = line.waiters.partition_point(|waiter| waiter.ticket < self.ticket);
        match line.waiters.get_mut(index) {
            Some(waiter) if index > 0 => {
                _stale_waker = waiter.waker.replace(waker);
                false
            }
            _ => true,
        }
    }

    /// Leaves the line. If the next waiter is now the first, returns its waker.
    fn leave(&self) -> Option<Waker> {
        // Declared before the guard, so that the line, its key and the waker are dropped after the
        // lock is released.
        let (_line, _waiter);
        let mut queue = lock(&self.lines.queue);
        let is_this = |line: &Line<K>| line.begun_by == self.begun_by;
        let mut line = queue.lines.find_entry(self.hash, is_this).ok()?;
        let waiters = &mut line.get_mut().waiters;
        let index = waiters.partition_point(|waiter| waiter.ticket < self.ticket);
        _waiter = waiters.remove(index)?;
        self.lines.waiting.fetch_sub(1, Ordering::Relaxed);
        if waiters.is_empty() {
            _line = line.remove().0;
            return None;
        }
        if index == 0 { waiters.front_mut()?.waker.take() } else { None }
    }
}

impl<K> Drop for Place<'_, K> {
    fn drop(&mut self) {
        if let Some(waker) = self.leave() {
            waker.wake();
        }
    }
}

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use std::string::String;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Calls(AtomicUsize);

    impl Wake for Calls {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counter() -> (Arc<Calls>, Waker) {
        let calls = Arc::new(Calls::default());
        (calls.clone(), Waker::from(calls))
    }

    #[test]
    fn each_waiter_is_woken_when_those_before_it_have_left() {
        let lines = Lines::<String>::default();
        let (calls, waker) = counter();
        let a = lines.join("key");
        let b = lines.join("key");
        let c = lines.join("key");
        assert!(
            a.is_first(waker.clone()) && !b.is_first(waker.clone()) && !c.is_first(waker.clone())
        );
        assert!(lines.join("other").is_first(waker.clone()));
        assert!(lines.is_waited_for("key") && !lines.is_waited_for("other"));

        drop(b);
        assert_eq!(calls.0.load(Ordering::Relaxed), 0, "c is not the first yet");
        drop(a);
        assert_eq!(calls.0.load(Ordering::Relaxed), 1);
        assert!(c.is_first(waker.clone()));
        drop(c);
        assert!(!lines.is_waited_for("key"));
        assert!(lock(&lines.queue).lines.is_empty());
    }

    #[test]
    fn a_line_that_ends_and_restarts_is_a_new_line() {
        let lines = Lines::<u8>::default();
        let (_, waker) = counter();
        let (a, b) = (lines.join(&1), lines.join(&1));
        drop(a);
        // `a`, which began the line, has left it, but the line continues with `b`.
        let c = lines.join(&1);
        assert!(b.is_first(waker.clone()) && !c.is_first(waker.clone()));
        drop((b, c));
        let d = lines.join(&1);
        assert!(d.is_first(waker.clone()));
    }
}

#[cfg(all(test, zset_loom))]
mod loom {
    use std::sync::Arc;
    use std::task::Wake;

    use ::loom::sync::Notify;
    use ::loom::thread;

    use super::*;

    struct Bell(Notify);

    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.notify();
        }
    }

    /// Waits to be the first in the line; loom fails if the waiter is never woken.
    fn pass(lines: &Lines<u8>, first: &AtomicUsize) {
        let place = lines.join(&1);
        let bell = Arc::new(Bell(Notify::new()));
        let waker = Waker::from(Arc::clone(&bell));
        while !place.is_first(waker.clone()) {
            bell.0.wait();
        }
        assert_eq!(first.fetch_add(1, Ordering::Relaxed), 0, "two are the first");
        first.fetch_sub(1, Ordering::Relaxed);
    }

    #[test]
    fn each_waiter_is_first_once_and_alone() {
        ::loom::model(|| {
            let shared = Arc::new((Lines::default(), AtomicUsize::new(0)));
            let other = Arc::clone(&shared);
            let other = thread::spawn(move || pass(&other.0, &other.1));
            pass(&shared.0, &shared.1);
            other.join().unwrap();
            assert!(!shared.0.is_waited_for(&1));
        });
    }

    #[test]
    fn a_waiter_leaving_the_middle_wakes_no_other_too_early() {
        ::loom::model(|| {
            let shared = Arc::new((Lines::default(), AtomicUsize::new(0)));
            let first = shared.0.join(&1);
            let other = Arc::clone(&shared);
            let leaving = thread::spawn(move || drop(other.0.join(&1)));
            let other = Arc::clone(&shared);
            let other = thread::spawn(move || pass(&other.0, &other.1));
            drop(first);
            leaving.join().unwrap();
            other.join().unwrap();
        });
    }
}
