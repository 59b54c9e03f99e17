//! The measured sorted sets.

mod heaps;
mod pair;
mod zset;

use std::collections::BTreeSet;

use skiplist::skip_set::SkipSet;
use wabi_tree::OSBTreeSet;

use crate::comparison::{Comparison, Sheet};
use crate::member::{Kind, Member};
use crate::memory::{self, Memory};
use crate::pair::{Pair, Textbook};
use crate::sets::{Set, contender};
use crate::tail::{self, Tail};
use crate::workload::Workload;

pub use heaps::{Heap, Queue};
pub use zset::{Bytes, Sorted};

/// The number of leading contenders that are zset's own. The first of all is compared with the
/// peers.
pub const SUBJECTS: usize = 2;

/// What is measured of the sets of one kind of members.
pub struct Sets {
    /// The table of times.
    pub times: Box<dyn Sheet>,
    /// The rest, for each contender; zset's own come first.
    pub contenders: Vec<Measurer>,
}

/// What is measured of a contender but for its times.
pub struct Measurer {
    /// The name shown in the tables.
    pub name: &'static str,
    pub(crate) memory: fn(memory::Request) -> Memory,
    pub(crate) tail: fn(tail::Plan, u64) -> Tail,
}

/// Returns all contenders for a kind of members.
pub fn all(kind: Kind) -> Sets {
    match kind {
        Kind::Integers => of::<u64>(),
        Kind::Strings => of::<String>(),
    }
}

/// Returns the names of the contenders, in order.
pub fn names() -> Vec<&'static str> {
    all(Kind::Integers).contenders.iter().map(|it| it.name).collect()
}

/// The table, and the contenders in it.
struct Builder<M: Member> {
    table: Comparison<Workload<M>>,
    contenders: Vec<Measurer>,
}

impl<M: Member> Builder<M> {
    fn with<C: Set<M>>(self) -> Self {
        let Builder { table, mut contenders } = self;
        contenders.push(Measurer {
            name: C::NAME,
            memory: memory::measure::<M, C>,
            tail: tail::grow::<M, C>,
        });
        Builder { table: table.with(contender::<M, C>()), contenders }
    }
}

fn of<M: Member>() -> Sets {
    let table = Comparison::new(M::KIND.name(), Workload::new).of_subjects(SUBJECTS);
    let Builder { table, contenders } = Builder::<M> { table, contenders: Vec::new() }
        .with::<Sorted<M>>()
        .with::<Bytes>()
        .with::<Pair<M, _, BTreeSet<_>>>()
        .with::<Pair<M, _, indexset::BTreeSet<_>>>()
        .with::<Pair<M, _, OSBTreeSet<_>>>()
        .with::<Pair<M, _, SkipSet<_>>>()
        .with::<Pair<M, _, Textbook<_>>>()
        .with::<Queue<M>>()
        .with::<Heap<M>>();
    Sets { times: Box::new(table), contenders }
}
