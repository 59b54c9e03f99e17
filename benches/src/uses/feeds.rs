//! Feeds.

pub mod contender;
pub mod contenders;
pub mod workload;

use contender::Feed;
use contenders::{BTreeFeed, BTreePair, VecFeed, ZsetFeed};
use workload::{Operation, Workload};

use super::{Comparison, Entrant};

/// Returns the table of feeds.
pub fn feeds() -> Comparison<Workload, Operation> {
    Comparison {
        title: "Timeline",
        rows: &[
            (Operation::Post, "post, the oldest falls out"),
            (Operation::PostLate, "post with a time anywhere"),
            (Operation::Latest, "latest 20"),
            (Operation::Before, "20 before a cursor, anywhere"),
            (Operation::Merge, "latest 20 of 100 feeds merged"),
        ],
        entrants: vec![
            entrant::<ZsetFeed>(),
            entrant::<BTreePair>(),
            entrant::<BTreeFeed>(),
            entrant::<VecFeed>(),
        ],
        prepare: Workload::new,
    }
}

fn entrant<C: Feed>() -> Entrant<Workload, Operation> {
    Entrant { name: C::NAME, measure: Workload::measure::<C>, outcome: Workload::outcome::<C> }
}
