//! Strings as numbers: INCR and related commands.

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

/// Returns the exact sum of two integers, even beyond the precision of a double, if both and the sum fit
/// 64 bits.
fn whole_sum(one: &[u8], other: &[u8]) -> Option<i64> {
    whole(one)?.checked_add(whole(other)?)
}

/// Parses an integer, or a number such as `1.0` or `1e3` that is exactly an integer.
fn whole(text: &[u8]) -> Option<i64> {
    // From 2^53 on, a double may stand for several integers.
    const MAX: f64 = 9_007_199_254_740_992.0;
    if let Ok(integer) = integer(text) {
        return Some(integer);
    }
    let number = score(text).ok()?.get();
    #[allow(clippy::cast_possible_truncation, reason = "it is an integer of fewer bits")]
    (number.fract() == 0.0 && number.abs() < MAX).then_some(number as i64)
}

/// Returns the sum of two numbers. Its text has no exponent, like Redis's.
fn sum(one: &[u8], other: &[u8]) -> Result<f64, CommandError> {
    let sum = score(one)?.checked_add(score(other)?.get()).ok();
    let sum = sum.map(Score::get).filter(|sum| sum.is_finite());
    sum.ok_or_else(|| CommandError::err("increment would produce NaN or Infinity"))
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn incrbyfloat_adds_integers_of_64_bits_exactly() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        for (old, increment, sum) in [
            ("9007199254740993", "2", "9007199254740995"),
            ("9007199254740993", "1.0", "9007199254740994"),
            ("9007199254740993", "1e3", "9007199254741993"),
            ("9223372036854775807", "-1", "9223372036854775806"),
            ("2.5", "0.25", "2.75"),
        ] {
            ask(&mut engine, &mut client, &format!("SET n {old}"));
            let reply = ask(&mut engine, &mut client, &format!("INCRBYFLOAT n {increment}"));
            assert_eq!(reply, format!("${}\r\n{sum}\r\n", sum.len()));
        }
    }
}
