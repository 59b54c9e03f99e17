//! ZPOPMIN, ZPOPMAX and ZMPOP.

use zset_core::{ByteString, Score, ZSet};

use crate::client::End;
use crate::command::{Context, Replied};
use crate::commands::arguments::{not_negative, positive};
use crate::error::CommandError;
use crate::keyspace::{Keyspace, WrongType};
use crate::resp::{Protocol, Replies};

/// Members popped from a set, in order.
pub(super) type Popped = Vec<(ByteString, Score)>;

pub(super) fn zpop(context: &mut Context<'_>, arguments: &[&[u8]], end: End) -> Replied {
    let (key, count) = match arguments {
        [_, key] => (key, None),
        [_, key, count] => (key, Some(count)),
        _ => return Err(CommandError::SYNTAX),
    };
    let max = match count {
        Some(count) => not_negative(count, "value is out of range, must be positive")?,
        None => 1,
    };
    let popped = pop(&mut context.state.keyspace, key, end, max)?.unwrap_or_default();
    let replies = &mut *context.replies;
    if count.is_some() && replies.protocol() == Protocol::Resp3 {
        reply_pairs(replies, &popped);
    } else {
        replies.array(2 * popped.len());
        for (member, score) in &popped {
            replies.bulk(member);
            replies.score(*score);
        }
    }
    Ok(())
}

pub(super) fn zmpop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let request = MultiPop::parse(&arguments[1..])?;
    let keyspace = &mut context.state.keyspace;
    for key in request.keys {
        if let Some(popped) = pop(keyspace, key, request.end, request.count)? {
            reply_from_key(context.replies, key, &popped);
            return Ok(());
        }
    }
    context.replies.null_array();
    Ok(())
}

/// The arguments of ZMPOP and BZMPOP.
#[derive(Debug)]
pub(super) struct MultiPop<'a> {
    pub(super) keys: &'a [&'a [u8]],
    pub(super) end: End,
    pub(super) count: usize,
}

impl<'a> MultiPop<'a> {
    /// Parses `numkeys key [key ...] <MIN | MAX> [COUNT count]`.
    pub(super) fn parse(arguments: &'a [&'a [u8]]) -> Result<Self, CommandError> {
        let (number, rest) = arguments.split_first().ok_or(CommandError::SYNTAX)?;
        let number = positive(number, "numkeys should be greater than 0")?;
        let (keys, rest) = rest.split_at_checked(number).ok_or(CommandError::SYNTAX)?;
        let (end, options) = rest.split_first().ok_or(CommandError::SYNTAX)?;
        let end = match end.to_ascii_lowercase().as_slice() {
            b"min" => End::Min,
            b"max" => End::Max,
            _ => return Err(CommandError::SYNTAX),
        };
        let count = match options {
            [] => 1,
            [name, count, rest @ ..] if name.eq_ignore_ascii_case(b"count") => {
                let count = positive(count, "count should be greater than 0")?;
                if !rest.is_empty() {
                    return Err(CommandError::SYNTAX);
                }
                count
            }
            _ => return Err(CommandError::SYNTAX),
        };
        Ok(MultiPop { keys, end, count })
    }
}

/// Pops up to `count` members from one end of a sorted set, if the key exists.
pub(super) fn pop(
    keyspace: &mut Keyspace,
    key: &[u8],
    end: End,
    count: usize,
) -> Result<Option<Popped>, WrongType> {
    let popped = keyspace.change(key, |set: &mut ZSet| match end {
        End::Min => set.drain_by_rank(..count).collect(),
        End::Max => {
            let kept = set.len().saturating_sub(count);
            set.drain_by_rank(kept..).rev().collect::<Popped>()
        }
    })?;
    if popped.as_ref().is_some_and(|popped| !popped.is_empty()) {
        keyspace.touch(key);
    }
    Ok(popped)
}

/// Writes a key and the members popped from it, as ZMPOP and BZMPOP do.
pub(super) fn reply_from_key(replies: &mut Replies, key: &[u8], popped: &Popped) {
    replies.array(2);
    replies.bulk(key);
    reply_pairs(replies, popped);
}

/// Writes an array of member-score pairs, nested in RESP2 too.
fn reply_pairs(replies: &mut Replies, popped: &Popped) {
    replies.array(popped.len());
    for (member, score) in popped {
        replies.array(2);
        replies.bulk(member);
        replies.score(*score);
    }
}
