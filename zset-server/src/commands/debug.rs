//! DEBUG: subcommands used by test suites.

use std::time::Duration;

use super::arguments::{score, wrong_arguments};
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;

pub(super) const HANDLERS: Handlers = &[("debug", debug)];

/// The maximum sleep, during which no other client is answered.
const MAX_SLEEP: Duration = Duration::from_secs(10);

/// The subcommands and their descriptions.
const HELP: [&str; 8] = [
    "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
    "HELP",
    "    Lists the subcommands.",
    "JMAP, RELOAD, SET-ACTIVE-EXPIRE <0|1>",
    "    Has no effect.",
    "SLEEP <seconds>",
    "    Blocks the server for at most 10 seconds.",
    "    SIGINT, SIGTERM and SIGHUP end the sleep.",
];

fn debug(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match (arguments[1].to_ascii_lowercase().as_slice(), &arguments[2..]) {
        (b"sleep", [seconds]) => (context.state.sleep)(sleep_length(seconds)?),
        (b"help", []) => {
            context.replies.array(HELP.len());
            for line in HELP {
                context.replies.status(line);
            }
            return Ok(());
        }
        // These would have no observable effect, but test suites send them.
        (b"jmap" | b"reload", _) | (b"set-active-expire", [_]) => {}
        _ => return Err(wrong_arguments("DEBUG", arguments[1])),
    }
    context.ok()
}

/// Parses a number of seconds.
fn sleep_length(text: &[u8]) -> Result<Duration, CommandError> {
    let seconds = score(text)?.get();
    let length = Duration::try_from_secs_f64(seconds).ok().filter(|length| *length <= MAX_SLEEP);
    let text = format!("seconds must be between 0 and {}", MAX_SLEEP.as_secs());
    length.ok_or_else(|| CommandError::err(text))
}

#[cfg(test)]
mod tests {
    use crate::testing::ask;
    use crate::{DebugCommand, Engine};

    #[test]
    fn local_clients_are_those_on_the_same_machine() {
        let mut engine = Engine::new();
        let [mut here, mut there] = [(); 2].map(|()| engine.client());
        there.session_mut().is_remote = true;
        for (allowed, is_for_here, is_for_there) in [
            (DebugCommand::No, false, false),
            (DebugCommand::Local, true, false),
            (DebugCommand::Yes, true, true),
        ] {
            engine.state.config.debug_command = allowed;
            for (client, is_allowed) in [(&mut here, is_for_here), (&mut there, is_for_there)] {
                let reply = ask(&mut engine, client, "DEBUG SLEEP 0");
                assert_eq!(reply == "+OK\r\n", is_allowed, "{allowed:?}: {reply}");
            }
        }
    }
}
