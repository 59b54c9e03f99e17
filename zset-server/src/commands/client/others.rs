//! CLIENT LIST, INFO, KILL and UNBLOCK: commands that inspect or affect other clients.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

use crate::client::Session;
use crate::commands::arguments::integer;
use crate::commands::connection::USER;
use crate::engine::{Context, Ending};
use crate::error::CommandError;
use crate::keyspace::Keyspace;
use crate::resp::Protocol;

pub(super) fn info(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    let line = describe(context.client, &context.state.keyspace);
    context.replies.verbatim(&line);
    Ok(())
}

pub(super) fn list(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let filter = Filter::parse(&arguments[2..], Filter::default())?;
    let keyspace = &context.state.keyspace;
    let mut text = String::new();
    for session in context.state.clients.iter() {
        // The session of the calling client is already borrowed.
        let other = session.try_borrow();
        let session = other.as_deref().unwrap_or(context.client);
        if filter.matches(session, context.client.id, keyspace) {
            text.push_str(&describe(session, keyspace));
        }
    }
    context.replies.verbatim(&text);
    Ok(())
}

pub(super) fn kill(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (filter, is_old) = match arguments[2..] {
        [address] => (Filter { address: Some(address), ..Filter::default() }, true),
        ref options => {
            let filter = Filter { skips_me: true, ..Filter::default() };
            (Filter::parse(options, filter)?, false)
        }
    };
    let Context { state, client, replies } = context;
    let killed = |session: &&Rc<RefCell<Session>>| {
        let other = session.try_borrow();
        filter.matches(other.as_deref().unwrap_or(client), client.id, &state.keyspace)
    };
    let all: Vec<_> = state.clients.iter().collect();
    let killed: Vec<_> = all.iter().filter(killed).collect();
    for session in &killed {
        match session.try_borrow_mut() {
            Ok(mut session) => state.kill(&mut session),
            // The calling client still gets the reply.
            Err(_) => client.is_leaving = true,
        }
    }
    match (is_old, killed.len()) {
        (true, 0) => return Err(CommandError::err("No such client")),
        (true, _) => replies.status("OK"),
        (false, number) => replies.count(number),
    }
    Ok(())
}

pub(super) fn unblock(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let ending = match arguments[3..] {
        [] => Ending::TimeOut,
        [reason, ..] if reason.eq_ignore_ascii_case(b"timeout") => Ending::TimeOut,
        [reason, ..] if reason.eq_ignore_ascii_case(b"error") => Ending::Unblocked,
        _ => {
            let text = "CLIENT UNBLOCK reason should be TIMEOUT or ERROR";
            return Err(CommandError::err(text));
        }
    };
    let id = u64::try_from(integer(arguments[2])?).unwrap_or(0);
    let Context { state, client, replies } = context;
    // The calling client is not waiting.
    let other = state.clients.get(id).filter(|_| id != client.id);
    let has_waited =
        other.is_some_and(|session| state.end_waiting(&mut session.borrow_mut(), ending));
    replies.integer(has_waited.into());
    Ok(())
}

/// The criteria for selecting clients.
#[derive(Debug, Default)]
struct Filter<'a> {
    ids: Option<BTreeSet<u64>>,
    address: Option<&'a [u8]>,
    local_address: Option<&'a [u8]>,
    /// The minimum age of the connection, in seconds.
    age: Option<u64>,
    /// Whether a type was given that no client here has.
    is_of_no_type: bool,
    skips_me: bool,
}

impl<'a> Filter<'a> {
    fn parse(mut options: &[&'a [u8]], mut filter: Self) -> Result<Self, CommandError> {
        while let [option, rest @ ..] = options {
            let [value, behind @ ..] = rest else { return Err(CommandError::Syntax) };
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
                b"type" => filter.is_of_no_type |= !is_normal(value)?,
                b"addr" => filter.address = Some(value),
                b"laddr" => filter.local_address = Some(value),
                b"user" if *value == USER => {}
                b"user" => return Err(CommandError::quoting("No such user '", value, "'")),
                b"skipme" => {
                    filter.skips_me = match value.to_ascii_lowercase().as_slice() {
                        b"yes" => true,
                        b"no" => false,
                        _ => return Err(CommandError::Syntax),
                    }
                }
                b"maxage" => {
                    let error = || CommandError::err("maxage is not an integer or out of range");
                    let age = integer(value).ok().and_then(|age| u64::try_from(age).ok());
                    let age = age.ok_or_else(error)?;
                    if age == 0 {
                        return Err(CommandError::err("maxage should be greater than 0"));
                    }
                    filter.age = Some(age);
                }
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(filter)
    }

    fn matches(&self, session: &Session, asking: u64, keyspace: &Keyspace) -> bool {
        let is = |wanted: Option<&[u8]>, address: &str| {
            wanted.is_none_or(|wanted| wanted == address.as_bytes())
        };
        let age = keyspace.now().saturating_duration_since(session.since).as_secs();
        self.ids.as_ref().is_none_or(|ids| ids.contains(&session.id))
            && is(self.address, &session.address)
            && is(self.local_address, &session.local_address)
            && self.age.is_none_or(|least| age >= least)
            && !self.is_of_no_type
            && !(self.skips_me && session.id == asking)
            && !session.is_killed
    }
}

fn parse_id(text: &[u8]) -> Result<u64, CommandError> {
    let error = || CommandError::err("client-id should be greater than 0");
    let id = integer(text).map_err(|_| CommandError::Syntax)?;
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
        (client.is_kept, 'e'),
        (client.is_not_counted, 'T'),
    ] {
        if is_set {
            flags.push(flag);
        }
    }
    if flags.is_empty() {
        flags.push('N');
    }
    let protocol = if client.protocol == Protocol::Resp2 { 2 } else { 3 };
    let command = client.command.map_or("NULL", |command| command.name);
    let mut line = format!(
        "id={id} addr={address} laddr={local_address} fd=-1 name={name} age={age} idle={idle} \
         flags={flags} db=0 sub=0 psub=0 ssub=0 multi={multi} watch={} qbuf={} qbuf-free={} \
         argv-mem=0 multi-mem={} rbs={} rbp=0 obl=0 oll=0 omem={} tot-mem={} events=r cmd={command} \
         user=default redir=-1 resp={protocol}",
        client.watched.len(),
        client.buffered.requests,
        client.buffered.free[0],
        client.transaction.as_ref().map_or(0, |transaction| transaction.bytes),
        client.buffered.free[1],
        client.buffered.replies,
        client.held_bytes(),
    );
    // Writing to a string cannot fail.
    let _ = writeln!(line, " lib-name={library} lib-ver={version}");
    line
}
