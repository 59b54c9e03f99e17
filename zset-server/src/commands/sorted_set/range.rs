//! ZRANGE, the older commands that it replaces, and ZRANGESTORE.

use zset_core::ZSet;

use super::query::{By, Direction, Form, Query};
use super::{reply, store};
use crate::command::{Command, GROW, READ};
use crate::engine::Context;
use crate::error::CommandError;

pub(in crate::commands) const COMMANDS: &[Command] = &[
    Command {
        name: "zrange",
        arity: -4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns members in a range of places, scores or texts.",
        handler: zrange,
    },
    Command {
        name: "zrevrange",
        arity: -4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns members in a range of places, highest score first.",
        handler: zrevrange,
    },
    Command {
        name: "zrangebyscore",
        arity: -4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns members in a range of scores.",
        handler: zrangebyscore,
    },
    Command {
        name: "zrevrangebyscore",
        arity: -4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns members in a range of scores, highest score first.",
        handler: zrevrangebyscore,
    },
    Command {
        name: "zrangebylex",
        arity: -4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns members in a range of texts.",
        handler: zrangebylex,
    },
    Command {
        name: "zrevrangebylex",
        arity: -4,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns members in a range of texts, last text first.",
        handler: zrevrangebylex,
    },
    Command {
        name: "zrangestore",
        arity: -5,
        flags: GROW,
        keys: (1, 2, 1),
        summary: "Stores members in a range of places, scores or texts.",
        handler: zrangestore,
    },
];

fn zrange(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    range(context, arguments, Form::default())
}

fn zrevrange(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    range(context, arguments, form(By::Rank, Direction::Reverse))
}

fn zrangebyscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    range(context, arguments, form(By::Score, Direction::Forward))
}

fn zrevrangebyscore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    range(context, arguments, form(By::Score, Direction::Reverse))
}

fn zrangebylex(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    range(context, arguments, form(By::Lex, Direction::Forward))
}

fn zrevrangebylex(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    range(context, arguments, form(By::Lex, Direction::Reverse))
}

fn form(by: By, direction: Direction) -> Form {
    Form { by: Some(by), direction: Some(direction), is_stored: false }
}

fn range(context: &mut Context<'_>, arguments: &[&[u8]], form: Form) -> Result<(), CommandError> {
    let query = Query::parse(&arguments[2..], form)?;
    match context.state.keyspace.get::<ZSet>(arguments[1])? {
        Some(set) => reply::elements(context.replies, query.shown, query.elements(set)),
        None => context.replies.array(0),
    }
    Ok(())
}

fn zrangestore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let form = Form { is_stored: true, ..Form::default() };
    let (target, source) = (arguments[1], arguments[2]);
    let query = Query::parse(&arguments[3..], form)?;
    let set = context.state.keyspace.get::<ZSet>(source)?;
    let elements = set.into_iter().flat_map(|set| query.sorted_elements(set));
    let limits = context.state.config.limits();
    let stored = ZSet::from_sorted_iter_with_limits(elements, limits);
    store(context, target, stored.map_err(CommandError::err)?);
    Ok(())
}
