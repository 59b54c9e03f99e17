//! The operations of a random sequence, and the queries made after each operation.

use zset_core::redis::AddFlags;

use super::Element;
use crate::Bounds;

/// An operation. The profile of the sequence maps its scores.
#[derive(Clone, Debug)]
pub enum Operation {
    Add(Vec<u8>, f64, AddFlags),
    Insert(Vec<u8>, f64),
    /// Inserts `len` members with consecutive names, such as `m0` and `m1`.
    InsertRun {
        first: u8,
        len: u8,
        score: f64,
        step: f64,
    },
    Increment(Vec<u8>, f64),
    Update(Vec<u8>, f64),
    /// Sets all scores to this value.
    Level(f64),
    Remove(Vec<u8>),
    PopFirst,
    PopLast,
    RemoveRangeByRank(Bounds<usize>),
    RemoveRangeByScore(Bounds<f64>),
    RemoveRangeByLex(Bounds<Vec<u8>>),
    /// Keeps the members whose byte sum is divisible by this number.
    Retain(u8),
    Clear,
    /// Only a `ZSet` has this and the following operations.
    ///
    /// Extracts the members whose byte sum is divisible by `divisor`, up to a maximum number.
    Extract {
        divisor: u8,
        at_most: usize,
    },
    DrainByRank(Bounds<usize>),
    /// Keeps the elements before a rank.
    SplitOff(usize),
    Drain {
        front: usize,
        back: usize,
    },
    Append(Vec<Element>),
    Extend(Vec<Element>),
    Promote,
    DumpAndRestore,
    ShrinkToFit,
    Clone,
}

/// What to query after an operation.
#[derive(Clone, Debug)]
pub struct Query {
    pub member: Vec<u8>,
    pub ranks: Bounds<usize>,
    pub scores: Bounds<f64>,
    pub members: Bounds<Vec<u8>>,
    /// Each bit chooses the end of one iterator step.
    pub ends: u64,
    pub count: i64,
}

/// Returns a member of a run.
pub fn run_member(number: u8) -> Vec<u8> {
    format!("m{number}").into_bytes()
}
