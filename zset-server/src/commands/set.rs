//! Plain sets: SADD, SREM, SMEMBERS, SCARD and SISMEMBER.

use crate::command::{Command, GROW, READ, WRITE};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Set;

use super::remove_members;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "sadd",
        arity: -3,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Adds members to a set.",
        handler: sadd,
    },
    Command {
        name: "srem",
        arity: -3,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Removes members from a set.",
        handler: srem,
    },
    Command {
        name: "smembers",
        arity: 2,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the members of a set.",
        handler: smembers,
    },
    Command {
        name: "scard",
        arity: 2,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the number of members of a set.",
        handler: scard,
    },
    Command {
        name: "sismember",
        arity: 3,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns whether a set has a member.",
        handler: sismember,
    },
];

fn sadd(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, members) = (arguments[1], &arguments[2..]);
    let add = |set: &mut Set| {
        // To look first saves the allocation of a member that is there.
        members
            .iter()
            .filter(|member| !set.contains(**member) && set.insert((**member).into()))
            .count()
    };
    let keyspace = &mut context.state.keyspace;
    let added = keyspace.change_or_insert(key, Set::default, add)?;
    if added > 0 {
        keyspace.touch(key);
    }
    context.replies.count(added);
    Ok(())
}

fn srem(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, members) = (arguments[1], &arguments[2..]);
    remove_members(context, key, |set: &mut Set| {
        members.iter().filter(|member| set.remove(**member)).count()
    })
}

fn smembers(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let Some(set) = context.state.keyspace.get::<Set>(arguments[1])? else {
        context.replies.set(0);
        return Ok(());
    };
    context.replies.set(set.len());
    for member in set {
        context.replies.bulk(member);
    }
    Ok(())
}

fn scard(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    context.replies.count(set.map_or(0, Set::len));
    Ok(())
}

fn sismember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    let is_member = set.is_some_and(|set| set.contains(arguments[2]));
    context.replies.integer(is_member.into());
    Ok(())
}
