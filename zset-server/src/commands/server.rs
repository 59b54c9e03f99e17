//! Small commands about the server, such as TIME and SAVE.

use super::arguments::{is_sync_or_async, wrong_arguments};
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;

pub(super) const HANDLERS: Handlers = &[
    ("time", time),
    ("lastsave", last_save),
    ("save", |context, _| {
        save(context)?;
        context.ok()
    }),
    ("bgsave", background_save),
    ("function|flush", flush_functions),
];

fn time(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    let micros = context.state.keyspace.now().as_nanos() / 1000;
    context.replies.array(2);
    context.replies.text(format_args!("{}", micros / 1_000_000));
    context.replies.text(format_args!("{}", micros % 1_000_000));
    Ok(())
}

fn last_save(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    // Redis too initializes this with its start time.
    let last = context.state.snapshots.last.unwrap_or(context.state.started);
    context.integer((last.as_nanos() / 1_000_000_000).cast_signed())
}

/// Like SAVE, since saving in the background would need a copy of the data. Clients expect Redis's reply.
fn background_save(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match arguments[1..] {
        [] => {}
        [option] if option.eq_ignore_ascii_case(b"schedule") => {}
        _ => return Err(CommandError::SYNTAX),
    }
    save(context)?;
    context.replies.status("Background saving started");
    Ok(())
}

fn save(context: &mut Context<'_>) -> Result<(), CommandError> {
    match context.state.snapshots.save(&context.state.keyspace) {
        Ok(true) => Ok(()),
        Ok(false) => Err(CommandError::err(
            "there is no file to save to; zset-server serve --snapshot PATH has one",
        )),
        Err(error) => Err(CommandError::err(error)),
    }
}

/// Has no effect: test suites send it before each test.
fn flush_functions(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match arguments[2..] {
        [] => context.ok(),
        [how] if is_sync_or_async(how) => context.ok(),
        [_] => Err(CommandError::err("FUNCTION FLUSH only supports SYNC|ASYNC option")),
        _ => Err(wrong_arguments("FUNCTION", arguments[1])),
    }
}
