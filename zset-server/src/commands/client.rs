//! CLIENT.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::arguments::integer;
use crate::client::Session;
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;
use crate::keyspace::Keyspace;
use crate::resp::Protocol;

pub(super) const HANDLERS: Handlers = &[
    ("client|id", |context, _| context.integer(context.client.id.cast_signed())),
    ("client|setname", |context, arguments| {
        set_name(context.client, arguments[2])?;
        context.ok()
    }),
    ("client|getname", get_name),
    ("client|info", info),
    ("client|list", list),
    ("client|kill", kill),
    ("client|unblock", unblock),
    ("client|setinfo", set_info),
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

fn get_name(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    if context.client.name.is_empty() {
        context.replies.null();
    } else {
        context.replies.bulk(&context.client.name);
    }
    Ok(())
}

fn set_info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let option = arguments[2];
    let index = match option.to_ascii_lowercase().as_slice() {
        b"lib-name" => 0,
        b"lib-ver" => 1,
        _ => return Err(CommandError::quoting("Unrecognized option '", option, "'")),
    };
    check_text(&String::from_utf8_lossy(option), arguments[3])?;
    context.client.library[index] = arguments[3].into();
    context.ok()
}

fn info(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    let line = describe(context.client, &context.state.keyspace);
    context.replies.verbatim(&line);
    Ok(())
}

fn list(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let filter = Filter::parse(&arguments[2..], Filter::default())?;
    let keyspace = &context.state.keyspace;
    let mut text = String::new();
    for session in context.state.clients.iter() {
        // The session of the calling client is already borrowed.
        let other = session.try_borrow();
        let session = other.as_deref().unwrap_or(context.client);
        if filter.matches(session, context.client.id) {
            text.push_str(&describe(session, keyspace));
        }
    }
    context.replies.verbatim(&text);
    Ok(())
}

fn kill(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (filter, is_old) = match arguments[2..] {
        [address] => (Filter { address: Some(address), ..Filter::default() }, true),
        ref options => {
            let filter = Filter { skips_me: true, ..Filter::default() };
            (Filter::parse(options, filter)?, false)
        }
    };
    let Context { state, client, .. } = context;
    let is_meant = |session: &Rc<RefCell<Session>>| {
        let other = session.try_borrow();
        filter.matches(other.as_deref().unwrap_or(client), client.id)
    };
    let killed: Vec<_> = state.clients.iter().filter(is_meant).collect();
    for session in &killed {
        match session.try_borrow_mut() {
            Ok(mut session) => session.kill(&mut state.keyspace),
            // The calling client still gets the reply.
            Err(_) => client.is_leaving = true,
        }
    }
    match (is_old, killed.len()) {
        (true, 0) => Err(CommandError::err("No such client")),
        (true, _) => context.ok(),
        (false, number) => context.count(number),
    }
}

fn unblock(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let is_error = match arguments[3..] {
        [] => false,
        [reason, ..] if reason.eq_ignore_ascii_case(b"timeout") => false,
        [reason, ..] if reason.eq_ignore_ascii_case(b"error") => true,
        _ => {
            let text = "CLIENT UNBLOCK reason should be TIMEOUT or ERROR";
            return Err(CommandError::err(text));
        }
    };
    let id = u64::try_from(integer(arguments[2])?).unwrap_or(0);
    let Context { state, client, .. } = context;
    // The calling client is not waiting.
    let other = state.clients.get(id).filter(|_| id != client.id);
    let was_waiting = other.is_some_and(|session| {
        session.borrow_mut().end_waiting(&mut state.keyspace, |replies| {
            if is_error {
                state.stats.errors += 1;
                replies.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
            } else {
                replies.null_array();
            }
        })
    });
    context.integer(was_waiting)
}

/// The criteria for selecting clients.
#[derive(Debug, Default)]
struct Filter<'a> {
    ids: Option<BTreeSet<u64>>,
    address: Option<&'a [u8]>,
    /// Whether a type was given that no client here has.
    is_of_no_type: bool,
    skips_me: bool,
}

impl<'a> Filter<'a> {
    fn parse(mut options: &[&'a [u8]], mut filter: Self) -> Result<Self, CommandError> {
        while let [option, rest @ ..] = options {
            let [value, behind @ ..] = rest else { return Err(CommandError::SYNTAX) };
            options = behind;
            match option.to_ascii_lowercase().as_slice() {
                b"id" => {
                    let ids = filter.ids.insert(BTreeSet::from([parse_id(value)?]));
                    // Further ids may follow.
                    while let [value, behind @ ..] = options
                        && integer(value).is_ok()
                    {
                        ids.insert(parse_id(value)?);
                        options = behind;
                    }
                }
                b"addr" => filter.address = Some(value),
                b"type" => filter.is_of_no_type |= !is_normal(value)?,
                b"skipme" => {
                    filter.skips_me = match value.to_ascii_lowercase().as_slice() {
                        b"yes" => true,
                        b"no" => false,
                        _ => return Err(CommandError::SYNTAX),
                    }
                }
                _ => return Err(CommandError::SYNTAX),
            }
        }
        Ok(filter)
    }

    fn matches(&self, session: &Session, asking: u64) -> bool {
        self.ids.as_ref().is_none_or(|ids| ids.contains(&session.id))
            && self.address.is_none_or(|address| address == session.address.as_bytes())
            && !self.is_of_no_type
            && !(self.skips_me && session.id == asking)
            && !session.is_killed
    }
}

fn parse_id(text: &[u8]) -> Result<u64, CommandError> {
    let error = || CommandError::err("client-id should be greater than 0");
    let id = integer(text).map_err(|_| CommandError::SYNTAX)?;
    u64::try_from(id).ok().filter(|id| *id > 0).ok_or_else(error)
}

/// Returns whether a client type is `normal`, the type of all clients here.
fn is_normal(kind: &[u8]) -> Result<bool, CommandError> {
    match kind.to_ascii_lowercase().as_slice() {
        b"normal" => Ok(true),
        b"master" | b"primary" | b"replica" | b"slave" | b"pubsub" => Ok(false),
        _ => Err(CommandError::quoting("Unknown client type '", kind, "'")),
    }
}

/// Returns a client's line in CLIENT LIST.
fn describe(client: &Session, keyspace: &Keyspace) -> String {
    let Session { id, address, local_address, .. } = client;
    let name = String::from_utf8_lossy(&client.name);
    let seconds = |since| keyspace.now().saturating_duration_since(since).as_secs();
    let (age, idle) = (seconds(client.since), seconds(client.last_seen));
    let multi = client.transaction.as_ref();
    let multi = multi.map_or(-1, |it| i64::try_from(it.commands.len()).unwrap_or(i64::MAX));
    let [library, version] = client.library.each_ref().map(|text| String::from_utf8_lossy(text));
    let mut flags = String::new();
    for (is_set, flag) in [
        (client.transaction.is_some(), 'x'),
        (client.wait.is_some(), 'b'),
        (client.is_leaving, 'c'),
    ] {
        if is_set {
            flags.push(flag);
        }
    }
    if flags.is_empty() {
        flags.push('N');
    }
    let protocol = if client.protocol == Protocol::Resp2 { 2 } else { 3 };
    format!(
        "id={id} addr={address} laddr={local_address} fd=-1 name={name} age={age} idle={idle} \
         flags={flags} db=0 sub=0 psub=0 ssub=0 multi={multi} watch={} qbuf={} argv-mem=0 \
         multi-mem={} obl=0 oll=0 omem={} tot-mem={} events=r cmd={} \
         user=default redir=-1 resp={protocol} lib-name={library} lib-ver={version}\n",
        client.watched.len(),
        client.buffered.requests,
        client.transaction.as_ref().map_or(0, |transaction| transaction.bytes),
        client.buffered.replies,
        client.held_bytes(),
        client.command.unwrap_or("NULL"),
    )
}
