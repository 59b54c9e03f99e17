//! Commands on keys of any type and their deadlines, basic commands on plain strings and sets, and
//! CL.THROTTLE. Set operations accept plain sets as sources. Other commands that expect a sorted
//! set reject strings and plain sets.
//!
//! Deadlines are in milliseconds since the Unix epoch, and are capped in the year 2554.

use zset_core::{Encoding, Score, ZSet};

use super::arguments::{
    Options, PAGE, check_database, cursor, integer, is_sync_or_async, matches, page_len,
};
use super::{Context, Handlers, Replied};
use crate::keyspace::{EMPTY, Keyspace, Value, millis_of, time_of};
use crate::replies::{CommandError, until_zero};
use crate::requests::parse_integer;

pub(super) const HANDLERS: Handlers = &[
    ("del", del),
    ("exists", exists),
    ("type", type_of),
    ("rename", rename),
    ("copy", copy),
    ("keys", keys),
    ("scan", scan),
    ("dbsize", |context, _| context.count(context.state.keyspace.len())),
    ("flushall", flush),
    ("flushdb", flush),
    ("expire", |context, arguments| expire(context, arguments, Unit::SECONDS, "expire")),
    ("pexpire", |context, arguments| expire(context, arguments, Unit::MILLIS, "pexpire")),
    ("expireat", |context, arguments| expire(context, arguments, Unit::AT_SECOND, "expireat")),
    ("pexpireat", |context, arguments| expire(context, arguments, Unit::AT_MILLI, "pexpireat")),
    ("ttl", |context, arguments| deadline_in(context, arguments, Unit::SECONDS)),
    ("pttl", |context, arguments| deadline_in(context, arguments, Unit::MILLIS)),
    ("expiretime", |context, arguments| deadline_in(context, arguments, Unit::AT_SECOND)),
    ("pexpiretime", |context, arguments| deadline_in(context, arguments, Unit::AT_MILLI)),
    ("persist", persist),
    ("object|encoding", encoding),
    ("get", get),
    ("set", set),
    ("sadd", sadd),
    ("smembers", smembers),
    ("cl.throttle", throttle),
];

fn del(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let now = keyspace.now();
    let mut count = 0;
    for key in &arguments[1..] {
        let was_limit = keyspace.throttles.reset(key, now);
        let was_key = keyspace.remove(key).is_some();
        count += usize::from(was_key || was_limit);
    }
    context.count(count)
}

fn exists(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keyspace = &context.state.keyspace;
    context.count(arguments[1..].iter().filter(|key| keyspace.value(key).is_some()).count())
}

fn type_of(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let value = context.state.keyspace.value(arguments[1]);
    context.replies.status(value.map_or("none", |value| value.type_name()));
    Ok(())
}

fn copy(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (from, to) = (arguments[1], arguments[2]);
    let (mut options, mut replace) = (Options(&arguments[3..]), false);
    while let Some(option) = options.name() {
        match option.as_slice() {
            b"replace" => replace = true,
            b"db" => check_database(options.value()?)?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    if from == to {
        return Err(CommandError::err("source and destination objects are the same"));
    }
    let keyspace = &mut context.state.keyspace;
    let value = keyspace.value(from).filter(|_| replace || keyspace.value(to).is_none());
    let copied = value.cloned();
    context.replies.integer(copied.is_some().into());
    if let Some(value) = copied {
        let deadline = keyspace.deadline(from).flatten();
        keyspace.set(to, value, deadline);
    }
    Ok(())
}

/// The types that SCAN accepts; only three of them exist here.
const TYPES: &[&str] = &["string", "list", "set", "zset", "hash", "stream"];

fn keys(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keys = context.state.keyspace.iter().map(|(key, _)| key);
    let keys: Vec<_> = keys.filter(|key| matches(arguments[1], key)).collect();
    context.replies.array(keys.len());
    for key in keys {
        context.replies.bulk(key);
    }
    Ok(())
}

fn scan(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let cursor = cursor(arguments[1])?;
    let (mut count, mut pattern, mut type_name) = (PAGE, None, None);
    let mut options = Options(&arguments[2..]);
    while let Some(option) = options.name() {
        let value = options.value()?;
        match option.as_slice() {
            b"count" => count = page_len(value)?,
            b"match" => pattern = Some(value),
            b"type" if TYPES.iter().any(|name| value.eq_ignore_ascii_case(name.as_bytes())) => {
                type_name = Some(value);
            }
            b"type" => return Err(CommandError::quoting("unknown type name '", value, "'")),
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let (next, mut page) = context.state.keyspace.scan(cursor, count);
    page.retain(|(key, value)| {
        pattern.is_none_or(|pattern| matches(pattern, key))
            && type_name.is_none_or(|name| name.eq_ignore_ascii_case(value.type_name().as_bytes()))
    });
    context.replies.array(2);
    context.replies.text(format_args!("{next}"));
    context.replies.array(page.len());
    for (key, _) in page {
        context.replies.bulk(key);
    }
    Ok(())
}

fn flush(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match arguments[1..] {
        [] => {}
        [how] if is_sync_or_async(how) => {}
        _ => return Err(CommandError::SYNTAX),
    }
    context.state.keyspace.clear();
    context.ok()
}

/// Renames a key with its deadline, replacing any value of the new name.
fn rename(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (from, to) = (arguments[1], arguments[2]);
    let keyspace = &mut context.state.keyspace;
    let deadline = keyspace.deadline(from).ok_or_else(|| CommandError::err("no such key"))?;
    if from != to
        && let Some(value) = keyspace.remove(from)
    {
        keyspace.set(to, value, deadline);
    }
    context.ok()
}

/// The meaning of a time argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    is_seconds: bool,
    /// Whether the time is relative to the Unix epoch instead of now.
    is_absolute: bool,
}

impl Unit {
    const SECONDS: Unit = Unit { is_seconds: true, is_absolute: false };
    pub(super) const MILLIS: Unit = Unit { is_seconds: false, is_absolute: false };
    const AT_SECOND: Unit = Unit { is_seconds: true, is_absolute: true };
    pub(super) const AT_MILLI: Unit = Unit { is_seconds: false, is_absolute: true };

    /// Converts a number to milliseconds since the epoch; `None` on overflow.
    pub(super) fn millis(self, number: i64, keyspace: &Keyspace) -> Option<i64> {
        let millis = if self.is_seconds { number.checked_mul(1000)? } else { number };
        if self.is_absolute { Some(millis) } else { millis.checked_add(millis_of(keyspace.now())) }
    }
}

/// The options NX, XX, GT and LT: conditions on the current deadline.
#[derive(Clone, Copy, Debug)]
struct Conditions([bool; 4]);

impl Conditions {
    const NAMES: [&str; 4] = ["nx", "xx", "gt", "lt"];

    fn parse(options: &[&[u8]]) -> Result<Self, CommandError> {
        let mut is_set = [false; 4];
        for option in options {
            let is_name = |name: &&str| option.eq_ignore_ascii_case(name.as_bytes());
            let index = Self::NAMES.iter().position(is_name);
            let unsupported = || CommandError::quoting("Unsupported option ", option, "");
            is_set[index.ok_or_else(unsupported)?] = true;
        }
        let together = match is_set {
            [true, xx, gt, lt] if xx || gt || lt => "NX and XX, GT or LT",
            [_, _, true, true] => "GT and LT",
            _ => return Ok(Conditions(is_set)),
        };
        let text = format!("{together} options at the same time are not compatible");
        Err(CommandError::err(text))
    }

    /// Returns whether the current deadline may be replaced. A missing deadline counts as later
    /// than any other.
    fn allow(self, current: Option<i64>, new: i64) -> bool {
        let Conditions([nx, xx, gt, lt]) = self;
        !(nx && current.is_some()
            || xx && current.is_none()
            || gt && current.is_none_or(|current| new <= current)
            || lt && current.is_some_and(|current| new >= current))
    }
}

fn expire(context: &mut Context<'_>, arguments: &[&[u8]], unit: Unit, name: &str) -> Replied {
    let conditions = Conditions::parse(&arguments[3..])?;
    let (key, number) = (arguments[1], integer(arguments[2])?);
    let keyspace = &mut context.state.keyspace;
    let new = unit.millis(number, keyspace).ok_or_else(|| {
        CommandError::err(format_args!("invalid expire time in '{name}' command"))
    })?;
    let is_set =
        keyspace.deadline(key).is_some_and(|current| conditions.allow(current.map(millis_of), new));
    if is_set {
        keyspace.set_deadline(key, Some(time_of(new)));
    }
    context.integer(is_set)
}

fn persist(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let had_deadline = matches!(keyspace.deadline(arguments[1]), Some(Some(_)));
    if had_deadline {
        keyspace.set_deadline(arguments[1], None);
    }
    context.integer(had_deadline)
}

/// Replies with the deadline of a key; -1 if there is none, -2 if the key does not exist.
fn deadline_in(context: &mut Context<'_>, arguments: &[&[u8]], unit: Unit) -> Replied {
    let keyspace = &context.state.keyspace;
    let reply = match keyspace.deadline(arguments[1]) {
        None => -2,
        Some(None) => -1,
        Some(Some(deadline)) => {
            let now = if unit.is_absolute { 0 } else { millis_of(keyspace.now()) };
            let millis = (millis_of(deadline) - now).max(0);
            if unit.is_seconds { (millis + 500) / 1000 } else { millis }
        }
    };
    context.integer(reply)
}

/// The maximum length of a string that Redis embeds next to its header.
const LONGEST_EMBEDDED: usize = 44;

fn encoding(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match context.state.keyspace.value(arguments[2]) {
        Some(value) => context.replies.bulk(encoding_of(value).as_bytes()),
        None => context.replies.null(),
    }
    Ok(())
}

/// Returns the encoding of a value; for a string, the one that Redis would use.
fn encoding_of(value: &Value) -> &'static str {
    match value {
        Value::String(text) if parse_integer(text).is_some() => "int",
        Value::String(text) if text.len() <= LONGEST_EMBEDDED => "embstr",
        Value::String(_) => "raw",
        Value::Set(_) => "hashtable",
        Value::SortedSet(set) => match set.encoding() {
            Encoding::Listpack => "listpack",
            _ => "skiplist",
        },
    }
}

fn get(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match context.state.keyspace.value(arguments[1]) {
        Some(Value::String(string)) => context.replies.bulk(string),
        Some(_) => return Err(CommandError::WRONG_TYPE),
        None => context.replies.null(),
    }
    Ok(())
}

/// Sets a string, without the options of Redis's SET.
fn set(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    context.state.keyspace.set(arguments[1], Value::String(arguments[2].to_vec()), None);
    context.ok()
}

fn sadd(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, members) = (arguments[1], &arguments[2..]);
    let add = |set: &mut ZSet| {
        members.iter().filter(|member| set.insert(member, Score::from(1)).is_none()).count()
    };
    let added = context.state.keyspace.change_or_insert(key, Value::Set(ZSet::new()), add)?;
    context.count(added)
}

fn smembers(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = match context.state.keyspace.value(arguments[1]) {
        Some(Value::Set(set)) => set,
        Some(_) => return Err(CommandError::WRONG_TYPE),
        None => &EMPTY,
    };
    context.replies.set(set.len());
    set.into_iter().for_each(|(member, _)| context.replies.bulk(&member));
    Ok(())
}

/// CL.THROTTLE, compatible with redis-cell: <https://github.com/brandur/redis-cell>.
fn throttle(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, numbers) = match arguments {
        [_, key, numbers @ ..] if matches!(numbers.len(), 3 | 4) => (*key, numbers),
        _ => {
            let usage = "Cell error: Usage: cl.throttle <key> <max_burst> <count per period> \
                         <period> [<quantity>]";
            return Err(CommandError::new(usage));
        }
    };
    let mut parsed = [0, 0, 0, 1];
    for (slot, text) in parsed.iter_mut().zip(numbers) {
        *slot = cell_integer(text)?;
    }
    let [max_burst, count, period, quantity] = parsed;
    if count == 0 || period == 0 {
        return Err(CommandError::new("Cell error: Zero rates are not supported"));
    }
    let now = context.state.keyspace.now();
    let funnels = &context.state.keyspace.throttles.funnels;
    let it = funnels
        .at(now)
        .throttle(key, max_burst, count, period, quantity)
        .map_err(|error| CommandError::new(format!("Cell error: {error}")))?;
    context.replies.array(5);
    for number in [it.limited.into(), it.limit, it.remaining, it.retry_after, it.reset_after] {
        context.replies.integer(number);
    }
    Ok(())
}

/// Parses an integer as redis-cell does, accepting a leading plus and leading zeros.
fn cell_integer(text: &[u8]) -> Result<i64, CommandError> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let before = b"Cell error: Couldn't parse as integer: ";
        CommandError::new([before, until_zero(text)].concat())
    })
}
