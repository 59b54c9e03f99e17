//! `lists` compares ordered collections without a hash table. Programs can use them if they already
//! know the score of each member, e.g. from a separate map.
//!
//! There are `n` elements with random scores. Removals and reads choose elements in random order.

use std::collections::BTreeSet;
use std::hint::black_box;

use rand::RngExt;
use zset_core::SkipList;

use crate::comparison::{Comparison, Contender, Operation, Plan, calls};
use crate::measure::{contents, digest, each, sum};
use crate::options::{Common, MAX_N, within};
use crate::random::{generator, numbers, shuffled};
use crate::record::Record;

/// The legend of the tables.
pub const LEGEND: &str = "\
Each row starts with n elements, loaded anew. Insertions go on to 2n; removals and pops end at 0.
";

/// A round has at least this many elements in total: small sets are loaded several times.
const MIN_BATCH: usize = 20_000;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Numbers of elements, 10 to 100000000.
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000,100000,1000000",
        value_parser = within(10, MAX_N))]
    n: Vec<usize>,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// Measures a table for each number of elements.
pub fn measure(options: &Options) -> Vec<Record> {
    let (table, rounds) = (table(), options.common.rounds_or(7));
    let measure = |&n: &usize| {
        table.measure(&Plan { workloads: MIN_BATCH.div_ceil(n), ..table.plan(n, rounds) })
    };
    options.n.iter().flat_map(measure).collect()
}

/// Returns the table.
pub fn table() -> Comparison {
    let contenders = vec![contender::<SkipList<u64, u64>>(), contender::<BTreeSet<Element>>()];
    Comparison::new("without a map", Workload::new, contenders)
}

/// A score and a member.
type Element = (u64, u64);

/// Elements in ascending order.
trait List: Default + 'static {
    const NAME: &'static str;
    fn insert(&mut self, element: Element);
    fn remove(&mut self, element: Element) -> bool;
    fn pop_first(&mut self) -> Option<Element>;
    fn range_from(&self, score: u64) -> impl Iterator<Item = Element>;
}

impl List for SkipList<u64, u64> {
    const NAME: &'static str = "zset";

    fn insert(&mut self, (score, member): Element) {
        self.insert(member, score);
    }

    fn remove(&mut self, (score, member): Element) -> bool {
        self.remove(&member, &score).is_some()
    }

    fn pop_first(&mut self) -> Option<Element> {
        self.pop_first().map(|(member, score)| (score, member))
    }

    fn range_from(&self, score: u64) -> impl Iterator<Item = Element> {
        self.range_by_score(score..).map(|(member, score)| (*score, *member))
    }
}

impl List for BTreeSet<Element> {
    const NAME: &'static str = "BTreeSet";

    fn insert(&mut self, element: Element) {
        self.insert(element);
    }

    fn remove(&mut self, element: Element) -> bool {
        self.remove(&element)
    }

    fn pop_first(&mut self) -> Option<Element> {
        self.pop_first()
    }

    fn range_from(&self, score: u64) -> impl Iterator<Item = Element> {
        self.range((score, 0)..).copied()
    }
}

fn contender<C: List>() -> Contender<Workload> {
    let operations: [Operation<Workload, C>; _] = [
        calls("insert", |it, list, most| {
            each(&it.new, most, |&element| {
                list.insert(element);
                0
            })
        }),
        calls("remove", |it, list, most| {
            each(&it.chosen, most, |&it| if list.remove(it) { digest_of(it) } else { 0 })
        }),
        calls("pop first", |it, list, most| {
            each(&it.chosen, most, |_| list.pop_first().map_or(0, digest_of))
        }),
        calls("100 by score", |it, list, most| {
            each(&it.chosen, most, |&(score, _)| {
                sum(black_box(&*list).range_from(score).take(100).map(digest_of))
            })
        }),
    ];
    let contents = |_: &_, list: C| contents(list.range_from(0).map(digest_of));
    let load = |it: &Workload| {
        let mut list = C::default();
        it.elements.iter().for_each(|&element| list.insert(element));
        list
    };
    Contender::new(C::NAME, load, contents, operations)
}

fn digest_of((score, member): Element) -> u64 {
    digest(member, score)
}

/// The elements of one round, and the arguments of all operations.
struct Workload {
    elements: Vec<Element>,
    new: Vec<Element>,
    chosen: Vec<Element>,
}

impl Workload {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = generator(seed);
        let members = numbers(rng.random());
        let mut all: Vec<_> = members.take(2 * n).map(|member| (rng.random(), member)).collect();
        let new = all.split_off(n);
        Workload { chosen: shuffled(all.iter().copied(), &mut rng), elements: all, new }
    }
}
