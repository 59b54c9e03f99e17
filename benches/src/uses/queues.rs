//! Collections ordered by due time: delay queues and expiring sets.
//!
//! There are `n` elements, which are due at uniformly random times in the next `n` milliseconds,
//! one per millisecond on average. They are accessed in a random order, independent of both their
//! insertion order and their due times.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::hint::black_box;
use std::iter;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use rand::RngExt;
use tokio::runtime::{Builder, EnterGuard, Runtime};
use tokio::time::{Instant, advance};
use tokio_util::time::DelayQueue as TimerWheel;
use tokio_util::time::delay_queue::Key;
use zset_std::{DelayQueue, ExpiringSet, JobId, Timestamp};

use crate::comparison::{Comparison, Contender, Operation, calls};
use crate::measure::{Measured, contents, digest, each, sum};
use crate::ordered::{Linear, Ordered, SortedVec};
use crate::pair::Pair;
use crate::random::{generator, numbers, repeat, shuffled};

/// Returns the table of delay queues.
pub fn queues() -> Comparison {
    fn contender<C: Timed>() -> Contender<Workload> {
        of::<C>(vec![
            push("push"),
            cancel("cancel"),
            reschedule("reschedule"),
            steady("pop one that is due, push one"),
            drain("drain what is due (half), a job"),
            life("cancel 9 of 10, drain the rest, a job"),
        ])
    }
    let contenders =
        vec![contender::<DelayQueue<u64>>(), contender::<TokioQueue>(), contender::<HeapQueue>()];
    Comparison::new("DelayQueue", Workload::new, contenders)
}

/// Returns the table of expiring sets.
pub fn expiring_sets() -> Comparison {
    const INSERT: &str = "insert";
    const REMOVE: &str = "remove";
    const TOUCH: &str = "touch";
    const EXPIRE_ONE: &str = "expire one that is due, insert one";

    fn contender<C: Timed>() -> Contender<Workload> {
        let contender = of::<C>(vec![
            push(INSERT),
            cancel(REMOVE),
            reschedule(TOUCH),
            contains("contains (half have expired)"),
            steady(EXPIRE_ONE),
            drain("expire all that is due (half), a member"),
        ]);
        let writes = &[INSERT, REMOVE, TOUCH, EXPIRE_ONE];
        if C::HAS_LINEAR_WRITES { contender.linear(writes) } else { contender }
    }
    let contenders = vec![
        contender::<ExpiringSet<u64>>(),
        contender::<Pair<u64, u64, BTreeSet<_>>>(),
        contender::<Pair<u64, u64, SortedVec<_>>>(),
    ];
    Comparison::new("ExpiringSet", Workload::new, contenders)
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
    /// An internal clock must already have reached `now`.
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)>;

    /// Removes all elements that are due, and returns their ids and due times.
    fn drain_due(&mut self, now: u64) -> impl Iterator<Item = (u64, u64)> {
        iter::from_fn(move || self.pop_due(now))
    }
}

/// A collection and the handles of its elements.
type Loaded<C> = (C, Vec<<C as Timed>::Key>);

/// An operation on a collection.
type On<C> = Operation<Workload, Loaded<C>>;

/// Returns a contender with operations.
fn of<C: Timed>(operations: Vec<On<C>>) -> Contender<Workload> {
    let load = |it: &Workload| C::load(&it.elements);
    let contents = |it: &Workload, (mut loaded, _): Loaded<C>| {
        loaded.reach(it.end());
        let mut ids = 0_u64;
        let order = contents(loaded.drain_due(it.end()).map(|(id, due)| {
            // A timer wheel does not keep the order of elements due at the same time. So the
            // digests of ids are added up, which gives the same result in any order.
            ids = ids.wrapping_add(digest(id, due).wrapping_mul(id | 1));
            due
        }));
        order ^ ids
    };
    Contender::new(C::NAME, load, contents, operations)
}

/// Pushes elements with random due times. The collection grows from n to 2n elements, so that every
/// hash table grows once.
fn push<C: Timed>(label: &'static str) -> On<C> {
    calls(label, |it, (loaded, _), most| {
        each(&it.later, most, |&(id, due)| {
            black_box(loaded.push(id, due));
            0
        })
    })
}

fn cancel<C: Timed>(label: &'static str) -> On<C> {
    calls(label, |it, (loaded, keys), most| {
        each(it.first_half(&it.places), most, |&place| loaded.cancel(&keys[place]).into())
    })
}

fn reschedule<C: Timed>(label: &'static str) -> On<C> {
    calls(label, |it, (loaded, keys), most| {
        each(&it.moves, most, |&(place, due)| {
            loaded.reschedule(&keys[place], due);
            0
        })
    })
}

fn contains<C: Timed>(label: &'static str) -> On<C> {
    calls(label, |it, (loaded, keys), most| {
        loaded.reach(it.half);
        each(&it.places, most, |&place| 1 + u64::from(loaded.contains(&keys[place], it.half)))
    })
}

/// Alternately pops a due element and inserts a later one, like a queue in the steady state.
fn steady<C: Timed>(label: &'static str) -> On<C> {
    calls(label, |it, (loaded, _), most| {
        loaded.reach(it.half);
        each(it.first_half(&it.later), most, |&(id, due)| {
            // Which of several elements due at the same time is popped depends on the contender, so
            // only the time is part of the answer.
            let popped = black_box(loaded.pop_due(it.half));
            black_box(loaded.push(id, due));
            popped.map_or(0, |(_, due)| due)
        })
    })
}

fn drain<C: Timed>(label: &'static str) -> On<C> {
    calls(label, |it, (loaded, _), _| {
        loaded.reach(it.half);
        // More than half of the elements are drained if several are due at time `half`.
        let count = it.elements.iter().filter(|(_, due)| *due <= it.half).count();
        Measured::of(count, || black_box(sum_drained(loaded, it.half)))
    })
}

/// Removes nine tenths of the elements at random, and the others when they are due, which is
/// typical of timeouts. The time includes any work that removals have deferred.
fn life<C: Timed>(label: &'static str) -> On<C> {
    calls(label, |it, (loaded, keys), _| {
        let calls = it.places.len();
        Measured::of(calls, || {
            let cancelled = it.places[..calls - calls / 10].iter();
            let answers = cancelled.map(|&place| u64::from(loaded.cancel(&keys[place])));
            let answers: u64 = answers.sum();
            loaded.reach(it.end());
            black_box(answers.wrapping_add(sum_drained(loaded, it.end())))
        })
    })
}

fn sum_drained(loaded: &mut impl Timed, now: u64) -> u64 {
    sum(loaded.drain_due(now).map(|(id, due)| digest(id, due)))
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
    /// Generates the workload for `n` elements, at least 2, deterministically for each `seed`.
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

    /// Returns the first arguments, one for every two elements.
    fn first_half<'a, A>(&self, arguments: &'a [A]) -> &'a [A] {
        &arguments[..self.elements.len() / 2]
    }

    /// Returns a time at which everything is due.
    fn end(&self) -> u64 {
        self.half + self.elements.len() as u64
    }
}

/// Returns the timestamp `millis` milliseconds after the origin.
fn at(millis: u64) -> Timestamp {
    Timestamp::from_nanos(millis * 1_000_000)
}

fn millis(at: Timestamp) -> u64 {
    at.as_nanos() / 1_000_000
}

/// A queue that assigns the ids of its jobs.
impl Timed for DelayQueue<u64> {
    const NAME: &'static str = "zset";

    type Key = JobId;

    fn push(&mut self, payload: u64, due: u64) -> JobId {
        self.push(payload, at(due))
    }

    fn cancel(&mut self, id: &JobId) -> bool {
        self.cancel(id).is_some()
    }

    fn reschedule(&mut self, id: &JobId, due: u64) {
        self.reschedule(id, at(due));
    }

    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.pop(at(now)).map(|job| (job.payload, millis(job.due)))
    }

    fn drain_due(&mut self, now: u64) -> impl Iterator<Item = (u64, u64)> {
        self.pop_due(usize::MAX, at(now)).map(|job| (job.payload, millis(job.due)))
    }
}

/// All writes are made at time zero, before any deadline.
impl Timed for ExpiringSet<u64> {
    const NAME: &'static str = "zset";

    type Key = u64;

    fn push(&mut self, member: u64, deadline: u64) -> u64 {
        let inserted = self.insert(member, Duration::from_millis(deadline), Timestamp::ZERO);
        assert!(inserted.is_ok(), "a set without a cap is never full");
        member
    }

    fn cancel(&mut self, member: &u64) -> bool {
        self.remove(member).is_some()
    }

    fn reschedule(&mut self, member: &u64, deadline: u64) {
        let touched = self.touch(member, Duration::from_millis(deadline), Timestamp::ZERO);
        assert!(touched.is_ok(), "a deadline is after the origin");
    }

    fn contains(&self, member: &u64, now: u64) -> bool {
        self.contains(member, at(now))
    }

    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.expire(1, at(now)).next().map(|(member, due)| (member, millis(due)))
    }

    fn drain_due(&mut self, now: u64) -> impl Iterator<Item = (u64, u64)> {
        self.expire(usize::MAX, at(now)).map(|(member, due)| (member, millis(due)))
    }
}

impl<O: Ordered<(u64, u64)>> Timed for Pair<u64, u64, O> {
    const NAME: &'static str = O::NAME;
    const HAS_LINEAR_WRITES: bool = matches!(O::LINEAR, Linear::Writes);

    type Key = u64;

    fn load(elements: &[(u64, u64)]) -> (Self, Vec<u64>) {
        (Pair::load(elements.iter().copied()), elements.iter().map(|&(id, _)| id).collect())
    }

    fn push(&mut self, id: u64, due: u64) -> u64 {
        self.insert(id, due);
        id
    }

    fn cancel(&mut self, id: &u64) -> bool {
        self.remove(id).is_some()
    }

    fn reschedule(&mut self, id: &u64, due: u64) {
        self.update(id, |_| due);
    }

    fn contains(&self, id: &u64, now: u64) -> bool {
        self.scores.get(id).is_some_and(|&due| due > now)
    }

    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.pop_first_if(|due| due <= now).map(|(due, id)| (id, due))
    }
}

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

    fn push(&mut self, payload: u64, due: u64) -> u64 {
        self.arrivals += 1;
        // A job's first arrival number is unique, so it serves as the id.
        let id = self.arrivals;
        self.jobs.insert(id, (id, payload));
        self.heap.push(Reverse((due, id, id)));
        id
    }

    fn cancel(&mut self, id: &u64) -> bool {
        self.jobs.remove(id).is_some()
    }

    fn reschedule(&mut self, id: &u64, due: u64) {
        if let Some((arrival, _)) = self.jobs.get_mut(id) {
            self.arrivals += 1;
            *arrival = self.arrivals;
            self.heap.push(Reverse((due, *arrival, *id)));
        }
    }

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

thread_local! {
    /// A runtime with a paused clock, one per measuring thread. It is leaked because queues stay in
    /// its context permanently.
    static RUNTIME: &'static Runtime = Box::leak(Box::new(
        Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime without I/O asks nothing of the system")
    ));
}

/// `tokio_util::time::DelayQueue<u64>`: a hierarchical timer wheel.
///
/// It is polled here with a manually advanced clock, so neither the task that would wait for it nor
/// the runtime that would wake that task is timed. Its wheel has slots of one millisecond; jobs due
/// in the same slot are returned in any order.
pub struct TokioQueue {
    queue: TimerWheel<u64>,
    /// The instant of time zero.
    start: Instant,
    runtime: &'static Runtime,
    /// Held permanently, because entering the runtime for each call would take longer than some
    /// calls.
    _guard: EnterGuard<'static>,
}

impl Default for TokioQueue {
    fn default() -> Self {
        let runtime = RUNTIME.with(|&runtime| runtime);
        let guard = runtime.enter();
        TokioQueue { queue: TimerWheel::new(), start: Instant::now(), runtime, _guard: guard }
    }
}

impl TokioQueue {
    fn at(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }
}

impl Timed for TokioQueue {
    const NAME: &'static str = "tokio-util";

    type Key = Key;

    fn push(&mut self, payload: u64, due: u64) -> Key {
        self.queue.insert_at(payload, self.at(due))
    }

    fn cancel(&mut self, key: &Key) -> bool {
        self.queue.try_remove(key).is_some()
    }

    fn reschedule(&mut self, key: &Key, due: u64) {
        self.queue.reset_at(key, self.at(due));
    }

    fn reach(&mut self, now: u64) {
        let left = self.at(now).saturating_duration_since(Instant::now());
        self.runtime.block_on(advance(left));
    }

    fn pop_due(&mut self, _now: u64) -> Option<(u64, u64)> {
        match self.queue.poll_expired(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(expired)) => {
                let due = expired.deadline() - self.start;
                Some((expired.into_inner(), due.as_millis() as u64))
            }
            Poll::Ready(None) | Poll::Pending => None,
        }
    }
}
