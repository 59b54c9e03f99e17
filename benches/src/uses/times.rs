//! Collections ordered by due time: delay queues, schedules, expiring sets.
//!
//! There are `n` elements, one per millisecond on average: they are due at uniformly random times
//! in the next `n` milliseconds, 100 seconds for 100,000. They are accessed in a random order,
//! independent of both their insertion order and their due times.

/// The measured queues, schedules and expiring sets.
pub mod contenders {
    pub mod btree_pair;
    pub mod heap;
    pub mod ours;
    pub mod tokio;
    pub mod vec_pair;
}

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::comparison::{Comparison, Contender, Contents, digest};
use crate::names::numbers;
use crate::workload::repeat;
use contenders::ours::{ZsetExpiring, ZsetQueue, ZsetSchedule};
use contenders::{btree_pair::BTreePair, heap::HeapQueue, tokio::TokioQueue, vec_pair::VecPair};

/// The operations of a table with their labels.
type Rows = &'static [(Operation, &'static str)];

/// Returns the table of delay queues.
pub fn queues() -> Comparison<Workload> {
    let rows: Rows = &[
        (Operation::Push, "push"),
        (Operation::Cancel, "cancel"),
        (Operation::Reschedule, "reschedule"),
        (Operation::Steady, "pop one that is due, push one"),
        (Operation::Drain, "drain what is due (half), a job"),
        (Operation::Life, "cancel 9 of 10, drain the rest, a job"),
    ];
    Comparison::new("DelayQueue", Workload::new)
        .with(contender::<ZsetQueue>(rows))
        .with(contender::<TokioQueue>(rows))
        .with(contender::<HeapQueue>(rows))
}

/// Returns the table of schedules.
pub fn schedules() -> Comparison<Workload> {
    let rows: Rows = &[
        (Operation::Push, "schedule"),
        (Operation::Cancel, "cancel"),
        (Operation::Reschedule, "reschedule"),
        (Operation::Steady, "activate one that is due, schedule one"),
        (Operation::Drain, "activate all that is due (half), an id"),
    ];
    Comparison::new("Schedule", Workload::new)
        .with(contender::<ZsetSchedule>(rows))
        .with(contender::<BTreePair<ByArrival>>(rows))
        .with(contender::<VecPair<ByArrival>>(rows))
}

/// Returns the table of expiring sets.
pub fn expiring_sets() -> Comparison<Workload> {
    let rows: Rows = &[
        (Operation::Push, "insert"),
        (Operation::Cancel, "remove"),
        (Operation::Reschedule, "touch"),
        (Operation::Contains, "contains (half have expired)"),
        (Operation::Steady, "expire one that is due, insert one"),
        (Operation::Drain, "expire all that is due (half), a member"),
    ];
    Comparison::new("ExpiringSet", Workload::new)
        .with(contender::<ZsetExpiring>(rows))
        .with(contender::<BTreePair<ByMember>>(rows))
        .with(contender::<VecPair<ByMember>>(rows))
}

/// Elements with due times in whole milliseconds, like those of a timer wheel.
///
/// Each contender implements every operation in the best way that its public API allows, and all
/// hashing uses `hashbrown::DefaultHashBuilder`.
pub trait Timed: Sized + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [Operation] = &[];

    /// The handle of an element.
    type Key: 'static;

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

/// How a pair of an ordered collection and a hash table orders its elements, before their ids.
pub trait Order: Ord + Copy + 'static {
    /// Returns the key of an element, given its due time and arrival number.
    fn new(due: u64, arrival: u64) -> Self;

    /// Returns the due time.
    fn due(self) -> u64;
}

/// Due time and arrival number: elements due at the same time are in order of arrival.
pub type ByArrival = (u64, u64);

impl Order for ByArrival {
    #[inline]
    fn new(due: u64, arrival: u64) -> Self {
        (due, arrival)
    }

    #[inline]
    fn due(self) -> u64 {
        self.0
    }
}

/// The due time: elements due at the same time are in order of their ids.
pub type ByMember = u64;

impl Order for ByMember {
    #[inline]
    fn new(due: u64, _arrival: u64) -> Self {
        due
    }

    #[inline]
    fn due(self) -> u64 {
        self
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

/// A collection and the handles of its elements.
type Loaded<C> = (C, Vec<<C as Timed>::Key>);

/// Returns a contender with the operations of a table.
fn contender<C: Timed>(rows: Rows) -> Contender<Workload, Loaded<C>> {
    let load = |workload: &Workload| C::load(&workload.elements);
    let load_half_due = |workload: &Workload| {
        let (mut loaded, keys) = C::load(&workload.elements);
        loaded.reach(workload.half);
        (loaded, keys)
    };
    let linear = rows.iter().filter(|(operation, _)| C::LINEAR.contains(operation));
    let new = Contender::new(C::NAME, load, contents).linear(linear.map(|&(_, label)| label));
    rows.iter().fold(new, |contender, &(operation, label)| match operation {
        Operation::Push => contender.each(
            label,
            |it| &it.later,
            |(loaded, _), &(id, due)| {
                black_box(loaded.push(id, due));
                0
            },
        ),
        Operation::Cancel => contender.each(
            label,
            |it| it.first_half(&it.places),
            |(loaded, keys), &place| loaded.cancel(&keys[place]).into(),
        ),
        Operation::Reschedule => contender.each(
            label,
            |it| &it.moves,
            |(loaded, keys), &(place, due)| {
                loaded.reschedule(&keys[place], due);
                0
            },
        ),
        Operation::Contains => contender.loaded(load_half_due).batch(
            label,
            |it| it.places.len(),
            |workload, (loaded, keys), calls| {
                let answers = workload.places[..calls].iter().map(|&place| {
                    let is_there = loaded.contains(&keys[place], workload.half);
                    is_there.map_or(0, |is_there| 1 + u64::from(is_there))
                });
                answers.sum()
            },
        ),
        Operation::Steady => contender.loaded(load_half_due).batch(
            label,
            |it| it.first_half(&it.later).len(),
            |workload, (loaded, _), calls| {
                let answers = workload.later[..calls].iter().map(|&(id, due)| {
                    // Which of several elements due at the same time is popped depends on the
                    // contender.
                    let popped = black_box(loaded.pop_due(workload.half));
                    black_box(loaded.push(id, due));
                    popped.map_or(0, |(_, due)| due)
                });
                answers.sum()
            },
        ),
        Operation::Drain => contender.loaded(load_half_due).batch(
            label,
            |it| it.due_at_half,
            |workload, (loaded, _), _| drain(loaded, workload.half),
        ),
        Operation::Life => contender.loaded(load).batch(
            label,
            |it| it.places.len(),
            |workload, (loaded, keys), calls| {
                let cancelled = workload.places[..calls - calls / 10].iter();
                let sum: u64 = cancelled.map(|&place| u64::from(loaded.cancel(&keys[place]))).sum();
                loaded.reach(workload.end());
                sum.wrapping_add(drain(loaded, workload.end()))
            },
        ),
    })
}

#[inline]
fn drain(loaded: &mut impl Timed, now: u64) -> u64 {
    let mut sum = 0_u64;
    loaded.drain_due(now, |id, due| sum = sum.wrapping_add(digest(id, due)));
    sum
}

fn contents<C: Timed>(workload: &Workload, (mut loaded, _): Loaded<C>) -> u64 {
    loaded.reach(workload.end());
    let (mut order, mut ids) = (Contents::default(), 0_u64);
    loaded.drain_due(workload.end(), |id, due| {
        order.add(due);
        // A timer wheel does not keep the order of elements due at the same time.
        ids = ids.wrapping_add(digest(id, due).wrapping_mul(id | 1));
    });
    order.0 ^ ids
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

    /// Returns the first arguments, as many as half of the elements.
    fn first_half<'a, A>(&self, arguments: &'a [A]) -> &'a [A] {
        &arguments[..self.elements.len() / 2]
    }

    /// Returns a time at which everything is due.
    fn end(&self) -> u64 {
        self.half + self.elements.len() as u64
    }
}
