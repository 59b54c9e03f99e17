//! BZPOPMIN, BZPOPMAX and BZMPOP: pop a member, or wait for one.

use std::time::Duration;

use super::pop::{End, MultiPop, pop, reply_from_key};
use crate::client::ReplyMode;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::{Bytes, Keyspace, Ticket, WrongType};
use crate::resp::Replies;

/// The overhead of a key with its own queue, in bytes.
const QUEUE_BYTES: usize = 350;

/// What a client waits for.
#[derive(Debug)]
pub(crate) struct Wait {
    /// In the order in which they are tried.
    pub(crate) keys: Vec<Bytes>,
    pub(crate) ticket: Ticket,
    /// Whether the client wants no reply.
    pub(crate) is_silent: bool,
    /// The maximum wait.
    pub(crate) limit: Option<Duration>,
    /// Its memory, including the entries in the queues, in bytes.
    pub(crate) bytes: usize,
    taking: Taking,
}

impl Wait {
    /// Pops members if there are any; returns whether there were.
    pub(crate) fn attempt(
        &self,
        keyspace: &mut Keyspace,
        replies: &mut Replies,
    ) -> Result<bool, WrongType> {
        self.taking.attempt(&self.keys, keyspace, replies)
    }
}

/// How members are popped.
#[derive(Clone, Copy, Debug)]
struct Taking {
    end: End,
    count: usize,
    form: Form,
}

/// The format of the reply.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// The key, the member and its score.
    Flat,
    /// The key, and an array of member-score pairs.
    Nested,
}

impl Taking {
    fn attempt<K: AsRef<[u8]>>(
        self,
        keys: &[K],
        keyspace: &mut Keyspace,
        replies: &mut Replies,
    ) -> Result<bool, WrongType> {
        for key in keys {
            let key = key.as_ref();
            let Some(popped) = pop(keyspace, key, self.end, self.count)? else { continue };
            match (self.form, popped.as_slice()) {
                (Form::Flat, [(member, score)]) => {
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
}

pub(super) fn bzpopmin(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    bzpop(context, arguments, End::Min)
}

pub(super) fn bzpopmax(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    bzpop(context, arguments, End::Max)
}

fn bzpop(context: &mut Context<'_>, arguments: &[&[u8]], end: End) -> Result<(), CommandError> {
    let [_, keys @ .., limit] = arguments else { return Err(CommandError::Syntax) };
    let limit = time_limit(limit, context)?;
    take_or_wait(context, keys, limit, Taking { end, count: 1, form: Form::Flat })
}

pub(super) fn bzmpop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let MultiPop { keys, end, count } = MultiPop::parse(&arguments[2..])?;
    let limit = time_limit(arguments[1], context)?;
    take_or_wait(context, keys, limit, Taking { end, count, form: Form::Nested })
}

/// Pops members, or makes the client wait for some if it may wait.
fn take_or_wait(
    context: &mut Context<'_>,
    keys: &[&[u8]],
    limit: Option<Duration>,
    taking: Taking,
) -> Result<(), CommandError> {
    let Context { state, client, replies } = context;
    if taking.attempt(keys, &mut state.keyspace, replies)? {
        return Ok(());
    }
    if client.is_executing || !client.may_wait {
        replies.null_array();
        return Ok(());
    }
    let keys: Vec<Bytes> = keys.iter().map(|key| Bytes::from(*key)).collect();
    let ticket = state.keyspace.awaited.join(&keys, client.id);
    let is_silent = client.reply_mode != ReplyMode::On;
    let bytes = keys.iter().map(|key| 2 * key.len() + QUEUE_BYTES).sum();
    client.wait = Some(Wait { keys, ticket, is_silent, limit, bytes, taking });
    state.stats.blocked_clients += 1;
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
