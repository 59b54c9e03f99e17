//! ZRANDMEMBER.

use zset_core::ZSet;

use super::reply::{self, Shown};
use crate::command::{Context, Replied, State};
use crate::commands::arguments::integer;
use crate::error::CommandError;

/// The maximum size of a reply with repeated members. Redis would continue until memory runs out.
const MAX_REPLY: usize = 64 << 20;

/// The size of the shortest member in a reply.
const SHORTEST: usize = b"$0\r\n\r\n".len();

pub(super) fn zrandmember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let State { keyspace, rng, .. } = &mut *context.state;
    let &[_, key, ref options @ ..] = arguments else { return Err(CommandError::SYNTAX) };
    let [count, options @ ..] = options else {
        let set = keyspace.get::<ZSet>(key)?;
        match set.and_then(|set| set.sample(rng, 1).next()) {
            Some((member, _)) => context.replies.bulk(&member),
            None => context.replies.null(),
        }
        return Ok(());
    };
    // If positive, up to that many distinct members; if negative, exactly that many, possibly repeated.
    let count = integer(count)?;
    let too_many = || CommandError::err("value is out of range");
    if count == i64::MIN {
        let text = "value is out of range, value must between";
        return Err(CommandError::err(format_args!("{text} {} and {}", -i64::MAX, i64::MAX)));
    }
    let shown = match options {
        [] => Shown::Member,
        [option] if option.eq_ignore_ascii_case(b"withscores") => Shown::MemberAndScore,
        _ => return Err(CommandError::SYNTAX),
    };
    if shown == Shown::MemberAndScore && count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
        return Err(too_many());
    }
    let Some(set) = keyspace.get::<ZSet>(key)? else {
        context.replies.array(0);
        return Ok(());
    };
    let number = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count >= 0 {
        let number = number.min(set.len());
        reply::begin(context.replies, shown, number);
        set.sample(rng, number).for_each(|drawn| reply::element(context.replies, shown, drawn));
        return Ok(());
    }
    if number > MAX_REPLY / SHORTEST {
        return Err(too_many());
    }
    let before = context.replies.bytes().len();
    reply::begin(context.replies, shown, number);
    for drawn in set.sample_with_replacement(rng, number) {
        reply::element(context.replies, shown, drawn);
        if context.replies.bytes().len() - before > MAX_REPLY {
            return Err(too_many());
        }
    }
    Ok(())
}
