//! The sets of four programs that were ported to zset, compared with what each had before.
//!
//! A queue with priorities; an index of when keys expire; a pool of transactions, ordered by fee and
//! by arrival; the sorted sets of a server, of which most are small. Smaller collections are
//! measured many at a time, as many as have some ten thousand elements together.

pub mod contenders;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::Hash;
use std::hint::black_box;

use rand::RngExt;
use zset_core::{ListpackLimits, SortedSet, ZSet};

use crate::comparison::{Comparison, Contender, Contents, digest};
use crate::pair::{Ordered, Pair, SortedVec};
use crate::random::{self, generator, repeat, shuffled};
use crate::rounds::Measured;
use crate::sets::sum;

use contenders::{BTreePool, Heap, ZsetPool, number, score};

/// The number of elements in all collections of a measurement, at least.
const TOGETHER: usize = 10_000;

/// Returns the table of queues with priorities.
pub fn queues() -> Comparison<Workload<u64>> {
    let [push, change, pop] = ["push, from none to n", "change a priority", "pop, from n to none"];
    let zset = Contender::of("zset", SortedSet::<u64, u64>::new)
        .inserts(push)
        .keys(change, |set, key, score| set.set_score(key, score).unwrap_or(0))
        .pops(pop, |n| n, |set, _| set.pop_first().map(|(_, score)| score));
    let heap = Contender::of("priority-queue", Heap::default)
        .inserts(push)
        .keys(change, |heap, key, score| {
            heap.change_priority(key, Reverse(score)).map_or(0, |Reverse(old)| old)
        })
        .pops(pop, |n| n, |heap, _| heap.pop().map(|(_, Reverse(score))| score));
    let table = Comparison::new("Program: a queue with priorities", Workload::of(|key| key));
    table.of_sizes(&[100, 10_000]).with(zset).with(heap)
}

/// Returns the table of the times at which keys expire.
pub fn expiries() -> Comparison<Workload<String>> {
    let [set, reset, purge] =
        ["set a new key, from none to n", "set a key again", "purge a key (half have expired)"];
    let zset = Contender::of("zset", SortedSet::<String, u64>::new)
        .inserts(set)
        .keys(reset, |set, key, score| set.set_score(key, score).unwrap_or(0))
        .pops(
            purge,
            |n| n / 2,
            |set, half| set.pop_first_if(|_, first| *first <= half).map(|(_, score)| score),
        );
    let pair = Contender::of("BTreeSet + HashMap", Pair::<_, _, BTreeSet<_>>::default)
        .inserts(set)
        .keys(reset, |pair, key, score| pair.update(key, |_| score).unwrap_or(0))
        .pops(
            purge,
            |n| n / 2,
            |pair, half| pair.pop_first_if(|first| first <= half).map(|(score, _)| score),
        );
    let table = Comparison::new("Program: when String keys expire", Workload::of(random::string));
    table.of_sizes(&[1_000, 100_000]).with(zset).with(pair)
}

/// Returns the table of pools of transactions.
pub fn pools() -> Comparison<Workload<u64>> {
    let [import, evict, walk, remove] = [
        "import, from none to n",
        "import, evict the worst",
        "walk from the best, an element",
        "remove",
    ];
    let zset = Contender::of("zset", ZsetPool::default)
        .inserts(import)
        .evicts(evict, ZsetPool::pop)
        .walks(walk)
        .removes(remove, |pool, &key| pool.remove(key));
    let pair = Contender::of("two BTreeSets + HashMap", BTreePool::default)
        .inserts(import)
        .evicts(evict, BTreePool::pop)
        .walks(walk)
        .removes(remove, |pool, &key| pool.remove(key));
    let table = Comparison::new("Program: a pool, by fee and by arrival", Workload::of(|key| key));
    table.of_sizes(&[1_000, 100_000]).with(zset).with(pair)
}

/// Returns the table of a server's sorted sets.
pub fn servers_sets() -> Comparison<Workload<Vec<u8>>> {
    let [score_of, increment, ten, count] = ["ZSCORE", "ZINCRBY", "ZRANGEBYSCORE, 10", "ZCOUNT"];
    let zset = |name, new: fn() -> ZSet| {
        Contender::of(name, new)
            .keys(score_of, |set, key, _| set.score(key).map_or(1, number))
            .keys(increment, |set, key, by| set.increment(key, score(by).get()).map_or(0, number))
            .keys(ten, |set, _, from| {
                set.range_by_score(score(from)..).take(10).map(|(_, score)| number(score)).sum()
            })
            .keys(count, |set, _, from| set.count_by_score(score(from)..score(2 * from)) as u64)
    };
    // Up to 128 members, as in Redis, and from the first member on.
    let listpack = zset("zset, listpack", ZSet::new);
    let skip_list = zset("zset, skip list", || {
        ZSet::with_limits(ListpackLimits { max_listpack_entries: 0, ..ListpackLimits::default() })
    });
    let below = |pair: &Pair<Vec<u8>, _, SortedVec<_>>, end| {
        pair.ordered.count_below(|&(other, _)| other < score(end))
    };
    let pair = Contender::of("sorted Vec + HashMap", Pair::<_, _, SortedVec<_>>::default)
        .keys(score_of, |pair, key, _| pair.scores.get(key).map_or(1, |&score| number(score)))
        .keys(increment, |pair, key, by| {
            pair.update(key, |old| score(number(old) + by)).map_or(0, |old| number(old) + by)
        })
        .keys(ten, move |pair, _, from| {
            let elements = pair.ordered.range_from_rank(below(pair, from)).take(10);
            elements.map(|&(score, _)| number(score)).sum()
        })
        .keys(count, move |pair, _, from| (below(pair, 2 * from) - below(pair, from)) as u64);
    let prepare = Workload::of(|key| random::string(key).into_bytes());
    let table = Comparison::new("Program: a server's sorted sets", prepare);
    table.of_sizes(&[100]).with(listpack).with(skip_list).with(pair)
}

/// A key that programs use.
pub trait Key: Ord + Hash + Clone + 'static {}

impl<K: Ord + Hash + Clone + 'static> Key for K {}

/// Keys by their scores, lowest first. The operations beyond these are those of the tables above.
pub trait Program<K>: Default + 'static {
    /// Inserts a key that is not there.
    fn insert(&mut self, key: K, score: u64);

    /// Visits all scores: lowest first, or, in a pool, highest first.
    fn walk(&self, each: impl FnMut(u64));
}

impl<K: Key, C: Program<K>> Contender<Workload<K>, C> {
    /// Returns a contender without rows, of collections that `new` makes.
    fn of(name: &'static str, new: fn() -> C) -> Self {
        let load = move |workload: &Workload<K>| {
            let mut loaded = new();
            workload.elements.iter().for_each(|(key, score)| loaded.insert(key.clone(), *score));
            loaded
        };
        Contender::new(name, load, |_, last| {
            let (mut contents, mut len) = (Contents::default(), 0);
            last.walk(|score| {
                contents.add(score);
                len += 1;
            });
            digest(contents.0, len)
        })
    }

    /// Adds a row of calls on as many collections as have ten thousand elements together. `run`
    /// makes the calls on one of them, and what it inserts was copied before.
    fn many(
        self,
        label: &'static str,
        calls: fn(usize) -> usize,
        inserted: fn(&Workload<K>) -> &[(K, u64)],
        run: impl Fn(&Workload<K>, &mut C, Vec<(K, u64)>) -> u64 + 'static,
    ) -> Self {
        let load = self.load.clone();
        self.row(label, move |workload| {
            let n = workload.elements.len();
            let copies = (TOGETHER / n).max(1);
            let mut sets = repeat(copies, || load(workload));
            let inserted = repeat(copies, || inserted(workload).to_vec());
            let measured = Measured::of(copies * calls(n), || {
                let runs = sets.iter_mut().zip(inserted);
                black_box(sum(runs.map(|(set, inserted)| run(workload, set, inserted))))
            });
            (measured, sets.pop().expect("there is at least one copy"))
        })
    }

    /// The same for calls that insert nothing.
    fn run(
        self,
        label: &'static str,
        calls: fn(usize) -> usize,
        run: impl Fn(&Workload<K>, &mut C) -> u64 + 'static,
    ) -> Self {
        self.many(label, calls, |_| &[], move |workload, set, _| run(workload, set))
    }

    /// Inserts all elements into an empty collection, in random order.
    fn inserts(self, label: &'static str) -> Self {
        let load = self.load.clone();
        let all = |_: &Workload<K>, set: &mut C, inserted| {
            for (key, score) in inserted {
                set.insert(key, score);
            }
            0
        };
        let row = self.loaded(|_| C::default()).many(label, |n| n, |it| &it.elements, all);
        row.loaded(move |workload| load(workload))
    }

    /// Calls for each key, in random order, each with a score that no key has.
    fn keys(self, label: &'static str, call: impl Fn(&mut C, &K, u64) -> u64 + 'static) -> Self {
        self.run(
            label,
            |n| n,
            move |workload, set| sum(workload.keys().map(|(key, score)| call(set, key, score))),
        )
    }

    /// Removes a random element, up to half of them.
    fn removes(self, label: &'static str, call: impl Fn(&mut C, &K) -> bool + 'static) -> Self {
        self.run(
            label,
            |n| n / 2,
            move |workload, set| {
                let keys = workload.keys().take(workload.elements.len() / 2);
                keys.map(|(key, _)| u64::from(call(set, key))).sum()
            },
        )
    }

    /// Removes elements, lowest score first, until `call` returns none; it is given the score up to
    /// which half of the elements are.
    fn pops(
        self,
        label: &'static str,
        calls: fn(usize) -> usize,
        call: impl Fn(&mut C, u64) -> Option<u64> + 'static,
    ) -> Self {
        self.run(label, calls, move |workload, set| {
            let mut sum = 0_u64;
            while let Some(score) = black_box(call(set, workload.half)) {
                sum = sum.wrapping_add(score);
            }
            sum
        })
    }

    /// Inserts an element and removes the first.
    fn evicts(self, label: &'static str, pop: impl Fn(&mut C) -> Option<u64> + 'static) -> Self {
        self.many(
            label,
            |n| n / 2,
            |it| &it.new[..it.new.len() / 2],
            move |_, set, inserted| {
                sum(inserted.into_iter().map(|(key, score)| {
                    set.insert(key, score);
                    black_box(pop(set)).unwrap_or(0)
                }))
            },
        )
    }

    /// Visits all elements.
    fn walks(self, label: &'static str) -> Self {
        self.run(
            label,
            |n| n,
            |_, set| {
                let mut sum = 0_u64;
                set.walk(|score| sum = sum.wrapping_add(score));
                sum
            },
        )
    }
}

/// The elements of one round, and the arguments of all operations.
pub struct Workload<K> {
    elements: Vec<(K, u64)>,
    new: Vec<(K, u64)>,
    /// The indices of all elements, in random order, each with a score.
    places: Vec<(usize, u64)>,
    /// The score up to which half of the elements are.
    half: u64,
}

impl<K: Key> Workload<K> {
    /// Returns how to generate the workload for at least two elements, deterministically for each
    /// seed; `make_up` generates a key from its number.
    pub fn of(make_up: fn(u64) -> K) -> impl Fn(usize, u64) -> Self {
        move |n, seed| Workload::new(n, seed, make_up)
    }

    fn new(n: usize, seed: u64, make_up: fn(u64) -> K) -> Self {
        let mut rng = generator(seed);
        let mut keys = random::numbers(rng.random()).map(make_up);
        // Scores that are distinct, as what is popped first is then the same for all.
        let scores = shuffled((0..2 * n as u64).map(|score| 4 * score), &mut rng);
        let (old, new) = scores.split_at(n);
        let elements: Vec<_> = keys.by_ref().take(n).zip(old.iter().copied()).collect();
        let new = keys.zip(new.iter().copied()).collect();
        let mut sorted = old.to_vec();
        sorted.sort_unstable();
        let half = sorted[n / 2 - 1];
        let order = shuffled(0..n, &mut rng);
        // Odd, and each at most once: no score is there yet.
        let others = shuffled((0..2 * n as u64).map(|score| 4 * score + 1), &mut rng);
        Workload { elements, new, places: order.into_iter().zip(others).collect(), half }
    }

    fn keys(&self) -> impl Iterator<Item = (&K, u64)> {
        self.places.iter().map(|&(place, score)| (&self.elements[place].0, score))
    }
}
