//! `uses`: the queues, boards, feeds, schedules and expiring sets of `zset_std`, compared with the
//! alternatives available to a program.
//!
//! [`times`] has the collections ordered by due time, [`boards`] and [`feeds`] the rest. Each has a
//! trait for its contenders and a workload shared by all of them. The contenders take turns; see
//! [`rounds`](crate::rounds).

pub mod boards;
pub mod feeds;
mod sorted_vec;
pub mod times;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::arguments::{hundreds, rounds};
use crate::record::{self, Record};
use crate::rounds::{Measured, Rounds};
use crate::table::write_header;
use crate::tables::draw;

/// The legend of the tables.
const LEGEND: &str = "\
Each row starts with n elements, loaded anew. Rows that only add go on to 2n, so that every table grows
once. What takes linear time is done 500 times at most in a round.
tokio-util: its clock is set, so the wheel alone is measured, without the task that waits for it.
BTreeSet and VecDeque alone cannot tell whether an id is there, so none is posted twice.
";

/// The maximum number of calls to an operation that takes a contender linear time.
const LINEAR_CALLS: usize = 500;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Elements in each, 100 to 100000000.
    #[arg(long, default_value_t = 100_000, value_parser = hundreds)]
    pub n: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 7, value_parser = rounds)]
    pub rounds: usize,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// Measures and prints a table for each type.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, or if the results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { n, rounds, .. } = *options;
    write_header(out)?;
    writeln!(out, "- n: {n}, rounds: {rounds}")?;
    let mut records = Vec::new();
    for sheet in sheets() {
        let measured = sheet.measure(n, rounds);
        write!(out, "\n{}", draw(&measured))?;
        records.extend(measured);
    }
    write!(out, "\n{LEGEND}")?;
    record::save(options.save.as_deref(), &records)
}

/// Returns all tables, to be filled.
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

    /// Measures all rows.
    fn measure(&self, n: usize, rounds: usize) -> Vec<Record>;

    /// Returns a function that measures one contender, given its index, in a row of the table, with
    /// the elements for a seed. For other front ends.
    fn timer(&self, row: usize, n: usize, seed: u64) -> Box<dyn Fn(usize) -> Measured<u64> + '_>;

    /// Returns, for each contender, the answers in a row and the contents after it, as numbers to
    /// compare when all make the same calls. For tests.
    fn outcomes(&self, row: usize, n: usize, seed: u64) -> Vec<Outcome>;
}

/// The answers of a contender, and its contents afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How many calls were made.
    pub calls: usize,
    /// The sum of the answers.
    pub answer: u64,
    /// A digest of all elements afterwards.
    pub contents: u64,
}

/// A contender for a workload `W` with operations `O`, as function pointers, since a list cannot
/// hold types.
pub struct Entrant<W, O> {
    name: &'static str,
    /// Loads a contender and times the calls of an operation.
    measure: fn(&W, O) -> Measured<u64>,
    /// Like `measure`, but also reads the final contents.
    outcome: fn(&W, O) -> Outcome,
}

/// The table of contenders that share a workload.
pub struct Comparison<W, O: 'static> {
    title: &'static str,
    rows: &'static [(O, &'static str)],
    entrants: Vec<Entrant<W, O>>,
    /// Generates the workload for a number of elements and a seed.
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

    fn measure(&self, n: usize, rounds: usize) -> Vec<Record> {
        let names = self.names();
        let row = |&(operation, label): &(O, &str)| {
            let prepare = |seed| (self.prepare)(n, seed);
            let rounds = Rounds::measure(names.len(), rounds, prepare, |place, workload| {
                (self.entrants[place].measure)(workload, operation)
            });
            rounds.records(&names, self.title, n, label)
        };
        self.rows.iter().flat_map(row).collect()
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

/// An order-dependent digest of a whole structure.
#[derive(Default)]
struct Contents(u64);

impl Contents {
    fn add(&mut self, digest: u64) {
        self.0 = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(digest);
    }
}
