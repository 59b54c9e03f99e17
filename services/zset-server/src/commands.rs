//! The table of commands. The submodules contain the handlers, and `commands.txt` lists the
//! properties of each command.

#![allow(clippy::unnecessary_wraps, reason = "all handlers have one type")]

mod arguments;
mod connection;
mod dump;
mod keys;
mod server;
mod sorted_set;

use std::collections::HashMap;
use std::sync::LazyLock;

use zset_std::{RandomState, Timestamp};

use crate::client::{Clients, Session};
use crate::config::Config;
use crate::keyspace::Keyspace;
use crate::replies::{CommandError, MAX_SHOWN, Replies, shown};

pub(crate) use sorted_set::attempt;

/// The result of a command. On success, it has written exactly one reply. On an error, it has
/// changed no keys, unless an allocation failed midway.
pub(crate) type Replied = Result<(), CommandError>;

/// The function that runs a command. The first argument is the command's name.
pub(crate) type Handler = fn(&mut Context<'_>, &[&[u8]]) -> Replied;

/// Commands by name, in lowercase; a subcommand is named like `client|id`.
pub(crate) type Handlers = &'static [(&'static str, Handler)];

pub(crate) struct Context<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) client: &'a mut Session,
    pub(crate) replies: &'a mut Replies,
}

pub(crate) struct State {
    pub(crate) keyspace: Keyspace,
    pub(crate) config: Config,
    pub(crate) stats: Stats,
    /// When the engine was created.
    pub(crate) started: Timestamp,
    pub(crate) memory: Memory,
    /// All clients. The session of the client that runs the current command is already borrowed.
    pub(crate) clients: Clients,
}

/// Samples the memory in use: the bytes that are allocated and not yet freed. The resident memory
/// of the process is unsuitable: it need not shrink when keys are removed, so a server that reached
/// its limit could stay there.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Returns the number of allocated bytes. If `None`, memory is not counted.
    pub(crate) allocated: Option<fn() -> usize>,
    peak: usize,
}

impl Memory {
    /// Returns whether more than `max` bytes are in use; a `max` of 0 means no limit.
    pub(crate) fn is_beyond(&mut self, max: usize) -> bool {
        let (used, _) = self.look();
        max != 0 && used > max
    }

    /// Returns the bytes in use and their peak over all samples; every command that may allocate
    /// takes a sample. Both are 0 if memory is not counted.
    pub(crate) fn look(&mut self) -> (usize, usize) {
        let used = self.allocated.map_or(0, |allocated| allocated());
        self.peak = self.peak.max(used);
        (used, self.peak)
    }
}

/// Counters for INFO.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stats {
    pub(crate) commands: u64,
    pub(crate) errors: u64,
    pub(crate) clients: u64,
    pub(crate) rejected_clients: u64,
}

impl Context<'_> {
    pub(crate) fn ok(&mut self) -> Replied {
        self.replies.status("OK");
        Ok(())
    }

    /// Replies with a nonnegative integer.
    pub(crate) fn count(&mut self, count: usize) -> Replied {
        self.replies.count(count);
        Ok(())
    }

    /// Replies with an integer; `true` is 1.
    pub(crate) fn integer(&mut self, integer: impl Into<i64>) -> Replied {
        self.replies.integer(integer.into());
        Ok(())
    }
}

/// A command or a subcommand.
#[derive(Debug)]
pub(crate) struct Command {
    /// The name in lowercase; a subcommand is named like `client|id`.
    pub(crate) name: &'static str,
    /// The number of arguments, including the name; if negative, the minimum number.
    pub(crate) arity: i8,
    /// The positions of the first and the last key among the arguments (the last one counted from
    /// the end if negative) and the step between keys; all zero if no keys have fixed positions.
    pub(crate) keys: [i8; 3],
    pub(crate) summary: &'static str,
    /// The syntax of the arguments.
    pub(crate) arguments: &'static str,
    /// Shown by COMMAND: the group, the first version of Redis that has the command, and the flags.
    pub(crate) group: &'static str,
    pub(crate) since: &'static str,
    pub(crate) flags: Vec<&'static str>,
    /// Whether the command may allocate memory, i.e. has the flag `denyoom`.
    pub(crate) may_grow: bool,
    pub(crate) subcommands: Vec<Command>,
    pub(crate) handler: Handler,
}

/// The handlers of all commands, except containers and their HELP subcommands.
const HANDLERS: &[Handlers] =
    &[connection::HANDLERS, sorted_set::HANDLERS, keys::HANDLERS, dump::HANDLERS, server::HANDLERS];

static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let handlers: HashMap<_, _> = HANDLERS.iter().copied().flatten().copied().collect();
    let handler = |name: &str| match handlers.get(name) {
        Some(handler) => *handler,
        None if name.ends_with("|help") => server::help as Handler,
        None => server::container,
    };
    let mut commands: Vec<Command> = Vec::new();
    let lines = include_str!("commands/commands.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let command = Command::parse(line, handler).expect("each line has all columns");
        match commands.last_mut() {
            Some(container) if command.name.contains('|') => container.subcommands.push(command),
            _ => commands.push(command),
        }
    }
    commands
});

/// The maximum length of a command name, in bytes.
const MAX_NAME: usize = 32;

impl Command {
    pub(crate) fn all() -> impl Iterator<Item = &'static Command> {
        COMMANDS.iter()
    }

    /// Returns the command with a name, ignoring case. **O(1)**.
    pub(crate) fn find(name: &[u8]) -> Option<&'static Command> {
        static BY_NAME: LazyLock<HashMap<&'static [u8], &'static Command, RandomState>> =
            LazyLock::new(|| Command::all().map(|it| (it.name.as_bytes(), it)).collect());
        let mut lower = [0; MAX_NAME];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        BY_NAME.get(&*lower).copied()
    }

    /// Returns the command with a name, or the subcommand with a name like `client|id`, ignoring
    /// case.
    pub(crate) fn find_nested(name: &[u8]) -> Option<&'static Command> {
        match name.iter().position(|byte| *byte == b'|') {
            None => Command::find(name),
            Some(bar) => Command::find(&name[..bar])?.subcommand(&name[bar + 1..]),
        }
    }

    /// Returns the command that the arguments name, after checking their number.
    pub(crate) fn of(arguments: &[&[u8]]) -> Result<&'static Command, CommandError> {
        let command = Command::named_by(arguments)?;
        if !command.takes(arguments.len()) {
            return Err(CommandError::wrong_arity(command.name));
        }
        Ok(command)
    }

    /// Returns the command that the arguments name, without checking their number.
    pub(crate) fn named_by(arguments: &[&[u8]]) -> Result<&'static Command, CommandError> {
        let (name, rest) = arguments.split_first().ok_or(CommandError::SYNTAX)?;
        let command = Command::find(name).ok_or_else(|| unknown(name, rest))?;
        match rest.first() {
            Some(name) if !command.subcommands.is_empty() => {
                command.subcommand(name).ok_or_else(|| unknown_nested(command, name))
            }
            _ => Ok(command),
        }
    }

    /// Parses a line of `commands.txt`; `handler` maps a name to its handler. Returns `None` if the
    /// line is malformed.
    fn parse(line: &'static str, handler: impl FnOnce(&str) -> Handler) -> Option<Command> {
        // Split into at most eight columns: the last one, the arguments, may itself contain bars.
        let columns: Vec<_> = line.splitn(8, " | ").map(str::trim).collect();
        let &[name, arity, group, since, flags, keys, summary, ref arguments @ ..] = &*columns
        else {
            return None;
        };
        let flags: Vec<_> = flags.split(',').filter(|flag| !flag.is_empty()).collect();
        let keys: Vec<_> = keys.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Command {
            name,
            arity: arity.parse().ok()?,
            keys: keys.try_into().ok()?,
            summary,
            arguments: arguments.first().copied().unwrap_or_default(),
            group,
            since,
            may_grow: flags.contains(&"denyoom"),
            flags,
            subcommands: Vec::new(),
            handler: handler(name),
        })
    }

    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// Returns the subcommand with a name, ignoring case.
    fn subcommand(&self, name: &[u8]) -> Option<&Command> {
        self.subcommands.iter().find(|command| {
            command.name.as_bytes()[self.name.len() + 1..].eq_ignore_ascii_case(name)
        })
    }

    /// Returns whether the command accepts this number of arguments, including its name.
    fn takes(&self, arguments: usize) -> bool {
        let number = usize::from(self.arity.unsigned_abs());
        if self.arity < 0 { arguments >= number } else { arguments == number }
    }
}

/// Returns the error for an unknown command, which quotes the start of its arguments as Redis does.
fn unknown(name: &[u8], arguments: &[&[u8]]) -> CommandError {
    let mut text = b"ERR unknown command '".to_vec();
    text.extend_from_slice(shown(name, MAX_SHOWN));
    text.extend_from_slice(b"', with args beginning with: ");
    let start = text.len();
    for argument in arguments {
        let len = text.len() - start;
        if len >= MAX_SHOWN {
            break;
        }
        text.push(b'\'');
        text.extend_from_slice(shown(argument, MAX_SHOWN - len));
        text.extend_from_slice(b"' ");
    }
    CommandError::new(text)
}

fn unknown_nested(command: &Command, name: &[u8]) -> CommandError {
    let after = format!("'. Try {} HELP.", command.name.to_ascii_uppercase());
    CommandError::quoting("unknown subcommand '", shown(name, MAX_SHOWN), &after)
}
