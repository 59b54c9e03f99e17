//! Sorted sets.

mod add;
mod query;
pub(super) mod random;
pub(super) mod range;
pub(super) mod read;
mod reply;
pub(super) mod scan;

use crate::command::{Command, GROW};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "zadd",
        arity: -4,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Adds members, or changes their scores.",
        handler: add::zadd,
    },
    Command {
        name: "zincrby",
        arity: 4,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Adds to the score of a member.",
        handler: add::zincrby,
    },
];
