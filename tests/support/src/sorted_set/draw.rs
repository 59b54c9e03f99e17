//! Draws a sequence of operations from the fuzzer's bytes.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::{MEMBERS, Operation, Profile, Query, Run};
use crate::draw::{bounds, divisor, rank, ranks};

fn member(u: &mut Unstructured<'_>) -> Result<u16> {
    u.int_in_range(0..=MEMBERS - 1)
}

fn raw(u: &mut Unstructured<'_>) -> Result<i32> {
    if u.arbitrary()? { u.int_in_range(-8..=7) } else { u.arbitrary() }
}

fn run(u: &mut Unstructured<'_>) -> Result<Run> {
    Ok(Run {
        first: member(u)?,
        len: u.int_in_range(0..=255)?,
        member_step: member(u)?,
        score: raw(u)?,
        score_step: raw(u)?,
    })
}

fn elements(u: &mut Unstructured<'_>) -> Result<Vec<(u16, i32)>> {
    Ok(run(u)?.elements().collect())
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match u.int_in_range(0..=29)? {
            0 => Operation::Insert(member(u)?, raw(u)?),
            1 => Operation::TryInsert(member(u)?, raw(u)?),
            2 => Operation::InsertRun(run(u)?),
            3 => Operation::RemoveRun(run(u)?),
            4 => Operation::Update(member(u)?, raw(u)?),
            5 => Operation::Increment(member(u)?, raw(u)?),
            6 => Operation::ModifyEntryOrInsert(member(u)?, raw(u)?),
            7 => Operation::RemoveEntryOrInsert(member(u)?, raw(u)?),
            8 => Operation::Remove(member(u)?),
            9 => Operation::RemoveEntry(member(u)?),
            10 => Operation::PopFirst,
            11 => Operation::PopLast,
            12 => Operation::RemoveRangeByScore(bounds(u, raw)?),
            13 => Operation::RemoveRangeByRank(ranks(u)?),
            14 => Operation::DrainByScore(bounds(u, raw)?),
            15 => Operation::DrainByRank(ranks(u)?),
            16 => Operation::Retain(divisor(u)?),
            17 => Operation::ExtractSome { divisor: divisor(u)?, at_most: rank(u)? },
            18 => Operation::DrainSome { front: rank(u)?, back: rank(u)? },
            19 => Operation::SplitOff { rank: rank(u)?, is_upper_kept: u.arbitrary()? },
            20 => Operation::Clear,
            21 => Operation::Append(elements(u)?),
            22 => Operation::Extend(elements(u)?),
            23 => Operation::Union(elements(u)?),
            24 => Operation::Intersection(elements(u)?),
            25 => Operation::Difference(elements(u)?),
            26 => Operation::Reserve(u.int_in_range(0..=60_000)?),
            27 => Operation::ShrinkToFit,
            28 => Operation::Clone,
            _ => Operation::BuildFromSorted,
        })
    }
}

impl<'a> Arbitrary<'a> for Query {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Query {
            member: member(u)?,
            members: bounds(u, member)?,
            scores: bounds(u, raw)?,
            ranks: ranks(u)?,
            ends: u.arbitrary()?,
        })
    }
}

impl<'a> Arbitrary<'a> for Profile {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u.choose(&Profile::ALL).copied()
    }
}
