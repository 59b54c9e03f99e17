//! Strings as numbers: INCR and its like.

use zset_core::Score;

use crate::commands::arguments::{integer, score};
use crate::engine::Context;
use crate::error::CommandError;

use super::change::replace;

pub(super) fn incr(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    add(context, arguments[1], 1)
}

pub(super) fn decr(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    add(context, arguments[1], -1)
}

pub(super) fn incrby(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    add(context, arguments[1], integer(arguments[2])?)
}

pub(super) fn decrby(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let decrement = integer(arguments[2])?.checked_neg();
    let decrement = decrement.ok_or_else(|| CommandError::err("decrement would overflow"))?;
    add(context, arguments[1], decrement)
}

fn add(context: &mut Context<'_>, key: &[u8], increment: i64) -> Result<(), CommandError> {
    let keyspace = &mut context.state.keyspace;
    let old = keyspace.get::<Vec<u8>>(key)?.map_or(Ok(0), |text| integer(text))?;
    let new = old.checked_add(increment);
    let new = new.ok_or_else(|| CommandError::err("increment or decrement would overflow"))?;
    replace(keyspace, key, new.to_string().into_bytes())?;
    context.replies.integer(new);
    Ok(())
}

pub(super) fn incrbyfloat(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
) -> Result<(), CommandError> {
    let (key, increment) = (arguments[1], arguments[2]);
    let keyspace = &mut context.state.keyspace;
    let old = keyspace.get::<Vec<u8>>(key)?.map_or(&b"0"[..], Vec::as_slice);
    let text = match whole_sum(old, increment) {
        Some(sum) => sum.to_string(),
        None => sum(old, increment)?.to_string(),
    };
    context.replies.bulk(text.as_bytes());
    replace(keyspace, key, text.into_bytes())?;
    Ok(())
}

/// Returns the sum of two integers, those among them that no double holds.
fn whole_sum(one: &[u8], other: &[u8]) -> Option<i64> {
    integer(one).ok()?.checked_add(integer(other).ok()?)
}

/// Returns the sum of two numbers, whose text has no exponent, as that of Redis.
fn sum(one: &[u8], other: &[u8]) -> Result<f64, CommandError> {
    let sum = score(one)?.checked_add(score(other)?.get()).ok();
    let sum = sum.map(Score::get).filter(|sum| sum.is_finite());
    sum.ok_or_else(|| CommandError::err("increment would produce NaN or Infinity"))
}
