//! Tracks active sessions while many threads report requests.
//!
//! This example keeps a `SortedSet` in an `RwLock`: the member is a session, and the score is the
//! time of its last request in seconds. Readers share the lock. Expired sessions are removed as a
//! range of scores, without visiting the remaining sessions.
//!
//! ```text
//! cargo run --example session_index
//! ```

use std::cmp::Reverse;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use zset_core::SortedSet;

type SessionId = u64;
type Seconds = u64;

const TIMEOUT: Seconds = 1800;

#[derive(Default)]
struct Sessions {
    last_request: RwLock<SortedSet<SessionId, Seconds>>,
}

impl Sessions {
    /// Records a request. **O(log n)**.
    fn touch(&self, id: SessionId, now: Seconds) {
        // Threads may report the requests of a session in any order, so the set keeps the latest
        // time.
        self.write().insert_max(id, now);
    }

    /// Returns whether a session is active. **O(1)**.
    fn is_active(&self, id: SessionId, now: Seconds) -> bool {
        self.read().score(&id).is_some_and(|last| last + TIMEOUT > now)
    }

    /// Returns the number of sessions with a request at or after this time. **O(log n)**.
    fn count_since(&self, start: Seconds) -> usize {
        self.read().count_by_score(start..)
    }

    /// Returns the sessions with the latest requests, latest first. **O(log n + count)**.
    fn latest(&self, count: usize) -> Vec<(SessionId, Seconds)> {
        self.read().iter().rev().take(count).map(|(id, last)| (*id, *last)).collect()
    }

    /// Removes the expired sessions without visiting the others; returns the number removed.
    fn expire(&self, now: Seconds) -> usize {
        let Some(timed_out) = now.checked_sub(TIMEOUT) else { return 0 };
        self.write().remove_range_by_score(..=timed_out)
    }

    // A set stays consistent if a thread panics while it holds the lock, so poisoning is ignored.

    fn read(&self) -> RwLockReadGuard<'_, SortedSet<SessionId, Seconds>> {
        self.last_request.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, SortedSet<SessionId, Seconds>> {
        self.last_request.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn main() {
    let sessions = Sessions::default();

    // Four workers handle requests of the same thousand sessions.
    thread::scope(|scope| {
        for worker in 0..4 {
            let sessions = &sessions;
            scope.spawn(move || {
                for request in 0..2000 {
                    let id = (worker * 500 + request) % 1000;
                    sessions.touch(id, request);
                    assert!(sessions.is_active(id, request));
                }
            });
        }
        // A fifth thread watches the sessions.
        scope.spawn(|| {
            for _ in 0..1000 {
                let latest = sessions.latest(10);
                assert!(latest.is_sorted_by_key(|&(_, last)| Reverse(last)));
            }
        });
    });

    println!("{} sessions", sessions.count_since(0));
    println!("since second 1900: {}", sessions.count_since(1900));
    println!("the latest: {:?}", sessions.latest(3));
    assert_eq!(sessions.count_since(0), 1000);

    println!("expired by second 3500: {}", sessions.expire(3500));
    println!("expired by second 3500, again: {}", sessions.expire(3500));
    let left = sessions.count_since(0);
    println!("{left} sessions left");
    assert_eq!((0..1000).filter(|&id| sessions.is_active(id, 3500)).count(), left);
}
