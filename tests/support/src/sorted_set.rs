//! Compares a `SortedSet` of numbers with its reference.

mod apply;
mod compare;
#[cfg(feature = "arbitrary")]
mod draw;
mod operation;
mod reference;
mod sequence;

pub use operation::{MEMBERS, Operation, Query, Run};
pub use reference::Reference;
pub use sequence::{Profile, Sequence};
