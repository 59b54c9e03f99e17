//! SINTER, SUNION, SDIFF, their STORE variants, and SINTERCARD.
//!
//! Members are borrowed until they are written to a reply or stored.

use std::collections::HashSet;

use zset_std::RandomState;

use crate::commands::arguments::not_negative;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::{Bytes, Keyspace, Set, Typed as _, WrongType};

/// A set, or `None` if the key does not exist.
type Source<'a> = Option<&'a Set>;

/// Distinct members.
type Members<'a> = Vec<&'a Bytes>;

/// A set operation on one or more sets.
type Find = for<'a> fn(&[Source<'a>]) -> Members<'a>;

pub(super) fn sinter(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    answer(context, arguments, common_members)
}

pub(super) fn sunion(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    answer(context, arguments, union)
}

pub(super) fn sdiff(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    answer(context, arguments, difference)
}

pub(super) fn sinterstore(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
) -> Result<(), CommandError> {
    store_found(context, arguments, common_members)
}

pub(super) fn sunionstore(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
) -> Result<(), CommandError> {
    store_found(context, arguments, union)
}

pub(super) fn sdiffstore(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
) -> Result<(), CommandError> {
    store_found(context, arguments, difference)
}

pub(super) fn sintercard(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
) -> Result<(), CommandError> {
    let error = "numkeys should be greater than 0";
    let number = not_negative(arguments[1], error)?;
    if number == 0 {
        return Err(CommandError::err(error));
    }
    let too_many = || CommandError::err("Number of keys can't be greater than number of args");
    let (keys, mut options) = arguments[2..].split_at_checked(number).ok_or_else(too_many)?;
    let mut limit = 0;
    while let Some((option, rest)) = options.split_first() {
        options = match rest {
            [number, rest @ ..] if option.eq_ignore_ascii_case(b"limit") => {
                limit = not_negative(number, "LIMIT can't be negative")?;
                rest
            }
            _ => return Err(CommandError::Syntax),
        };
    }
    let sets = find(&context.state.keyspace, keys)?;
    // Zero means no limit.
    let limit = if limit == 0 { usize::MAX } else { limit };
    context.replies.count(common(&sets).take(limit).count());
    Ok(())
}

fn answer(context: &mut Context<'_>, arguments: &[&[u8]], found: Find) -> Result<(), CommandError> {
    let Context { state, replies, .. } = context;
    let members = found(&find(&state.keyspace, &arguments[1..])?);
    replies.set(members.len());
    for member in members {
        replies.bulk(member);
    }
    Ok(())
}

fn store_found(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    found: Find,
) -> Result<(), CommandError> {
    let keyspace = &mut context.state.keyspace;
    let members: Set = found(&find(keyspace, &arguments[2..])?).into_iter().cloned().collect();
    context.replies.count(members.len());
    keyspace.set(arguments[1], members.into_value());
    Ok(())
}

fn find<'a>(keyspace: &'a Keyspace, keys: &[&[u8]]) -> Result<Vec<Source<'a>>, WrongType> {
    keys.iter().map(|key| keyspace.get::<Set>(key)).collect()
}

fn common_members<'a>(sets: &[Source<'a>]) -> Members<'a> {
    common(sets).collect()
}

/// Returns the members common to all sets, lazily, so that counting can stop early.
fn common<'a>(sets: &[Source<'a>]) -> impl Iterator<Item = &'a Bytes> + use<'a> {
    let mut sets: Vec<_> = sets.iter().copied().collect::<Option<_>>().unwrap_or_default();
    sets.sort_by_key(|set: &&Set| set.len());
    let smallest = sets.first().copied();
    smallest
        .into_iter()
        .flatten()
        .filter(move |member| sets[1..].iter().all(|set| set.contains(*member)))
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
