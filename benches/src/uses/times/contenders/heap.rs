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
pub struct HeapQueue {
    heap: BinaryHeap<Reverse<(u64, u64, u64)>>,
    jobs: HashMap<u64, Job>,
    arrivals: u64,
}

struct Job {
    arrival: u64,
    payload: u64,
}

impl HeapQueue {
    #[inline]
    fn arrive(&mut self) -> u64 {
        let arrival = self.arrivals;
        self.arrivals += 1;
        arrival
    }
}

impl Timed for HeapQueue {
    const NAME: &'static str = "BinaryHeap + HashMap";

    type Key = u64;

    fn new() -> Self {
        HeapQueue { heap: BinaryHeap::new(), jobs: HashMap::new(), arrivals: 0 }
    }

    #[inline]
    fn push(&mut self, payload: u64, due: u64) -> u64 {
        let arrival = self.arrive();
        // A job's first arrival number is unique, so it serves as the id.
        let id = arrival;
        self.jobs.insert(id, Job { arrival, payload });
        self.heap.push(Reverse((due, arrival, id)));
        id
    }

    #[inline]
    fn cancel(&mut self, id: &u64) -> bool {
        self.jobs.remove(id).is_some()
    }

    #[inline]
    fn reschedule(&mut self, id: &u64, due: u64) {
        let arrival = self.arrive();
        if let Some(job) = self.jobs.get_mut(id) {
            job.arrival = arrival;
            self.heap.push(Reverse((due, arrival, *id)));
        }
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        while self.heap.peek()?.0.0 <= now {
            let Reverse((due, arrival, id)) = self.heap.pop()?;
            if let Entry::Occupied(job) = self.jobs.entry(id)
                && job.get().arrival == arrival
            {
                return Some((job.remove().payload, due));
            }
        }
        None
    }
}
