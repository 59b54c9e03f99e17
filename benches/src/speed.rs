//! The time of operations: all contenders, for sets of one size.
//!
//! A machine's speed drifts by more than the contenders differ, so they take turns: each set is
//! generated once and given to all of them before the next. Peers are compared with the subject
//! within each round. The results are medians and interquartile ranges over the rounds.

use crate::contender::Contender;
use crate::contenders::{SUBJECTS, Visitor, visit_all};
use crate::member::Member;
use crate::operation::Operation;
use crate::record::Record;
use crate::table::quantile;
use crate::workload::{MIN_BATCH, Workload, as_f64};

/// The maximum size of the warm-up set, which precedes all rounds and is not counted: it loads the
/// program from disk and brings the processor to full speed.
const WARM_UP: usize = 5_000;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan<M> {
    /// The number of elements in a set, at least [`MIN_N`](crate::workload::MIN_N).
    pub n: usize,
    /// The operations.
    pub operations: Vec<Operation>,
    /// The number of rounds, at least one.
    pub rounds: usize,
    /// Small sets are repeated until a round has performed this many operations of each kind.
    pub calls: usize,
    /// Generates a member from its number.
    pub make_up: fn(u64) -> M,
}

/// The results of all contenders.
#[derive(Clone, Debug)]
pub struct Speed {
    /// The contenders, zset's own first.
    pub names: Vec<&'static str>,
    rounds: Vec<Vec<Totals>>,
}

/// A value over several rounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub low: f64,
    /// The upper quartile.
    pub high: f64,
}

/// The totals of one contender in one round.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    nanos: [f64; Operation::ALL.len()],
    calls: [usize; Operation::ALL.len()],
}

impl Totals {
    fn figure(&self, operation: Operation) -> Option<f64> {
        let calls = self.calls[operation as usize];
        (calls > 0).then(|| self.nanos[operation as usize] / as_f64(calls))
    }
}

impl Speed {
    /// Returns the nanoseconds per operation of a contender; `None` if it does not support the
    /// operation.
    pub fn nanos(&self, contender: usize, operation: Operation) -> Option<Figure> {
        self.figure(|round| round[contender].figure(operation))
    }

    /// Returns the time of the first contender divided by that of a peer; `None` for zset's own
    /// contenders.
    pub fn ratio(&self, contender: usize, operation: Operation) -> Option<Figure> {
        if contender < SUBJECTS {
            return None;
        }
        self.figure(|round| Some(round[0].figure(operation)? / round[contender].figure(operation)?))
    }

    /// Returns the results for sets of `n` elements as records of a table.
    pub(crate) fn records(&self, table: &str, n: usize) -> Vec<Record> {
        let mut records = Vec::new();
        for (place, contender) in self.names.iter().copied().enumerate() {
            for operation in Operation::ALL {
                let Some(figure) = self.nanos(place, operation) else { continue };
                records.push(Record {
                    table: table.into(),
                    n,
                    contender: contender.into(),
                    what: operation.label().into(),
                    unit: "ns".into(),
                    rounds: self.rounds.len(),
                    value: Some(figure.median),
                    low: Some(figure.low),
                    high: Some(figure.high),
                    ratio: self.ratio(place, operation).map(|figure| figure.median),
                });
            }
        }
        records
    }

    fn figure(&self, of_round: impl Fn(&[Totals]) -> Option<f64>) -> Option<Figure> {
        let mut figures: Vec<f64> =
            self.rounds.iter().filter_map(|round| of_round(round)).collect();
        figures.sort_unstable_by(f64::total_cmp);
        Some(Figure {
            median: quantile(&figures, 0.5)?,
            low: quantile(&figures, 0.25)?,
            high: quantile(&figures, 0.75)?,
        })
    }
}

/// Measures all contenders; calls `round_is_over` after each round.
pub fn measure<M: Member>(plan: &Plan<M>, mut round_is_over: impl FnMut()) -> Speed {
    let mut roster = Roster(Vec::new());
    visit_all(&mut roster);
    let sets = (plan.calls / plan.n.max(MIN_BATCH)).max(1);
    let warm_up = Workload::new(plan.n.min(WARM_UP), u64::MAX, plan.make_up);
    for entrant in &roster.0 {
        (entrant.measure)(&warm_up, &plan.operations, &mut Totals::default());
    }
    let rounds = (0..plan.rounds).map(|round| {
        let mut totals = vec![Totals::default(); roster.0.len()];
        for set in 0..sets {
            let workload = Workload::new(plan.n, (round * sets + set) as u64, plan.make_up);
            // Rotate which contender goes first: the first one finds the workload still in the
            // caches.
            for turn in 0..totals.len() {
                let place = (round + set + turn) % totals.len();
                (roster.0[place].measure)(&workload, &plan.operations, &mut totals[place]);
            }
        }
        round_is_over();
        totals
    });
    let rounds = rounds.collect();
    Speed { names: roster.0.iter().map(|entrant| entrant.name).collect(), rounds }
}

/// A contender as function pointers, since a list cannot hold types.
struct Entrant<M> {
    name: &'static str,
    measure: fn(&Workload<M>, &[Operation], &mut Totals),
}

struct Roster<M>(Vec<Entrant<M>>);

impl<M: Member> Visitor<M> for Roster<M> {
    fn visit<C: Contender<M>>(&mut self) {
        self.0.push(Entrant { name: C::NAME, measure: measure_on::<M, C> });
    }
}

/// Measures `C` on one set.
fn measure_on<M: Member, C: Contender<M>>(
    workload: &Workload<M>,
    operations: &[Operation],
    totals: &mut Totals,
) {
    let mut set = C::new();
    for operation in Operation::ALL {
        let is_wanted = operations.contains(&operation) && C::offers(operation);
        if !is_wanted && operation != Operation::Insert {
            continue;
        }
        // The load is always performed: the other operations work on its set.
        let measured = workload.measure(operation, &mut set);
        if is_wanted {
            totals.nanos[operation as usize] += measured.time.as_secs_f64() * 1e9;
            totals.calls[operation as usize] += measured.calls;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{contenders, names};

    /// Returns a `Speed` with the given nanoseconds per call, by round and contender.
    pub(crate) fn speed(
        rounds: usize,
        operations: &[Operation],
        nanos: impl Fn(usize, usize, Operation) -> Option<f64>,
    ) -> Speed {
        let names = contenders::names();
        let totals = |round, place| {
            let mut totals = Totals::default();
            for &operation in operations {
                if let Some(nanos) = nanos(round, place, operation) {
                    totals.nanos[operation as usize] = 10.0 * nanos;
                    totals.calls[operation as usize] = 10;
                }
            }
            totals
        };
        let round = |round| (0..names.len()).map(|place| totals(round, place)).collect();
        let rounds = (0..rounds).map(round).collect();
        Speed { names, rounds }
    }

    #[test]
    fn figures_are_medians_and_the_middle_half_of_the_rounds() {
        let nanos = [1.0, 5.0, 2.0, 4.0, 3.0];
        let speed = speed(5, &[Operation::Insert], |round, _, _| Some(nanos[round]));
        let expected = Figure { median: 3.0, low: 2.0, high: 4.0 };
        assert_eq!(speed.nanos(1, Operation::Insert), Some(expected));
        assert_eq!(speed.nanos(1, Operation::Rank), None);
    }

    #[test]
    fn peers_are_compared_within_each_round() {
        // The ratio of the medians is 1.
        let nanos = [[1.0, 9.0, 2.0], [3.0, 9.0, 6.0], [2.0, 9.0, 2.0]];
        let nanos = |round: usize, place: usize, _| nanos[round].get(place).copied();
        let speed = speed(3, &[Operation::Insert], nanos);
        let ratio = |place| speed.ratio(place, Operation::Insert).map(|figure| figure.median);
        assert_eq!([0, 1, 2, 3].map(ratio), [None, None, Some(0.5), None]);
    }

    #[test]
    fn what_is_offered_and_wanted_is_measured_in_each_round() {
        let operations = vec![Operation::PopFirst, Operation::Rank];
        let mut over = 0;
        let plan = Plan { n: 100, operations, rounds: 2, calls: 3000, make_up: names::scramble };
        let speed = measure(&plan, || over += 1);
        assert_eq!((over, speed.rounds.len()), (2, 2));
        for (place, name) in speed.names.iter().enumerate() {
            let pops = speed.nanos(place, Operation::PopFirst);
            assert!(pops.is_some_and(|pops| pops.low > 0.0), "{name}");
            assert_eq!(speed.nanos(place, Operation::Insert), None);
            // Three sets; one sixteenth of the pops is an untimed warm-up.
            assert_eq!(speed.rounds[0][place].calls[Operation::PopFirst as usize], 3 * 47);
        }
        let btree = speed.names.iter().position(|name| name.starts_with("BTreeSet"));
        assert_eq!(speed.nanos(btree.expect("it is there"), Operation::Rank), None);
    }
}
