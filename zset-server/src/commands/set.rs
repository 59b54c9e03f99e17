//! Plain sets.

mod algebra;
mod random;
mod scan;

use crate::command::{Command, GROW, READ, WRITE};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Set;

use super::remove_members;
use algebra::{sdiff, sdiffstore, sinter, sintercard, sinterstore, sunion, sunionstore};
use random::{spop, srandmember};
use scan::sscan;

/// The first argument is the only key.
const ONE: (i8, i8, i8) = (1, 1, 1);

/// All arguments are keys.
const ALL: (i8, i8, i8) = (1, -1, 1);

pub(super) const COMMANDS: &[Command] = &[
    Command::new("sadd", -3, GROW, ONE, sadd, "Adds members to a set."),
    Command::new("scard", 2, READ, ONE, scard, "Returns the number of members of a set."),
    Command::new("sdiff", -2, READ, ALL, sdiff, "Returns the members of a set that no other has."),
    Command::new("sdiffstore", -3, GROW, ALL, sdiffstore, "Stores what SDIFF returns."),
    Command::new("sinter", -2, READ, ALL, sinter, "Returns the members that all sets have."),
    Command::new("sintercard", -3, READ, (0, 0, 0), sintercard, "Counts what SINTER returns."),
    Command::new("sinterstore", -3, GROW, ALL, sinterstore, "Stores what SINTER returns."),
    Command::new("sismember", 3, READ, ONE, sismember, "Returns whether a set has a member."),
    Command::new("smembers", 2, READ, ONE, smembers, "Returns the members of a set."),
    Command::new("smismember", -3, READ, ONE, smismember, "Returns which members a set has."),
    Command::new("smove", 4, WRITE, (1, 2, 1), smove, "Moves a member from one set to another."),
    Command::new("spop", -2, WRITE, ONE, spop, "Removes and returns random members of a set."),
    Command::new("srandmember", -2, READ, ONE, srandmember, "Returns random members of a set."),
    Command::new("srem", -3, WRITE, ONE, srem, "Removes members from a set."),
    Command::new(
        "sscan",
        -3,
        READ,
        ONE,
        sscan,
        "Returns the members in pages, while the set may change.",
    ),
    Command::new("sunion", -2, READ, ALL, sunion, "Returns the members of all sets."),
    Command::new("sunionstore", -3, GROW, ALL, sunionstore, "Stores what SUNION returns."),
];

fn sadd(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, members) = (arguments[1], &arguments[2..]);
    let add = |set: &mut Set| {
        // Checking first avoids an allocation for a member that is present.
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
        members.iter().filter(|member| set.swap_remove(**member)).count()
    })
}

fn smove(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, from, to, member] = arguments else { return Err(CommandError::Syntax) };
    let keyspace = &mut context.state.keyspace;
    let is_member = match keyspace.get::<Set>(from)? {
        // In this case the type of the other key is not checked.
        None => false,
        Some(set) => {
            keyspace.get::<Set>(to)?;
            set.contains(member)
        }
    };
    if is_member && from != to {
        keyspace.change(from, |set: &mut Set| set.swap_remove(member))?;
        keyspace.touch(from);
        if keyspace.change_or_insert(to, Set::default, |set| set.insert(member.into()))? {
            keyspace.touch(to);
        }
    }
    context.replies.integer(is_member.into());
    Ok(())
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

fn smismember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    let members = &arguments[2..];
    context.replies.array(members.len());
    for member in members {
        let is_member = set.is_some_and(|set| set.contains(*member));
        context.replies.integer(is_member.into());
    }
    Ok(())
}
