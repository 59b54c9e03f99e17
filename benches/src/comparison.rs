//! Contenders that make the same calls: how the tables of [`uses`](crate::uses) and
//! [`fixed`](crate::fixed) are measured and tested.

use std::io::{self, Write};
use std::path::Path;

use crate::record::{self, Record};
use crate::rounds::{Measured, Rounds};
use crate::table::write_header;
use crate::tables::draw;
use crate::workload::as_f64;

/// The maximum number of calls to an operation that takes a contender linear time.
const LINEAR_CALLS: usize = 500;

/// The elements of one round, and the arguments of all operations.
pub trait Workload {
    /// A measured operation.
    type Operation: Copy + PartialEq + 'static;
}

/// How a contender makes the calls of a workload.
pub trait Calls<C>: Workload {
    /// The name of the contender shown in the tables.
    const NAME: &'static str;

    /// Returns whether the contender can do an operation. If not, the tables show a dash.
    fn offers(_operation: Self::Operation) -> bool {
        true
    }

    /// Loads a contender and times the calls of an operation.
    fn perform(&self, operation: Self::Operation) -> (Measured<u64>, C);

    /// Returns a digest of all elements of a contender.
    fn contents(&self, contender: C) -> u64;
}

/// Bounds the calls to an operation if it is among those that take a contender linear time.
pub(crate) fn bounded<O: Copy + PartialEq>(calls: usize, operation: O, linear: &[O]) -> usize {
    if linear.contains(&operation) { calls.min(LINEAR_CALLS) } else { calls }
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

/// A contender as function pointers, since a list cannot hold types.
pub struct Entrant<W: Workload> {
    name: &'static str,
    bytes: usize,
    offers: fn(W::Operation) -> bool,
    measure: fn(&W, W::Operation) -> Measured<u64>,
    outcome: fn(&W, W::Operation) -> Outcome,
}

impl<W: Workload> Entrant<W> {
    /// Returns the entrant for a type.
    pub fn of<C>() -> Self
    where
        W: Calls<C>,
    {
        Entrant {
            name: W::NAME,
            bytes: size_of::<C>(),
            offers: W::offers,
            measure: |workload, operation| workload.perform(operation).0,
            outcome: |workload, operation| {
                let (Measured { calls, answer, .. }, contender) = workload.perform(operation);
                Outcome { calls, answer, contents: workload.contents(contender) }
            },
        }
    }
}

/// The table of contenders that share a workload, the subject first.
pub struct Comparison<W: Workload> {
    pub(crate) title: &'static str,
    /// Of collections of fixed capacity.
    pub(crate) capacity: Option<usize>,
    /// The numbers of elements, if they are not those that the options say.
    pub(crate) sizes: &'static [usize],
    pub(crate) rows: &'static [(W::Operation, &'static str)],
    pub(crate) entrants: Vec<Entrant<W>>,
    /// Generates the workload for a number of elements, or of calls, and a seed.
    pub(crate) prepare: fn(usize, u64) -> W,
}

impl<W: Workload> Comparison<W> {
    fn offering(&self, row: usize) -> (W::Operation, Vec<&Entrant<W>>) {
        let (operation, _) = self.rows[row];
        (operation, self.entrants.iter().filter(|it| (it.offers)(operation)).collect())
    }

    fn bytes(&self, capacity: usize) -> impl Iterator<Item = Record> {
        let subject = as_f64(self.entrants[0].bytes);
        self.entrants.iter().enumerate().map(move |(place, it)| Record {
            table: self.title.into(),
            n: capacity,
            contender: it.name.into(),
            what: "size_of, bytes".into(),
            unit: "bytes".into(),
            rounds: 1,
            value: Some(as_f64(it.bytes)),
            ratio: (place > 0).then(|| subject / as_f64(it.bytes)),
            ..Record::default()
        })
    }
}

/// A table to fill.
pub trait Sheet {
    /// Returns the name of the table.
    fn title(&self) -> &'static str;

    /// Returns the numbers of elements, or of calls, to measure: none above `most`.
    fn sizes(&self, most: usize) -> Vec<usize>;

    /// Returns the labels of the rows.
    fn rows(&self) -> Vec<&'static str>;

    /// Returns the names of the contenders that offer the operation of a row, the subject first.
    fn names(&self, row: usize) -> Vec<&'static str>;

    /// Measures all rows: of sets with `count` elements, or of collections of fixed capacity with
    /// `count` calls.
    fn measure(&self, count: usize, rounds: usize) -> Vec<Record>;

    /// Returns a function that measures one of [`names`](Self::names) in a row of the table, with
    /// the elements for a seed. For other front ends.
    fn timer(&self, row: usize, n: usize, seed: u64) -> Box<dyn Fn(usize) -> Measured<u64> + '_>;

    /// Returns, for each of [`names`](Self::names), the answers in a row and the contents after it,
    /// as numbers to compare when all make the same calls. For tests.
    fn outcomes(&self, row: usize, n: usize, seed: u64) -> Vec<Outcome>;
}

impl<W: Workload> Sheet for Comparison<W> {
    fn title(&self) -> &'static str {
        self.title
    }

    fn sizes(&self, most: usize) -> Vec<usize> {
        let mut sizes: Vec<_> = self.sizes.iter().map(|&size| size.min(most)).collect();
        sizes.dedup();
        if sizes.is_empty() { vec![most] } else { sizes }
    }

    fn rows(&self) -> Vec<&'static str> {
        self.rows.iter().map(|&(_, label)| label).collect()
    }

    fn names(&self, row: usize) -> Vec<&'static str> {
        self.offering(row).1.iter().map(|entrant| entrant.name).collect()
    }

    fn measure(&self, count: usize, rounds: usize) -> Vec<Record> {
        let row = |(row, label)| {
            let (operation, offering) = self.offering(row);
            let prepare = |seed| (self.prepare)(count, seed);
            let rounds = Rounds::measure(offering.len(), rounds, prepare, |place, workload| {
                (offering[place].measure)(workload, operation)
            });
            rounds.records(&self.names(row), self.title, self.capacity.unwrap_or(count), label)
        };
        let mut records: Vec<_> = self.rows().into_iter().enumerate().flat_map(row).collect();
        records.extend(self.capacity.into_iter().flat_map(|capacity| self.bytes(capacity)));
        records
    }

    fn timer(&self, row: usize, n: usize, seed: u64) -> Box<dyn Fn(usize) -> Measured<u64> + '_> {
        let (workload, (operation, offering)) = ((self.prepare)(n, seed), self.offering(row));
        Box::new(move |place| (offering[place].measure)(&workload, operation))
    }

    fn outcomes(&self, row: usize, n: usize, seed: u64) -> Vec<Outcome> {
        let (workload, (operation, offering)) = ((self.prepare)(n, seed), self.offering(row));
        offering.iter().map(|entrant| (entrant.outcome)(&workload, operation)).collect()
    }
}

/// Measures, prints and [saves](record::save) all tables.
pub(crate) fn run(
    sheets: Vec<Box<dyn Sheet>>,
    (count, rounds): (usize, usize),
    legend: &str,
    save: Option<&Path>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_header(out)?;
    writeln!(out, "- n: {count}, rounds: {rounds}")?;
    let mut records = Vec::new();
    for sheet in sheets {
        for count in sheet.sizes(count) {
            let measured = sheet.measure(count, rounds);
            write!(out, "\n{}", draw(&measured))?;
            records.extend(measured);
        }
    }
    write!(out, "\n{legend}")?;
    record::save(save, &records)
}

/// Mixes the fields of an element into one number, so that all of them must be read.
#[inline]
pub(crate) fn digest(id: u64, number: u64) -> u64 {
    id ^ number.rotate_left(32)
}

/// An order-dependent digest of a whole structure.
#[derive(Default)]
pub(crate) struct Contents(pub(crate) u64);

impl Contents {
    pub(crate) fn add(&mut self, digest: u64) {
        self.0 = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(digest);
    }
}
