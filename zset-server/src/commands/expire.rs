//! Deadlines of keys: EXPIRE, TTL and related commands.
//!
//! Times are milliseconds since the Unix epoch, as in Redis. Times beyond the year 2554, the range of the
//! nanoseconds in a [`Timestamp`], are clamped.

use zset_std::Timestamp;

use crate::command::{Command, Handler, READ, WRITE};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Keyspace;

use super::arguments::integer;

const NANOS_IN_MILLI: u64 = 1_000_000;

pub(super) const COMMANDS: &[Command] = &[
    setter("expire", expire, "Has a key go after so many seconds."),
    setter("pexpire", pexpire, "Has a key go after so many milliseconds."),
    setter("expireat", expireat, "Has a key go at a second since 1970."),
    setter("pexpireat", pexpireat, "Has a key go at a millisecond since 1970."),
    getter("ttl", ttl, "Returns the seconds until a key goes."),
    getter("pttl", pttl, "Returns the milliseconds until a key goes."),
    getter("expiretime", expiretime, "Returns the second since 1970 at which a key goes."),
    getter("pexpiretime", pexpiretime, "Returns the millisecond since 1970 at which a key goes."),
    Command {
        name: "persist",
        arity: 2,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Has a key stay for ever.",
        handler: persist,
    },
];

const fn setter(name: &'static str, handler: Handler, summary: &'static str) -> Command {
    Command { name, arity: -3, flags: WRITE, keys: (1, 1, 1), summary, handler }
}

const fn getter(name: &'static str, handler: Handler, summary: &'static str) -> Command {
    Command { name, arity: 2, flags: READ, keys: (1, 1, 1), summary, handler }
}

/// The meaning of a time argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) is_seconds: bool,
    /// Relative to the Unix epoch instead of now.
    pub(super) is_absolute: bool,
}

impl Unit {
    pub(super) const SECONDS: Unit = Unit { is_seconds: true, is_absolute: false };
    pub(super) const MILLIS: Unit = Unit { is_seconds: false, is_absolute: false };
    pub(super) const AT_SECOND: Unit = Unit { is_seconds: true, is_absolute: true };
    pub(super) const AT_MILLI: Unit = Unit { is_seconds: false, is_absolute: true };

    /// Converts a number to milliseconds since the epoch; `None` on overflow.
    pub(super) fn millis(self, number: i64, keyspace: &Keyspace) -> Option<i64> {
        let millis = if self.is_seconds { number.checked_mul(1000)? } else { number };
        if self.is_absolute { Some(millis) } else { millis.checked_add(now(keyspace)) }
    }
}

/// Returns the current time in milliseconds.
pub(super) fn now(keyspace: &Keyspace) -> i64 {
    millis_of(keyspace.now())
}

fn millis_of(time: Timestamp) -> i64 {
    // Milliseconds of a `u64` of nanoseconds always fit an `i64`.
    (time.as_nanos() / NANOS_IN_MILLI).cast_signed()
}

/// Converts milliseconds to a timestamp; times before 1970 become the epoch.
pub(crate) fn time_of(millis: i64) -> Timestamp {
    Timestamp::from_nanos(u64::try_from(millis).unwrap_or(0).saturating_mul(NANOS_IN_MILLI))
}

fn invalid_expire(command: &str) -> CommandError {
    CommandError::err(format_args!("invalid expire time in '{command}' command"))
}

/// Parses the time after an option like `EX`, which must be positive.
pub(super) fn deadline(
    unit: Unit,
    number: &[u8],
    keyspace: &Keyspace,
    command: &str,
) -> Result<Timestamp, CommandError> {
    let number = Some(integer(number)?).filter(|number| *number > 0);
    let millis = number.and_then(|number| unit.millis(number, keyspace));
    Ok(time_of(millis.ok_or_else(|| invalid_expire(command))?))
}

/// The options that make setting a deadline depend on the current one.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "they are the options as one writes them")]
struct Conditions {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
}

impl Conditions {
    fn parse(options: &[&[u8]]) -> Result<Self, CommandError> {
        let mut conditions = Conditions::default();
        for option in options {
            match option.to_ascii_lowercase().as_slice() {
                b"nx" => conditions.nx = true,
                b"xx" => conditions.xx = true,
                b"gt" => conditions.gt = true,
                b"lt" => conditions.lt = true,
                _ => {
                    return Err(CommandError::quoting("Unsupported option ", option, ""));
                }
            }
        }
        let Conditions { nx, xx, gt, lt } = conditions;
        if nx && (xx || gt || lt) {
            let text = "NX and XX, GT or LT options at the same time are not compatible";
            return Err(CommandError::err(text));
        }
        if gt && lt {
            let text = "GT and LT options at the same time are not compatible";
            return Err(CommandError::err(text));
        }
        Ok(conditions)
    }

    /// Returns whether the current deadline may be replaced. No deadline counts as later than any other.
    fn allow(self, current: Option<i64>, new: i64) -> bool {
        !(self.nx && current.is_some()
            || self.xx && current.is_none()
            || self.gt && current.is_none_or(|current| new <= current)
            || self.lt && current.is_some_and(|current| new >= current))
    }
}

fn expire(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_deadline(context, arguments, Unit::SECONDS, "expire")
}

fn pexpire(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_deadline(context, arguments, Unit::MILLIS, "pexpire")
}

fn expireat(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_deadline(context, arguments, Unit::AT_SECOND, "expireat")
}

fn pexpireat(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_deadline(context, arguments, Unit::AT_MILLI, "pexpireat")
}

fn set_deadline(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    unit: Unit,
    name: &str,
) -> Result<(), CommandError> {
    let conditions = Conditions::parse(&arguments[3..])?;
    let (key, number) = (arguments[1], integer(arguments[2])?);
    let keyspace = &mut context.state.keyspace;
    let new = unit.millis(number, keyspace).ok_or_else(|| invalid_expire(name))?;
    let is_set =
        keyspace.deadline(key).is_some_and(|current| conditions.allow(current.map(millis_of), new));
    if is_set {
        keyspace.set_deadline(key, Some(time_of(new)));
    }
    context.replies.integer(is_set.into());
    Ok(())
}

fn persist(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let had_deadline = remove_deadline(&mut context.state.keyspace, arguments[1]);
    context.replies.integer(had_deadline.into());
    Ok(())
}

/// Removes the deadline of a key; returns whether it had one.
pub(super) fn remove_deadline(keyspace: &mut Keyspace, key: &[u8]) -> bool {
    let had_deadline = matches!(keyspace.deadline(key), Some(Some(_)));
    if had_deadline {
        keyspace.set_deadline(key, None);
    }
    had_deadline
}

fn ttl(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    reply_deadline(context, arguments[1], |millis, now| rounded_seconds((millis - now).max(0)))
}

fn pttl(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    reply_deadline(context, arguments[1], |millis, now| (millis - now).max(0))
}

fn expiretime(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    reply_deadline(context, arguments[1], |millis, _| rounded_seconds(millis))
}

fn pexpiretime(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    reply_deadline(context, arguments[1], |millis, _| millis)
}

fn rounded_seconds(millis: i64) -> i64 {
    (millis + 500) / 1000
}

/// Writes a deadline, converted by the caller; -1 if there is none, -2 if the key does not exist.
fn reply_deadline(
    context: &mut Context<'_>,
    key: &[u8],
    show: impl FnOnce(i64, i64) -> i64,
) -> Result<(), CommandError> {
    let keyspace = &context.state.keyspace;
    let reply = match keyspace.deadline(key) {
        None => -2,
        Some(None) => -1,
        Some(Some(deadline)) => show(millis_of(deadline), now(keyspace)),
    };
    context.replies.integer(reply);
    Ok(())
}
