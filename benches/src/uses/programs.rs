//! The sets of four programs that were ported to zset, compared with what each had before.
//!
//! A queue with priorities; an index of when keys expire; a pool of transactions, ordered by fee and
//! by arrival; the sorted sets of a server, of which most are small. Smaller collections are
//! measured many at a time, as many as have some ten thousand elements together.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::Hash;
use std::hint::black_box;

use hashbrown::{DefaultHashBuilder, HashMap};
use ordered_float::OrderedFloat;
use priority_queue::PriorityQueue;
use rand::RngExt;
use zset_core::{ListpackLimits, Score, SortedSet, ZSet};

use crate::comparison::{Comparison, Contender, Operation, build};
use crate::measure::{Measured, contents, sum};
use crate::ordered::{Ordered, SortedVec};
use crate::pair::Pair;
use crate::random::{generator, numbers, shuffled, string};

/// How the titles of the tables begin.
pub(crate) const TABLES: &str = "Program: ";

/// The number of elements in all collections of a measurement, at least.
const TOGETHER: usize = 10_000;

/// Returns the table of queues with priorities.
pub fn queues() -> Comparison {
    fn contender<C: Program<u64>>() -> Contender<Workload<u64>> {
        of::<u64, C, _>([
            build("push, from none to n", insert_all),
            build("change a priority", |it| it.keys(C::change)),
            build("pop, from n to none", |it| it.pops(|n| n, |queue: &mut C, _| queue.pop())),
        ])
    }
    let contenders = vec![contender::<SortedSet<u64, u64>>(), contender::<Heap>()];
    Comparison::new("Program: a queue with priorities", Workload::of(|key| key), contenders)
}

/// Returns the table of the times at which keys expire.
pub fn expiries() -> Comparison {
    fn contender<C: Program<String>>() -> Contender<Workload<String>> {
        of::<String, C, _>([
            build("set a new key, from none to n", insert_all),
            build("set a key again", |it| it.keys(C::change)),
            build("purge a key (half have expired)", |it| it.pops(|n| n / 2, C::pop_due)),
        ])
    }
    let contenders =
        vec![contender::<SortedSet<String, u64>>(), contender::<Pair<String, u64, BTreeSet<_>>>()];
    Comparison::new("Program: when String keys expire", Workload::of(string), contenders)
}

/// Returns the table of pools of transactions.
pub fn pools() -> Comparison {
    fn contender<C: Program<u64>>() -> Contender<Workload<u64>> {
        of::<u64, C, _>([
            build("import, from none to n", insert_all),
            build("import, evict the worst", |it| {
                let new = &it.new[..it.new.len() / 2];
                it.many(
                    new.len(),
                    |it| (it.load(), new.to_vec()),
                    |pool: &mut C, new| {
                        sum(new.into_iter().map(|(key, score)| {
                            pool.insert(key, score);
                            black_box(pool.pop()).unwrap_or(0)
                        }))
                    },
                )
            }),
            build("walk from the best, an element", |it| {
                it.on_loaded(it.elements.len(), |pool: &mut C| sum(pool.scores()))
            }),
            build("remove", |it| {
                let half = it.elements.len() / 2;
                it.on_loaded(half, |pool: &mut C| {
                    it.keys_in_order().take(half).map(|(key, _)| u64::from(pool.remove(key))).sum()
                })
            }),
        ])
    }
    let contenders = vec![contender::<ZsetPool>(), contender::<BTreePool>()];
    Comparison::new("Program: a pool, by fee and by arrival", Workload::of(|key| key), contenders)
}

/// Returns the table of a server's sorted sets.
pub fn servers_sets() -> Comparison {
    fn contender<C: Program<Vec<u8>>>() -> Contender<Workload<Vec<u8>>> {
        of::<Vec<u8>, C, _>([
            build("ZSCORE", |it| it.keys(|set: &mut C, key, _| set.score(key))),
            build("ZINCRBY", |it| it.keys(C::increment)),
            build("ZRANGEBYSCORE, 10", |it| it.keys(|set: &mut C, _, from| set.sum_ten(from))),
            build("ZCOUNT", |it| it.keys(|set: &mut C, _, from| set.count(from, 2 * from) as u64)),
        ])
    }
    let contenders = vec![
        contender::<ServersSet<true>>(),
        contender::<ServersSet<false>>(),
        contender::<Pair<Vec<u8>, OrderedFloat<f64>, SortedVec<_>>>(),
    ];
    let prepare = Workload::of(|key| string(key).into_bytes());
    Comparison::new("Program: a server's sorted sets", prepare, contenders)
}

/// A key that programs use.
pub trait Key: Ord + Hash + Clone + 'static {}

impl<K: Ord + Hash + Clone + 'static> Key for K {}

/// Keys by their scores, lowest first.
pub trait Program<K>: Default + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// Inserts a key that is not there.
    fn insert(&mut self, key: K, score: u64);

    /// Returns all scores: lowest first, or, in a pool, highest first.
    fn scores(&self) -> impl Iterator<Item = u64>;

    // The defaults below are for contenders in whose tables the operation is not measured.

    /// Changes the score of a key, and returns the old one.
    fn change(&mut self, _key: &K, _score: u64) -> u64 {
        0
    }

    /// Removes the first key, and returns its score.
    fn pop(&mut self) -> Option<u64> {
        None
    }

    /// Removes the first key if its score is at most `now`, and returns the score.
    fn pop_due(&mut self, _now: u64) -> Option<u64> {
        None
    }

    /// Removes a key; returns whether it was there.
    fn remove(&mut self, _key: &K) -> bool {
        false
    }

    /// Returns the score of a key, which is there.
    fn score(&self, _key: &K) -> u64 {
        0
    }

    /// Adds to the score of a key, which is there, and returns the new one.
    fn increment(&mut self, _key: &K, _by: u64) -> u64 {
        0
    }

    /// Returns the sum of the first ten scores that are at least `from`.
    fn sum_ten(&self, _from: u64) -> u64 {
        0
    }

    /// Returns how many scores are in `start..end`.
    fn count(&self, _start: u64, _end: u64) -> usize {
        0
    }
}

/// Returns a contender with operations.
fn of<K: Key, C: Program<K>, const N: usize>(
    operations: [Operation<Workload<K>, C>; N],
) -> Contender<Workload<K>> {
    Contender::new(C::NAME, Workload::load, |_, set: C| contents(set.scores()), operations)
}

/// Inserts all elements into an empty collection, in random order.
fn insert_all<K: Key, C: Program<K>>(workload: &Workload<K>) -> (Measured, C) {
    let load = |it: &Workload<K>| (C::default(), it.elements.clone());
    workload.many(workload.elements.len(), load, |set, elements| {
        for (key, score) in elements {
            set.insert(key, score);
        }
        0
    })
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
        let mut keys = numbers(rng.random()).map(make_up);
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

    fn load<C: Program<K>>(&self) -> C {
        let mut loaded = C::default();
        self.elements.iter().for_each(|(key, score)| loaded.insert(key.clone(), *score));
        loaded
    }

    /// Returns all keys in random order, each with a score that no key has.
    fn keys_in_order(&self) -> impl Iterator<Item = (&K, u64)> {
        self.places.iter().map(|&(place, score)| (&self.elements[place].0, score))
    }

    /// Measures as many collections as have ten thousand elements together. `load` returns one of
    /// them with what is inserted into it, and `run` makes this number of calls.
    fn many<C: Program<K>>(
        &self,
        calls: usize,
        load: impl Fn(&Self) -> (C, Vec<(K, u64)>),
        run: impl Fn(&mut C, Vec<(K, u64)>) -> u64,
    ) -> (Measured, C) {
        let copies = (TOGETHER / self.elements.len()).max(1);
        let (mut sets, inserted): (Vec<C>, Vec<_>) = (0..copies).map(|_| load(self)).unzip();
        let measured = Measured::of(copies * calls, || {
            let runs = sets.iter_mut().zip(inserted);
            black_box(sum(runs.map(|(set, inserted)| run(set, inserted))))
        });
        (measured, sets.swap_remove(0))
    }

    /// Measures collections of all elements, into which nothing is inserted.
    fn on_loaded<C: Program<K>>(&self, calls: usize, run: impl Fn(&mut C) -> u64) -> (Measured, C) {
        self.many(calls, |it| (it.load(), Vec::new()), |set, _| run(set))
    }

    /// Calls for each key.
    fn keys<C: Program<K>>(&self, call: impl Fn(&mut C, &K, u64) -> u64) -> (Measured, C) {
        self.on_loaded(self.elements.len(), |set| {
            sum(self.keys_in_order().map(|(key, score)| call(set, key, score)))
        })
    }

    /// Removes elements, lowest score first, until `call` returns none; it is given the score up to
    /// which half of the elements are.
    fn pops<C: Program<K>>(
        &self,
        calls: fn(usize) -> usize,
        call: impl Fn(&mut C, u64) -> Option<u64>,
    ) -> (Measured, C) {
        self.on_loaded(calls(self.elements.len()), |set| {
            let mut sum = 0_u64;
            while let Some(score) = black_box(call(set, self.half)) {
                sum = sum.wrapping_add(score);
            }
            sum
        })
    }
}

impl<K: Key> Program<K> for SortedSet<K, u64> {
    const NAME: &'static str = "zset";

    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.insert(key, score);
    }

    fn scores(&self) -> impl Iterator<Item = u64> {
        self.iter().map(|(_, score)| score)
    }

    #[inline]
    fn change(&mut self, key: &K, score: u64) -> u64 {
        self.set_score(key, score).unwrap_or(0)
    }

    #[inline]
    fn pop(&mut self) -> Option<u64> {
        self.pop_first().map(|(_, score)| score)
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<u64> {
        self.pop_first_if(|_, first| first <= now).map(|(_, score)| score)
    }
}

/// The crate `priority-queue`.
pub type Heap = PriorityQueue<u64, Reverse<u64>, DefaultHashBuilder>;

impl Program<u64> for Heap {
    const NAME: &'static str = "priority-queue";

    #[inline]
    fn insert(&mut self, key: u64, score: u64) {
        self.push(key, Reverse(score));
    }

    fn scores(&self) -> impl Iterator<Item = u64> {
        let mut scores: Vec<u64> = self.iter().map(|(_, &Reverse(score))| score).collect();
        scores.sort_unstable();
        scores.into_iter()
    }

    #[inline]
    fn change(&mut self, key: &u64, score: u64) -> u64 {
        self.change_priority(key, Reverse(score)).map_or(0, |Reverse(old)| old)
    }

    #[inline]
    fn pop(&mut self) -> Option<u64> {
        self.pop().map(|(_, Reverse(score))| score)
    }
}

impl<K: Key, O: Ordered<(u64, K)>> Program<K> for Pair<K, u64, O> {
    const NAME: &'static str = O::NAME;

    #[inline]
    fn insert(&mut self, key: K, score: u64) {
        self.insert(key, score);
    }

    fn scores(&self) -> impl Iterator<Item = u64> {
        self.ordered.iter().map(|&(score, _)| score)
    }

    #[inline]
    fn change(&mut self, key: &K, score: u64) -> u64 {
        self.update(key, |_| score).unwrap_or(0)
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<u64> {
        self.pop_first_if(|first| first <= now).map(|(score, _)| score)
    }
}

/// Two `zset_core::SortedSet`s: by fee, and by arrival.
#[derive(Default)]
pub struct ZsetPool {
    by_fee: SortedSet<u64, u64>,
    by_arrival: SortedSet<u64, u64>,
    arrivals: u64,
}

impl Program<u64> for ZsetPool {
    const NAME: &'static str = "zset";

    #[inline]
    fn insert(&mut self, key: u64, fee: u64) {
        self.arrivals += 1;
        self.by_fee.insert(key, fee);
        self.by_arrival.insert(key, self.arrivals);
    }

    fn scores(&self) -> impl Iterator<Item = u64> {
        self.by_fee.iter().rev().map(|(_, fee)| fee)
    }

    #[inline]
    fn pop(&mut self) -> Option<u64> {
        let (key, fee) = self.by_fee.pop_first()?;
        self.by_arrival.remove(&key);
        Some(fee)
    }

    #[inline]
    fn remove(&mut self, key: &u64) -> bool {
        self.by_fee.remove(key).is_some() && self.by_arrival.remove(key).is_some()
    }
}

/// Two `BTreeSet`s, and a `HashMap` from key to fee and arrival.
#[derive(Default)]
pub struct BTreePool {
    by_fee: BTreeSet<(u64, u64)>,
    by_arrival: BTreeSet<(u64, u64)>,
    kept: HashMap<u64, (u64, u64)>,
    arrivals: u64,
}

impl Program<u64> for BTreePool {
    const NAME: &'static str = "two BTreeSets + HashMap";

    #[inline]
    fn insert(&mut self, key: u64, fee: u64) {
        self.arrivals += 1;
        self.kept.insert(key, (fee, self.arrivals));
        self.by_fee.insert((fee, key));
        self.by_arrival.insert((self.arrivals, key));
    }

    fn scores(&self) -> impl Iterator<Item = u64> {
        self.by_fee.iter().rev().map(|&(fee, _)| fee)
    }

    #[inline]
    fn pop(&mut self) -> Option<u64> {
        let (fee, key) = self.by_fee.pop_first()?;
        if let Some((_, arrival)) = self.kept.remove(&key) {
            self.by_arrival.remove(&(arrival, key));
        }
        Some(fee)
    }

    #[inline]
    fn remove(&mut self, key: &u64) -> bool {
        self.kept.remove(key).is_some_and(|(fee, arrival)| {
            self.by_fee.remove(&(fee, *key)) && self.by_arrival.remove(&(arrival, *key))
        })
    }
}

/// A `zset_core::ZSet`, which is a listpack up to 128 members, as in Redis, or never.
pub struct ServersSet<const IS_LISTPACK: bool>(ZSet);

impl<const IS_LISTPACK: bool> Default for ServersSet<IS_LISTPACK> {
    fn default() -> Self {
        let limits = ListpackLimits::default();
        let max_listpack_entries = if IS_LISTPACK { limits.max_listpack_entries } else { 0 };
        ServersSet(ZSet::with_limits(ListpackLimits { max_listpack_entries, ..limits }))
    }
}

/// Converts a whole number, which a double holds exactly.
#[expect(clippy::cast_precision_loss, reason = "they are below 2^53")]
#[inline]
fn double(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_sign_loss, reason = "none is negative")]
#[inline]
fn number(double: f64) -> u64 {
    double as u64
}

#[inline]
fn to_score(number: u64) -> Score {
    Score::new(double(number)).expect("a number")
}

impl<const IS_LISTPACK: bool> Program<Vec<u8>> for ServersSet<IS_LISTPACK> {
    const NAME: &'static str = if IS_LISTPACK { "zset, listpack" } else { "zset, skip list" };

    #[inline]
    fn insert(&mut self, key: Vec<u8>, score: u64) {
        self.0.insert(key, to_score(score));
    }

    fn scores(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|(_, score)| number(score.get()))
    }

    #[inline]
    fn score(&self, key: &Vec<u8>) -> u64 {
        self.0.score(key).map_or(1, |score| number(score.get()))
    }

    #[inline]
    fn increment(&mut self, key: &Vec<u8>, by: u64) -> u64 {
        self.0.increment(key, double(by)).map_or(0, |score| number(score.get()))
    }

    #[inline]
    fn sum_ten(&self, from: u64) -> u64 {
        let range = self.0.range_by_score(to_score(from)..);
        range.take(10).map(|(_, score)| number(score.get())).sum()
    }

    #[inline]
    fn count(&self, start: u64, end: u64) -> usize {
        self.0.count_by_score(to_score(start)..to_score(end))
    }
}

impl Program<Vec<u8>>
    for Pair<Vec<u8>, OrderedFloat<f64>, SortedVec<(OrderedFloat<f64>, Vec<u8>)>>
{
    const NAME: &'static str = "sorted Vec + HashMap";

    fn insert(&mut self, key: Vec<u8>, score: u64) {
        self.insert(key, OrderedFloat(double(score)));
    }

    fn scores(&self) -> impl Iterator<Item = u64> {
        self.ordered.iter().map(|(score, _)| number(score.0))
    }

    #[inline]
    fn score(&self, key: &Vec<u8>) -> u64 {
        self.scores.get(key).map_or(1, |score| number(score.0))
    }

    #[inline]
    fn increment(&mut self, key: &Vec<u8>, by: u64) -> u64 {
        self.update(key, |old| old + double(by)).map_or(0, |old| number(old.0) + by)
    }

    #[inline]
    fn sum_ten(&self, from: u64) -> u64 {
        let start = self.ordered.count_below(|(score, _)| score.0 < double(from));
        self.ordered.range_from_rank(start).take(10).map(|(score, _)| number(score.0)).sum()
    }

    #[inline]
    fn count(&self, start: u64, end: u64) -> usize {
        let below = |end| self.ordered.count_below(|(score, _)| score.0 < double(end));
        below(end) - below(start)
    }
}
