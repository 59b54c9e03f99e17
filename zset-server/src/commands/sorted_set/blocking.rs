//! BZPOPMIN, BZPOPMAX and BZMPOP: pop a member, or wait for one.

use std::time::Duration;

use super::pop::{MultiPop, pop, reply_from_key};
use crate::client::{End, Pop, PopForm, Wait};
use crate::command::{Context, Replied};
use crate::error::CommandError;
use crate::keyspace::{Bytes, Keyspace, WrongType};
use crate::resp::Replies;

/// The overhead of a key with its own queue, in bytes.
const QUEUE_BYTES: usize = 350;

/// Pops members from the first key that has some; returns whether there was one.
pub(crate) fn attempt<K: AsRef<[u8]>>(
    wanted: Pop,
    keys: &[K],
    keyspace: &mut Keyspace,
    replies: &mut Replies,
) -> Result<bool, WrongType> {
    for key in keys {
        let key = key.as_ref();
        let Some(popped) = pop(keyspace, key, wanted.end, wanted.count)? else { continue };
        match (wanted.form, popped.as_slice()) {
            (PopForm::Flat, [(member, score)]) => {
                replies.array(3);
                replies.bulk(key);
                replies.bulk(member);
                replies.score(*score);
            }
            _ => reply_from_key(replies, key, &popped),
        }
        return Ok(true);
    }
    Ok(false)
}

pub(super) fn bzpop(context: &mut Context<'_>, arguments: &[&[u8]], end: End) -> Replied {
    let [_, keys @ .., limit] = arguments else { return Err(CommandError::SYNTAX) };
    let limit = time_limit(limit, context)?;
    take_or_wait(context, keys, limit, Pop { end, count: 1, form: PopForm::Flat })
}

pub(super) fn bzmpop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let MultiPop { keys, end, count } = MultiPop::parse(&arguments[2..])?;
    let limit = time_limit(arguments[1], context)?;
    take_or_wait(context, keys, limit, Pop { end, count, form: PopForm::Nested })
}

/// Pops members, or makes the client wait for some if it may wait.
fn take_or_wait(
    context: &mut Context<'_>,
    keys: &[&[u8]],
    limit: Option<Duration>,
    wanted: Pop,
) -> Replied {
    let Context { state, client, replies } = context;
    if attempt(wanted, keys, &mut state.keyspace, replies)? {
        return Ok(());
    }
    if client.is_executing || !client.may_wait {
        replies.null_array();
        return Ok(());
    }
    let keys: Vec<Bytes> = keys.iter().map(|key| Bytes::from(*key)).collect();
    let ticket = state.keyspace.awaited.join(&keys, client.id);
    let bytes = keys.iter().map(|key| 2 * key.len() + QUEUE_BYTES).sum();
    client.wait = Some(Wait { keys, ticket, limit, bytes, pop: wanted });
    Ok(())
}

/// Parses the maximum wait in seconds; 0 means forever.
fn time_limit(text: &[u8], context: &Context<'_>) -> Result<Option<Duration>, CommandError> {
    let no_float = || CommandError::err("timeout is not a float or out of range");
    let seconds = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| !seconds.is_nan()).ok_or_else(no_float)?;
    // Redis counts in milliseconds, up to a point in time that fits into 64 bits.
    let millis = (seconds * 1000.0).ceil();
    let now = context.state.keyspace.now().as_nanos() / 1_000_000;
    if millis < 0.0 {
        return Err(CommandError::err("timeout is negative"));
    }
    #[allow(clippy::cast_precision_loss, reason = "it is a bound far away")]
    let most = i64::MAX as f64 - now as f64;
    if millis >= most {
        return Err(CommandError::err("timeout is out of range"));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    let millis = millis as u64;
    Ok((millis > 0).then(|| Duration::from_millis(millis)))
}
