//! `quick`: a table of all contenders for each size of set.
//!
//! A machine's speed drifts by more than the contenders differ, so they take turns: each set is made
//! up once and given to all of them before the next. The peers are compared with the subject within
//! each round, and what is printed are the medians over the rounds.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::allocator::live_bytes;
use crate::contender::Contender;
use crate::contenders::{Visitor, visit_all};
use crate::report::{Table, median, write_header};
use crate::row::Row;
use crate::workload::{Operation, Workload, as_f64};

/// Sets of fewer elements are repeated until one round has inserted this many, so that what is timed
/// takes milliseconds in all.
const ELEMENTS_A_ROUND: usize = 1 << 19;

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The sizes of the sets, each at least [`RANGE`](crate::workload::RANGE).
    pub sizes: Vec<usize>,
    /// The rows to fill.
    pub rows: Vec<Row>,
    /// How often everything is measured, at least once.
    pub rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { sizes: vec![1_000, 100_000, 1_000_000], rows: Row::ALL.to_vec(), rounds: 5 }
    }
}

/// Measures and prints one table for each size.
///
/// # Errors
///
/// Those of writing to `out`.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let mut roster = Roster(Vec::new());
    visit_all(&mut roster);
    write_header(out)?;
    for &n in &options.sizes {
        let sets = (ELEMENTS_A_ROUND / n).max(1);
        let rounds: Vec<Vec<Totals>> = (0..options.rounds)
            .map(|round| measure_round(&roster.0, &options.rows, n, sets, round))
            .collect();
        writeln!(out, "\n### N = {n} (rounds: {}, sets a round: {sets})\n", options.rounds)?;
        write!(out, "{}", table(&roster.0, &options.rows, &rounds))?;
    }
    Ok(())
}

/// One contender, by its functions: the types cannot stand in one list.
struct Entrant {
    name: &'static str,
    measure: fn(&Workload, &[Row], &mut Totals),
}

struct Roster(Vec<Entrant>);

impl Visitor for Roster {
    fn visit<C: Contender>(&mut self) {
        self.0.push(Entrant { name: C::NAME, measure: measure::<C> });
    }
}

/// What one contender took in one round.
#[derive(Clone, Default)]
struct Totals {
    times: [Duration; Operation::ALL.len()],
    counts: [usize; Operation::ALL.len()],
    bytes: isize,
}

impl Totals {
    fn add(&mut self, operation: Operation, time: Duration, count: usize) {
        self.times[operation as usize] += time;
        self.counts[operation as usize] += count;
    }

    /// Returns the figure for a row, or `None` if the contender has none.
    fn figure(&self, row: Row) -> Option<f64> {
        let (total, count) = match row {
            Row::Time(operation) => (
                self.times[operation as usize].as_secs_f64() * 1e9,
                self.counts[operation as usize],
            ),
            Row::Memory => {
                (as_f64(self.bytes.unsigned_abs()), self.counts[Operation::Insert as usize])
            }
        };
        (count > 0).then(|| total / as_f64(count))
    }
}

/// Measures every contender once, in the order of `roster`.
fn measure_round(
    roster: &[Entrant],
    rows: &[Row],
    n: usize,
    sets: usize,
    round: usize,
) -> Vec<Totals> {
    let mut totals = vec![Totals::default(); roster.len()];
    for set in 0..sets {
        let workload = Workload::new(n, (round * sets + set) as u64);
        // Each has its turn to be first, when the workload is still in the caches.
        for turn in 0..roster.len() {
            let place = (round + set + turn) % roster.len();
            (roster[place].measure)(&workload, rows, &mut totals[place]);
        }
    }
    totals
}

/// Measures `C` on one set.
fn measure<C: Contender>(workload: &Workload, rows: &[Row], totals: &mut Totals) {
    let bytes_before = live_bytes();
    let mut contender = C::new();
    for operation in Operation::ALL {
        // The load is always done: the rest works on it.
        let is_wanted = rows.contains(&Row::Time(operation)) || operation == Operation::Insert;
        if !is_wanted || !operation.is_offered_by::<C>() {
            continue;
        }
        let start = Instant::now();
        workload.run(operation, &mut contender);
        totals.add(operation, start.elapsed(), workload.count(operation));
        if operation == Operation::Insert {
            totals.bytes += live_bytes() - bytes_before;
        }
    }
}

/// Lays out the medians: the subject, then each peer with the ratio of the subject to it.
fn table(roster: &[Entrant], rows: &[Row], rounds: &[Vec<Totals>]) -> Table {
    let names: Vec<_> = roster.iter().map(|entrant| entrant.name).collect();
    let mut table = Table::comparing("ns per operation", &names);
    for &row in rows {
        let figure =
            |place: usize| median(rounds.iter().filter_map(|round| round[place].figure(row)));
        let ratio = |place: usize| {
            median(
                rounds
                    .iter()
                    .filter_map(|round| Some(round[0].figure(row)? / round[place].figure(row)?)),
            )
        };
        table.push_comparison(row.label(), names.len(), figure, ratio);
    }
    table
}
