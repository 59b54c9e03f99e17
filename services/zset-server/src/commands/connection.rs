//! Commands about the connection, such as HELLO, AUTH, CLIENT and SELECT, and the commands of
//! transactions.

use super::arguments::{check_database, integer};
use super::server::REDIS_VERSION;
use super::{Command, Context, Handlers, Replied};
use crate::client::{Session, Transaction};
use crate::replies::{CommandError, Protocol, Replies};

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
    ("select", |context, arguments| {
        check_database(arguments[1])?;
        context.ok()
    }),
    ("client|id", |context, _| context.integer(context.client.id.cast_signed())),
    ("client|setname", |context, arguments| {
        set_name(context.client, arguments[2])?;
        context.ok()
    }),
    ("client|getname", get_name),
    ("client|setinfo", set_info),
    ("multi", |context, _| {
        context.client.transaction = Some(Transaction::default());
        context.ok()
    }),
    ("exec", exec),
    ("discard", discard),
];

/// The name of the only user.
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
    client.transaction = None;
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

/// Returns an error for bytes that Redis does not allow in names.
fn check_text(what: &str, text: &[u8]) -> Result<(), CommandError> {
    if text.iter().all(u8::is_ascii_graphic) {
        return Ok(());
    }
    Err(CommandError::err(format_args!(
        "{what} cannot contain spaces, newlines or special characters."
    )))
}

fn set_name(client: &mut Session, name: &[u8]) -> Result<(), CommandError> {
    check_text("Client names", name)?;
    client.name = name.into();
    Ok(())
}

fn get_name(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    if context.client.name.is_empty() {
        context.replies.null();
    } else {
        context.replies.bulk(&context.client.name);
    }
    Ok(())
}

/// Checks the name or version of a client's library, but does not store it.
fn set_info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let option = arguments[2];
    if !matches!(option.to_ascii_lowercase().as_slice(), b"lib-name" | b"lib-ver") {
        return Err(CommandError::quoting("Unrecognized option '", option, "'"));
    }
    check_text(&String::from_utf8_lossy(option), arguments[3])?;
    context.ok()
}

fn exec(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    let transaction = context.client.transaction.take();
    let transaction = transaction.ok_or_else(|| CommandError::err("EXEC without MULTI"))?;
    if transaction.is_broken {
        let text = "EXECABORT Transaction discarded because of previous errors.";
        return Err(CommandError::new(text));
    }
    context.replies.array(transaction.commands.len());
    // Within a transaction, blocking commands do not wait.
    let may_wait = std::mem::take(&mut context.client.may_wait);
    for arguments in &transaction.commands {
        let arguments: Vec<_> = arguments.iter().map(Vec::as_slice).collect();
        let before = context.replies.bytes().len();
        // The command passed this check when it was queued, so `Command::of` succeeds.
        let called = Command::of(&arguments).and_then(|it| (it.handler)(context, &arguments));
        if let Err(error) = called {
            context.replies.truncate(before);
            context.replies.error(error.bytes());
        }
    }
    context.client.may_wait = may_wait;
    Ok(())
}

fn discard(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    let transaction = context.client.transaction.take();
    transaction.ok_or_else(|| CommandError::err("DISCARD without MULTI"))?;
    context.ok()
}
