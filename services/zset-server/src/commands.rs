//! The table of commands. Each group has a file with its handlers; `commands.txt` has the
//! properties of all commands.

#![allow(clippy::unnecessary_wraps, reason = "all handlers have one type")]

mod arguments;
mod connection;
mod dump;
mod keys;
mod server;
mod sorted_set;

use std::collections::HashMap;
use std::sync::LazyLock;

use zset_std::RandomState;

use crate::command::{Command, Handler, Handlers};
use crate::error::{CommandError, MAX_SHOWN, shown};

pub(crate) use sorted_set::attempt;

/// The handlers of all commands, except those of containers and of their HELP.
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

/// The maximum length of a command name.
const MAX_NAME: usize = 32;

impl Command {
    /// Returns all commands.
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
