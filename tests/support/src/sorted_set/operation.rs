//! The operations of a random sequence, and the queries made after each operation.

use crate::Bounds;

/// The number of distinct members. It is small enough that operations often meet existing members,
/// and large enough that a set grows to several leaves.
pub const MEMBERS: u16 = 400;

/// Describes many elements by a few numbers.
#[derive(Clone, Debug)]
pub struct Run {
    pub first: u16,
    pub len: u16,
    /// Members ascend if the step is small, and descend if it is close to [`MEMBERS`].
    pub member_step: u16,
    pub score: i32,
    /// A step of 0 makes all scores equal.
    pub score_step: i32,
}

impl Run {
    pub fn elements(&self) -> impl Iterator<Item = (u16, i32)> + use<> {
        let Run { first, len, member_step, score, score_step } = *self;
        (0..len).map(move |i| {
            let member = u32::from(first) + u32::from(i) * u32::from(member_step);
            let score = score.wrapping_add(i32::from(i).wrapping_mul(score_step));
            ((member % u32::from(MEMBERS)) as u16, score)
        })
    }
}

/// An operation. Its scores are raw numbers, which the profile maps to scores.
#[derive(Clone, Debug)]
pub enum Operation {
    Insert(u16, i32),
    TryInsert(u16, i32),
    InsertRun(Run),
    RemoveRun(Run),
    Update(u16, i32),
    Increment(u16, i32),
    ModifyEntryOrInsert(u16, i32),
    RemoveEntryOrInsert(u16, i32),
    Remove(u16),
    RemoveEntry(u16),
    PopFirst,
    PopLast,
    RemoveRangeByScore(Bounds<i32>),
    RemoveRangeByRank(Bounds<usize>),
    DrainByScore(Bounds<i32>),
    DrainByRank(Bounds<usize>),
    Retain(u16),
    ExtractSome { divisor: u16, at_most: usize },
    DrainSome { front: usize, back: usize },
    SplitOff { rank: usize, is_upper_kept: bool },
    Clear,
    Append(Vec<(u16, i32)>),
    Extend(Vec<(u16, i32)>),
    Union(Vec<(u16, i32)>),
    Intersection(Vec<(u16, i32)>),
    Difference(Vec<(u16, i32)>),
    Reserve(usize),
    ShrinkToFit,
    Clone,
    BuildFromSorted,
}

/// What to query after an operation.
#[derive(Clone, Debug)]
pub struct Query {
    pub member: u16,
    pub members: Bounds<u16>,
    pub scores: Bounds<i32>,
    pub ranks: Bounds<usize>,
    /// Each bit chooses the end of one iterator step.
    pub ends: u64,
}
