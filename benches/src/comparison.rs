//! What a contender and an operation are, for all tables of contenders that make the same calls.
//!
//! An operation is a row of a table: its label, its arguments, which the workload of a round has,
//! and a call for each of them. A [`Contender`] is a name, a way to load it, and its rows. A module
//! with a table adds the rows in one function, for every type that implements the module's trait.
//! So the file of a contender contains only an implementation of that trait.

use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use crate::record::{self, Record};
use crate::rounds::{Measured, Rounds};
use crate::table::write_header;
use crate::tables::draw;
use crate::workload::as_f64;

/// The maximum number of calls in a row that takes a contender linear time.
const LINEAR_CALLS: usize = 500;

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

/// A contender of type `C` and its rows, for workloads of type `W`.
pub struct Contender<W, C> {
    name: &'static str,
    pub(crate) load: Rc<dyn Fn(&W) -> C>,
    contents: fn(&W, C) -> u64,
    linear: Vec<&'static str>,
    rows: Vec<Row<W, C>>,
}

/// A row of a contender.
struct Row<W, C> {
    label: &'static str,
    perform: Perform<W, C>,
}

/// Loads, unless it is given the value that the row before has left, and times the calls; returns
/// the value that they have changed.
type Perform<W, C> = Box<dyn Fn(&W, Option<C>) -> (Measured, C)>;

impl<W: 'static, C: 'static> Contender<W, C> {
    /// Returns a contender without rows. `load` makes the value that each row starts with, and
    /// `contents` returns a digest of all that a value has in the end.
    pub fn new(
        name: &'static str,
        load: impl Fn(&W) -> C + 'static,
        contents: fn(&W, C) -> u64,
    ) -> Self {
        Contender { name, load: Rc::new(load), contents, linear: Vec::new(), rows: Vec::new() }
    }

    /// Makes fewer calls in the rows with these labels, which take linear time and are added later.
    pub fn linear(mut self, labels: impl IntoIterator<Item = &'static str>) -> Self {
        self.linear.extend(labels);
        self
    }

    /// Changes what the rows that follow start with.
    pub fn loaded(mut self, load: impl Fn(&W) -> C + 'static) -> Self {
        self.load = Rc::new(load);
        self
    }

    /// Adds a row with a call for each argument; the answers are added up.
    pub fn each<A: 'static>(
        self,
        label: &'static str,
        arguments: fn(&W) -> &[A],
        call: impl Fn(&mut C, &A) -> u64 + 'static,
    ) -> Self {
        let all = move |workload: &W, loaded: &mut C, calls| {
            let answers = arguments(workload)[..calls].iter().map(|it| call(loaded, it));
            answers.fold(0, u64::wrapping_add)
        };
        self.batch(label, move |workload| arguments(workload).len(), all)
    }

    /// Adds a row whose calls are made by one function, given their number.
    pub fn batch(
        self,
        label: &'static str,
        calls: impl Fn(&W) -> usize + 'static,
        make: impl Fn(&W, &mut C, usize) -> u64 + 'static,
    ) -> Self {
        let load = self.load.clone();
        let most = if self.linear.contains(&label) { LINEAR_CALLS } else { usize::MAX };
        self.row(label, move |workload| {
            let mut loaded = load(workload);
            let calls = calls(workload).min(most);
            let measured = Measured::of(calls, || black_box(make(workload, &mut loaded, calls)));
            (measured, loaded)
        })
    }

    /// Adds a row that loads and times in its own way, and returns the last value that it changed.
    pub fn row(self, label: &'static str, perform: impl Fn(&W) -> (Measured, C) + 'static) -> Self {
        self.row_on(label, move |workload, _| perform(workload))
    }

    /// Adds such a row that continues with the value that the row before has left, if there is one.
    pub fn row_on(
        mut self,
        label: &'static str,
        perform: impl Fn(&W, Option<C>) -> (Measured, C) + 'static,
    ) -> Self {
        self.rows.push(Row { label, perform: Box::new(perform) });
        self
    }

    /// Removes the rows with other labels than these.
    pub fn only(mut self, offers: impl Fn(&str) -> bool) -> Self {
        self.rows.retain(|row| offers(row.label));
        self
    }

    /// Measures one row.
    ///
    /// # Panics
    ///
    /// Panics if there is no row with this label.
    pub fn measure(&self, label: &str, workload: &W) -> Measured {
        self.perform(label, workload).0
    }

    fn perform(&self, label: &str, workload: &W) -> (Measured, C) {
        let row = self.rows.iter().find(|row| row.label == label);
        (row.expect("the contender has the row").perform)(workload, None)
    }
}

/// A contender whose type is erased.
trait Entrant<W> {
    fn name(&self) -> &'static str;

    fn size_of(&self) -> usize;

    /// Returns the labels of the rows.
    fn rows(&self) -> Vec<&'static str>;

    fn measure(&self, row: &str, workload: &W) -> Measured;

    /// Measures those of some rows that it offers, in turn on one value.
    fn measure_all(&self, rows: &[&'static str], workload: &W) -> Vec<(&'static str, Measured)>;

    fn outcome(&self, row: &str, workload: &W) -> Outcome;
}

impl<W: 'static, C: 'static> Entrant<W> for Contender<W, C> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn size_of(&self) -> usize {
        size_of::<C>()
    }

    fn rows(&self) -> Vec<&'static str> {
        self.rows.iter().map(|row| row.label).collect()
    }

    fn measure(&self, row: &str, workload: &W) -> Measured {
        self.perform(row, workload).0
    }

    fn measure_all(&self, rows: &[&'static str], workload: &W) -> Vec<(&'static str, Measured)> {
        let mut kept = None;
        let wanted = self.rows.iter().filter(|row| rows.contains(&row.label));
        let measure = |row: &Row<W, C>| {
            let (measured, value) = (row.perform)(workload, kept.take());
            kept = Some(value);
            (row.label, measured)
        };
        wanted.map(measure).collect()
    }

    fn outcome(&self, row: &str, workload: &W) -> Outcome {
        let (Measured { calls, answer, .. }, value) = self.perform(row, workload);
        Outcome { calls, answer, contents: (self.contents)(workload, value) }
    }
}

/// The table of contenders that share a workload, the subject first.
pub struct Comparison<W> {
    title: &'static str,
    /// The number of elements, if it is not the one that the workload is prepared for.
    n: Option<usize>,
    sizes: &'static [usize],
    has_size_of: bool,
    /// How many leading contenders are zset's own; the first is compared with the peers.
    subjects: usize,
    prepare: Box<dyn Fn(usize, u64) -> W>,
    entrants: Vec<Box<dyn Entrant<W>>>,
}

impl<W: 'static> Comparison<W> {
    /// Returns a table without contenders. `prepare` generates the workload for a number of
    /// elements, or of calls, and a seed.
    pub fn new(title: &'static str, prepare: impl Fn(usize, u64) -> W + 'static) -> Self {
        let (prepare, entrants) = (Box::new(prepare), Vec::new());
        let (n, sizes, has_size_of, subjects) = (None, &[][..], false, 1);
        Comparison { title, n, sizes, has_size_of, subjects, prepare, entrants }
    }

    /// Adds a contender. The first one has all rows; in the others a missing row is a dash.
    pub fn with<C: 'static>(mut self, contender: Contender<W, C>) -> Self {
        self.entrants.push(Box::new(contender));
        self
    }

    /// Sets the numbers of elements, instead of the one that the options have.
    pub fn of_sizes(self, sizes: &'static [usize]) -> Self {
        Comparison { sizes, ..self }
    }

    /// Sets the number of elements, which is not that of the calls.
    pub fn of_n(self, n: usize) -> Self {
        Comparison { n: Some(n), ..self }
    }

    /// Adds a row with the sizes of the types.
    pub fn with_size_of(self) -> Self {
        Comparison { has_size_of: true, ..self }
    }

    /// Sets how many leading contenders are zset's own.
    pub fn of_subjects(self, subjects: usize) -> Self {
        Comparison { subjects, ..self }
    }

    /// Returns the contenders that offer a row.
    fn offering(&self, row: &str) -> Vec<&dyn Entrant<W>> {
        self.entrants.iter().map(|it| &**it).filter(|it| it.rows().contains(&row)).collect()
    }

    fn bytes(&self, n: usize) -> impl Iterator<Item = Record> {
        let subject = as_f64(self.entrants[0].size_of());
        self.entrants.iter().enumerate().map(move |(place, it)| {
            let (what, bytes) = (("size_of, bytes", "bytes"), as_f64(it.size_of()));
            let ratio = (place > 0).then_some(subject / bytes);
            Record { ratio, ..Record::new((self.title, n), it.name(), what, Some(bytes)) }
        })
    }
}

/// How all rows of a table are measured together.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of elements.
    pub n: usize,
    /// The labels of the rows.
    pub rows: Vec<&'static str>,
    /// The number of rounds, at least one.
    pub rounds: usize,
    /// The number of workloads in a round, whose results are added.
    pub workloads: usize,
}

/// The maximum number of elements of the workload that precedes all rounds of a [`Plan`] and is not
/// counted: it loads the program from disk and brings the processor to full speed.
const WARM_UP: usize = 5_000;

/// A table to fill, whatever its workload is.
pub trait Sheet {
    /// Returns the name of the table.
    fn title(&self) -> &'static str;

    /// Returns the numbers of elements, or of calls, to measure: none above `most`.
    fn sizes(&self, most: usize) -> Vec<usize>;

    /// Returns the labels of the rows.
    fn rows(&self) -> Vec<&'static str>;

    /// Returns the names of the contenders that offer a row, the subject first.
    fn names(&self, row: &str) -> Vec<&'static str>;

    /// Measures all rows: of sets with `count` elements, or with `count` calls.
    fn measure(&self, count: usize, rounds: usize) -> Vec<Record>;

    /// Measures rows in which the contenders continue with the value that the row before has left;
    /// calls `round_is_over` after each round.
    fn measure_together(&self, plan: &Plan, round_is_over: &mut dyn FnMut()) -> Vec<Record>;

    /// Returns a function that measures one of [`names`](Self::names) in a row, with the elements
    /// for a seed. For other front ends.
    fn timer(&self, row: &str, n: usize, seed: u64) -> Box<dyn Fn(usize) -> Measured + '_>;

    /// Returns, for each of [`names`](Self::names), the answers in a row and the contents after it,
    /// as numbers to compare when all make the same calls. For tests.
    fn outcomes(&self, row: &str, n: usize, seed: u64) -> Vec<Outcome>;
}

impl<W: 'static> Sheet for Comparison<W> {
    fn title(&self) -> &'static str {
        self.title
    }

    fn sizes(&self, most: usize) -> Vec<usize> {
        let mut sizes: Vec<_> = self.sizes.iter().map(|&size| size.min(most)).collect();
        sizes.dedup();
        if sizes.is_empty() { vec![most] } else { sizes }
    }

    fn rows(&self) -> Vec<&'static str> {
        self.entrants[0].rows()
    }

    fn names(&self, row: &str) -> Vec<&'static str> {
        self.offering(row).iter().map(|it| it.name()).collect()
    }

    fn measure(&self, count: usize, rounds: usize) -> Vec<Record> {
        let n = self.n.unwrap_or(count);
        let row = |label| {
            let offering = self.offering(label);
            let prepare = |seed| (self.prepare)(count, seed);
            let rounds = Rounds::measure(offering.len(), rounds, prepare, |place, workload| {
                offering[place].measure(label, workload)
            });
            rounds.records(&self.names(label), self.subjects, self.title, n, label)
        };
        let mut records: Vec<_> = self.rows().into_iter().flat_map(row).collect();
        if self.has_size_of {
            records.extend(self.bytes(n));
        }
        records
    }

    fn measure_together(&self, plan: &Plan, round_is_over: &mut dyn FnMut()) -> Vec<Record> {
        let Plan { n, ref rows, rounds, workloads } = *plan;
        let warm_up = (self.prepare)(n.min(WARM_UP), u64::MAX);
        for entrant in &self.entrants {
            entrant.measure_all(rows, &warm_up);
        }
        let mut all: Vec<Rounds> = rows.iter().map(|_| Rounds::default()).collect();
        for round in 0..rounds {
            let mut totals = vec![vec![Measured::default(); self.entrants.len()]; rows.len()];
            for number in round * workloads..(round + 1) * workloads {
                let workload = (self.prepare)(n, number as u64);
                // Rotate which contender goes first: the first one finds the workload still in the
                // caches.
                for turn in 0..self.entrants.len() {
                    let place = (number + turn) % self.entrants.len();
                    for (label, measured) in self.entrants[place].measure_all(rows, &workload) {
                        let row = rows.iter().position(|it| *it == label);
                        totals[row.expect("it is in the plan")][place] += measured;
                    }
                }
            }
            for (rounds, totals) in all.iter_mut().zip(totals) {
                rounds.0.push(totals);
            }
            round_is_over();
        }
        let names: Vec<_> = self.entrants.iter().map(|it| it.name()).collect();
        let rows = rows.iter().zip(all);
        rows.flat_map(|(row, all)| all.records(&names, self.subjects, self.title, n, row)).collect()
    }

    fn timer(&self, row: &str, n: usize, seed: u64) -> Box<dyn Fn(usize) -> Measured + '_> {
        let (workload, offering) = ((self.prepare)(n, seed), self.offering(row));
        let row = row.to_owned();
        Box::new(move |place| offering[place].measure(&row, &workload))
    }

    fn outcomes(&self, row: &str, n: usize, seed: u64) -> Vec<Outcome> {
        let workload = (self.prepare)(n, seed);
        self.offering(row).iter().map(|it| it.outcome(row, &workload)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_measured_together_continue_with_the_same_value() {
        let row = |(): &(), kept: Option<u64>| {
            let value = kept.unwrap_or(5);
            (Measured { answer: value, ..Measured::default() }, value + 1)
        };
        let contender = Contender::new("number", |()| 5, |(), value| value);
        let contender = contender.row_on("one", row).row_on("other", row).row_on("third", row);
        let answers = |rows: &[&'static str]| {
            let measured = contender.measure_all(rows, &());
            measured.iter().map(|(label, it)| (*label, it.answer)).collect::<Vec<_>>()
        };
        assert_eq!(answers(&["third", "one"]), [("one", 5), ("third", 6)]);
        assert_eq!(contender.measure("other", &()).answer, 5);
        assert_eq!(contender.outcome("other", &()), Outcome { calls: 0, answer: 5, contents: 6 });
    }
}
