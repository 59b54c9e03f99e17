//! MULTI, EXEC, DISCARD, WATCH and UNWATCH.

use crate::client::{Session, Transaction};
use crate::command::{Command, Flags, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Keyspace;

const IMMEDIATE: Flags = Flags { immediate: true, ..READ };
/// Not within a transaction, which it breaks in Valkey 9; older servers go on with it.
const BEFORE: Flags = Flags { no_multi: true, ..READ };

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "multi",
        arity: 1,
        flags: BEFORE,
        keys: (0, 0, 0),
        summary: "Begins a transaction: commands wait for EXEC.",
        handler: multi,
    },
    Command {
        name: "exec",
        arity: 1,
        flags: IMMEDIATE,
        keys: (0, 0, 0),
        summary: "Runs the commands of a transaction, with none of others in between.",
        handler: exec,
    },
    Command {
        name: "discard",
        arity: 1,
        flags: IMMEDIATE,
        keys: (0, 0, 0),
        summary: "Forgets the commands of a transaction.",
        handler: discard,
    },
    Command {
        name: "watch",
        arity: -2,
        flags: BEFORE,
        keys: (1, -1, 1),
        summary: "Has EXEC do nothing if one of the keys changes before it.",
        handler: watch,
    },
    Command {
        name: "unwatch",
        arity: 1,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Forgets which keys are watched.",
        handler: unwatch,
    },
];

fn multi(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.client.transaction = Some(Transaction::default());
    context.replies.status("OK");
    Ok(())
}

fn exec(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    let transaction = context.client.transaction.take();
    let transaction = transaction.ok_or_else(|| CommandError::err("EXEC without MULTI"))?;
    let is_unchanged = unwatch_all(&mut context.state.keyspace, context.client);
    if transaction.is_broken {
        let text = "EXECABORT Transaction discarded because of previous errors.";
        return Err(CommandError::Other(text.into()));
    }
    if !is_unchanged {
        context.replies.null_array();
        return Ok(());
    }
    context.replies.array(transaction.commands.len());
    context.client.is_executing = true;
    for arguments in &transaction.commands {
        let arguments: Vec<_> = arguments.iter().map(Vec::as_slice).collect();
        run(context, &arguments);
    }
    context.client.is_executing = false;
    Ok(())
}

/// Runs a command that was found to be one when it was queued.
fn run(context: &mut Context<'_>, arguments: &[&[u8]]) {
    let Ok(command) = Command::of(arguments) else { return };
    let before = context.replies.bytes().len();
    if let Err(error) = command.call(context, arguments) {
        context.replies.truncate(before);
        context.replies.error_bytes(&error.to_bytes());
    }
}

fn discard(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    if context.client.transaction.is_none() {
        return Err(CommandError::err("DISCARD without MULTI"));
    }
    abandon(&mut context.state.keyspace, context.client);
    context.replies.status("OK");
    Ok(())
}

fn watch(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    for &key in &arguments[1..] {
        let watched = &mut context.client.watched;
        // Twice would be once more to unwatch, without an end to it.
        if !watched.iter().any(|(other, _)| **other == *key) {
            watched.push((key.into(), context.state.keyspace.watch(key)));
        }
    }
    context.replies.status("OK");
    Ok(())
}

fn unwatch(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    unwatch_all(&mut context.state.keyspace, context.client);
    context.replies.status("OK");
    Ok(())
}

/// Forgets a client's transaction, and which keys it watches.
pub(crate) fn abandon(keyspace: &mut Keyspace, client: &mut Session) {
    client.transaction = None;
    unwatch_all(keyspace, client);
}

/// Returns whether no key has changed that the client watches, which are none from now on.
fn unwatch_all(keyspace: &mut Keyspace, client: &mut Session) -> bool {
    // All have to be unwatched, also after one that has changed.
    let watched = client.watched.drain(..);
    watched.fold(true, |unchanged, (key, seen)| keyspace.unwatch(&key, seen) && unchanged)
}
