//! [`Command`]: the commands, and their properties known before they run.

mod details;

use std::collections::{BTreeMap, HashMap};
use std::ptr;
use std::sync::LazyLock;

use zset_std::RandomState;

use crate::commands;
use crate::engine::Context;
use crate::error::{CommandError, MAX_SHOWN, shown};

pub(crate) use details::{Details, Finds, KeySpec};

/// The function that runs a command. The first argument is the command's name. It writes exactly one
/// reply, or returns an error before it has changed anything.
pub(crate) type Handler = fn(&mut Context<'_>, &[&[u8]]) -> Result<(), CommandError>;

/// A command.
#[derive(Debug)]
pub(crate) struct Command {
    /// In lowercase; a subcommand is named like `client|id`.
    pub(crate) name: &'static str,
    /// The number of arguments, including the name; if negative, the minimum number.
    pub(crate) arity: i8,
    pub(crate) flags: Flags,
    /// The positions of the first and the last key among the arguments (the last one counted from the end
    /// if negative) and the step between keys; all zero if there are no keys.
    pub(crate) keys: (i8, i8, i8),
    pub(crate) summary: &'static str,
    pub(crate) handler: Handler,
}

/// The properties of a command that affect how the server runs it.
#[allow(clippy::struct_excessive_bools, reason = "they have nothing to do with each other")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// It may modify keys.
    pub(crate) write: bool,
    /// It may allocate memory.
    pub(crate) deny_oom: bool,
    /// It runs immediately, even within MULTI.
    pub(crate) immediate: bool,
    /// It is rejected within MULTI.
    pub(crate) no_multi: bool,
    /// It is available without authentication.
    pub(crate) no_auth: bool,
    /// Only clients allowed by `enable-debug-command` may run it.
    pub(crate) protected: bool,
}

pub(crate) const READ: Flags = Flags {
    write: false,
    deny_oom: false,
    immediate: false,
    no_multi: false,
    no_auth: false,
    protected: false,
};
pub(crate) const WRITE: Flags = Flags { write: true, ..READ };
pub(crate) const GROW: Flags = Flags { deny_oom: true, ..WRITE };

/// The maximum length of a command name.
const MAX_NAME: usize = 32;

/// The maximum number of arguments of a command that counts as quick.
const FEW_ARGUMENTS: usize = 32;

/// A command and its subcommands.
type Entry = (&'static Command, &'static [Command]);

impl Command {
    /// Creates a command.
    pub(crate) const fn new(
        name: &'static str,
        arity: i8,
        flags: Flags,
        keys: (i8, i8, i8),
        handler: Handler,
        summary: &'static str,
    ) -> Command {
        Command { name, arity, flags, keys, summary, handler }
    }

    /// Creates a command without keys that modifies nothing.
    pub(crate) const fn plain(
        name: &'static str,
        arity: i8,
        summary: &'static str,
        handler: Handler,
    ) -> Command {
        Command { name, arity, flags: READ, keys: (0, 0, 0), summary, handler }
    }

    /// Returns the command with a name, ignoring case. **O(1)**.
    pub(crate) fn find(name: &[u8]) -> Option<&'static Command> {
        find_entry(name).map(|(command, _)| command)
    }

    /// Returns the command with a name, or the subcommand with a name like `client|id`, ignoring case.
    pub(crate) fn find_nested(name: &[u8]) -> Option<&'static Command> {
        match name.iter().position(|byte| *byte == b'|') {
            None => Command::find(name),
            Some(bar) => {
                let (command, _) = find_entry(&name[..bar])?;
                command.subcommand(&name[bar + 1..])
            }
        }
    }

    /// Returns the command that the arguments name, after checking their number.
    pub(crate) fn of(arguments: &[&[u8]]) -> Result<&'static Command, CommandError> {
        let command = Command::named_by(arguments)?;
        if !command.takes(arguments.len()) {
            return Err(CommandError::WrongArity(command.name.to_owned()));
        }
        Ok(command)
    }

    /// Returns the command that the arguments name, without checking their number.
    pub(crate) fn named_by(arguments: &[&[u8]]) -> Result<&'static Command, CommandError> {
        let Some((name, rest)) = arguments.split_first() else {
            return Err(CommandError::Syntax);
        };
        let (command, subcommands) = find_entry(name).ok_or_else(|| unknown(name, rest))?;
        match rest.first() {
            Some(name) if !subcommands.is_empty() => {
                command.subcommand(name).ok_or_else(|| unknown_nested(command, name))
            }
            _ => Ok(command),
        }
    }

    /// Runs the command.
    pub(crate) fn call(
        &'static self,
        context: &mut Context<'_>,
        arguments: &[&[u8]],
    ) -> Result<(), CommandError> {
        let is_quick = context.state.calls.count(self) && arguments.len() <= FEW_ARGUMENTS;
        context.client.is_slow |= !is_quick;
        (self.handler)(context, arguments)
    }

    /// Returns all commands.
    pub(crate) fn all() -> impl Iterator<Item = &'static Command> {
        commands::GROUPS.iter().flat_map(|group| group.iter())
    }

    /// Returns the subcommands.
    pub(crate) fn subcommands(&self) -> &'static [Command] {
        let lists = commands::SUBCOMMANDS.iter().copied();
        lists.into_iter().find(|list| list[0].container() == self.name).unwrap_or_default()
    }

    fn subcommand(&self, name: &[u8]) -> Option<&'static Command> {
        let is_of_name = |command: &&Command| {
            command.name.as_bytes()[self.name.len() + 1..].eq_ignore_ascii_case(name)
        };
        self.subcommands().iter().find(is_of_name)
    }

    /// Returns the name of the command that contains this subcommand, or else this command's own name.
    pub(crate) fn container(&self) -> &'static str {
        self.name.split('|').next().unwrap_or(self.name)
    }

    /// Returns the further details shown by COMMAND.
    pub(crate) fn details(&self) -> &'static Details {
        details::of(self.name)
    }

    /// Returns whether the command accepts that many arguments, including its name.
    pub(crate) fn takes(&self, arguments: usize) -> bool {
        let number = usize::from(self.arity.unsigned_abs());
        if self.arity < 0 { arguments >= number } else { arguments == number }
    }
}

fn find_entry(name: &[u8]) -> Option<Entry> {
    static COMMANDS: LazyLock<HashMap<&'static [u8], Entry, RandomState>> = LazyLock::new(|| {
        let entry = |command: &'static Command| (command, command.subcommands());
        Command::all().map(|command| (command.name.as_bytes(), entry(command))).collect()
    });
    let mut lower = [0; MAX_NAME];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    COMMANDS.get(&*lower).copied()
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
    CommandError::Quoting(text)
}

fn unknown_nested(command: &Command, name: &[u8]) -> CommandError {
    let after = format!("'. Try {} HELP.", command.name.to_ascii_uppercase());
    CommandError::quoting("unknown subcommand '", shown(name, MAX_SHOWN), &after)
}

/// How often each command was called, including calls within transactions.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// By the address of the command, which is faster to look up than its name.
    counts: HashMap<usize, Count, RandomState>,
}

/// The calls of a command, with cached details.
#[derive(Debug)]
struct Count {
    command: &'static Command,
    is_quick: bool,
    calls: u64,
}

impl Count {
    fn new(command: &'static Command) -> Self {
        Count { command, is_quick: command.details().flags.contains(&"fast"), calls: 0 }
    }
}

impl Calls {
    /// Counts a call; returns whether the command is fast regardless of the amount of data. **O(1)**.
    pub(crate) fn count(&mut self, command: &'static Command) -> bool {
        let key = ptr::from_ref(command).addr();
        let count = self.counts.entry(key).or_insert_with(|| Count::new(command));
        count.calls += 1;
        count.is_quick
    }

    /// Returns the number of calls of each command that was called, sorted by name.
    pub(crate) fn by_name(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for count in self.counts.values() {
            *counts.entry(count.command.name).or_default() += count.calls;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_nested() -> impl Iterator<Item = &'static Command> {
        Command::all().chain(commands::SUBCOMMANDS.iter().flat_map(|list| list.iter()))
    }

    #[test]
    fn each_command_is_found_by_its_name_in_any_case() {
        for command in all_nested() {
            let found = Command::find_nested(command.name.to_ascii_uppercase().as_bytes());
            assert!(found.is_some_and(|found| found.name == command.name), "{}", command.name);
        }
        assert!(Command::find(b"client|id").is_none(), "a subcommand is no command");
        assert!(Command::find(&[b'x'; 1000]).is_none());
    }

    #[test]
    fn the_keys_of_a_command_are_the_same_however_they_are_told() {
        for command in all_nested() {
            let (name, specs) = (command.name, &command.details().keys);
            let (first, last, step) = command.keys;
            let ranges = specs.iter().filter_map(|spec| match spec.finds {
                Finds::Range { last, step, .. } => Some((spec.begin, last, step)),
                Finds::Number { .. } => None,
            });
            // With several ranges, each one begins where the previous one ends.
            let (mut begins, mut ends, mut steps) = (vec![], vec![], vec![]);
            for (begin, last, step) in ranges {
                let from = i64::try_from(begin).expect("it is small");
                begins.push(from);
                ends.push(if last < 0 { last } else { from + last });
                steps.push(i64::try_from(step).expect("it is small"));
            }
            let told = match (begins.first(), ends.last(), steps.first()) {
                (Some(first), Some(last), Some(step)) => (*first, *last, *step),
                _ => (0, 0, 0),
            };
            assert_eq!((first.into(), last.into(), step.into()), told, "{name}");
        }
    }

    #[test]
    fn what_is_told_of_a_command_is_how_it_is_treated() {
        for command in all_nested() {
            let (name, details, flags) = (command.name, command.details(), command.flags);
            assert!(!details.since.is_empty(), "{name} is not in details.txt");
            let has = |flag: &str| details.flags.contains(&flag);
            assert_eq!(has("write"), flags.write, "{name}");
            assert_eq!(has("denyoom"), flags.deny_oom, "{name}");
            assert_eq!(has("no_multi"), flags.no_multi, "{name}");
            assert_eq!(has("no_auth"), flags.no_auth, "{name}");
        }
    }
}
