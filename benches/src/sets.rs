//! The list of the measured sorted sets.

pub mod calls;
pub mod heap;
pub mod member;
pub mod memory;
pub mod operations;
pub mod pairs;
pub mod set;
pub mod tables;
pub mod workload;
pub mod zset;

use std::collections::BTreeSet;

use skiplist::skip_set::SkipSet;
use wabi_tree::OSBTreeSet;

use crate::comparison::{Comparison, Contender};
use crate::pair::Pair;
use crate::sets::calls::Calls;
use crate::sets::heap::Queue;
use crate::sets::member::{Kind, Member};
use crate::sets::memory::Memory;
use crate::sets::operations::contender;
use crate::sets::set::Set;
use crate::sets::workload::Workload;
use crate::sets::zset::{Bytes, Sorted};

/// The number of contenders that are zset's own, which come first. The first one is compared with
/// the peers.
pub const SUBJECTS: usize = 2;

/// The sets of one kind of members.
pub struct Sets {
    /// The table of times.
    pub times: Comparison,
    /// What else is measured of each contender.
    pub(crate) others: Vec<Others>,
}

/// What is measured of a contender besides its times: its memory, and its single calls.
pub(crate) struct Others {
    pub(crate) memory: fn(memory::Request) -> Memory,
    pub(crate) calls: fn(calls::Plan, u64) -> [Calls; 2],
}

/// Returns the sets for a kind of members.
pub fn all(kind: Kind) -> Sets {
    match kind {
        Kind::Integers => of::<u64>(),
        Kind::Strings => of::<String>(),
    }
}

/// Builds and measures a set in this process, for [`Memory::of`] in the parent process. The result
/// is accurate only if nothing else was allocated before.
pub fn memory_of(request: memory::Request) -> Memory {
    (all(request.kind).others[request.contender].memory)(request)
}

/// Returns the names of the contenders, in order.
pub fn names() -> Vec<&'static str> {
    all(Kind::Integers).times.names()
}

fn of<M: Member>() -> Sets {
    let (contenders, others) = [
        both::<M, Sorted<M>>(),
        both::<M, Bytes>(),
        both::<M, Pair<M, _, BTreeSet<_>>>(),
        both::<M, Pair<M, _, indexset::BTreeSet<_>>>(),
        both::<M, Pair<M, _, OSBTreeSet<_>>>(),
        both::<M, Pair<M, _, SkipSet<_>>>(),
        both::<M, Queue<M>>(),
    ]
    .into_iter()
    .unzip();
    let times = Comparison::new(M::KIND.name(), Workload::new, contenders);
    Sets { times: times.of_subjects(SUBJECTS), others }
}

fn both<M: Member, C: Set<M>>() -> (Contender<Workload<M>>, Others) {
    let others = Others { memory: memory::measure::<M, C>, calls: calls::measure::<M, C> };
    (contender::<M, C>(), others)
}
