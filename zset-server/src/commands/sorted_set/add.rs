//! ZADD and ZINCRBY.

use zset_core::redis::{AddFlags, AddOptions};
use zset_core::{IncrementError, ListpackLimits, NanScore, TryReserveError, ZSet};

use super::reply;
use crate::command::{Context, Replied};
use crate::commands::arguments::score;
use crate::error::CommandError;

/// Runs ZADD; with `incr`, ZINCRBY, which is ZADD with INCR.
pub(super) fn add(context: &mut Context<'_>, arguments: &[&[u8]], incr: bool) -> Replied {
    let mut flags = AddFlags { incr, ..AddFlags::default() };
    let key = arguments[1];
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
        return Err(CommandError::SYNTAX);
    }
    let options = AddOptions::from_flags(flags)?;
    if flags.incr && rest.len() > 2 {
        return Err(CommandError::err("INCR option supports a single increment-element pair"));
    }
    // All scores are parsed before any is added.
    let elements = rest.chunks_exact(2).map(|pair| Ok((score(pair[0])?, pair[1])));
    let elements: Vec<_> = elements.collect::<Result<_, CommandError>>()?;

    let limits = context.state.config.limits();
    let (mut count, mut is_changed, mut last) = (0, false, None);
    let add_all = |set: &mut ZSet| {
        prepare(set, limits, elements.iter().map(|(_, member)| *member))?;
        elements.into_iter().try_for_each(|(score, member)| {
            let added = set.try_add(member, score, options)?;
            count += added.count(options);
            is_changed |= added.is_changed();
            last = added.score();
            Ok::<_, IncrementError<NanScore>>(())
        })
    };
    let keyspace = &mut context.state.keyspace;
    let added = keyspace.change_or_insert(key, ZSet::new, add_all)?;
    // Elements may have been added even if allocation failed for the rest.
    if is_changed {
        keyspace.touch(key);
    }
    added?;
    if !flags.incr {
        return context.count(count);
    }
    reply::score(context.replies, last);
    Ok(())
}

/// Gives a set the current limits, and promotes it first if the number of members or the length of one of
/// them exceeds these, whether or not the members are new, as Valkey does.
fn prepare<'a>(
    set: &mut ZSet,
    limits: ListpackLimits,
    mut members: impl ExactSizeIterator<Item = &'a [u8]>,
) -> Result<(), TryReserveError> {
    set.set_limits(limits);
    let is_many = members.len() > limits.max_listpack_entries;
    if is_many || members.any(|member| member.len() > limits.max_listpack_value) {
        set.try_promote()?;
    }
    Ok(())
}
