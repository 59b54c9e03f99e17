//! ZCARD, ZCOUNT, ZLEXCOUNT, ZSCORE, ZMSCORE, ZRANK and ZREVRANK: properties of a set or a member.

use zset_core::ZSet;
use zset_core::redis::LexRange;

use super::reply;
use crate::command::{Command, READ};
use crate::commands::arguments::score_range;
use crate::engine::Context;
use crate::error::CommandError;

pub(in crate::commands) const COMMANDS: &[Command] = &[
    Command {
        name: "zcard",
        arity: 2,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the number of members.",
        handler: zcard,
    },
    Command {
        name: "zcount",
        arity: 4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the number of members with scores in a range.",
        handler: zcount,
    },
    Command {
        name: "zlexcount",
        arity: 4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the number of members in a range of texts.",
        handler: zlexcount,
    },
    Command {
        name: "zscore",
        arity: 3,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the score of a member.",
        handler: zscore,
    },
    Command {
        name: "zmscore",
        arity: -3,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the scores of several members.",
        handler: zmscore,
    },
    Command {
        name: "zrank",
        arity: -3,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the place of a member, lowest score first.",
        handler: zrank,
    },
    Command {
        name: "zrevrank",
        arity: -3,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the place of a member, highest score first.",
        handler: zrevrank,
    },
];

fn zcard(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    context.replies.count(set.map_or(0, ZSet::len));
    Ok(())
}

fn zcount(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let range = score_range(arguments[2], arguments[3])?;
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    context.replies.count(set.map_or(0, |set| set.count_by_score(range)));
    Ok(())
}

fn zlexcount(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let range = LexRange::parse(arguments[2], arguments[3])?;
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    context.replies.count(set.map_or(0, |set| set.count_by_lex(range)));
    Ok(())
}

fn zscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    let score = set.and_then(|set| set.score(arguments[2]));
    reply::score(context.replies, score);
    Ok(())
}

fn zmscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let set = context.state.keyspace.get::<ZSet>(arguments[1])?;
    let members = &arguments[2..];
    context.replies.array(members.len());
    match set {
        Some(set) => set.scores(members).for_each(|score| reply::score(context.replies, score)),
        None => members.iter().for_each(|_| reply::score(context.replies, None)),
    }
    Ok(())
}

fn zrank(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    rank(context, arguments, |set, member| set.rank(member))
}

fn zrevrank(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    rank(context, arguments, |set, member| set.rev_rank(member))
}

fn rank(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    rank_of: fn(&ZSet, &[u8]) -> Option<usize>,
) -> Result<(), CommandError> {
    let &[name, key, member, ref options @ ..] = arguments else {
        return Err(CommandError::Syntax);
    };
    let with_score = match options {
        [] => false,
        [option] if option.eq_ignore_ascii_case(b"withscore") => true,
        [_] => return Err(CommandError::Syntax),
        _ => {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            return Err(CommandError::WrongArity(name));
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
