//! Deadlines of keys: EXPIRE, TTL and related commands.
//!
//! Times are milliseconds since the Unix epoch, as in Redis. Times beyond the year 2554, the range of the
//! nanoseconds in a [`Timestamp`], are clamped.

use zset_std::Timestamp;

use super::arguments::integer;
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;
use crate::keyspace::{Keyspace, millis_of, time_of};

pub(super) const HANDLERS: Handlers = &[
    ("expire", |context, arguments| expire(context, arguments, Unit::SECONDS, "expire")),
    ("pexpire", |context, arguments| expire(context, arguments, Unit::MILLIS, "pexpire")),
    ("expireat", |context, arguments| expire(context, arguments, Unit::AT_SECOND, "expireat")),
    ("pexpireat", |context, arguments| expire(context, arguments, Unit::AT_MILLI, "pexpireat")),
    ("ttl", |context, arguments| deadline_in(context, arguments, Unit::SECONDS)),
    ("pttl", |context, arguments| deadline_in(context, arguments, Unit::MILLIS)),
    ("expiretime", |context, arguments| deadline_in(context, arguments, Unit::AT_SECOND)),
    ("pexpiretime", |context, arguments| deadline_in(context, arguments, Unit::AT_MILLI)),
    ("persist", persist),
];

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

    /// Returns the unit of the time after a lowercase option such as `ex`.
    pub(super) fn of_option(option: &[u8]) -> Option<Unit> {
        Some(match option {
            b"ex" => Unit::SECONDS,
            b"px" => Unit::MILLIS,
            b"exat" => Unit::AT_SECOND,
            b"pxat" => Unit::AT_MILLI,
            _ => return None,
        })
    }

    /// Converts a number to milliseconds since the epoch; `None` on overflow.
    pub(super) fn millis(self, number: i64, keyspace: &Keyspace) -> Option<i64> {
        let millis = if self.is_seconds { number.checked_mul(1000)? } else { number };
        if self.is_absolute { Some(millis) } else { millis.checked_add(millis_of(keyspace.now())) }
    }
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

/// The options NX, XX, GT and LT, by which setting a deadline depends on the current one.
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

    /// Returns whether the current deadline may be replaced. No deadline counts as later than any other.
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
    let new = unit.millis(number, keyspace).ok_or_else(|| invalid_expire(name))?;
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
