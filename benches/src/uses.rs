//! `uses`: the queues, boards, feeds, schedules and expiring sets of `zset_std` beside what else a
//! program would take for them.
//!
//! [`times`] has what is ordered by a time at which it is due, [`boards`] and [`feeds`] the rest. Each
//! has a trait for its contenders, and a workload that is the same for all of them. They take turns,
//! see [`rounds`](crate::rounds).

pub mod boards;
pub mod feeds;
mod sorted_vec;
pub mod times;

use std::io::{self, Write};

use crate::rounds::{Measured, Rounds};
use crate::table::{Table, write_header};

/// What the tables leave open.
const LEGEND: &str = "\
Each row starts with n elements, loaded anew. Rows that only add go on to 2n, so that every table grows
once. What takes linear time is done 500 times at most in a round.
tokio-util: its clock is set, so the wheel alone is measured, without the task that waits for it.
BTreeSet and VecDeque alone cannot tell whether an id is there, so none is posted twice.
";

/// How often a contender does at most what takes it linear time.
const LINEAR_CALLS: usize = 500;

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The number of elements, at least 100.
    pub n: usize,
    /// How often everything is measured, at least once.
    pub rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { n: 100_000, rounds: 7 }
    }
}

/// Measures and prints a table for each type.
///
/// # Errors
///
/// Those of writing to `out`.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { n, rounds } = *options;
    write_header(out)?;
    writeln!(out, "- n: {n}, rounds: {rounds}")?;
    for sheet in sheets() {
        writeln!(out, "\n### {}\n", sheet.title())?;
        write!(out, "{}", sheet.measure(n, rounds))?;
    }
    write!(out, "\n{LEGEND}")
}

/// Returns all tables that there are to fill.
pub fn sheets() -> Vec<Box<dyn Sheet>> {
    vec![
        Box::new(times::queues()),
        Box::new(boards::boards()),
        Box::new(feeds::feeds()),
        Box::new(times::schedules()),
        Box::new(times::expiring_sets()),
    ]
}

/// A table to fill: one type of `zset_std` and its peers.
pub trait Sheet {
    /// Returns the name of the type.
    fn title(&self) -> &'static str;

    /// Returns the labels of the rows.
    fn rows(&self) -> Vec<&'static str>;

    /// Returns the names of the contenders, the subject first.
    fn names(&self) -> Vec<&'static str>;

    /// Fills the table.
    fn measure(&self, n: usize, rounds: usize) -> Table;

    /// Returns a function that measures a contender, by its place, in a row with the elements of
    /// a round. For other front ends.
    fn timer(&self, row: usize, n: usize, seed: u64) -> Box<dyn Fn(usize) -> Measured<u64> + '_>;

    /// Returns what each contender answers in a row and holds after it, as numbers to compare, if
    /// all do the same calls. For tests.
    fn outcomes(&self, row: usize, n: usize, seed: u64) -> Vec<Outcome>;
}

/// What a contender answers, and holds afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How many calls were made.
    pub calls: usize,
    /// The sum of what the calls answered.
    pub answer: u64,
    /// A digest of all elements afterwards.
    pub contents: u64,
}

/// A contender for a workload `W` with operations `O`, by its functions: the types cannot stand in
/// one list.
pub struct Entrant<W, O> {
    name: &'static str,
    /// Loads a contender and times the calls of an operation.
    measure: fn(&W, O) -> Measured<u64>,
    /// Does the same, and looks at what the contender holds then.
    outcome: fn(&W, O) -> Outcome,
}

/// The table of entrants that all have the same workload.
pub struct Comparison<W, O: 'static> {
    title: &'static str,
    rows: &'static [(O, &'static str)],
    entrants: Vec<Entrant<W, O>>,
    /// Makes up the workload for a number of elements and a seed.
    prepare: fn(usize, u64) -> W,
}

impl<W, O: Copy> Sheet for Comparison<W, O> {
    fn title(&self) -> &'static str {
        self.title
    }

    fn rows(&self) -> Vec<&'static str> {
        self.rows.iter().map(|&(_, label)| label).collect()
    }

    fn names(&self) -> Vec<&'static str> {
        self.entrants.iter().map(|entrant| entrant.name).collect()
    }

    fn measure(&self, n: usize, rounds: usize) -> Table {
        let places = self.entrants.len();
        let mut table = Table::comparing("ns an operation", &self.names());
        for &(operation, label) in self.rows {
            let prepare = |seed| (self.prepare)(n, seed);
            let rounds = Rounds::measure(places, rounds, prepare, |place, workload| {
                (self.entrants[place].measure)(workload, operation)
            });
            let figure = |place| rounds.nanos_a_call(place);
            table.push_comparison(label, places, figure, |place| rounds.ratio(0, place));
        }
        table
    }

    fn timer(&self, row: usize, n: usize, seed: u64) -> Box<dyn Fn(usize) -> Measured<u64> + '_> {
        let workload = (self.prepare)(n, seed);
        let (operation, _) = self.rows[row];
        Box::new(move |place| (self.entrants[place].measure)(&workload, operation))
    }

    fn outcomes(&self, row: usize, n: usize, seed: u64) -> Vec<Outcome> {
        let workload = (self.prepare)(n, seed);
        let (operation, _) = self.rows[row];
        self.entrants.iter().map(|entrant| (entrant.outcome)(&workload, operation)).collect()
    }
}

/// Mixes the fields of an element into one number, so that all of them must be read.
#[inline]
fn digest(id: u64, number: u64) -> u64 {
    id ^ number.rotate_left(32)
}

/// Adds up a digest of a whole structure, in which the place of each element counts.
#[derive(Default)]
struct Contents(u64);

impl Contents {
    fn add(&mut self, digest: u64) {
        self.0 = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(digest);
    }
}
