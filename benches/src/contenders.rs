//! The measured sorted sets.

mod heaps;
mod pair;
mod textbook;
mod zset;

use crate::contender::Contender;
use crate::member::Member;

pub use heaps::{Heap, Queue};
pub use pair::{BTree, Indexset, Ordered, Pair, Skiplist, Wabi};
pub use textbook::Textbook;
pub use zset::{Bytes, Sorted};

/// An operation to perform for each contender: a `for` loop over types.
pub trait Visitor<M: Member> {
    /// Performs the operation for `C`.
    fn visit<C: Contender<M>>(&mut self);
}

/// The number of leading contenders that are zset's own. The first of all is compared with the
/// peers.
pub const SUBJECTS: usize = 2;

/// Returns the names of the contenders, in order.
pub fn names() -> Vec<&'static str> {
    struct Names(Vec<&'static str>);
    impl Visitor<u64> for Names {
        fn visit<C: Contender<u64>>(&mut self) {
            self.0.push(C::NAME);
        }
    }
    let mut names = Names(Vec::new());
    visit_all(&mut names);
    names.0
}

/// Visits every contender, zset's own first.
pub fn visit_all<M: Member>(visitor: &mut impl Visitor<M>) {
    visitor.visit::<Sorted<M>>();
    visitor.visit::<Bytes>();
    visitor.visit::<Pair<M, BTree<_>>>();
    visitor.visit::<Pair<M, Indexset<_>>>();
    visitor.visit::<Pair<M, Wabi<_>>>();
    visitor.visit::<Pair<M, Skiplist<_>>>();
    visitor.visit::<Pair<M, Textbook<_>>>();
    visitor.visit::<Queue<M>>();
    visitor.visit::<Heap<M>>();
}
