//! Compares contenders by measuring the same calls on each of them.
//!
//! A [`Comparison`] is a table. Each [`Operation`] is a row, and each [`Contender`] a column. An
//! operation is a function that makes calls with the arguments of a workload and returns how long
//! they took. Each module that defines a table has a trait, and a list of operations that work for
//! any type that implements it. A contender is one such type together with its operations.

use std::rc::Rc;

use crate::measure::{Measured, Rounds, to_peers, turns};
use crate::record::Record;

/// The maximum number of calls of an operation that takes linear time on a contender.
const FEW: usize = 500;

/// The maximum size of the workload that runs before all rounds. Its results are discarded: it
/// loads the program from disk and brings the processor to full speed.
const WARM_UP: usize = 5_000;

/// An operation on contenders of type `C`, with arguments of a workload of type `W`.
pub struct Operation<W, C> {
    label: &'static str,
    perform: Perform<W, C>,
}

enum Perform<W, C> {
    /// Makes calls on a loaded value, up to a given number.
    Calls(fn(&W, &mut C, usize) -> Measured),
    /// Builds its own values, and returns the last one as its calls leave it.
    Build(Build<W, C>),
}

type Build<W, C> = Box<dyn Fn(&W) -> (Measured, C)>;

/// Returns an operation that makes calls on a loaded value, up to a given number.
pub fn calls<W, C>(
    label: &'static str,
    make: fn(&W, &mut C, usize) -> Measured,
) -> Operation<W, C> {
    Operation { label, perform: Perform::Calls(make) }
}

/// Returns an operation that builds its own values, and returns the last one as its calls leave it.
pub fn build<W: 'static, C: 'static>(
    label: &'static str,
    make: fn(&W) -> (Measured, C),
) -> Operation<W, C> {
    Operation { label, perform: Perform::Build(Box::new(make)) }
}

/// Returns an operation that needs no loaded value.
pub fn measured<W>(
    label: &'static str,
    make: impl Fn(&W) -> Measured + 'static,
) -> Operation<W, ()> {
    Operation { label, perform: Perform::Build(Box::new(move |workload| (make(workload), ()))) }
}

/// The result of an operation on a contender.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The label of the operation.
    pub label: &'static str,
    /// The time, the number of calls, and their answers.
    pub measured: Measured,
    /// A digest of all elements after the operation; 0 if not requested.
    pub contents: u64,
}

/// A contender, with its operations.
pub struct Contender<W> {
    name: &'static str,
    labels: Vec<&'static str>,
    linear: &'static [&'static str],
    perform: Box<PerformAll<W>>,
}

/// Performs the operations with the first labels, in turn. Those whose labels are also among the
/// second ones make at most [`FEW`] calls.
type PerformAll<W> = dyn Fn(&W, &[&str], &[&str], Then) -> Vec<Outcome>;

/// What happens to a value after an operation.
#[derive(Clone, Copy)]
enum Then {
    /// The next operation continues with it.
    Continue,
    /// A digest of the contents is part of the outcome.
    Digest,
}

impl<W: 'static> Contender<W> {
    /// Returns a contender. `load` builds the value for calls, and `contents` returns a digest of
    /// the final elements of a value.
    pub fn new<C: 'static>(
        name: &'static str,
        load: impl Fn(&W) -> C + 'static,
        contents: impl Fn(&W, C) -> u64 + 'static,
        operations: impl IntoIterator<Item = Operation<W, C>>,
    ) -> Self {
        let operations: Vec<_> = operations.into_iter().collect();
        let labels = operations.iter().map(|it| it.label).collect();
        let perform = move |workload: &W, wanted: &[&str], few: &[&str], then| {
            let mut kept = None;
            let mut outcomes = Vec::new();
            for Operation { label, perform } in &operations {
                if !wanted.contains(label) {
                    continue;
                }
                let (measured, value) = match perform {
                    Perform::Calls(calls) => {
                        let mut value = kept.take().unwrap_or_else(|| load(workload));
                        let most = if few.contains(label) { FEW } else { usize::MAX };
                        (calls(workload, &mut value, most), value)
                    }
                    Perform::Build(build) => {
                        // Drops the old value first, since two full values would exceed the memory
                        // of some machines.
                        kept = None;
                        build(workload)
                    }
                };
                let contents = match then {
                    Then::Digest => contents(workload, value),
                    Then::Continue => {
                        kept = Some(value);
                        0
                    }
                };
                outcomes.push(Outcome { label, measured, contents });
            }
            outcomes
        };
        Contender { name, labels, linear: &[], perform: Box::new(perform) }
    }

    /// Makes fewer calls of the operations with these labels, which take linear time.
    pub fn linear(self, labels: &'static [&'static str]) -> Self {
        Contender { linear: labels, ..self }
    }

    /// Keeps only the operations whose labels `offers` accepts.
    pub fn only(mut self, offers: impl Fn(&str) -> bool) -> Self {
        self.labels.retain(|label| offers(label));
        self
    }

    /// Performs the operations with these labels, except those that the contender lacks, in the
    /// order of the table.
    fn perform(&self, workload: &W, labels: &[&str], then: Then) -> Vec<Outcome> {
        let offered: Vec<_> =
            self.labels.iter().copied().filter(|label| labels.contains(label)).collect();
        (self.perform)(workload, &offered, self.linear, then)
    }

    /// Measures one operation, which the contender must offer.
    pub fn measure(&self, label: &str, workload: &W) -> Measured {
        let outcomes = self.perform(workload, &[label], Then::Continue);
        assert_eq!(outcomes.len(), 1, "{} does not offer `{label}`", self.name);
        outcomes[0].measured
    }
}

/// A table of contenders, the subject first. The subject offers all operations.
pub struct Comparison {
    title: &'static str,
    /// The number of leading contenders that are zset's own; the first is compared with the peers.
    subjects: usize,
    /// The name of each contender, and what it offers.
    contenders: Vec<(&'static str, Vec<&'static str>)>,
    prepare: Box<dyn Fn(usize, u64) -> Prepared>,
}

/// Performs operations on a workload, given the place of the contender and the labels.
type Prepared = Box<dyn Fn(usize, &[&str], Then) -> Vec<Outcome>>;

/// How a table is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of elements.
    pub n: usize,
    /// The number of elements, or of calls, for which the workload is generated.
    pub count: usize,
    /// The number of rounds, at least one.
    pub rounds: usize,
    /// The number of workloads in a round, whose results are added.
    pub workloads: usize,
    /// The labels of the operations.
    pub rows: Vec<&'static str>,
    /// How many operations a contender performs in one turn. The first loads a value, and each of
    /// the others continues with the value of the one before.
    pub at_once: usize,
}

impl Comparison {
    /// Returns a table. `prepare` generates the workload for a number of elements, or of calls, and
    /// a seed.
    pub fn new<W: 'static>(
        title: &'static str,
        prepare: impl Fn(usize, u64) -> W + 'static,
        contenders: Vec<Contender<W>>,
    ) -> Self {
        let offers = contenders.iter().map(|it| (it.name, it.labels.clone())).collect();
        let contenders = Rc::new(contenders);
        let prepare = move |count, seed| -> Prepared {
            let (workload, contenders) = (prepare(count, seed), Rc::clone(&contenders));
            Box::new(move |place, labels, then| contenders[place].perform(&workload, labels, then))
        };
        Comparison { title, subjects: 1, contenders: offers, prepare: Box::new(prepare) }
    }

    /// Sets the number of leading contenders that are zset's own.
    pub fn of_subjects(self, subjects: usize) -> Self {
        Comparison { subjects, ..self }
    }

    /// Returns the name of the table.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the names of the contenders, the subject first.
    pub fn names(&self) -> Vec<&'static str> {
        self.contenders.iter().map(|(name, _)| *name).collect()
    }

    /// Returns the labels of the operations.
    pub fn rows(&self) -> Vec<&'static str> {
        self.contenders[0].1.clone()
    }

    /// Returns the places and the names of the contenders that offer an operation.
    pub fn offering(&self, row: &str) -> Vec<(usize, &'static str)> {
        let all = self.contenders.iter().enumerate();
        all.filter(|(_, it)| it.1.contains(&row)).map(|(place, it)| (place, it.0)).collect()
    }

    /// Generates a workload. Returns a function with which the contender at a place performs an
    /// operation.
    pub fn prepare(&self, count: usize, seed: u64) -> impl Fn(usize, &str) -> Outcome + use<> {
        let prepared = (self.prepare)(count, seed);
        move |place, row| prepared(place, &[row], Then::Digest)[0]
    }

    /// Like [`prepare`](Self::prepare), without a digest of the contents. For other front ends.
    pub fn timer(&self, count: usize, seed: u64) -> impl Fn(usize, &str) -> Measured + use<> {
        let prepared = (self.prepare)(count, seed);
        move |place, row| prepared(place, &[row], Then::Continue)[0].measured
    }

    /// Returns a plan in which each operation is measured alone.
    pub fn plan(&self, n: usize, rounds: usize) -> Plan {
        Plan { n, count: n, rounds, workloads: 1, rows: self.rows(), at_once: 1 }
    }

    /// Measures all contenders.
    pub fn measure(&self, plan: &Plan) -> Vec<Record> {
        let Plan { n, count, rounds, workloads, ref rows, at_once } = *plan;
        let places = self.contenders.len();
        let warm_up = (self.prepare)(count.min(WARM_UP), u64::MAX);
        for turn in rows.chunks(at_once) {
            (0..places).for_each(|place| drop(warm_up(place, turn, Then::Continue)));
        }
        let mut all: Vec<Rounds> = rows.iter().map(|_| Rounds::default()).collect();
        for round in 0..rounds {
            let mut totals = vec![vec![Measured::default(); places]; rows.len()];
            for number in round * workloads..(round + 1) * workloads {
                let perform = (self.prepare)(count, number as u64);
                for turn in rows.chunks(at_once) {
                    for place in turns(number, places) {
                        for outcome in perform(place, turn, Then::Continue) {
                            let row = rows.iter().position(|it| *it == outcome.label);
                            totals[row.expect("it is in the plan")][place] += outcome.measured;
                        }
                    }
                }
            }
            for (rounds, totals) in all.iter_mut().zip(totals) {
                rounds.0.push(totals.iter().map(Measured::nanos_a_call).collect());
            }
        }
        let records = |(row, rounds): (&&str, Rounds)| {
            rounds.records((self.title, n), (row, "ns"), &self.names(), to_peers(self.subjects))
        };
        rows.iter().zip(all).flat_map(records).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::each;

    #[test]
    fn operations_that_are_performed_together_continue_with_the_same_value() {
        let add_one = |(): &(), value: &mut u64, _| {
            *value += 1;
            Measured { answer: *value, ..Measured::default() }
        };
        let new = build("new", |()| (Measured::default(), 10));
        let operations =
            [calls("one", add_one), calls("other", add_one), new, calls("last", add_one)];
        let contender = Contender::new("number", |()| 5, |(), value| value, operations);
        let answers = |labels: &[&str]| {
            let outcomes = contender.perform(&(), labels, Then::Continue);
            outcomes.iter().map(|it| (it.label, it.measured.answer)).collect::<Vec<_>>()
        };
        assert_eq!(answers(&["other", "one"]), [("one", 6), ("other", 7)]);
        assert_eq!(answers(&["one", "new", "last"]), [("one", 6), ("new", 0), ("last", 11)]);
        assert_eq!(contender.measure("last", &()).answer, 6);
        assert_eq!(contender.perform(&(), &["other"], Then::Digest)[0].contents, 6);
    }

    #[test]
    fn operations_in_linear_time_have_fewer_calls() {
        let add = |it: &Vec<u64>, sum: &mut u64, most| each(it, most, |it| *sum + it);
        let contender = |name| Contender::new(name, |_| 0, |_, sum| sum, [calls("add", add)]);
        let contenders = vec![contender("zset"), contender("slow").linear(&["add"])];
        let table = Comparison::new("sums", |n, _| vec![1; n], contenders);
        let outcomes = table.prepare(1_000, 0);
        let answers = [0, 1].map(|place| outcomes(place, "add").measured.answer);
        assert_eq!(answers, [1_000, 500]);
        let records = table.measure(&table.plan(1_000, 2));
        assert_eq!(records.iter().map(|it| it.rounds).collect::<Vec<_>>(), [2, 2]);
        assert!(records[0].ratio.is_none() && records[1].ratio > Some(0.0));
    }
}
