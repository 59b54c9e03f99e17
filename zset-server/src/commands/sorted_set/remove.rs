//! ZREM, ZREMRANGEBYRANK, ZREMRANGEBYSCORE and ZREMRANGEBYLEX.

use zset_core::ZSet;
use zset_core::redis::{LexRange, rank_range};

use crate::command::{Context, Replied};
use crate::commands::arguments::{integer, score_range};
use crate::keyspace::Typed;

pub(super) fn zrem(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let members = &arguments[2..];
    remove_members(context, arguments[1], |set: &mut ZSet| {
        members.iter().filter(|member| set.remove(member).is_some()).count()
    })
}

pub(super) fn zremrangebyrank(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (start, stop) = (integer(arguments[2])?, integer(arguments[3])?);
    remove_members(context, arguments[1], |set: &mut ZSet| {
        set.remove_range_by_rank(rank_range(start, stop, set.len()))
    })
}

pub(super) fn zremrangebyscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = score_range(arguments[2], arguments[3])?;
    remove_members(context, arguments[1], |set: &mut ZSet| set.remove_range_by_score(range))
}

pub(super) fn zremrangebylex(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = LexRange::parse(arguments[2], arguments[3])?;
    remove_members(context, arguments[1], |set: &mut ZSet| set.remove_range_by_lex(range))
}

/// Removes members from a set, sorted or not, and replies with their number, which `remove` returns.
pub(in crate::commands) fn remove_members<T: Typed>(
    context: &mut Context<'_>,
    key: &[u8],
    remove: impl FnOnce(&mut T) -> usize,
) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let removed = keyspace.change(key, remove)?.unwrap_or(0);
    if removed > 0 {
        keyspace.touch(key);
    }
    context.count(removed)
}
