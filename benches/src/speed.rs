//! How long operations take: all contenders, for sets of one size.
//!
//! A machine's speed drifts by more than the contenders differ, so they take turns: each set is made
//! up once and given to all of them before the next. The peers are compared with the subject within
//! each round, and what is shown are the medians over the rounds, and the middle half of them.

use crate::contender::Contender;
use crate::contenders::{Visitor, visit_all};
use crate::member::Member;
use crate::operation::Operation;
use crate::table::quantile;
use crate::workload::{Workload, as_f64};

/// Sets of fewer elements are repeated until one round has inserted this many, so that what is timed
/// takes milliseconds in all.
const ELEMENTS_A_ROUND: usize = 1 << 18;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan<M> {
    /// The elements of a set, at least [`MIN_N`](crate::workload::MIN_N).
    pub n: usize,
    /// What to do to them.
    pub operations: Vec<Operation>,
    /// How often, at least once.
    pub rounds: usize,
    /// Makes up members by their numbers.
    pub make_up: fn(u64) -> M,
}

/// What was measured of all contenders.
#[derive(Clone, Debug)]
pub struct Speed {
    /// The contenders, the subject first.
    pub names: Vec<&'static str>,
    rounds: Vec<Vec<Totals>>,
}

/// A figure of several rounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    /// The median.
    pub median: f64,
    /// A quarter of the rounds is below.
    pub low: f64,
    /// A quarter of the rounds is above.
    pub high: f64,
}

/// What one contender took in one round.
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
    /// Returns the nanoseconds that an operation takes a contender; none if it does not offer it.
    pub fn nanos(&self, contender: usize, operation: Operation) -> Option<Figure> {
        self.figure(|round| round[contender].figure(operation))
    }

    /// Returns the time of the subject, divided by that of a contender.
    pub fn ratio(&self, contender: usize, operation: Operation) -> Option<Figure> {
        self.figure(|round| Some(round[0].figure(operation)? / round[contender].figure(operation)?))
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

/// Measures all contenders; says after each round that it is over.
pub fn measure<M: Member>(plan: &Plan<M>, mut round_is_over: impl FnMut()) -> Speed {
    let mut roster = Roster(Vec::new());
    visit_all(&mut roster);
    let sets = (ELEMENTS_A_ROUND / plan.n).max(1);
    let rounds = (0..plan.rounds).map(|round| {
        let mut totals = vec![Totals::default(); roster.0.len()];
        for set in 0..sets {
            let workload = Workload::new(plan.n, (round * sets + set) as u64, plan.make_up);
            // Each has its turn to be first, when the workload is still in the caches.
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

/// One contender, by its functions: the types cannot stand in one list.
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
        // The load is always done: the rest works on it.
        let measured = workload.measure(operation, &mut set);
        if is_wanted {
            totals.nanos[operation as usize] += measured.time.as_secs_f64() * 1e9;
            totals.calls[operation as usize] += measured.calls;
        }
    }
}
