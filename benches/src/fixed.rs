//! `fixed`: `FixedSortedSet` compared with the collections of fixed capacity of the crate
//! `heapless`.
//!
//! All take turns at the same calls; see [`rounds`](crate::rounds).

pub mod contender;
pub mod contenders;
pub mod workload;

use std::io::{self, Write};
use std::path::PathBuf;

use contender::Contender;
use contenders::{Heap, IndexMap, LinkedList, ZsetFixed};
use workload::{Operation, Outcome, Workload};

use crate::arguments::{calls, rounds};
use crate::record::{self, Record};
use crate::rounds::{Measured, Rounds};
use crate::table::write_header;
use crate::tables::{FIXED, draw};
use crate::workload::as_f64;

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
    #[arg(long, default_value_t = 3_000, value_parser = calls)]
    pub calls: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 101, value_parser = rounds)]
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
    let Options { calls, rounds, .. } = *options;
    write_header(out)?;
    writeln!(out, "- rounds: {rounds}, calls a round: {calls}")?;
    let mut records = Vec::new();
    for measure in [measure::<16>, measure::<64>, measure::<256>, measure::<1024>] {
        let measured = measure(calls, rounds);
        write!(out, "\n{}", draw(&measured))?;
        records.extend(measured);
    }
    write!(out, "\n{LEGEND}")?;
    record::save(options.save.as_deref(), &records)
}

/// A contender, as function pointers, since a list cannot hold types.
pub struct Entrant<const N: usize> {
    /// The name shown in the tables.
    pub name: &'static str,
    /// The bytes of the whole value.
    pub bytes: usize,
    /// Returns whether it can do an operation.
    pub offers: fn(Operation) -> bool,
    /// Times an operation.
    pub measure: fn(&Workload<N>, Operation) -> Measured<u64>,
    /// Like `measure`, but returns the answers, and the contents afterwards.
    pub outcome: fn(&Workload<N>, Operation) -> Outcome,
}

/// Returns the contenders, the subject first.
pub fn entrants<const N: usize>() -> [Entrant<N>; 4] {
    [
        entrant::<ZsetFixed<N>, N>(),
        entrant::<Heap<N>, N>(),
        entrant::<LinkedList<N>, N>(),
        entrant::<IndexMap<N>, N>(),
    ]
}

fn entrant<C: Contender, const N: usize>() -> Entrant<N> {
    Entrant {
        name: C::NAME,
        bytes: size_of::<C>(),
        offers: C::offers,
        measure: Workload::measure::<C>,
        outcome: Workload::outcome::<C>,
    }
}

/// Measures all operations at one capacity.
fn measure<const N: usize>(calls: usize, rounds: usize) -> Vec<Record> {
    let entrants = entrants::<N>();
    let mut records = Vec::new();
    for (operation, label) in Operation::ALL {
        let offering: Vec<_> = entrants.iter().filter(|it| (it.offers)(operation)).collect();
        let names: Vec<_> = offering.iter().map(|it| it.name).collect();
        let prepare = |seed| Workload::new(calls, seed);
        let measured = Rounds::measure(names.len(), rounds, prepare, |place, workload| {
            (offering[place].measure)(workload, operation)
        });
        records.extend(measured.records(&names, FIXED, N, label));
    }
    let subject = entrants[0].bytes;
    records.extend(entrants.iter().enumerate().map(|(place, it)| Record {
        table: FIXED.into(),
        n: N,
        contender: it.name.into(),
        what: "size_of, bytes".into(),
        unit: "bytes".into(),
        rounds: 1,
        value: Some(as_f64(it.bytes)),
        ratio: (place > 0).then(|| as_f64(subject) / as_f64(it.bytes)),
        ..Record::default()
    }));
    records
}
