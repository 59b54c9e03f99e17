//! Compares a `ZSet` or a `PackedZSet` with its reference.

mod apply;
mod compare;
#[cfg(feature = "arbitrary")]
mod draw;
mod operation;
mod reference;
mod runner;
mod subject;

pub use compare::{drive, plain};
pub use operation::{Operation, Query, run_member};
pub use reference::{Element, Reference, score};
pub use runner::{Profile, Runner};
pub use subject::{LexBounds, Subject, WriteError};
