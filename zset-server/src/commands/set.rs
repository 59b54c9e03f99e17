//! Plain sets.
//!
//! The members of a set operation are borrowed until they are written to a reply or stored.

use std::collections::HashSet;

use rand::RngExt;
use zset_std::RandomState;

use super::arguments::not_negative;
use crate::command::{Context, Handlers, Replied, State};
use crate::error::CommandError;
use crate::keyspace::{Bytes, Keyspace, Set, Typed, WrongType};

pub(super) const HANDLERS: Handlers = &[
    ("sadd", sadd),
    ("scard", scard),
    ("sdiff", |context, arguments| answer(context, arguments, difference)),
    ("sdiffstore", |context, arguments| store(context, arguments, difference)),
    ("sinter", |context, arguments| answer(context, arguments, intersection)),
    ("sinterstore", |context, arguments| store(context, arguments, intersection)),
    ("sismember", sismember),
    ("smembers", smembers),
    ("smismember", smismember),
    ("spop", spop),
    ("srem", srem),
    ("sunion", |context, arguments| answer(context, arguments, union)),
    ("sunionstore", |context, arguments| store(context, arguments, union)),
];

fn sadd(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
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
    context.count(added)
}

fn srem(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, members) = (arguments[1], &arguments[2..]);
    remove_members(context, key, |set: &mut Set| {
        members.iter().filter(|member| set.swap_remove(**member)).count()
    })
}

/// Removes members from a set, sorted or not, and replies with their number, which `remove` returns.
pub(super) fn remove_members<T: Typed>(
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

fn smembers(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    context.replies.set(set.map_or(0, Set::len));
    set.into_iter().flatten().for_each(|member| context.replies.bulk(member));
    Ok(())
}

fn scard(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    context.count(set.map_or(0, Set::len))
}

fn sismember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    context.integer(set.is_some_and(|set| set.contains(arguments[2])))
}

fn smismember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    let members = &arguments[2..];
    context.replies.array(members.len());
    for member in members {
        context.replies.integer(set.is_some_and(|set| set.contains(*member)).into());
    }
    Ok(())
}

fn spop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, count) = match *arguments {
        [_, key] => (key, None),
        [_, key, count] => {
            (key, Some(not_negative(count, "value is out of range, must be positive")?))
        }
        _ => return Err(CommandError::Syntax),
    };
    let State { keyspace, rng, .. } = &mut *context.state;
    let pop = |set: &mut Set| -> Vec<Bytes> {
        let number = count.unwrap_or(1).min(set.len());
        let one = |_| set.swap_remove_index(rng.random_range(0..set.len()));
        (0..number).filter_map(one).collect()
    };
    let popped = keyspace.change(key, pop)?.unwrap_or_default();
    if !popped.is_empty() {
        keyspace.touch(key);
    }
    if count.is_some() {
        context.replies.set(popped.len());
    } else if popped.is_empty() {
        context.replies.null();
    }
    for member in popped {
        context.replies.bulk(&member);
    }
    Ok(())
}

/// A set, or `None` if the key does not exist.
type Source<'a> = Option<&'a Set>;

/// Distinct members.
type Members<'a> = Vec<&'a Bytes>;

/// A set operation on one or more sets.
type Find = for<'a> fn(&[Source<'a>]) -> Members<'a>;

fn answer(context: &mut Context<'_>, arguments: &[&[u8]], found: Find) -> Replied {
    let members = found(&find(&context.state.keyspace, &arguments[1..])?);
    context.replies.set(members.len());
    for member in members {
        context.replies.bulk(member);
    }
    Ok(())
}

fn store(context: &mut Context<'_>, arguments: &[&[u8]], found: Find) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let members: Set = found(&find(keyspace, &arguments[2..])?).into_iter().cloned().collect();
    let len = members.len();
    keyspace.set(arguments[1], members.into_value());
    context.count(len)
}

fn find<'a>(keyspace: &'a Keyspace, keys: &[&[u8]]) -> Result<Vec<Source<'a>>, WrongType> {
    keys.iter().map(|key| keyspace.get::<Set>(key)).collect()
}

/// Returns the members common to all sets.
fn intersection<'a>(sets: &[Source<'a>]) -> Members<'a> {
    let Some(mut sets) = sets.iter().copied().collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    sets.sort_by_key(|set| set.len());
    let Some((smallest, others)) = sets.split_first() else { return Vec::new() };
    smallest.iter().filter(|member| others.iter().all(|set| set.contains(*member))).collect()
}

/// Returns the members of any set. **O(n)** in the total number of members.
fn union<'a>(sets: &[Source<'a>]) -> Members<'a> {
    let members: HashSet<&Bytes, RandomState> = sets.iter().copied().flatten().flatten().collect();
    members.into_iter().collect()
}

/// Returns the members of the first set that are in no other set.
///
/// The sets that are not larger than the first are merged, so that one lookup covers all of them. Each
/// larger set is looked up individually.
fn difference<'a>(sets: &[Source<'a>]) -> Members<'a> {
    let Some((Some(first), others)) = sets.split_first() else { return Vec::new() };
    let others = others.iter().copied().flatten();
    let (large, small): (Vec<_>, Vec<_>) = others.partition(|set| set.len() > first.len());
    let small: HashSet<&Bytes, RandomState> = small.into_iter().flatten().collect();
    let is_alone = |member: &&Bytes| {
        !small.contains(*member) && !large.iter().any(|set| set.contains(*member))
    };
    first.iter().filter(is_alone).collect()
}
