//! [`Style`]: coloured output, if supported.

use std::env;
use std::io::{self, IsTerminal as _};

/// Whether to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Coloured,
}

impl Style {
    /// Returns the style of standard output: a terminal has colours unless `NO_COLOR` is set
    /// (<https://no-color.org>) or the terminal does not support them.
    pub(super) fn of_output() -> Style {
        let is_unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|name| name == "dumb");
        if io::stdout().is_terminal() && !is_unwanted && !is_dumb {
            Style::Coloured
        } else {
            Style::Plain
        }
    }

    pub(super) fn error(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(super) fn hint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(super) fn heading(self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
