//! `fixed`: `FixedSortedSet` compared with the collections of fixed capacity of the crate
//! `heapless`.
//!
//! All take turns at the same calls, which are generated in advance; see
//! [`comparison`].
//!
//! Members and scores are random; few scores are equal. A collection is far smaller than a cache,
//! so many of them are filled and emptied one after the other, each with elements of its own:
//! nothing can learn the outcome of a comparison.

pub mod contenders;

use std::hint::black_box;
use std::io::{self, Write};
use std::iter;
use std::path::PathBuf;

use rand::RngExt;

use contenders::{Heap, IndexMap, LinkedList, ZsetFixed};

use crate::arguments::{MAX_CALLS, MAX_ROUNDS, within};
use crate::comparison::{self, Comparison, Contender, Contents, Sheet};
use crate::random::{generator, repeat};
use crate::rounds::Measured;
use crate::sets::sum;
use crate::tables::FIXED;

/// The legend of the tables.
const LEGEND: &str = "\
Members and scores are u32. Insert includes making the value; remove and pop empty it. A dash: the peer
cannot do that, or only with a copy of its elements. Where it scans all elements, its time includes that.
";

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Calls in a round, 1 to 100000000; rounded up to fill whole sets.
    // So few that other processes rarely interrupt a round, of the slowest contender either.
    #[arg(long, default_value_t = 3_000, value_parser = within(1, MAX_CALLS))]
    pub calls: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 101, value_parser = within(1, MAX_ROUNDS))]
    pub rounds: usize,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// Measures and prints a table for each capacity.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, or if the results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { calls, rounds, save } = options;
    comparison::run(sheets(), (*calls, *rounds), LEGEND, save.as_deref(), out)
}

/// Returns a table for each capacity, to be filled.
pub fn sheets() -> Vec<Box<dyn Sheet>> {
    vec![sheet::<16>(), sheet::<64>(), sheet::<256>(), sheet::<1024>()]
}

/// Returns the table of a capacity.
pub fn sheet<const N: usize>() -> Box<dyn Sheet> {
    let table = Comparison::new(FIXED, Workload::<N>::new)
        .with(contender::<ZsetFixed<N>, N>())
        .with(contender::<Heap<N>, N>())
        .with(contender::<LinkedList<N>, N>())
        .with(contender::<IndexMap<N>, N>());
    Box::new(table.of_n(N).with_size_of())
}

/// A member with its score.
pub type Element = (u32, u32);

/// Members with scores, in fixed memory.
///
/// Each contender implements every operation in the best way that its public API allows without a
/// copy of its elements, also if that is a scan: at these sizes a scan may be fast enough. Members
/// are unique; the workload never inserts one twice, since some contenders would hold it twice.
pub trait Fixed: Sized + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that it cannot do. The tables show a dash, and the methods that they need are
    /// never called.
    const LACKS: &'static [&'static str] = &[];

    /// Returns an empty value.
    fn new() -> Self;

    /// Inserts a new member; there is room.
    fn insert(&mut self, member: u32, score: u32);

    /// Removes and returns the first element by `(score, member)`.
    fn pop_first(&mut self) -> Option<Element>;

    /// Returns the score of a member.
    fn score(&self, member: u32) -> Option<u32>;

    /// Returns the number of elements before a member by `(score, member)`.
    fn rank(&self, member: u32) -> Option<usize>;

    // The defaults below are for contenders that do not support the operation.

    /// Updates the score of a member, which is present.
    fn update(&mut self, _member: u32, _score: u32) {}

    /// Removes a member, and returns its score.
    fn remove(&mut self, _member: u32) -> Option<u32> {
        None
    }

    /// Returns the first `n` elements in order.
    fn first(&self, _n: usize) -> impl Iterator<Item = Element> {
        iter::empty()
    }
}

/// Makes an empty value and fills it.
pub const INSERT: &str = "insert up to N";

/// The score of a random member.
pub const SCORE: &str = "score of a member";

/// Gives a random member a random score.
pub const UPDATE: &str = "update of a score";

/// Removes the members of a full one in the order of their insertion.
pub const REMOVE: &str = "remove a member";

/// Removes all elements of a full one in order.
pub const POP_FIRST: &str = "pop the smallest";

/// The first ten elements in order.
pub const FIRST_TEN: &str = "the ten smallest in order";

/// The rank of a random member.
pub const RANK: &str = "rank of a member";

/// Returns a contender with the operations that it offers.
pub fn contender<C: Fixed, const N: usize>() -> Contender<Workload<N>, C> {
    let load = |workload: &Workload<N>| filled(&workload.fills[0]);
    let contents = |_: &_, mut last: C| {
        let mut contents = Contents::default();
        iter::from_fn(|| last.pop_first()).for_each(|element| contents.add(digest(element)));
        contents.0
    };
    let insert = |workload: &Workload<N>| {
        let mut last = C::new();
        let measured = Measured::of(workload.fills.len() * N, || {
            for elements in &workload.fills {
                last = black_box(filled(elements));
            }
            0
        });
        (measured, last)
    };
    let score = |set: &mut C, &(member, _): &Element| set.score(member).map_or(0, u64::from);
    let update = |set: &mut C, &(member, score): &Element| {
        set.update(member, score);
        0
    };
    let remove = |set: &mut C, member| set.remove(member).map_or(0, u64::from);
    let pop_first = |set: &mut C, _| set.pop_first().map_or(0, digest);
    let first_ten = |set: &mut C, _: &Element| {
        let mut sum = 0_u64;
        black_box(&*set).first(10).for_each(|it| sum = sum.wrapping_add(digest(it)));
        sum
    };
    let rank = |set: &mut C, &(member, _): &Element| set.rank(member).unwrap_or(0) as u64;
    Contender::new(C::NAME, load, contents)
        .row(INSERT, insert)
        .each(SCORE, |it| &it.asked, score)
        .each(UPDATE, |it| &it.asked, update)
        .row(REMOVE, move |workload| workload.empty_all(remove))
        .row(POP_FIRST, move |workload| workload.empty_all(pop_first))
        .each(FIRST_TEN, |it| &it.asked, first_ten)
        .each(RANK, |it| &it.asked, rank)
        .only(|label| !C::LACKS.contains(&label))
}

/// The elements of one round, and the arguments of all operations.
pub struct Workload<const N: usize> {
    /// The elements of each collection, members and scores.
    fills: Vec<[Element; N]>,
    /// Members of the first collection, with new scores.
    asked: Vec<Element>,
}

impl<const N: usize> Workload<N> {
    /// Generates the workload for about this many calls, deterministically for each `seed`.
    pub fn new(calls: usize, seed: u64) -> Self {
        let mut rng = generator(seed);
        let mut fill = || {
            // A random odd factor maps distinct numbers to distinct ones.
            let (first, factor) = (rng.random::<u32>(), rng.random::<u32>() | 1);
            let mut members = (first..=u32::MAX).chain(0..first);
            [(); N].map(|()| {
                let number = members.next().map_or(0, |number| number.wrapping_mul(factor));
                (number, rng.random())
            })
        };
        let fills = repeat(calls.div_ceil(N), &mut fill);
        let asked = repeat(calls, || (fills[0][rng.random_range(0..N)].0, rng.random()));
        Workload { fills, asked }
    }

    /// Empties a full collection for each of the fills, with a call for each member.
    fn empty_all<C: Fixed>(&self, take: impl Fn(&mut C, u32) -> u64) -> (Measured, C) {
        let mut all: Vec<C> = self.fills.iter().map(|elements| filled(elements)).collect();
        let measured = Measured::of(self.fills.len() * N, || {
            let calls = all.iter_mut().zip(&self.fills);
            let of_one = |(set, elements): (&mut C, &[Element; N])| {
                sum(elements.iter().map(|&(member, _)| take(set, member)))
            };
            black_box(sum(calls.map(of_one)))
        });
        (measured, all.pop().unwrap_or_else(C::new))
    }
}

fn filled<C: Fixed, const N: usize>(elements: &[Element; N]) -> C {
    let mut set = C::new();
    for &(member, score) in elements {
        set.insert(member, score);
    }
    set
}

#[inline]
fn digest((member, score): Element) -> u64 {
    u64::from(member) << 32 | u64::from(score)
}
