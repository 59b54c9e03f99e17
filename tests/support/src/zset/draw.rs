//! Draws a sequence of operations from the fuzzer's bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use zset_core::redis::AddFlags;

use super::{Element, Operation, Profile, Query};
use crate::draw::{bounds, divisor, rank, ranks};

/// Draws one of few members, so that operations meet existing ones, or an arbitrary member.
fn member(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    Ok(match u.int_in_range(0..=3)? {
        0 => u.int_in_range(0..=31_u8)?.to_string().into_bytes(),
        1 => u.arbitrary::<i64>()?.to_string().into_bytes(),
        2 => vec![b'x'; u.arbitrary::<u8>()?.into()],
        _ => u.arbitrary()?,
    })
}

/// Draws one of few scores, so that scores tie, or an arbitrary score.
fn score(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(match u.int_in_range(0..=3)? {
        0 | 1 => u.int_in_range(-3..=3_i8)?.into(),
        2 => *u.choose(&[f64::INFINITY, f64::NEG_INFINITY])?,
        _ => Some(u.arbitrary()?).filter(|score: &f64| !score.is_nan()).unwrap_or_default(),
    })
}

fn element(u: &mut Unstructured<'_>) -> Result<Element> {
    Ok((member(u)?, score(u)?))
}

fn elements(u: &mut Unstructured<'_>) -> Result<Vec<Element>> {
    let len = u.int_in_range(0..=20)?;
    (0..len).map(|_| element(u)).collect()
}

fn flags(u: &mut Unstructured<'_>) -> Result<AddFlags> {
    let [nx, xx, gt, lt, ch, incr] = u.arbitrary()?;
    Ok(AddFlags { nx, xx, gt, lt, ch, incr })
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match u.int_in_range(0..=23)? {
            0 => Operation::Add(member(u)?, score(u)?, flags(u)?),
            1 => Operation::Insert(member(u)?, score(u)?),
            2 => Operation::InsertRun {
                first: u.int_in_range(0..=99)?,
                len: u.int_in_range(0..=150)?,
                score: score(u)?,
                step: u.int_in_range(-1..=1_i8)?.into(),
            },
            3 => Operation::Increment(member(u)?, u.arbitrary()?),
            4 => Operation::Update(member(u)?, score(u)?),
            5 => Operation::Level(score(u)?),
            6 => Operation::Remove(member(u)?),
            7 => Operation::PopFirst,
            8 => Operation::PopLast,
            9 => Operation::RemoveRangeByRank(ranks(u)?),
            10 => Operation::RemoveRangeByScore(bounds(u, score)?),
            11 => Operation::RemoveRangeByLex(bounds(u, member)?),
            12 => Operation::Retain(divisor(u)?),
            13 => Operation::Clear,
            14 => Operation::Extract { divisor: divisor(u)?, at_most: rank(u)? },
            15 => Operation::Drain { front: rank(u)?, back: rank(u)? },
            16 => Operation::DrainByRank(ranks(u)?),
            17 => Operation::SplitOff(rank(u)?),
            18 => Operation::Append(elements(u)?),
            19 => Operation::Extend(elements(u)?),
            20 => Operation::Promote,
            21 => Operation::DumpAndRestore,
            22 => Operation::ShrinkToFit,
            _ => Operation::Clone,
        })
    }
}

impl<'a> Arbitrary<'a> for Query {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Query {
            member: member(u)?,
            ranks: ranks(u)?,
            scores: bounds(u, score)?,
            members: bounds(u, member)?,
            ends: u.arbitrary()?,
            count: u.arbitrary::<i8>()?.into(),
        })
    }
}

impl<'a> Arbitrary<'a> for Profile {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u.choose(&[Profile::Any, Profile::Equal]).copied()
    }
}
