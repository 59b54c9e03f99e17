//! Small commands about the server, such as TIME and SLOWLOG.

use crate::command::{Command, Flags, READ, WRITE};
use crate::engine::Context;
use crate::error::CommandError;

use super::arguments::{integer, is_sync_or_async, wrong_arguments};
use super::command::{container, help};

pub(super) const COMMANDS: &[Command] = &[
    Command::plain("time", 1, "Returns the time, in seconds and microseconds.", time),
    Command::plain("lastsave", 1, "Returns when the keys were last saved.", last_save),
    Command {
        flags: Flags { no_multi: true, ..READ },
        ..Command::plain("save", 1, "Saves all keys.", save)
    },
    Command::plain("bgsave", -1, "Saves all keys, before it answers.", background_save),
    Command::plain("role", 1, "Says that the server is nobody's replica.", role),
    Command::plain("function", -2, "There are no functions.", container),
    Command::plain("latency", -2, "There is no watch on latencies.", container),
    Command::plain("slowlog", -2, "There is no log of what is slow.", container),
];

pub(super) const FUNCTION: &[Command] = &[
    Command {
        flags: WRITE,
        ..Command::plain(
            "function|flush",
            -2,
            "Removes all functions, of which there is none.",
            flush,
        )
    },
    Command::plain("function|list", -2, "Returns the functions.", none),
    Command::plain("function|help", 2, "Lists the subcommands.", help),
];

pub(super) const LATENCY: &[Command] = &[
    Command::plain("latency|latest", 2, "Returns the latencies.", none),
    Command::plain("latency|history", 3, "Returns the latencies of an event.", none),
    Command::plain("latency|reset", -2, "Removes the latencies.", zero),
    Command::plain("latency|help", 2, "Lists the subcommands.", help),
];

pub(super) const SLOWLOG: &[Command] = &[
    Command::plain("slowlog|get", -2, "Returns what was slow.", get_slow),
    Command::plain("slowlog|len", 2, "Returns how much was slow.", zero),
    Command::plain("slowlog|reset", 2, "Removes what was slow.", ok),
    Command::plain("slowlog|help", 2, "Lists the subcommands.", help),
];

fn time(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    let micros = context.state.keyspace.now().as_nanos() / 1000;
    context.replies.array(2);
    context.replies.text(format_args!("{}", micros / 1_000_000));
    context.replies.text(format_args!("{}", micros % 1_000_000));
    Ok(())
}

fn last_save(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    // Redis too initializes this with its start time.
    let last = context.state.snapshots.last().unwrap_or(context.state.started);
    context.replies.integer((last.as_nanos() / 1_000_000_000).try_into().unwrap_or(i64::MAX));
    Ok(())
}

fn save(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    save_keys(context)?;
    context.replies.status("OK");
    Ok(())
}

/// Like SAVE, since saving in the background would need a copy of the data. Clients expect Redis's reply.
fn background_save(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match arguments[1..] {
        [] => {}
        [option] if option.eq_ignore_ascii_case(b"schedule") => {}
        _ => return Err(CommandError::Syntax),
    }
    save_keys(context)?;
    context.replies.status("Background saving started");
    Ok(())
}

fn save_keys(context: &mut Context<'_>) -> Result<(), CommandError> {
    match context.state.snapshots.save(&context.state.keyspace) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CommandError::err(
            "there is no file to save to; zset-server serve --snapshot PATH has one",
        )),
        Err(error) => Err(CommandError::err(error)),
    }
}

fn role(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.array(3);
    context.replies.bulk(b"master");
    context.replies.integer(0);
    context.replies.array(0);
    Ok(())
}

fn none(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.array(0);
    Ok(())
}

fn zero(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.integer(0);
    Ok(())
}

fn ok(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.status("OK");
    Ok(())
}

fn flush(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match arguments[2..] {
        [] => {}
        [how] if is_sync_or_async(how) => {}
        [_] => {
            return Err(CommandError::err("FUNCTION FLUSH only supports SYNC|ASYNC option"));
        }
        _ => return Err(wrong_arguments("FUNCTION", arguments[1])),
    }
    context.replies.status("OK");
    Ok(())
}

fn get_slow(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match arguments[2..] {
        [] => {}
        [count] if integer(count).is_ok_and(|count| count >= -1) => {}
        [_] => {
            return Err(CommandError::err("count should be greater than or equal to -1"));
        }
        _ => return Err(wrong_arguments("SLOWLOG", arguments[1])),
    }
    none(context, arguments)
}
