//! The operations of a random sequence, and what is asked after each.

use zset_core::redis::AddFlags;

use super::Element;
use crate::Bounds;

/// What is done. The scores are made by the profile of the sequence.
#[derive(Clone, Debug)]
pub enum Operation {
    Add(Vec<u8>, f64, AddFlags),
    Insert(Vec<u8>, f64),
    /// Members `m0`, `m1` and so on, so many of them.
    InsertRun {
        first: u8,
        len: u8,
        score: f64,
        step: f64,
    },
    Increment(Vec<u8>, f64),
    Update(Vec<u8>, f64),
    /// Gives all members the same score.
    Level(f64),
    Remove(Vec<u8>),
    PopFirst,
    PopLast,
    RemoveRangeByRank(Bounds<usize>),
    RemoveRangeByScore(Bounds<f64>),
    RemoveRangeByLex(Bounds<Vec<u8>>),
    /// Keeps those whose sum of bytes this divides.
    Retain(u8),
    Clear,
    /// What follows exists for a `ZSet` only.
    PopMin(usize),
    /// Takes out those whose sum of bytes this divides, but no more than so many.
    Extract {
        divisor: u8,
        at_most: usize,
    },
    PopMax(usize),
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

/// What is asked after an operation.
#[derive(Clone, Debug)]
pub struct Query {
    pub member: Vec<u8>,
    pub ranks: Bounds<usize>,
    pub scores: Bounds<f64>,
    pub members: Bounds<Vec<u8>>,
    /// For each step of an iterator the end that it is taken from.
    pub ends: u64,
    pub count: i64,
}

/// Returns a member of a run.
pub fn run_member(number: u8) -> Vec<u8> {
    format!("m{number}").into_bytes()
}
