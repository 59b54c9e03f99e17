//! Sorted sets.

mod add;
mod blocking;
mod pop;
mod query;
pub(super) mod random;
pub(super) mod range;
pub(super) mod read;
mod remove;
mod reply;
pub(super) mod scan;
mod set_ops;

use zset_core::ZSet;

use crate::command::{Command, GROW, READ, WRITE};
use crate::engine::Context;
use crate::keyspace::Value;

pub(crate) use blocking::Wait;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "bzmpop",
        arity: -5,
        flags: WRITE,
        keys: (0, 0, 0),
        summary: "Removes members as ZMPOP does, or waits for some.",
        handler: blocking::bzmpop,
    },
    Command {
        name: "bzpopmax",
        arity: -3,
        flags: WRITE,
        keys: (1, -2, 1),
        summary: "Removes the member of the highest score, or waits for one.",
        handler: blocking::bzpopmax,
    },
    Command {
        name: "bzpopmin",
        arity: -3,
        flags: WRITE,
        keys: (1, -2, 1),
        summary: "Removes the member of the lowest score, or waits for one.",
        handler: blocking::bzpopmin,
    },
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
        name: "zdiff",
        arity: -3,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Returns the members that only the first set has.",
        handler: set_ops::zdiff,
    },
    Command {
        name: "zdiffstore",
        arity: -4,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Stores the members that only the first set has.",
        handler: set_ops::zdiffstore,
    },
    Command {
        name: "zinter",
        arity: -3,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Returns the members that all sets have.",
        handler: set_ops::zinter,
    },
    Command {
        name: "zintercard",
        arity: -3,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Returns how many members all sets have.",
        handler: set_ops::zintercard,
    },
    Command {
        name: "zinterstore",
        arity: -4,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Stores the members that all sets have.",
        handler: set_ops::zinterstore,
    },
    Command {
        name: "zmpop",
        arity: -4,
        flags: WRITE,
        keys: (0, 0, 0),
        summary: "Removes members from an end of the first set that is there.",
        handler: pop::zmpop,
    },
    Command {
        name: "zpopmax",
        arity: -2,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Removes the members of the highest scores.",
        handler: pop::zpopmax,
    },
    Command {
        name: "zpopmin",
        arity: -2,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Removes the members of the lowest scores.",
        handler: pop::zpopmin,
    },
    Command {
        name: "zrem",
        arity: -3,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Removes members.",
        handler: remove::zrem,
    },
    Command {
        name: "zremrangebylex",
        arity: 4,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Removes the members of a range of members.",
        handler: remove::zremrangebylex,
    },
    Command {
        name: "zremrangebyrank",
        arity: 4,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Removes the members of a range of ranks.",
        handler: remove::zremrangebyrank,
    },
    Command {
        name: "zremrangebyscore",
        arity: 4,
        flags: WRITE,
        keys: (1, 1, 1),
        summary: "Removes the members of a range of scores.",
        handler: remove::zremrangebyscore,
    },
    Command {
        name: "zunion",
        arity: -3,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Returns the members that any set has.",
        handler: set_ops::zunion,
    },
    Command {
        name: "zunionstore",
        arity: -4,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Stores the members that any set has.",
        handler: set_ops::zunionstore,
    },
];

/// Stores a set at a key and replies with the number of its members.
fn store(context: &mut Context<'_>, key: &[u8], set: ZSet) {
    context.replies.count(set.len());
    context.state.keyspace.set(key, Value::SortedSet(set));
}
