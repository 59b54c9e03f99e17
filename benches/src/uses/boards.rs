//! Leaderboards.

pub mod contender;
pub mod contenders;
pub mod workload;

use contender::Board;
use contenders::{BTreePair, VecPair, ZsetBoard};
use workload::{Operation, Workload};

use super::{Comparison, Entrant};

/// Returns the table of leaderboards.
pub fn boards() -> Comparison<Workload, Operation> {
    Comparison {
        title: "Leaderboard",
        rows: &[
            (Operation::New, "submit, new member"),
            (Operation::Better, "submit, better score"),
            (Operation::Worse, "submit, no better score"),
            (Operation::Standing, "standing of a member"),
            (Operation::Top, "top 10"),
            (Operation::Page, "page of 10, anywhere"),
            (Operation::Around, "a member and 5 on each side"),
        ],
        entrants: vec![entrant::<ZsetBoard>(), entrant::<BTreePair>(), entrant::<VecPair>()],
        prepare: Workload::new,
    }
}

fn entrant<C: Board>() -> Entrant<Workload, Operation> {
    Entrant { name: C::NAME, measure: Workload::measure::<C>, outcome: Workload::outcome::<C> }
}
