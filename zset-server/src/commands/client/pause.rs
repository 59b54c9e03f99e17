//! CLIENT PAUSE and UNPAUSE.

use std::time::Duration;

use crate::commands::arguments::integer;
use crate::engine::{Context, Paused};
use crate::error::CommandError;

pub(super) fn pause(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let paused = match arguments[3..] {
        [mode] if mode.eq_ignore_ascii_case(b"write") => Paused::Writes,
        [mode] if mode.eq_ignore_ascii_case(b"all") => Paused::All,
        [_] => return Err(CommandError::err("CLIENT PAUSE mode must be WRITE or ALL")),
        _ => Paused::All,
    };
    let error = || CommandError::err("timeout is not an integer or out of range");
    let millis = integer(arguments[2]).map_err(|_| error())?;
    let millis = u64::try_from(millis).map_err(|_| CommandError::err("timeout is negative"))?;
    context.state.begin_pause(Duration::from_millis(millis), paused);
    context.replies.status("OK");
    Ok(())
}

pub(super) fn unpause(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.state.end_pause();
    context.replies.status("OK");
    Ok(())
}
