//! std's binary heap, with a hash table to detect stale entries.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::uses::times::Timed;

/// `BinaryHeap<Reverse<(time, arrival, id)>>` and a `HashMap` from id to job.
///
/// A heap cannot find the elements inside it, so a cancelled or rescheduled job leaves a stale
/// entry. It is skipped when it reaches the top, because the job no longer exists or has another
/// arrival number.
#[derive(Default)]
pub struct HeapQueue {
    heap: BinaryHeap<Reverse<(u64, u64, u64)>>,
    /// The last arrival number of each job, and its payload.
    jobs: HashMap<u64, (u64, u64)>,
    arrivals: u64,
}

impl Timed for HeapQueue {
    const NAME: &'static str = "BinaryHeap + HashMap";

    type Key = u64;

    #[inline]
    fn push(&mut self, payload: u64, due: u64) -> u64 {
        self.arrivals += 1;
        // A job's first arrival number is unique, so it serves as the id.
        let id = self.arrivals;
        self.jobs.insert(id, (id, payload));
        self.heap.push(Reverse((due, id, id)));
        id
    }

    #[inline]
    fn cancel(&mut self, id: &u64) -> bool {
        self.jobs.remove(id).is_some()
    }

    #[inline]
    fn reschedule(&mut self, id: &u64, due: u64) {
        if let Some((arrival, _)) = self.jobs.get_mut(id) {
            self.arrivals += 1;
            *arrival = self.arrivals;
            self.heap.push(Reverse((due, *arrival, *id)));
        }
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        while self.heap.peek()?.0.0 <= now {
            let Reverse((due, arrival, id)) = self.heap.pop()?;
            if let Entry::Occupied(job) = self.jobs.entry(id)
                && job.get().0 == arrival
            {
                let (_, payload) = job.remove();
                return Some((payload, due));
            }
        }
        None
    }
}
