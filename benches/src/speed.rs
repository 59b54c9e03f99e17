//! The time of operations: all contenders, for sets of one size.
//!
//! A machine's speed drifts by more than the contenders differ, so they take turns: each set is
//! generated once and given to all of them before the next. Peers are compared with the subject
//! within each round. The results are medians and interquartile ranges over the rounds.

use crate::contenders::{self, SUBJECTS};
use crate::member::Member;
use crate::operation::Operation;
use crate::record::Record;
use crate::rounds::{Measured, Rounds};
use crate::workload::{MIN_BATCH, Workload};

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

/// Measures all contenders; calls `round_is_over` after each round. Returns the rounds of each
/// operation.
pub(crate) fn measure<M: Member>(
    plan: &Plan<M>,
    mut round_is_over: impl FnMut(),
) -> Vec<(Operation, Rounds)> {
    let entrants = contenders::all::<M>();
    let sets = (plan.calls / plan.n.max(MIN_BATCH)).max(1);
    let warm_up = Workload::new(plan.n.min(WARM_UP), u64::MAX, plan.make_up);
    for entrant in &entrants {
        (entrant.perform)(&warm_up, &plan.operations);
    }
    let mut all: Vec<_> =
        plan.operations.iter().map(|&operation| (operation, Rounds::default())).collect();
    for round in 0..plan.rounds {
        let mut totals = vec![vec![Measured::default(); entrants.len()]; all.len()];
        for set in 0..sets {
            let workload = Workload::new(plan.n, (round * sets + set) as u64, plan.make_up);
            // Rotate which contender goes first: the first one finds the workload still in the
            // caches.
            for turn in 0..entrants.len() {
                let place = (round + set + turn) % entrants.len();
                for (operation, measured, _) in
                    (entrants[place].perform)(&workload, &plan.operations)
                {
                    let row = all.iter().position(|(it, _)| *it == operation);
                    totals[row.expect("it is in the plan")][place] += measured;
                }
            }
        }
        for ((_, rounds), totals) in all.iter_mut().zip(totals) {
            rounds.0.push(totals);
        }
        round_is_over();
    }
    all
}

/// Returns the results for sets of `n` elements as records of a table.
pub(crate) fn records(table: &str, n: usize, all: &[(Operation, Rounds)]) -> Vec<Record> {
    let names = contenders::names();
    let of_row = |(operation, rounds): &(Operation, Rounds)| {
        rounds.records(&names, SUBJECTS, table, n, operation.label())
    };
    all.iter().flat_map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn what_is_offered_and_wanted_is_measured_in_each_round() {
        let operations = vec![Operation::PopFirst, Operation::Rank];
        let mut over = 0;
        let plan = Plan { n: 100, operations, rounds: 2, calls: 3000, make_up: names::scramble };
        let all = measure(&plan, || over += 1);
        let [(_, pops), (_, ranks)] = &all[..] else { panic!("two operations") };
        assert_eq!((over, pops.0.len(), ranks.0.len()), (2, 2, 2));
        // Three sets; one sixteenth of the pops is an untimed warm-up.
        assert!(pops.0.iter().flatten().all(|it| it.calls == 3 * 47 && !it.time.is_zero()));
        let btree = contenders::names().iter().position(|name| name.starts_with("BTreeSet"));
        assert_eq!(ranks.0[0][btree.expect("it is there")].calls, 0);
        let records = records("u64", 100, &all);
        assert!(!records.iter().any(|it| it.what == "insert"));
        assert!(!records.iter().any(|it| it.what == "rank" && it.contender.starts_with("BTree")));
    }
}
