//! Collections ordered by due time: delay queues, schedules, expiring sets.
//!
//! The operations on every queue, schedule and expiring set, generated in advance.
//!
//! There are `n` elements, one per millisecond on average: they are due at uniformly random times
//! in the next `n` milliseconds, 100 seconds for 100,000. They are accessed in a random order,
//! independent of both their insertion order and their due times.

pub mod contenders;

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::comparison::{self, Calls, Comparison, Contents, Entrant, bounded, digest};
use crate::names::numbers;
use crate::rounds::Measured;
use crate::workload::repeat;
use contenders::{
    BTreePair, ByArrival, ByMember, HeapQueue, TokioQueue, VecPair, ZsetExpiring, ZsetQueue,
    ZsetSchedule,
};

/// Returns the table of delay queues.
pub fn queues() -> Comparison<Workload> {
    comparison(
        "DelayQueue",
        &[
            (Operation::Push, "push"),
            (Operation::Cancel, "cancel"),
            (Operation::Reschedule, "reschedule"),
            (Operation::Steady, "pop one that is due, push one"),
            (Operation::Drain, "drain what is due (half), a job"),
            (Operation::Life, "cancel 9 of 10, drain the rest, a job"),
        ],
        vec![Entrant::of::<ZsetQueue>(), Entrant::of::<TokioQueue>(), Entrant::of::<HeapQueue>()],
    )
}

/// Returns the table of schedules.
pub fn schedules() -> Comparison<Workload> {
    comparison(
        "Schedule",
        &[
            (Operation::Push, "schedule"),
            (Operation::Cancel, "cancel"),
            (Operation::Reschedule, "reschedule"),
            (Operation::Steady, "activate one that is due, schedule one"),
            (Operation::Drain, "activate all that is due (half), an id"),
        ],
        vec![
            Entrant::of::<ZsetSchedule>(),
            Entrant::of::<BTreePair<ByArrival>>(),
            Entrant::of::<VecPair<ByArrival>>(),
        ],
    )
}

/// Returns the table of expiring sets.
pub fn expiring_sets() -> Comparison<Workload> {
    comparison(
        "ExpiringSet",
        &[
            (Operation::Push, "insert"),
            (Operation::Cancel, "remove"),
            (Operation::Reschedule, "touch"),
            (Operation::Contains, "contains (half have expired)"),
            (Operation::Steady, "expire one that is due, insert one"),
            (Operation::Drain, "expire all that is due (half), a member"),
        ],
        vec![
            Entrant::of::<ZsetExpiring>(),
            Entrant::of::<BTreePair<ByMember>>(),
            Entrant::of::<VecPair<ByMember>>(),
        ],
    )
}

fn comparison(
    title: &'static str,
    rows: &'static [(Operation, &'static str)],
    entrants: Vec<Entrant<Workload>>,
) -> Comparison<Workload> {
    Comparison { title, capacity: None, sizes: &[], rows, entrants, prepare: Workload::new }
}

/// Elements with due times in whole milliseconds, like those of a timer wheel.
///
/// Each contender implements every operation in the best way that its public API allows, and all
/// hashing uses `hashbrown::DefaultHashBuilder`.
pub trait Timed: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [Operation] = &[];

    /// The handle of an element.
    type Key;

    /// Returns an empty collection.
    fn new() -> Self;

    /// Builds a collection from ids and due times.
    fn load(elements: &[(u64, u64)]) -> (Self, Vec<Self::Key>) {
        let mut new = Self::new();
        let keys = elements.iter().map(|&(id, due)| new.push(id, due)).collect();
        (new, keys)
    }

    /// Inserts an element with a new id.
    fn push(&mut self, id: u64, due: u64) -> Self::Key;

    /// Removes an element; returns whether it was present.
    fn cancel(&mut self, key: &Self::Key) -> bool;

    /// Changes the due time of an element that is present.
    fn reschedule(&mut self, key: &Self::Key, due: u64);

    /// Returns whether an element is present and due after `now`. `None` for collections that are
    /// not sets, for which this operation is not measured.
    fn contains(&self, _key: &Self::Key, _now: u64) -> Option<bool> {
        None
    }

    /// Advances the internal clock, if there is one, to `now`.
    fn reach(&mut self, _now: u64) {}

    /// Removes the first element if it is due at or before `now`; returns its id and due time.
    ///
    /// An internal clock has already reached `now`.
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)>;

    /// Removes all elements that are due.
    #[inline]
    fn drain_due(&mut self, now: u64, mut each: impl FnMut(u64, u64)) {
        while let Some((id, due)) = self.pop_due(now) {
            each(id, due);
        }
    }
}

/// A measured operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Inserts elements with random due times, growing the collection from `n` to `2n` elements, so
    /// that every table grows once.
    Push,
    /// Removes a random element.
    Cancel,
    /// Changes a random element's due time to a random one.
    Reschedule,
    /// Looks up a random element while half of them are due.
    Contains,
    /// Removes a due element and inserts one that is due later, as a queue does in the steady
    /// state.
    Steady,
    /// Removes all due elements, half of those present.
    Drain,
    /// Removes nine tenths of the elements at random, and the others when they are due, which is
    /// typical of timeouts. This includes any work that removals have deferred.
    Life,
}

/// The elements of one round, and the arguments of all operations.
pub struct Workload {
    /// Ids and due times.
    elements: Vec<(u64, u64)>,
    /// The indices of all elements, in random order.
    places: Vec<usize>,
    /// New ids with due times.
    later: Vec<(u64, u64)>,
    /// Indices of elements, possibly repeated, with new due times.
    moves: Vec<(usize, u64)>,
    /// The time when half of the elements are due.
    half: u64,
    /// How many elements are due then: more than half, if several share the time.
    due_at_half: usize,
}

impl Workload {
    /// Generates the workload for `n` elements, deterministically for each `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `n` is less than 2.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let longest = n as u64;
        let mut ids = numbers(rng.random());
        let elements: Vec<_> =
            ids.by_ref().take(n).map(|id| (id, rng.random_range(1..=longest))).collect();
        let mut dues: Vec<u64> = elements.iter().map(|&(_, due)| due).collect();
        dues.sort_unstable();
        let half = dues[n / 2 - 1];
        let due_at_half = dues.partition_point(|&due| due <= half);
        let later = ids.take(n).map(|id| (id, half + rng.random_range(1..=longest))).collect();
        let moves = repeat(n / 2, || (rng.random_range(0..n), rng.random_range(1..=longest)));
        let mut places: Vec<usize> = (0..n).collect();
        places.shuffle(&mut rng);
        Workload { elements, places, later, moves, half, due_at_half }
    }

    /// Returns the number of calls for an operation.
    fn calls(&self, operation: Operation) -> usize {
        let n = self.elements.len();
        match operation {
            Operation::Cancel | Operation::Reschedule | Operation::Steady => n / 2,
            Operation::Drain => self.due_at_half,
            Operation::Push | Operation::Contains | Operation::Life => n,
        }
    }

    /// Returns a time at which everything is due.
    fn end(&self) -> u64 {
        self.half + self.elements.len() as u64
    }

    /// Performs an operation `calls` times; returns the sum of the answers.
    fn run<C: Timed>(
        &self,
        operation: Operation,
        calls: usize,
        contender: &mut C,
        keys: &[C::Key],
    ) -> u64 {
        let mut sum = 0u64;
        let mut add = |number: u64| sum = sum.wrapping_add(number);
        match operation {
            Operation::Push => {
                for &(id, due) in &self.later[..calls] {
                    black_box(contender.push(id, due));
                }
            }
            Operation::Cancel => {
                for &place in &self.places[..calls] {
                    add(contender.cancel(&keys[place]).into());
                }
            }
            Operation::Reschedule => {
                for &(place, due) in &self.moves[..calls] {
                    contender.reschedule(&keys[place], due);
                }
            }
            Operation::Contains => {
                for &place in &self.places[..calls] {
                    let is_there = contender.contains(&keys[place], self.half);
                    add(is_there.map_or(0, |is_there| 1 + u64::from(is_there)));
                }
            }
            Operation::Steady => {
                for &(id, due) in &self.later[..calls] {
                    let popped = contender.pop_due(self.half);
                    // Which of several elements due at the same time is popped depends on the
                    // contender.
                    black_box(popped);
                    add(popped.map_or(0, |(_, due)| due));
                    black_box(contender.push(id, due));
                }
            }
            Operation::Drain => contender.drain_due(self.half, |id, due| add(digest(id, due))),
            Operation::Life => {
                let cancelled = calls - calls / 10;
                for &place in &self.places[..cancelled] {
                    add(contender.cancel(&keys[place]).into());
                }
                contender.reach(self.end());
                contender.drain_due(self.end(), |id, due| add(digest(id, due)));
            }
        }
        black_box(sum)
    }
}

impl comparison::Workload for Workload {
    type Operation = Operation;
}

impl<C: Timed> Calls<C> for Workload {
    const NAME: &'static str = C::NAME;

    fn perform(&self, operation: Operation) -> (Measured<u64>, C) {
        let (mut contender, keys) = C::load(&self.elements);
        if matches!(operation, Operation::Contains | Operation::Steady | Operation::Drain) {
            contender.reach(self.half);
        }
        let calls = bounded(self.calls(operation), operation, C::LINEAR);
        let measured = Measured::of(calls, || self.run(operation, calls, &mut contender, &keys));
        (measured, contender)
    }

    fn contents(&self, mut contender: C) -> u64 {
        contender.reach(self.end());
        let (mut order, mut ids) = (Contents::default(), 0u64);
        contender.drain_due(self.end(), |id, due| {
            order.add(due);
            // A timer wheel does not keep the order of elements due at the same time.
            ids = ids.wrapping_add(digest(id, due).wrapping_mul(id | 1));
        });
        order.0 ^ ids
    }
}
