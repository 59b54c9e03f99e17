//! Collections ordered by due time: delay queues, schedules, expiring sets.

pub mod contender;
pub mod contenders;
pub mod workload;

use contender::Timed;
use contenders::{
    BTreePair, ByArrival, ByMember, HeapQueue, TokioQueue, VecPair, ZsetExpiring, ZsetQueue,
    ZsetSchedule,
};
use workload::{Operation, Workload};

use super::{Comparison, Entrant};

/// Returns the table of delay queues.
pub fn queues() -> Comparison<Workload, Operation> {
    comparison(
        "DelayQueue",
        &[
            (Operation::Push, "push"),
            (Operation::Cancel, "cancel"),
            (Operation::Reschedule, "reschedule"),
            (Operation::Steady, "pop one that is due, push one"),
            (Operation::Drain, "drain what is due (half), a job"),
            (Operation::Life, "cancel 9 of 10, drain the rest, a job"),
        ],
        vec![entrant::<ZsetQueue>(), entrant::<TokioQueue>(), entrant::<HeapQueue>()],
    )
}

/// Returns the table of schedules.
pub fn schedules() -> Comparison<Workload, Operation> {
    comparison(
        "Schedule",
        &[
            (Operation::Push, "schedule"),
            (Operation::Cancel, "cancel"),
            (Operation::Reschedule, "reschedule"),
            (Operation::Steady, "activate one that is due, schedule one"),
            (Operation::Drain, "activate all that is due (half), an id"),
        ],
        vec![
            entrant::<ZsetSchedule>(),
            entrant::<BTreePair<ByArrival>>(),
            entrant::<VecPair<ByArrival>>(),
        ],
    )
}

/// Returns the table of expiring sets.
pub fn expiring_sets() -> Comparison<Workload, Operation> {
    comparison(
        "ExpiringSet",
        &[
            (Operation::Push, "insert"),
            (Operation::Cancel, "remove"),
            (Operation::Reschedule, "touch"),
            (Operation::Contains, "contains (half have expired)"),
            (Operation::Steady, "expire one that is due, insert one"),
            (Operation::Drain, "expire all that is due (half), a member"),
        ],
        vec![
            entrant::<ZsetExpiring>(),
            entrant::<BTreePair<ByMember>>(),
            entrant::<VecPair<ByMember>>(),
        ],
    )
}

fn comparison(
    title: &'static str,
    rows: &'static [(Operation, &'static str)],
    entrants: Vec<Entrant<Workload, Operation>>,
) -> Comparison<Workload, Operation> {
    Comparison { title, rows, entrants, prepare: Workload::new }
}

fn entrant<C: Timed>() -> Entrant<Workload, Operation> {
    Entrant { name: C::NAME, measure: Workload::measure::<C>, outcome: Workload::outcome::<C> }
}
