//! PING, ECHO and the like.

use crate::command::{Command, Flags, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::resp::Protocol;

use super::arguments::integer;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "ping",
        arity: -1,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Answers PONG, or what it is given.",
        handler: ping,
    },
    Command {
        name: "echo",
        arity: 2,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Answers what it is given.",
        handler: echo,
    },
    Command {
        name: "hello",
        arity: -1,
        flags: Flags { no_auth: true, ..READ },
        keys: (0, 0, 0),
        summary: "Chooses the protocol, and says who is there.",
        handler: hello,
    },
    Command {
        name: "quit",
        arity: -1,
        flags: Flags { no_auth: true, immediate: true, ..READ },
        keys: (0, 0, 0),
        summary: "Closes the connection.",
        handler: quit,
    },
];

fn ping(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match arguments {
        [_] => context.replies.status("PONG"),
        [_, message] => context.replies.bulk(message),
        _ => return Err(CommandError::WrongArity("ping".to_owned())),
    }
    Ok(())
}

fn echo(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.bulk(arguments[1]);
    Ok(())
}

fn quit(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.client.is_leaving = true;
    context.replies.status("OK");
    Ok(())
}

fn hello(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let protocol = match arguments.get(1) {
        None => context.replies.protocol(),
        Some(&b"2") => Protocol::Resp2,
        Some(&b"3") => Protocol::Resp3,
        Some(version) => {
            integer(version).map_err(|_| {
                CommandError::err("Protocol version is not an integer or out of range")
            })?;
            return Err(CommandError::Other("NOPROTO unsupported protocol version".into()));
        }
    };
    context.replies.set_protocol(protocol);
    context.replies.map(3);
    for (name, value) in [("server", "zset"), ("version", env!("CARGO_PKG_VERSION"))] {
        context.replies.bulk(name.as_bytes());
        context.replies.bulk(value.as_bytes());
    }
    context.replies.bulk(b"proto");
    context.replies.integer(if protocol == Protocol::Resp2 { 2 } else { 3 });
    Ok(())
}
