//! The measured limiters, a file per crate.

mod governor;
mod ours;

use zset_std::{FixedWindow, WindowCounter, WindowLog};

use super::contender::Keyed;

pub use governor::{DirectGovernor, KeyedGovernor};
pub use ours::{KeyedWindow, ManyFunnels, OneFunnel};

/// An operation to perform for each keyed limiter: a `for` loop over types.
pub trait Visitor {
    /// Performs the operation for `L`.
    fn visit<L: Keyed>(&mut self);
}

/// Visits every keyed limiter. The second one is governor's, which the others are compared with.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<ManyFunnels>();
    visitor.visit::<KeyedGovernor>();
    visitor.visit::<KeyedWindow<WindowLog>>();
    visitor.visit::<KeyedWindow<WindowCounter>>();
    visitor.visit::<KeyedWindow<FixedWindow>>();
}
