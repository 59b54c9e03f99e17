//! ZCARD, ZCOUNT, ZLEXCOUNT, ZSCORE, ZMSCORE, ZRANK and ZREVRANK: properties of a set or a member.

use zset_core::ZSet;
use zset_core::redis::LexRange;

use super::reply;
use crate::command::{Context, Replied};
use crate::commands::arguments::score_range;
use crate::error::CommandError;

pub(super) fn zcard(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    context.count(set.map_or(0, ZSet::len))
}

pub(super) fn zcount(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = score_range(arguments[2], arguments[3])?;
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    context.count(set.map_or(0, |set| set.count_by_score(range)))
}

pub(super) fn zlexcount(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = LexRange::parse(arguments[2], arguments[3])?;
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    context.count(set.map_or(0, |set| set.count_by_lex(range)))
}

pub(super) fn zscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    let score = set.and_then(|set| set.score(arguments[2]));
    reply::score(context.replies, score);
    Ok(())
}

pub(super) fn zmscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    let members = &arguments[2..];
    context.replies.array(members.len());
    match set {
        Some(set) => set.scores(members).for_each(|score| reply::score(context.replies, score)),
        None => members.iter().for_each(|_| reply::score(context.replies, None)),
    }
    Ok(())
}

pub(super) fn rank(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    rank_of: fn(&ZSet, &[u8]) -> Option<usize>,
) -> Replied {
    let &[name, key, member, ref options @ ..] = arguments else {
        return Err(CommandError::SYNTAX);
    };
    let with_score = match options {
        [] => false,
        [option] if option.eq_ignore_ascii_case(b"withscore") => true,
        [_] => return Err(CommandError::SYNTAX),
        _ => {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            return Err(CommandError::wrong_arity(&name));
        }
    };
    let set = context.state.keyspace.get::<ZSet>(key)?;
    let rank = set.and_then(|set| rank_of(set, member));
    let replies = &mut *context.replies;
    match rank {
        Some(rank) if with_score => {
            replies.array(2);
            replies.count(rank);
            reply::score(replies, set.and_then(|set| set.score(member)));
        }
        Some(rank) => replies.count(rank),
        None if with_score => replies.null_array(),
        None => replies.null(),
    }
    Ok(())
}
