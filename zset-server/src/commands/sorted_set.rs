//! Sorted sets.

mod add;

use crate::command::{Command, GROW, READ};

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
    Command {
        name: "zscore",
        arity: 3,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the score of a member.",
        handler: add::zscore,
    },
];
