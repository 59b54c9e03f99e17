//! The limiters that are measured, one crate a file.

mod governor;
mod ours;

use zset_std::{FixedWindow, WindowCounter, WindowLog};

use super::contender::Keyed;

pub use governor::{DirectGovernor, KeyedGovernor};
pub use ours::{KeyedWindow, ManyFunnels, OneFunnel};

/// Something to do with each limiter of many keys: a `for` loop over types.
pub trait Visitor {
    /// Does it with `L`.
    fn visit<L: Keyed>(&mut self);
}

/// Visits every limiter of many keys, those first that the others are compared with.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<ManyFunnels>();
    visitor.visit::<KeyedGovernor>();
    visitor.visit::<KeyedWindow<WindowLog>>();
    visitor.visit::<KeyedWindow<WindowCounter>>();
    visitor.visit::<KeyedWindow<FixedWindow>>();
}
