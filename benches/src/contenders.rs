//! The sorted sets that are measured, one a file.

mod btree_pair;
mod indexset_pair;
mod zset;

use crate::contender::Contender;

pub use btree_pair::BTreePair;
pub use indexset_pair::IndexsetPair;
pub use zset::Zset;

/// Something to do with each contender: a `for` loop over types.
pub trait Visitor {
    /// Does it with `C`.
    fn visit<C: Contender>(&mut self);
}

/// Visits every contender, the subject first: the others are compared with it.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<Zset>();
    visitor.visit::<BTreePair>();
    visitor.visit::<IndexsetPair>();
}
