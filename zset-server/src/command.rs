//! [`Command`]: what there is to call, and what is known of it before it runs.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::commands;
use crate::engine::Context;
use crate::error::CommandError;

/// What runs a command. Its first argument is the command's name; it writes one reply, or returns an
/// error before it has changed anything.
pub(crate) type Handler = fn(&mut Context<'_>, &[&[u8]]) -> Result<(), CommandError>;

/// A command.
#[derive(Debug)]
pub(crate) struct Command {
    /// In lower case.
    pub(crate) name: &'static str,
    /// The number of arguments, the name among them; the fewest, if it is below zero.
    pub(crate) arity: i8,
    pub(crate) flags: Flags,
    /// The first argument that is a key, the last (from the end, if it is below zero), and from one to
    /// the next; zeros if there is none.
    pub(crate) keys: (i8, i8, i8),
    pub(crate) summary: &'static str,
    pub(crate) handler: Handler,
}

/// What matters of a command to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// It may change keys.
    pub(crate) write: bool,
    /// It may take more memory.
    pub(crate) deny_oom: bool,
    /// It is not queued by MULTI.
    pub(crate) immediate: bool,
    /// It is for those too who have not said who they are.
    pub(crate) no_auth: bool,
}

pub(crate) const READ: Flags =
    Flags { write: false, deny_oom: false, immediate: false, no_auth: false };
pub(crate) const WRITE: Flags = Flags { write: true, ..READ };
pub(crate) const GROW: Flags = Flags { deny_oom: true, ..WRITE };

/// The longest name of a command.
const MAX_NAME: usize = 32;

impl Command {
    /// Returns the command of a name, in whatever case. **O(1)**.
    pub(crate) fn find(name: &[u8]) -> Option<&'static Command> {
        static COMMANDS: LazyLock<HashMap<&'static [u8], &'static Command>> = LazyLock::new(|| {
            Command::all().map(|command| (command.name.as_bytes(), command)).collect()
        });
        let mut lower = [0; MAX_NAME];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        COMMANDS.get(&*lower).copied()
    }

    /// Returns all commands.
    pub(crate) fn all() -> impl Iterator<Item = &'static Command> {
        commands::GROUPS.iter().flat_map(|group| group.iter())
    }

    /// Returns whether it takes so many arguments, its name among them.
    pub(crate) fn takes(&self, arguments: usize) -> bool {
        let number = usize::from(self.arity.unsigned_abs());
        if self.arity < 0 { arguments >= number } else { arguments == number }
    }
}
