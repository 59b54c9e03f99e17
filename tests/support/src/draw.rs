//! Draws the arguments of operations from the fuzzer's bytes.

use arbitrary::{Result, Unstructured};
use std::ops::Bound;

use crate::Bounds;

/// Draws a range with any kinds of bounds; it may be inverted.
pub(crate) fn bounds<T>(
    u: &mut Unstructured<'_>,
    value: impl Fn(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Bounds<T>> {
    let mut bound = || {
        Ok(match u.int_in_range(0..=2)? {
            0 => Bound::Included(value(u)?),
            1 => Bound::Excluded(value(u)?),
            _ => Bound::Unbounded,
        })
    };
    Ok((bound()?, bound()?))
}

/// Draws a rank, rarely the largest possible one.
pub(crate) fn rank(u: &mut Unstructured<'_>) -> Result<usize> {
    let rank: u8 = u.arbitrary()?;
    Ok(if rank == u8::MAX { usize::MAX } else { rank.into() })
}

pub(crate) fn ranks(u: &mut Unstructured<'_>) -> Result<Bounds<usize>> {
    bounds(u, rank)
}

/// Draws a divisor, which is never 0.
pub(crate) fn divisor<T: From<u8>>(u: &mut Unstructured<'_>) -> Result<T> {
    Ok(u.int_in_range(1..=u8::MAX)?.into())
}
