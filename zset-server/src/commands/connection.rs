//! Connection commands: PING, ECHO, HELLO, and others.

use super::arguments::integer;
use super::client::{check_text, set_name};
use super::info::REDIS_VERSION;
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;
use crate::resp::{Protocol, Replies};

pub(super) const HANDLERS: Handlers = &[
    ("ping", ping),
    ("echo", |context, arguments| {
        context.replies.bulk(arguments[1]);
        Ok(())
    }),
    ("hello", hello),
    ("auth", auth),
    ("reset", reset),
    ("quit", |context, _| {
        context.client.is_leaving = true;
        context.ok()
    }),
];

/// The only user.
const USER: &[u8] = b"default";

fn ping(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match arguments {
        [_] => context.replies.status("PONG"),
        [_, message] => context.replies.bulk(message),
        _ => return Err(CommandError::wrong_arity("ping")),
    }
    Ok(())
}

fn reset(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    let Context { state, client, replies } = context;
    client.abandon(&mut state.keyspace);
    client.name = Box::default();
    client.is_authenticated = state.config.password.is_empty();
    replies.set_protocol(Protocol::Resp2);
    replies.status("RESET");
    Ok(())
}

fn auth(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (user, password) = match *arguments {
        [_, password] => {
            if context.state.config.password.is_empty() {
                return Err(CommandError::err(
                    "AUTH <password> called without any password configured for the default \
                     user. Are you sure your configuration is correct?",
                ));
            }
            (USER, password)
        }
        [_, user, password] => (user, password),
        _ => return Err(CommandError::SYNTAX),
    };
    authenticate(context, user, password)?;
    context.ok()
}

fn authenticate(context: &mut Context<'_>, user: &[u8], password: &[u8]) -> Replied {
    let config = &context.state.config;
    if user != USER || !(config.password.is_empty() || config.is_password(password)) {
        let text = "WRONGPASS invalid username-password pair or user is disabled.";
        return Err(CommandError::new(text));
    }
    context.client.is_authenticated = true;
    Ok(())
}

fn hello(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let protocol = match arguments.get(1).map(|version| integer(version)) {
        None => context.replies.protocol(),
        Some(Ok(2)) => Protocol::Resp2,
        Some(Ok(3)) => Protocol::Resp3,
        Some(Ok(_)) => {
            return Err(CommandError::new("NOPROTO unsupported protocol version"));
        }
        Some(Err(_)) => {
            return Err(CommandError::err("Protocol version is not an integer or out of range"));
        }
    };
    let (mut credentials, mut name) = (None, None);
    let mut rest = arguments.get(2..).unwrap_or_default();
    while let [option, behind @ ..] = rest {
        let is = |word: &[u8]| option.eq_ignore_ascii_case(word);
        rest = match *behind {
            [user, password, ref behind @ ..] if is(b"auth") => {
                credentials = Some((user, password));
                behind
            }
            [new_name, ref behind @ ..] if is(b"setname") => {
                check_text("Client names", new_name)?;
                name = Some(new_name);
                behind
            }
            _ => {
                let before = "Syntax error in HELLO option '";
                return Err(CommandError::quoting(before, option, "'"));
            }
        };
    }
    if let Some((user, password)) = credentials {
        authenticate(context, user, password)?;
    }
    if !context.client.is_authenticated {
        return Err(CommandError::new(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the \
             HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and \
             select the RESP protocol version at the same time",
        ));
    }
    if let Some(name) = name {
        set_name(context.client, name)?;
    }
    let Context { client, replies, .. } = context;
    replies.set_protocol(protocol);
    replies.map(7);
    let text = |replies: &mut Replies, name: &str, value: &str| {
        replies.bulk(name.as_bytes());
        replies.bulk(value.as_bytes());
    };
    text(replies, "server", "zset");
    text(replies, "version", REDIS_VERSION);
    replies.bulk(b"proto");
    replies.integer(if protocol == Protocol::Resp2 { 2 } else { 3 });
    replies.bulk(b"id");
    replies.integer(client.id.cast_signed());
    text(replies, "mode", "standalone");
    text(replies, "role", "master");
    replies.bulk(b"modules");
    replies.array(0);
    Ok(())
}
