//! ZADD and ZINCRBY.

use zset_core::{AddError, AddFlags, AddOptions, Limits, ZSet};

use super::reply;
use crate::commands::arguments::score;
use crate::engine::Context;
use crate::error::CommandError;

pub(super) fn zadd(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let key = arguments[1];
    let mut flags = AddFlags::default();
    let mut rest = &arguments[2..];
    while let Some((option, behind)) = rest.split_first() {
        match option.to_ascii_lowercase().as_slice() {
            b"nx" => flags.nx = true,
            b"xx" => flags.xx = true,
            b"gt" => flags.gt = true,
            b"lt" => flags.lt = true,
            b"ch" => flags.ch = true,
            b"incr" => flags.incr = true,
            _ => break,
        }
        rest = behind;
    }
    if rest.is_empty() || !rest.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    let options = AddOptions::from_flags(flags)?;
    if flags.incr && rest.len() > 2 {
        return Err(CommandError::err("INCR option supports a single increment-element pair"));
    }
    // All scores are read before one is added.
    let elements = rest.chunks_exact(2).map(|pair| Ok((score(pair[0])?, pair[1])));
    let elements: Vec<_> = elements.collect::<Result<_, CommandError>>()?;

    let limits = context.state.config.limits();
    let add = |set: &mut ZSet| {
        prepare(set, limits, elements.iter().map(|(_, member)| *member))?;
        let (mut count, mut changed, mut last) = (0, false, None);
        for (score, member) in elements {
            let added = set.try_add(member, score, options)?;
            count += added.count(options);
            changed |= added.is_changed();
            last = added.score();
        }
        Ok::<_, AddError>((count, changed, last))
    };
    let keyspace = &mut context.state.keyspace;
    let (count, changed, last) = keyspace.change_or_insert(key, ZSet::new, add)??;
    if changed {
        keyspace.touch(key);
    }
    if flags.incr {
        reply::score(context.replies, last);
    } else {
        context.replies.count(count);
    }
    Ok(())
}

/// Gives a set the limits of now. One that members do not fit in, by how many they are or how long one
/// is, changes over before they come, be they new or not: so does Valkey.
fn prepare<'a>(
    set: &mut ZSet,
    limits: Limits,
    mut members: impl ExactSizeIterator<Item = &'a [u8]>,
) -> Result<(), AddError> {
    set.set_limits(limits);
    let is_many = members.len() > limits.max_listpack_entries;
    if is_many || members.any(|member| member.len() > limits.max_listpack_value) {
        set.try_promote().map_err(AddError::Full)?;
    }
    Ok(())
}

pub(super) fn zincrby(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, by, member) = (arguments[1], score(arguments[2])?, arguments[3]);
    let limits = context.state.config.limits();
    let increment = |set: &mut ZSet| {
        prepare(set, limits, [member].into_iter())?;
        set.try_add(member, by, AddOptions::new().incr())
    };
    let keyspace = &mut context.state.keyspace;
    let added = keyspace.change_or_insert(key, ZSet::new, increment)??;
    if added.is_changed() {
        keyspace.touch(key);
    }
    reply::score(context.replies, added.score());
    Ok(())
}
