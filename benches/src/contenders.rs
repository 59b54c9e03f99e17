//! The measured sorted sets.

mod heaps;
mod pair;
mod zset;

use std::collections::BTreeSet;

use skiplist::skip_set::SkipSet;
use wabi_tree::OSBTreeSet;

use crate::contender::Contender;
use crate::member::Member;
use crate::memory::{self, Memory};
use crate::operation::Operation;
use crate::pair::{Pair, Textbook};
use crate::rounds::Measured;
use crate::tail::{self, Tail};
use crate::workload::Workload;

pub use heaps::{Heap, Queue};
pub use zset::{Bytes, Sorted};

/// The number of leading contenders that are zset's own. The first of all is compared with the
/// peers.
pub const SUBJECTS: usize = 2;

/// The result of an operation, and the number of elements after it.
pub type Performed = (Operation, Measured, usize);

/// A contender as function pointers, since a list cannot hold types.
pub struct Entrant<M: Member> {
    /// The name shown in the tables.
    pub name: &'static str,
    /// Returns whether an operation takes less time than a scan of all elements.
    pub offers: fn(Operation) -> bool,
    /// Performs those of some operations that the contender offers, all on one set.
    pub perform: fn(&Workload<M>, &[Operation]) -> Vec<Performed>,
    /// Performs an operation on a set of its own.
    pub perform_one: fn(&Workload<M>, Operation) -> Measured,
    pub(crate) memory: fn(memory::Request, fn(u64) -> M) -> Memory,
    pub(crate) tail: fn(&tail::Plan<M>, u64) -> Tail,
}

impl<M: Member> Entrant<M> {
    fn of<C: Contender<M>>() -> Self {
        Entrant {
            name: C::NAME,
            offers: C::offers,
            perform: perform::<M, C>,
            perform_one: |workload, operation| {
                workload.measure(operation, &mut workload.prepare::<C>(operation))
            },
            memory: memory::measure::<M, C>,
            tail: tail::grow::<M, C>,
        }
    }
}

/// Returns all contenders, zset's own first.
pub fn all<M: Member>() -> [Entrant<M>; 9] {
    [
        Entrant::of::<Sorted<M>>(),
        Entrant::of::<Bytes>(),
        Entrant::of::<Pair<M, _, BTreeSet<_>>>(),
        Entrant::of::<Pair<M, _, indexset::BTreeSet<_>>>(),
        Entrant::of::<Pair<M, _, OSBTreeSet<_>>>(),
        Entrant::of::<Pair<M, _, SkipSet<_>>>(),
        Entrant::of::<Pair<M, _, Textbook<_>>>(),
        Entrant::of::<Queue<M>>(),
        Entrant::of::<Heap<M>>(),
    ]
}

/// Returns the names of the contenders, in order.
pub fn names() -> [&'static str; 9] {
    all::<u64>().map(|entrant| entrant.name)
}

fn perform<M: Member, C: Contender<M>>(
    workload: &Workload<M>,
    operations: &[Operation],
) -> Vec<Performed> {
    let mut set = C::new();
    let mut performed = Vec::new();
    for operation in Operation::ALL {
        let is_wanted = operations.contains(&operation) && C::offers(operation);
        // The load is always performed: the other operations work on its set.
        if is_wanted || operation == Operation::Insert {
            let measured = workload.measure(operation, &mut set);
            performed.extend(is_wanted.then(|| (operation, measured, set.len())));
        }
    }
    performed
}
