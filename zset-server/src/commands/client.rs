//! CLIENT.

mod others;
mod pause;

use crate::client::{ReplyMode, Session};
use crate::command::{Command, Flags, READ};
use crate::engine::Context;
use crate::error::CommandError;

use super::command::{container, help};

pub(super) const COMMANDS: &[Command] =
    &[Command::plain("client", -2, "What the server knows of its clients.", container)];

pub(super) const SUBCOMMANDS: &[Command] = &[
    Command::plain("client|id", 2, "Returns the number of the client.", id),
    Command::plain("client|setname", 3, "Names the client.", set_name_of),
    Command::plain("client|getname", 2, "Returns the client's name.", get_name),
    Command::plain("client|info", 2, "Tells of the client.", others::info),
    Command::plain("client|list", -2, "Tells of all clients, or of some.", others::list),
    Command::plain("client|kill", -3, "Sends clients away.", others::kill),
    Command::plain("client|unblock", -3, "Has a client wait no longer.", others::unblock),
    Command::plain("client|no-evict", 3, "Is noted: no client is sent away.", no_evict),
    Command::plain("client|no-touch", 3, "Is noted: no use of a key is.", no_touch),
    Command {
        flags: Flags { no_multi: true, ..READ },
        ..Command::plain("client|reply", 3, "Chooses whether there are replies.", reply)
    },
    Command::plain("client|pause", -3, "Has commands wait for a time.", pause::pause),
    Command::plain("client|unpause", 2, "Ends such a time.", pause::unpause),
    Command::plain("client|setinfo", 4, "Names the client's library.", set_info),
    Command::plain("client|help", 2, "Lists the subcommands.", help),
];

/// Returns an error for bytes that would garble the output of CLIENT LIST.
pub(super) fn check_text(what: &str, text: &[u8]) -> Result<(), CommandError> {
    if text.iter().all(u8::is_ascii_graphic) {
        return Ok(());
    }
    Err(CommandError::err(format_args!(
        "{what} cannot contain spaces, newlines or special characters."
    )))
}

pub(super) fn set_name(client: &mut Session, name: &[u8]) -> Result<(), CommandError> {
    check_text("Client names", name)?;
    client.name = name.into();
    Ok(())
}

fn id(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.integer(context.client.id.try_into().unwrap_or(i64::MAX));
    Ok(())
}

fn set_name_of(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_name(context.client, arguments[2])?;
    context.replies.status("OK");
    Ok(())
}

fn get_name(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    if context.client.name.is_empty() {
        context.replies.null();
    } else {
        context.replies.bulk(&context.client.name);
    }
    Ok(())
}

fn on_or_off(argument: &[u8]) -> Result<bool, CommandError> {
    match argument.to_ascii_lowercase().as_slice() {
        b"on" => Ok(true),
        b"off" => Ok(false),
        _ => Err(CommandError::Syntax),
    }
}

fn no_evict(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    context.client.is_kept = on_or_off(arguments[2])?;
    context.replies.status("OK");
    Ok(())
}

fn no_touch(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    context.client.is_not_counted = on_or_off(arguments[2])?;
    context.replies.status("OK");
    Ok(())
}

fn reply(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let mode = &mut context.client.reply_mode;
    match arguments[2].to_ascii_lowercase().as_slice() {
        b"on" => *mode = ReplyMode::On,
        b"off" => *mode = ReplyMode::Off,
        // SKIP has no effect while replies are off.
        b"skip" if *mode == ReplyMode::Off => {}
        b"skip" => *mode = ReplyMode::Skip,
        _ => return Err(CommandError::Syntax),
    }
    // The engine removes this reply unless replies are on.
    context.replies.status("OK");
    Ok(())
}

fn set_info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let option = arguments[2];
    let index = match option.to_ascii_lowercase().as_slice() {
        b"lib-name" => 0,
        b"lib-ver" => 1,
        _ => return Err(CommandError::quoting("Unrecognized option '", option, "'")),
    };
    check_text(&String::from_utf8_lossy(option), arguments[3])?;
    context.client.library[index] = arguments[3].into();
    context.replies.status("OK");
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::testing;

    /// Returns the replies that a new client gets to a series of commands.
    fn ask(lines: &[&str]) -> String {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let replies = lines.iter().map(|line| testing::ask(&mut engine, &mut client, line));
        replies.collect::<String>().replace("\r\n", " ")
    }

    #[test]
    fn replies_are_off_until_they_are_on() {
        let lines = ["client reply off", "ping", "nosuch", "client reply skip", "ping", "ping"];
        assert_eq!(ask(&lines), "");
        assert_eq!(ask(&[&lines[..], &["client reply on", "echo a"]].concat()), "+OK $1 a ");
    }

    #[test]
    fn one_reply_is_skipped_and_that_of_the_command_which_says_so() {
        let skip = "client reply skip";
        assert_eq!(ask(&[skip, "ping", "echo a"]), "$1 a ");
        assert_eq!(ask(&[skip, skip, "ping", "echo a"]), "$1 a ");
        assert_eq!(ask(&[skip, "nosuch", "echo a"]), "$1 a ");
        assert_eq!(ask(&[skip, "client reply on", "echo a"]), "+OK $1 a ");
        assert_eq!(ask(&[skip, "client reply off", "ping", "ping"]), "");
    }

    #[test]
    fn a_reset_brings_replies_back() {
        assert_eq!(ask(&["hello 3", "client reply off", "reset", "ping"]).matches('+').count(), 2);
    }

    #[test]
    fn a_password_that_is_set_is_for_the_clients_to_come() {
        let mut engine = Engine::new();
        let mut old = engine.client();
        let execute = |engine: &mut Engine, client: &mut _, line: &str| {
            let reply = testing::ask(engine, client, line);
            reply.split([' ', '\r']).next().unwrap_or_default().to_owned()
        };
        assert_eq!(execute(&mut engine, &mut old, "config set requirepass open"), "+OK");
        assert_eq!(execute(&mut engine, &mut old, "ping"), "+PONG");
        let mut new = engine.client();
        for (line, reply) in [
            ("ping", "-NOAUTH"),
            ("nosuch", "-NOAUTH"),
            ("get", "-NOAUTH"),
            ("auth", "-ERR"),
            ("hello 3", "-NOAUTH"),
            ("hello 4", "-NOPROTO"),
            ("auth wrong", "-WRONGPASS"),
            ("auth other open", "-WRONGPASS"),
            ("hello 2 auth default wrong", "-WRONGPASS"),
            ("hello 2 auth default open setname me", "*14"),
            ("client getname", "$2"),
            ("auth wrong", "-WRONGPASS"),
            ("ping", "+PONG"),
            ("reset", "+RESET"),
            ("ping", "-NOAUTH"),
            ("auth open", "+OK"),
            ("client getname", "$-1"),
        ] {
            assert_eq!(execute(&mut engine, &mut new, line), reply, "{line}");
        }
    }
}
