//! The sets of four programs that were ported to zset, compared with what each had before.
//!
//! A queue with priorities; an index of when keys expire; a pool of transactions, ordered by fee and
//! by arrival; the sorted sets of a server, of which most are small. Smaller collections are
//! measured many at a time, as many as have some ten thousand elements together.

/// The measured collections.
pub mod contenders;

use std::hash::Hash;
use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::comparison::{self, Calls, Comparison, Contents, Entrant, digest};
use crate::names;
use crate::rounds::Measured;
use crate::workload::repeat;
use contenders::{BTreePair, BTreePool, Heap, VecPair, Zset, ZsetListpack, ZsetPool, ZsetSkipList};

/// The number of elements in all collections of a measurement, at least.
const TOGETHER: usize = 10_000;

/// Returns the table of queues with priorities.
pub fn queues() -> Comparison<Workload<u64>> {
    Comparison {
        title: "Program: a queue with priorities",
        capacity: None,
        sizes: &[100, 10_000],
        rows: &[
            (Operation::Insert, "push, from none to n"),
            (Operation::Change, "change a priority"),
            (Operation::Pop, "pop, from n to none"),
        ],
        entrants: vec![Entrant::of::<Zset<u64>>(), Entrant::of::<Heap>()],
        prepare: Workload::new,
    }
}

/// Returns the table of the times at which keys expire.
pub fn expiries() -> Comparison<Workload<String>> {
    Comparison {
        title: "Program: when String keys expire",
        capacity: None,
        sizes: &[1_000, 100_000],
        rows: &[
            (Operation::Insert, "set a new key, from none to n"),
            (Operation::Change, "set a key again"),
            (Operation::Purge, "purge a key (half have expired)"),
        ],
        entrants: vec![Entrant::of::<Zset<String>>(), Entrant::of::<BTreePair<String>>()],
        prepare: Workload::new,
    }
}

/// Returns the table of pools of transactions.
pub fn pools() -> Comparison<Workload<u64>> {
    Comparison {
        title: "Program: a pool, by fee and by arrival",
        capacity: None,
        sizes: &[1_000, 100_000],
        rows: &[
            (Operation::Insert, "import, from none to n"),
            (Operation::Evict, "import, evict the worst"),
            (Operation::Walk, "walk from the best, an element"),
            (Operation::Remove, "remove"),
        ],
        entrants: vec![Entrant::of::<ZsetPool>(), Entrant::of::<BTreePool>()],
        prepare: Workload::new,
    }
}

/// Returns the table of a server's sorted sets.
pub fn servers_sets() -> Comparison<Workload<Vec<u8>>> {
    Comparison {
        title: "Program: a server's sorted sets",
        capacity: None,
        sizes: &[100],
        rows: &[
            (Operation::Score, "ZSCORE"),
            (Operation::Increment, "ZINCRBY"),
            (Operation::Ten, "ZRANGEBYSCORE, 10"),
            (Operation::Count, "ZCOUNT"),
        ],
        entrants: vec![
            Entrant::of::<ZsetListpack>(),
            Entrant::of::<ZsetSkipList>(),
            Entrant::of::<VecPair>(),
        ],
        prepare: Workload::new,
    }
}

/// A key that programs use.
pub trait Key: Ord + Hash + Clone {
    /// Returns the key for a number.
    fn of(number: u64) -> Self;
}

impl Key for u64 {
    fn of(number: u64) -> u64 {
        number
    }
}

impl Key for String {
    fn of(number: u64) -> String {
        names::string(number)
    }
}

impl Key for Vec<u8> {
    fn of(number: u64) -> Vec<u8> {
        names::string(number).into_bytes()
    }
}

/// Keys by their scores, lowest first.
///
/// A method without an implementation is of no row of the contender.
pub trait Program<K>: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// Returns an empty collection.
    fn new() -> Self;

    /// Inserts a key that is not there.
    fn insert(&mut self, key: K, score: u64);

    /// Changes the score of a key.
    fn change(&mut self, _key: &K, _score: u64) {
        unreachable!("it is not measured")
    }

    /// Removes the first element.
    fn pop(&mut self) -> Option<(K, u64)> {
        unreachable!("it is not measured")
    }

    /// Removes the first element if its score is at most `score`.
    fn pop_up_to(&mut self, _score: u64) -> bool {
        unreachable!("it is not measured")
    }

    /// Removes a key.
    fn remove(&mut self, _key: &K) -> bool {
        unreachable!("it is not measured")
    }

    /// Returns the score of a key.
    fn score(&self, _key: &K) -> Option<u64> {
        unreachable!("it is not measured")
    }

    /// Adds to the score of a key.
    fn increment(&mut self, _key: &K, _by: u64) -> u64 {
        unreachable!("it is not measured")
    }

    /// Returns the sum of up to ten scores from a score on.
    fn ten_from(&self, _score: u64) -> u64 {
        unreachable!("it is not measured")
    }

    /// Counts the elements between two scores.
    fn count(&self, _from: u64, _to: u64) -> usize {
        unreachable!("it is not measured")
    }

    /// Visits all scores, highest first.
    fn walk(&self, each: impl FnMut(u64));
}

/// A measured operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Inserts all elements into an empty collection, in random order.
    Insert,
    /// Changes a random element's score to a random one.
    Change,
    /// Removes all elements, lowest score first.
    Pop,
    /// Removes the half with the lowest scores.
    Purge,
    /// Inserts an element and removes the first.
    Evict,
    /// Visits all elements, highest score first.
    Walk,
    /// Removes a random element, up to half of them.
    Remove,
    /// The score of a random element.
    Score,
    /// Adds to the score of a random element.
    Increment,
    /// Ten elements from a random score on.
    Ten,
    /// The number of elements between two random scores.
    Count,
}

/// The elements of one round, and the arguments of all operations.
pub struct Workload<K> {
    elements: Vec<(K, u64)>,
    new: Vec<(K, u64)>,
    /// The indices of all elements, in random order, each with a score.
    places: Vec<(usize, u64)>,
    /// The score below which half of the elements are.
    half: u64,
}

impl<K: Key> Workload<K> {
    /// Generates the workload for `n` elements, deterministically for each `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `n` is less than 2.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut keys = names::numbers(rng.random()).map(K::of);
        // Scores that are distinct, as what is popped first is then the same for all.
        let mut scores: Vec<u64> = (0..2 * n as u64).map(|score| 4 * score).collect();
        scores.shuffle(&mut rng);
        let (old, new) = scores.split_at(n);
        let elements: Vec<_> = keys.by_ref().take(n).zip(old.iter().copied()).collect();
        let new = keys.zip(new.iter().copied()).collect();
        let mut sorted = old.to_vec();
        sorted.sort_unstable();
        let half = sorted[n / 2 - 1];
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut rng);
        // Odd, and each at most once: no score is there yet.
        let mut others: Vec<u64> = (0..2 * n as u64).map(|score| 4 * score + 1).collect();
        others.shuffle(&mut rng);
        Workload { elements, new, places: order.into_iter().zip(others).collect(), half }
    }

    fn load<C: Program<K>>(&self) -> C {
        let mut loaded = C::new();
        self.elements.iter().for_each(|(key, score)| loaded.insert(key.clone(), *score));
        loaded
    }

    /// Returns the number of calls for an operation on one collection.
    fn calls(&self, operation: Operation) -> usize {
        let n = self.elements.len();
        match operation {
            Operation::Purge | Operation::Evict | Operation::Remove => n / 2,
            _ => n,
        }
    }

    /// Performs an operation on one collection; returns the sum of the answers. What it inserts is
    /// in `inserted`.
    fn run<C: Program<K>>(
        &self,
        operation: Operation,
        set: &mut C,
        inserted: Vec<(K, u64)>,
    ) -> u64 {
        let keys = || self.places.iter().map(|&(place, score)| (&self.elements[place].0, score));
        let mut sum = 0u64;
        let mut add = |number: u64| sum = sum.wrapping_add(number);
        match operation {
            Operation::Insert => {
                for (key, score) in inserted {
                    set.insert(key, score);
                }
            }
            Operation::Change => keys().for_each(|(key, score)| set.change(key, score)),
            Operation::Pop => {
                while let Some((_, score)) = black_box(set.pop()) {
                    add(score);
                }
            }
            Operation::Purge => while set.pop_up_to(self.half) {},
            Operation::Evict => {
                for (key, score) in inserted {
                    set.insert(key, score);
                    add(black_box(set.pop()).map_or(0, |(_, score)| score));
                }
            }
            Operation::Walk => set.walk(add),
            Operation::Remove => keys()
                .take(self.elements.len() / 2)
                .for_each(|(key, _)| add(set.remove(key).into())),
            Operation::Score => keys().for_each(|(key, _)| add(set.score(key).unwrap_or(1))),
            Operation::Increment => keys().for_each(|(key, by)| add(set.increment(key, by))),
            Operation::Ten => keys().for_each(|(_, score)| add(set.ten_from(score))),
            Operation::Count => keys().for_each(|(_, from)| {
                add(set.count(from, 2 * from) as u64);
            }),
        }
        black_box(sum)
    }
}

impl<K: Key> comparison::Workload for Workload<K> {
    type Operation = Operation;
}

impl<K: Key, C: Program<K>> Calls<C> for Workload<K> {
    const NAME: &'static str = C::NAME;

    fn perform(&self, operation: Operation) -> (Measured<u64>, C) {
        let copies = (TOGETHER / self.elements.len()).max(1);
        let is_empty = operation == Operation::Insert;
        let mut sets = repeat(copies, || if is_empty { C::new() } else { self.load() });
        let inserted = repeat(copies, || match operation {
            Operation::Insert => self.elements.clone(),
            Operation::Evict => self.new[..self.calls(operation)].to_vec(),
            _ => Vec::new(),
        });
        let measured = Measured::of(copies * self.calls(operation), || {
            let runs = sets.iter_mut().zip(inserted);
            runs.map(|(set, inserted)| self.run(operation, set, inserted))
                .fold(0, u64::wrapping_add)
        });
        let last = sets.pop().expect("there is at least one copy");
        (measured, last)
    }

    fn contents(&self, contender: C) -> u64 {
        let (mut contents, mut len) = (Contents::default(), 0);
        contender.walk(|score| {
            contents.add(score);
            len += 1;
        });
        digest(contents.0, len)
    }
}
