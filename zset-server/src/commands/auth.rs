//! AUTH: who is there.

use crate::command::{Command, Flags, READ};
use crate::engine::Context;
use crate::error::CommandError;

pub(super) const COMMANDS: &[Command] = &[Command {
    name: "auth",
    arity: -2,
    flags: Flags { no_auth: true, ..READ },
    keys: (0, 0, 0),
    summary: "Says who is there.",
    handler: auth,
}];

/// The only user.
const USER: &[u8] = b"default";

fn auth(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match *arguments {
        [_, password] if context.state.password.is_some() => {
            authenticate(context, USER, password)?;
        }
        [_, _] => {
            return Err(CommandError::err(
                "AUTH <password> called without any password configured for the default user. \
                 Are you sure your configuration is correct?",
            ));
        }
        [_, user, password] => authenticate(context, user, password)?,
        _ => return Err(CommandError::Syntax),
    }
    context.replies.status("OK");
    Ok(())
}

/// Lets a client in who says the right words; without a password, any will do.
pub(super) fn authenticate(
    context: &mut Context<'_>,
    user: &[u8],
    password: &[u8],
) -> Result<(), CommandError> {
    let is_right = context.state.password.as_ref().is_none_or(|right| are_same(right, password));
    if user != USER || !is_right {
        return Err(CommandError::Other(
            "WRONGPASS invalid username-password pair or user is disabled.".into(),
        ));
    }
    context.client.is_authenticated = true;
    Ok(())
}

/// Compares in a time that does not tell where the difference is.
fn are_same(right: &[u8], given: &[u8]) -> bool {
    let differences = right.iter().zip(given).fold(0, |seen, (a, b)| seen | (a ^ b));
    right.len() == given.len() && differences == 0
}
