//! [`DebugCommand`]: which clients may use DEBUG.

use std::fmt;
use std::str::FromStr;

/// Which clients may use DEBUG, which can block the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugCommand {
    /// No client.
    #[default]
    No,
    /// Every client.
    Yes,
    /// Clients on the same machine.
    Local,
}

impl DebugCommand {
    /// Returns whether a client may use DEBUG.
    pub(crate) fn allows(self, is_local: bool) -> bool {
        match self {
            DebugCommand::No => false,
            DebugCommand::Yes => true,
            DebugCommand::Local => is_local,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            DebugCommand::No => "no",
            DebugCommand::Yes => "yes",
            DebugCommand::Local => "local",
        }
    }
}

/// The error for a text other than `no`, `yes` and `local`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseDebugCommandError;

impl fmt::Display for ParseDebugCommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected no, yes or local")
    }
}

impl std::error::Error for ParseDebugCommandError {}

impl FromStr for DebugCommand {
    type Err = ParseDebugCommandError;

    fn from_str(text: &str) -> Result<Self, ParseDebugCommandError> {
        let mut all = [DebugCommand::No, DebugCommand::Yes, DebugCommand::Local].into_iter();
        all.find(|it| it.name().eq_ignore_ascii_case(text)).ok_or(ParseDebugCommandError)
    }
}
