//! CLIENT.

use crate::client::{Client, ReplyMode};
use crate::command::Command;
use crate::engine::Context;
use crate::error::CommandError;
use crate::resp::Protocol;

use super::arguments::integer;
use super::command::{container, help};

pub(super) const COMMANDS: &[Command] =
    &[Command::plain("client", -2, "What the server knows of its clients.", container)];

pub(super) const SUBCOMMANDS: &[Command] = &[
    Command::plain("client|id", 2, "Returns the number of the client.", id),
    Command::plain("client|setname", 3, "Names the client.", set_name_of),
    Command::plain("client|getname", 2, "Returns the client's name.", get_name),
    Command::plain("client|info", 2, "Tells of the client.", info),
    Command::plain("client|list", -2, "Tells of the client that asks, and of no other.", list),
    Command::plain("client|no-evict", 3, "Is noted: no client is sent away.", no_evict),
    Command::plain("client|no-touch", 3, "Is noted: no use of a key is.", no_touch),
    Command::plain("client|reply", 3, "Chooses whether there are replies.", reply),
    Command::plain("client|setinfo", 4, "Names the client's library.", set_info),
    Command::plain("client|help", 2, "Lists the subcommands.", help),
];

/// Refuses a text with bytes in it that would make lists of clients hard to read.
pub(super) fn check_text(what: &str, text: &[u8]) -> Result<(), CommandError> {
    if text.iter().all(u8::is_ascii_graphic) {
        return Ok(());
    }
    Err(CommandError::err(format_args!(
        "{what} cannot contain spaces, newlines or special characters."
    )))
}

pub(super) fn set_name(client: &mut Client, name: &[u8]) -> Result<(), CommandError> {
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

fn info(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    let line = describe(context, "client|info");
    context.replies.verbatim(&line);
    Ok(())
}

fn list(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let is_listed = match arguments[2..] {
        [] => true,
        [option, kind] if option.eq_ignore_ascii_case(b"type") => {
            match kind.to_ascii_lowercase().as_slice() {
                b"normal" => true,
                b"master" | b"primary" | b"replica" | b"slave" | b"pubsub" => false,
                _ => {
                    let kind = String::from_utf8_lossy(kind);
                    return Err(CommandError::err(format_args!("Unknown client type '{kind}'")));
                }
            }
        }
        [option, ref ids @ ..] if option.eq_ignore_ascii_case(b"id") && !ids.is_empty() => {
            let ids = ids.iter().map(|id| integer(id).map_err(|_| CommandError::Syntax));
            let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
            if ids.iter().any(|id| *id < 1) {
                return Err(CommandError::err("client-id should be greater than 0"));
            }
            ids.iter().any(|id| u64::try_from(*id) == Ok(context.client.id))
        }
        _ => return Err(CommandError::Syntax),
    };
    let line = if is_listed { describe(context, "client|list") } else { String::new() };
    context.replies.verbatim(&line);
    Ok(())
}

/// Returns the line of CLIENT LIST for the client that asks.
fn describe(context: &Context<'_>, command: &str) -> String {
    let Context { state, client, replies } = context;
    let name = String::from_utf8_lossy(&client.name);
    let age = state.keyspace.now().saturating_duration_since(client.since).as_secs();
    let multi = client.transaction.as_ref();
    let multi = multi.map_or(-1, |it| i64::try_from(it.commands.len()).unwrap_or(i64::MAX));
    let [library, version] = client.library.each_ref().map(|text| String::from_utf8_lossy(text));
    let flags = match (client.is_kept, client.is_not_counted) {
        (false, false) => "N",
        (true, false) => "e",
        (false, true) => "T",
        (true, true) => "eT",
    };
    let protocol = if replies.protocol() == Protocol::Resp2 { 2 } else { 3 };
    format!(
        "id={} addr={} laddr= fd=-1 name={name} age={age} idle=0 flags={flags} db=0 sub=0 psub=0 \
         ssub=0 multi={multi} watch={} qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 \
         obl=0 oll=0 omem={} tot-mem=0 events=r cmd={command} user=default redir=-1 \
         resp={protocol} lib-name={library} lib-ver={version}\n",
        client.id,
        client.address,
        client.watched.len(),
        replies.bytes().len(),
    )
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
        // What is off stays so.
        b"skip" if *mode == ReplyMode::Off => {}
        b"skip" => *mode = ReplyMode::Skip,
        _ => return Err(CommandError::Syntax),
    }
    // The engine takes it back unless there are replies.
    context.replies.status("OK");
    Ok(())
}

fn set_info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let option = arguments[2];
    let index = match option.to_ascii_lowercase().as_slice() {
        b"lib-name" => 0,
        b"lib-ver" => 1,
        _ => {
            let option = String::from_utf8_lossy(option);
            return Err(CommandError::err(format_args!("Unrecognized option '{option}'")));
        }
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

    /// Returns what a new client gets for commands.
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
            ("nosuch", "-ERR"),
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
