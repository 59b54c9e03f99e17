//! Commands on sorted sets. The submodules contain the ZRANGE family and the set operations.

mod range;
mod set_ops;

use std::time::Duration;

use zset_core::redis::{AddFlags, AddOptions, rank_range};
use zset_core::{
    ByteString, IncrementError, ListpackLimits, NanScore, Score, TryReserveError, ZSet,
};

use super::arguments::{
    Options, PAGE, cursor, integer, lex_range, matches, not_negative, page_len, positive, score,
    score_range,
};
use super::{Context, Handlers, Replied};
use crate::client::{End, Pop, Wait};
use crate::keyspace::{Bytes, Keyspace, Value};
use crate::replies::{CommandError, Protocol, Replies};

use range::By;
use range::Direction::{Forward, Reverse};
use set_ops::Operation::{Difference, Intersection, Union};

pub(super) const HANDLERS: Handlers = &[
    ("bzmpop", bzmpop),
    ("bzpopmax", |context, arguments| bzpop(context, arguments, End::Max)),
    ("bzpopmin", |context, arguments| bzpop(context, arguments, End::Min)),
    ("zadd", |context, arguments| add(context, arguments, false)),
    // `add` parses ZADD's options for ZINCRBY too. Because ZINCRBY has a fixed number of arguments,
    // no complete pair remains after an option, so an option is always an error.
    ("zincrby", |context, arguments| add(context, arguments, true)),
    ("zcard", zcard),
    ("zcount", zcount),
    ("zdiff", |context, arguments| set_ops::answer(context, arguments, Difference)),
    ("zdiffstore", |context, arguments| set_ops::store_found(context, arguments, Difference)),
    ("zinter", |context, arguments| set_ops::answer(context, arguments, Intersection)),
    ("zintercard", set_ops::zintercard),
    ("zinterstore", |context, arguments| set_ops::store_found(context, arguments, Intersection)),
    ("zlexcount", zlexcount),
    ("zmpop", zmpop),
    ("zmscore", zmscore),
    ("zpopmax", |context, arguments| zpop(context, arguments, End::Max)),
    ("zpopmin", |context, arguments| zpop(context, arguments, End::Min)),
    ("zrandmember", zrandmember),
    ("zrange", |context, arguments| range::range(context, arguments, None)),
    ("zrangebylex", |context, arguments| {
        range::range(context, arguments, Some((By::Lex, Forward)))
    }),
    ("zrangebyscore", |context, arguments| {
        range::range(context, arguments, Some((By::Score, Forward)))
    }),
    ("zrangestore", range::zrangestore),
    ("zrank", |context, arguments| rank(context, arguments, |set, member| set.rank(member))),
    ("zrem", zrem),
    ("zremrangebylex", zremrangebylex),
    ("zremrangebyrank", zremrangebyrank),
    ("zremrangebyscore", zremrangebyscore),
    ("zrevrange", |context, arguments| range::range(context, arguments, Some((By::Rank, Reverse)))),
    ("zrevrangebylex", |context, arguments| {
        range::range(context, arguments, Some((By::Lex, Reverse)))
    }),
    ("zrevrangebyscore", |context, arguments| {
        range::range(context, arguments, Some((By::Score, Reverse)))
    }),
    ("zrevrank", |context, arguments| rank(context, arguments, |set, member| set.rev_rank(member))),
    ("zscan", zscan),
    ("zscore", zscore),
    ("zunion", |context, arguments| set_ops::answer(context, arguments, Union)),
    ("zunionstore", |context, arguments| set_ops::store_found(context, arguments, Union)),
];

/// Runs ZADD; with `incr`, ZINCRBY, which is ZADD with INCR.
fn add(context: &mut Context<'_>, arguments: &[&[u8]], incr: bool) -> Replied {
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
    let options = AddOptions::from_flags(flags).map_err(CommandError::err)?;
    if flags.incr && rest.len() > 2 {
        return Err(CommandError::err("INCR option supports a single increment-element pair"));
    }
    // Parse all scores first, so that an invalid one leaves the set unchanged.
    let elements = rest.chunks_exact(2).map(|pair| Ok((score(pair[0])?, pair[1])));
    let elements: Vec<_> = elements.collect::<Result<_, CommandError>>()?;

    let limits = context.state.config.limits;
    let (mut count, mut last) = (0, None);
    let add_all = |set: &mut ZSet| {
        prepare(set, limits, elements.iter().map(|(_, member)| *member))?;
        elements.into_iter().try_for_each(|(score, member)| {
            let added = set.try_add(member, score, options)?;
            count += added.count(options);
            last = added.score();
            Ok::<_, IncrementError<NanScore>>(())
        })
    };
    let keyspace = &mut context.state.keyspace;
    keyspace.change_or_insert(key, Value::SortedSet(ZSet::new()), add_all)??;
    if !flags.incr {
        return context.count(count);
    }
    write_score(context.replies, last);
    Ok(())
}

/// Applies the current limits to a set. If the number of members to add or the length of one
/// exceeds them, promotes the set first, even if no member is new, as Valkey does.
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

fn zcard(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.sorted_set(arguments[1])?;
    context.count(set.len())
}

fn zcount(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = score_range(arguments[2], arguments[3])?;
    let set = context.state.keyspace.sorted_set(arguments[1])?;
    context.count(set.count_by_score(range))
}

fn zlexcount(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = lex_range(arguments[2], arguments[3])?;
    let set = context.state.keyspace.sorted_set(arguments[1])?;
    context.count(set.count_by_lex(range))
}

fn zscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.sorted_set(arguments[1])?;
    write_score(context.replies, set.score(arguments[2]));
    Ok(())
}

fn zmscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.sorted_set(arguments[1])?;
    let members = &arguments[2..];
    context.replies.array(members.len());
    set.scores(members).for_each(|score| write_score(context.replies, score));
    Ok(())
}

fn rank(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    rank_of: fn(&ZSet, &[u8]) -> Option<usize>,
) -> Replied {
    let (key, member) = (arguments[1], arguments[2]);
    let with_score = match &arguments[3..] {
        [] => false,
        [option] if option.eq_ignore_ascii_case(b"withscore") => true,
        [_] => return Err(CommandError::SYNTAX),
        _ => {
            let name = String::from_utf8_lossy(arguments[0]).to_ascii_lowercase();
            return Err(CommandError::wrong_arity(&name));
        }
    };
    let set = context.state.keyspace.sorted_set(key)?;
    let rank = rank_of(set, member);
    let replies = &mut *context.replies;
    match rank {
        Some(rank) if with_score => {
            replies.array(2);
            replies.count(rank);
            write_score(replies, set.score(member));
        }
        Some(rank) => replies.count(rank),
        None if with_score => replies.null_array(),
        None => replies.null(),
    }
    Ok(())
}

fn zrem(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let members = &arguments[2..];
    remove_members(context, arguments[1], |set| {
        members.iter().filter(|member| set.remove(member).is_some()).count()
    })
}

fn zremrangebyrank(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (start, stop) = (integer(arguments[2])?, integer(arguments[3])?);
    remove_members(context, arguments[1], |set: &mut ZSet| {
        set.remove_range_by_rank(rank_range(start, stop, set.len()))
    })
}

fn zremrangebyscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = score_range(arguments[2], arguments[3])?;
    remove_members(context, arguments[1], |set: &mut ZSet| set.remove_range_by_score(range))
}

fn zremrangebylex(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let range = lex_range(arguments[2], arguments[3])?;
    remove_members(context, arguments[1], |set: &mut ZSet| set.remove_range_by_lex(range))
}

/// Removes members from a sorted set and replies with their number, which `remove` returns.
fn remove_members(
    context: &mut Context<'_>,
    key: &[u8],
    remove: impl FnOnce(&mut ZSet) -> usize,
) -> Replied {
    let removed = context.state.keyspace.change(key, remove)?;
    context.count(removed.unwrap_or(0))
}

/// Members popped from a set, in order.
type Popped = Vec<(ByteString, Score)>;

fn zpop(context: &mut Context<'_>, arguments: &[&[u8]], end: End) -> Replied {
    let (key, count) = match arguments {
        [_, key] => (key, None),
        [_, key, count] => (key, Some(count)),
        _ => return Err(CommandError::SYNTAX),
    };
    let max = match count {
        Some(count) => not_negative(count, "value is out of range, must be positive")?,
        None => 1,
    };
    let popped = pop(&mut context.state.keyspace, key, end, max)?.unwrap_or_default();
    let replies = &mut *context.replies;
    if count.is_some() && replies.protocol() == Protocol::Resp3 {
        reply_pairs(replies, &popped);
    } else {
        replies.array(2 * popped.len());
        for (member, score) in &popped {
            replies.bulk(member);
            replies.score(*score);
        }
    }
    Ok(())
}

fn zmpop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (keys, wanted) = multi_pop(&arguments[1..])?;
    if !attempt(wanted, keys, &mut context.state.keyspace, context.replies)? {
        context.replies.null_array();
    }
    Ok(())
}

/// Parses `numkeys key [key ...] <MIN | MAX> [COUNT count]`, of ZMPOP and BZMPOP.
fn multi_pop<'a>(arguments: &'a [&'a [u8]]) -> Result<(&'a [&'a [u8]], Pop), CommandError> {
    let mut rest = Options(arguments);
    let number = positive(rest.value()?, "numkeys should be greater than 0")?;
    let keys = rest.values(number)?;
    let end = match rest.value()?.to_ascii_lowercase().as_slice() {
        b"min" => End::Min,
        b"max" => End::Max,
        _ => return Err(CommandError::SYNTAX),
    };
    let count = match rest.name().as_deref() {
        None => 1,
        Some(b"count") => positive(rest.value()?, "count should be greater than 0")?,
        Some(_) => return Err(CommandError::SYNTAX),
    };
    if !rest.0.is_empty() {
        return Err(CommandError::SYNTAX);
    }
    Ok((keys, Pop { end, count: Some(count) }))
}

/// Pops up to `count` members from one end of a sorted set, if the key exists.
fn pop(
    keyspace: &mut Keyspace,
    key: &[u8],
    end: End,
    count: usize,
) -> Result<Option<Popped>, CommandError> {
    keyspace.change(key, |set: &mut ZSet| match end {
        End::Min => set.drain_by_rank(..count).collect(),
        End::Max => {
            let kept = set.len().saturating_sub(count);
            set.drain_by_rank(kept..).rev().collect::<Popped>()
        }
    })
}

/// Writes an array of member-score pairs, nested in RESP2 too.
fn reply_pairs(replies: &mut Replies, popped: &Popped) {
    replies.array(popped.len());
    for (member, score) in popped {
        replies.array(2);
        replies.bulk(member);
        replies.score(*score);
    }
}

/// The overhead of a key that a client waits for, in bytes.
const QUEUE_BYTES: usize = 350;

/// Pops members from the first key that has some; returns whether there was such a key.
pub(crate) fn attempt<K: AsRef<[u8]>>(
    wanted: Pop,
    keys: &[K],
    keyspace: &mut Keyspace,
    replies: &mut Replies,
) -> Result<bool, CommandError> {
    for key in keys {
        let key = key.as_ref();
        let count = wanted.count.unwrap_or(1);
        let Some(popped) = pop(keyspace, key, wanted.end, count)? else { continue };
        if let (None, [(member, score)]) = (wanted.count, popped.as_slice()) {
            replies.array(3);
            replies.bulk(key);
            replies.bulk(member);
            replies.score(*score);
        } else {
            replies.array(2);
            replies.bulk(key);
            reply_pairs(replies, &popped);
        }
        return Ok(true);
    }
    Ok(false)
}

fn bzpop(context: &mut Context<'_>, arguments: &[&[u8]], end: End) -> Replied {
    let [_, keys @ .., limit] = arguments else { return Err(CommandError::SYNTAX) };
    let limit = time_limit(limit, context)?;
    take_or_wait(context, keys, limit, Pop { end, count: None })
}

fn bzmpop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (keys, wanted) = multi_pop(&arguments[2..])?;
    let limit = time_limit(arguments[1], context)?;
    take_or_wait(context, keys, limit, wanted)
}

/// Pops members, or makes the client wait for some if it may wait.
fn take_or_wait(
    context: &mut Context<'_>,
    keys: &[&[u8]],
    limit: Option<Duration>,
    wanted: Pop,
) -> Replied {
    let Context { state, client, replies } = context;
    if attempt(wanted, keys, &mut state.keyspace, replies)? {
        return Ok(());
    }
    if !client.may_wait {
        replies.null_array();
        return Ok(());
    }
    let keys: Vec<Bytes> = keys.iter().map(|key| Bytes::from(*key)).collect();
    let ticket = state.keyspace.awaited.join(&keys, client.id);
    let bytes = keys.iter().map(|key| 2 * key.len() + QUEUE_BYTES).sum();
    client.wait = Some(Wait { keys, ticket, limit, bytes, pop: wanted });
    Ok(())
}

/// Parses the maximum wait in seconds; 0 means forever.
fn time_limit(text: &[u8], context: &Context<'_>) -> Result<Option<Duration>, CommandError> {
    let no_float = || CommandError::err("timeout is not a float or out of range");
    let seconds = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| !seconds.is_nan()).ok_or_else(no_float)?;
    // Like Redis, round up to milliseconds, and reject a deadline that does not fit in 64 bits.
    let millis = (seconds * 1000.0).ceil();
    let now = context.state.keyspace.now().as_nanos() / 1_000_000;
    if millis < 0.0 {
        return Err(CommandError::err("timeout is negative"));
    }
    #[allow(clippy::cast_precision_loss, reason = "it is a bound far away")]
    let most = i64::MAX as f64 - now as f64;
    if millis >= most {
        return Err(CommandError::err("timeout is out of range"));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    let millis = millis as u64;
    Ok((millis > 0).then(|| Duration::from_millis(millis)))
}

/// The maximum size of a reply with repeated members. Redis would continue until memory runs out.
const MAX_REPLY: usize = 64 << 20;

/// The size of an empty member in a reply, in bytes.
const SHORTEST: usize = b"$0\r\n\r\n".len();

fn zrandmember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (keyspace, rng) = (&context.state.keyspace, &mut rand::rng());
    let &[_, key, ref options @ ..] = arguments else { return Err(CommandError::SYNTAX) };
    let [count, options @ ..] = options else {
        let set = keyspace.sorted_set(key)?;
        match set.sample(rng, 1).next() {
            Some((member, _)) => context.replies.bulk(&member),
            None => context.replies.null(),
        }
        return Ok(());
    };
    // A positive count requests up to that many distinct members. A negative count requests exactly
    // its absolute value, and members may repeat.
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
    let set = keyspace.sorted_set(key)?;
    let number = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count >= 0 || set.is_empty() {
        let number = number.min(set.len());
        begin_elements(context.replies, shown, number);
        set.sample(rng, number).for_each(|drawn| write_element(context.replies, shown, drawn));
        return Ok(());
    }
    if number > MAX_REPLY / SHORTEST {
        return Err(too_many());
    }
    let before = context.replies.bytes().len();
    begin_elements(context.replies, shown, number);
    for drawn in set.sample_with_replacement(rng, number) {
        write_element(context.replies, shown, drawn);
        if context.replies.bytes().len() - before > MAX_REPLY {
            return Err(too_many());
        }
    }
    Ok(())
}

fn zscan(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let start = cursor(arguments[2])?;
    let set = context.state.keyspace.sorted_set(arguments[1])?;
    let (mut count, mut pattern, mut with_scores) = (PAGE, None, true);
    // As in Redis, the options are not checked if the key does not exist.
    let mut options = Options(if set.is_empty() { &[] } else { &arguments[3..] });
    while let Some(option) = options.name() {
        match option.as_slice() {
            b"count" => count = page_len(options.value()?)?,
            b"match" => pattern = Some(options.value()?),
            b"noscores" => with_scores = false,
            b"novalues" => {
                return Err(CommandError::err("NOVALUES option can only be used in HSCAN"));
            }
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let (next, mut page) = set.scan(start, count);
    page.retain(|(member, _)| pattern.is_none_or(|pattern| matches(pattern, member)));
    let replies = &mut *context.replies;
    replies.array(2);
    replies.text(format_args!("{next}"));
    replies.array(if with_scores { 2 * page.len() } else { page.len() });
    for (member, score) in page {
        replies.bulk(&member);
        if with_scores {
            // ZSCAN returns scores as strings in both protocols.
            replies.text(format_args!("{score}"));
        }
    }
    Ok(())
}

/// The form in which elements are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Member,
    MemberAndScore,
}

/// Writes elements in the format of the range commands.
pub(super) fn write_elements<M: AsRef<[u8]>>(
    replies: &mut Replies,
    shown: Shown,
    elements: impl ExactSizeIterator<Item = (M, Score)>,
) {
    begin_elements(replies, shown, elements.len());
    for each in elements {
        write_element(replies, shown, each);
    }
}

/// Begins a list of elements as written by [`write_elements`]; exactly `len` calls of
/// [`write_element`] must follow.
pub(super) fn begin_elements(replies: &mut Replies, shown: Shown, len: usize) {
    match shown {
        Shown::Member => replies.array(len),
        Shown::MemberAndScore => replies.pairs(len),
    }
}

/// Writes one of the elements that [`begin_elements`] announces.
pub(super) fn write_element(
    replies: &mut Replies,
    shown: Shown,
    (member, score): (impl AsRef<[u8]>, Score),
) {
    match shown {
        Shown::Member => replies.bulk(member.as_ref()),
        Shown::MemberAndScore => {
            replies.pair();
            replies.bulk(member.as_ref());
            replies.score(score);
        }
    }
}

/// Writes a score, or null.
pub(super) fn write_score(replies: &mut Replies, score: Option<Score>) {
    match score {
        Some(score) => replies.score(score),
        None => replies.null(),
    }
}

/// Stores a set at a key and replies with the number of its members.
pub(super) fn store(context: &mut Context<'_>, key: &[u8], set: ZSet) -> Replied {
    let len = set.len();
    context.state.keyspace.set(key, Value::SortedSet(set), None);
    context.count(len)
}
