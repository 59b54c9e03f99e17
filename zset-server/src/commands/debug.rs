//! DEBUG: subcommands used by test suites.

use std::time::Duration;

use zset_core::rdb;

use crate::command::{Command, Flags, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;

use super::arguments::{score, wrong_arguments};

pub(super) const COMMANDS: &[Command] = &[Command {
    flags: Flags { protected: true, ..READ },
    ..Command::plain("debug", -2, "Is for tests.", debug)
}];

/// The maximum sleep, during which no other client is answered.
const MAX_SLEEP: Duration = Duration::from_secs(10);

/// The subcommands and their descriptions.
const HELP: [&str; 16] = [
    "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
    "HELP",
    "    Lists the subcommands.",
    "JMAP",
    "    Does nothing.",
    "LOADAOF",
    "    Does nothing.",
    "OBJECT <key>",
    "    Reports how a value is stored.",
    "RELOAD",
    "    Does nothing.",
    "SET-ACTIVE-EXPIRE <0|1>, SET-DISABLE-DENY-SCRIPTS <0|1>",
    "    Does nothing.",
    "SLEEP <seconds>",
    "    Blocks the server for at most 10 seconds.",
    "    SIGINT, SIGTERM and SIGHUP end the sleep.",
];

fn debug(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match (arguments[1].to_ascii_lowercase().as_slice(), &arguments[2..]) {
        (b"sleep", [seconds]) => (context.state.sleep)(sleep_length(seconds)?),
        (b"help", []) => {
            context.replies.array(HELP.len());
            for line in HELP {
                context.replies.status(line);
            }
            return Ok(());
        }
        (b"object", [key]) => return object(context, key),
        // These would have no observable effect.
        (b"jmap" | b"reload" | b"loadaof", _)
        | (b"set-active-expire" | b"set-disable-deny-scripts", [_]) => {}
        _ => return Err(wrong_arguments("DEBUG", arguments[1])),
    }
    context.replies.status("OK");
    Ok(())
}

/// Parses a number of seconds.
fn sleep_length(text: &[u8]) -> Result<Duration, CommandError> {
    let seconds = score(text)?.get();
    let length = Duration::try_from_secs_f64(seconds).ok().filter(|length| *length <= MAX_SLEEP);
    let text = format!("seconds must be between 0 and {}", MAX_SLEEP.as_secs());
    length.ok_or_else(|| CommandError::err(text))
}

fn object(context: &mut Context<'_>, key: &[u8]) -> Result<(), CommandError> {
    let value = context.state.keyspace.value(key);
    let value = value.ok_or_else(|| CommandError::err("no such key"))?;
    let (encoding, len) = match value {
        Value::String(string) => ("raw".to_owned(), string.len()),
        Value::Set(set) => ("hashtable".to_owned(), set.iter().map(|member| member.len()).sum()),
        Value::SortedSet(set) => (set.encoding().to_string(), rdb::dump(set).len()),
    };
    context.replies.status(&format!(
        "Value at:0x0 refcount:1 encoding:{encoding} serializedlength:{len} lru:0 \
         lru_seconds_idle:0"
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::ask;
    use crate::{Client, DebugCommand, Engine};

    /// Returns an engine and a client that may use DEBUG.
    fn engine() -> (Engine, Client) {
        let mut engine = Engine::new();
        engine.allow_debug(DebugCommand::Yes);
        let client = engine.client();
        (engine, client)
    }

    #[test]
    fn a_sleep_has_bounds() {
        let (mut engine, mut client) = engine();
        for (seconds, reply) in [
            ("0", "+OK"),
            ("0.001", "+OK"),
            ("inf", "-ERR seconds must be between 0 and 10"),
            ("-inf", "-ERR seconds must be between 0 and 10"),
            ("1e300", "-ERR seconds must be between 0 and 10"),
            ("10.001", "-ERR seconds must be between 0 and 10"),
            ("-0.001", "-ERR seconds must be between 0 and 10"),
            ("nan", "-ERR value is not a valid float"),
            ("soon", "-ERR value is not a valid float"),
        ] {
            let reply = format!("{reply}\r\n");
            assert_eq!(ask(&mut engine, &mut client, &format!("DEBUG SLEEP {seconds}")), reply);
        }
    }

    #[test]
    fn help_names_each_subcommand() {
        let (mut engine, mut client) = engine();
        let help = ask(&mut engine, &mut client, "DEBUG HELP");
        for name in ["JMAP", "LOADAOF", "OBJECT", "RELOAD", "SET-ACTIVE-EXPIRE", "SLEEP"] {
            assert!(help.contains(&format!("+{name}")), "{help}");
        }
        assert!(help.starts_with(&format!("*{}\r\n", help.matches('+').count())), "{help}");
    }

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
            engine.allow_debug(allowed);
            for (client, is_allowed) in [(&mut here, is_for_here), (&mut there, is_for_there)] {
                let reply = ask(&mut engine, client, "DEBUG SLEEP 0");
                assert_eq!(reply == "+OK\r\n", is_allowed, "{allowed:?}: {reply}");
            }
        }
    }

    #[test]
    fn the_beginning_of_a_long_name_is_repeated() {
        let (mut engine, mut client) = engine();
        let reply = ask(&mut engine, &mut client, &format!("DEBUG {}", "a".repeat(1000)));
        let name = "a".repeat(128);
        let text = "unknown subcommand or wrong number of arguments for";
        assert_eq!(reply, format!("-ERR {text} '{name}'. Try DEBUG HELP.\r\n"));
    }
}
