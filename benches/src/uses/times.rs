//! Collections ordered by due time: delay queues and expiring sets.
//!
//! There are `n` elements, one per millisecond on average: they are due at uniformly random times
//! in the next `n` milliseconds, 100 seconds for 100,000. They are accessed in a random order,
//! independent of both their insertion order and their due times.

/// The measured queues and expiring sets.
pub mod contenders {
    pub mod heap;
    pub mod ours;
    pub mod pair;
    pub mod tokio;
}

use std::collections::BTreeSet;
use std::hint::black_box;
use std::iter;

use rand::RngExt;
use zset_std::{DelayQueue, ExpiringSet};

use crate::comparison::{Comparison, Contender, Contents, digest};
use crate::pair::{Pair, SortedVec};
use crate::random::{generator, numbers, repeat, shuffled};
use crate::uses::sum;
use contenders::{heap::HeapQueue, tokio::TokioQueue};

/// The label of an operation that a table does not have.
const NONE: &str = "";

/// Returns the table of delay queues.
pub fn queues() -> Comparison<Workload> {
    let labels = [
        "push",
        "cancel",
        "reschedule",
        NONE,
        "pop one that is due, push one",
        "drain what is due (half), a job",
        "cancel 9 of 10, drain the rest, a job",
    ];
    Comparison::new("DelayQueue", Workload::new)
        .with(contender::<DelayQueue<u64>>(labels))
        .with(contender::<TokioQueue>(labels))
        .with(contender::<HeapQueue>(labels))
}

/// Returns the table of expiring sets.
pub fn expiring_sets() -> Comparison<Workload> {
    let labels = [
        "insert",
        "remove",
        "touch",
        "contains (half have expired)",
        "expire one that is due, insert one",
        "expire all that is due (half), a member",
        NONE,
    ];
    Comparison::new("ExpiringSet", Workload::new)
        .with(contender::<ExpiringSet<u64>>(labels))
        .with(contender::<Pair<u64, u64, BTreeSet<_>>>(labels))
        .with(contender::<Pair<u64, u64, SortedVec<_>>>(labels))
}

/// Elements with due times in whole milliseconds, like those of a timer wheel.
///
/// Each contender implements every operation in the best way that its public API allows, and all
/// hashing uses `hashbrown::DefaultHashBuilder`.
pub trait Timed: Default + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// Whether insertions, removals and changes take linear time.
    const HAS_LINEAR_WRITES: bool = false;

    /// The handle of an element.
    type Key: 'static;

    /// Builds a collection from ids and due times.
    fn load(elements: &[(u64, u64)]) -> (Self, Vec<Self::Key>) {
        let mut new = Self::default();
        let keys = elements.iter().map(|&(id, due)| new.push(id, due)).collect();
        (new, keys)
    }

    /// Inserts an element with a new id.
    fn push(&mut self, id: u64, due: u64) -> Self::Key;

    /// Removes an element; returns whether it was present.
    fn cancel(&mut self, key: &Self::Key) -> bool;

    /// Changes the due time of an element that is present.
    fn reschedule(&mut self, key: &Self::Key, due: u64);

    /// Returns whether an element is present and due after `now`. Only for sets.
    fn contains(&self, _key: &Self::Key, _now: u64) -> bool {
        false
    }

    /// Advances the internal clock, if there is one, to `now`.
    fn reach(&mut self, _now: u64) {}

    /// Removes the first element if it is due at or before `now`; returns its id and due time.
    ///
    /// An internal clock has already reached `now`.
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)>;

    /// Removes all elements that are due, and returns their ids and due times.
    #[inline]
    fn drain_due(&mut self, now: u64) -> impl Iterator<Item = (u64, u64)> {
        iter::from_fn(move || self.pop_due(now))
    }
}

/// A collection and the handles of its elements.
type Loaded<C> = (C, Vec<<C as Timed>::Key>);

/// Returns a contender with the operations that have a label.
fn contender<C: Timed>(labels: [&'static str; 7]) -> Contender<Workload, Loaded<C>> {
    let [push, cancel, reschedule, contains, steady, drain, life] = labels;
    let load = |workload: &Workload| C::load(&workload.elements);
    let load_half_due = |workload: &Workload| {
        let (mut loaded, keys) = C::load(&workload.elements);
        loaded.reach(workload.half);
        (loaded, keys)
    };
    let writes = if C::HAS_LINEAR_WRITES { &labels[..] } else { &[] };
    let linear = writes.iter().copied().filter(|&label| label != contains && label != drain);
    Contender::new(C::NAME, load, contents)
        .linear(linear)
        // Random due times, from n to 2n elements, so that every table grows once.
        .each(
            push,
            |it| &it.later,
            |(loaded, _): &mut Loaded<C>, &(id, due)| {
                black_box(loaded.push(id, due));
                0
            },
        )
        .each(
            cancel,
            |it| it.first_half(&it.places),
            |(loaded, keys), &place| loaded.cancel(&keys[place]).into(),
        )
        .each(
            reschedule,
            |it| &it.moves,
            |(loaded, keys), &(place, due)| {
                loaded.reschedule(&keys[place], due);
                0
            },
        )
        .loaded(load_half_due)
        .batch(
            contains,
            |it| it.places.len(),
            |workload, (loaded, keys), calls| {
                let places = workload.places[..calls].iter();
                places.map(|&at| 1 + u64::from(loaded.contains(&keys[at], workload.half))).sum()
            },
        )
        // As a queue in the steady state: what is inserted is due later.
        .batch(
            steady,
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
        )
        .batch(
            drain,
            // More than half, if several are due at the same time.
            |it| it.elements.iter().filter(|(_, due)| *due <= it.half).count(),
            |workload, (loaded, _), _| sum_drained(loaded, workload.half),
        )
        .loaded(load)
        // Nine tenths are removed at random, and the others when they are due, which is typical of
        // timeouts. This includes any work that removals have deferred.
        .batch(
            life,
            |it| it.places.len(),
            |workload, (loaded, keys), calls| {
                let cancelled = workload.places[..calls - calls / 10].iter();
                let answers: u64 =
                    cancelled.map(|&place| u64::from(loaded.cancel(&keys[place]))).sum();
                loaded.reach(workload.end());
                answers.wrapping_add(sum_drained(loaded, workload.end()))
            },
        )
        .only(|label| label != NONE)
}

#[inline]
fn sum_drained(loaded: &mut impl Timed, now: u64) -> u64 {
    sum(loaded.drain_due(now).map(|(id, due)| digest(id, due)))
}

fn contents<C: Timed>(workload: &Workload, (mut loaded, _): Loaded<C>) -> u64 {
    loaded.reach(workload.end());
    let (mut order, mut ids) = (Contents::default(), 0_u64);
    for (id, due) in loaded.drain_due(workload.end()) {
        order.add(due);
        // A timer wheel does not keep the order of elements due at the same time.
        ids = ids.wrapping_add(digest(id, due).wrapping_mul(id | 1));
    }
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
}

impl Workload {
    /// Generates the workload for `n` elements, deterministically for each `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `n` is less than 2.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = generator(seed);
        let longest = n as u64;
        let mut ids = numbers(rng.random());
        let elements: Vec<_> =
            ids.by_ref().take(n).map(|id| (id, rng.random_range(1..=longest))).collect();
        let mut dues: Vec<u64> = elements.iter().map(|&(_, due)| due).collect();
        dues.sort_unstable();
        let half = dues[n / 2 - 1];
        let later = ids.take(n).map(|id| (id, half + rng.random_range(1..=longest))).collect();
        let moves = repeat(n / 2, || (rng.random_range(0..n), rng.random_range(1..=longest)));
        let places = shuffled(0..n, &mut rng);
        Workload { elements, places, later, moves, half }
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
