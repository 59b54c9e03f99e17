//! Commands about the server, such as COMMAND, CONFIG and INFO, and commands that test suites send.

use std::collections::BTreeMap;
use std::time::Duration;

use super::arguments::{is_sync_or_async, matches, score, wrong_arguments};
use super::{Command, Context, Handlers, Replied, State};
use crate::config::{PARAMETERS, Parameter};
use crate::replies::{CommandError, Replies};

pub(super) const HANDLERS: Handlers = &[
    ("command", |context, _| describe_all(context)),
    ("command|count", |context, _| context.count(Command::all().count())),
    ("command|info", command_info),
    ("command|docs", docs),
    ("config|get", get),
    ("config|set", set),
    ("info", info),
    ("debug", debug),
    ("function|flush", flush_functions),
];

/// The handler of a container command. It is unreachable: the arity requires a subcommand.
pub(super) fn container(_: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    Err(CommandError::SYNTAX)
}

/// Lists the subcommands of a command.
pub(super) fn help(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let command = Command::find(arguments[0]).ok_or(CommandError::SYNTAX)?;
    let (subcommands, replies) = (&command.subcommands, &mut *context.replies);
    replies.array(1 + 2 * subcommands.len());
    let name = command.name.to_ascii_uppercase();
    replies.status(&format!("{name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"));
    for subcommand in subcommands {
        replies.status(&subcommand.name[command.name.len() + 1..].to_ascii_uppercase());
        replies.status(&format!("    {}", subcommand.summary));
    }
    Ok(())
}

fn describe_all(context: &mut Context<'_>) -> Replied {
    context.replies.array(Command::all().count());
    Command::all().for_each(|command| describe(context.replies, command));
    Ok(())
}

fn command_info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let names = &arguments[2..];
    if names.is_empty() {
        return describe_all(context);
    }
    let replies = &mut *context.replies;
    replies.array(names.len());
    for name in names {
        // Even a short name can add several kilobytes to the reply, so stop once the reply exceeds
        // the client's limit.
        if replies.is_cut() {
            break;
        }
        match Command::find_nested(name) {
            Some(command) => describe(replies, command),
            None => replies.null(),
        }
    }
    Ok(())
}

/// Writes the entry of a command in COMMAND INFO.
fn describe(replies: &mut Replies, command: &Command) {
    let flags = &command.flags;
    replies.array(10);
    replies.bulk(command.name.as_bytes());
    replies.integer(command.arity.into());
    replies.set(flags.len());
    for flag in flags {
        replies.status(flag);
    }
    for position in command.keys {
        replies.integer(position.into());
    }
    // This server reports no ACL categories, tips or key specifications.
    for _ in 0..3 {
        replies.set(0);
    }
    let subcommands = &command.subcommands;
    replies.array(subcommands.len());
    for subcommand in subcommands {
        describe(replies, subcommand);
    }
}

fn docs(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let names = &arguments[2..];
    let commands: Vec<&Command> = if names.is_empty() {
        Command::all().collect()
    } else {
        names.iter().filter_map(|name| Command::find_nested(name)).collect()
    };
    document(context.replies, &commands);
    Ok(())
}

fn document(replies: &mut Replies, commands: &[&Command]) {
    replies.map(commands.len());
    for command in commands {
        let subcommands = &command.subcommands;
        replies.bulk(command.name.as_bytes());
        replies.map(3 + usize::from(!subcommands.is_empty()));
        let texts =
            [("summary", command.summary), ("since", command.since), ("group", command.group)];
        for (name, text) in texts {
            replies.bulk(name.as_bytes());
            replies.bulk(text.as_bytes());
        }
        if !subcommands.is_empty() {
            replies.bulk(b"subcommands");
            document(replies, &subcommands.iter().collect::<Vec<_>>());
        }
    }
}

/// Returns the names of all parameters, including the older names.
fn names() -> impl Iterator<Item = (&'static str, &'static Parameter)> {
    PARAMETERS.iter().flat_map(|parameter| {
        [Some(parameter.name), parameter.older_name]
            .into_iter()
            .flatten()
            .map(move |name| (name, parameter))
    })
}

fn get(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    // For each parameter name that matches: the name to show in the reply, and the parameter.
    let mut found = BTreeMap::new();
    for pattern in &arguments[2..] {
        let is_name = !pattern.iter().any(|byte| b"[*?".contains(byte));
        for (name, parameter) in names() {
            if matches(&pattern.to_ascii_lowercase(), name.as_bytes()) {
                let shown = if is_name { pattern } else { name.as_bytes() };
                found.entry(name).or_insert((shown, parameter));
            }
        }
    }
    context.replies.map(found.len());
    for (shown, parameter) in found.into_values() {
        context.replies.bulk(shown);
        context.replies.bulk(&context.state.config.get(parameter));
    }
    Ok(())
}

fn set(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (pairs, []) = arguments[2..].as_chunks::<2>() else { return Err(CommandError::SYNTAX) };
    let failed = |name: &[u8], why: &str| {
        let before = "CONFIG SET failed (possibly related to argument '";
        CommandError::quoting(before, name, &format!("') - {why}"))
    };
    let mut changes: Vec<(&[u8], &Parameter, &[u8])> = Vec::with_capacity(pairs.len());
    for &[name, value] in pairs {
        let known = names().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
        let (_, parameter) = known.ok_or_else(|| {
            let before = "Unknown option or number of arguments for CONFIG SET - '";
            CommandError::quoting(before, name, "'")
        })?;
        if changes.iter().any(|(before, ..)| before.eq_ignore_ascii_case(name)) {
            return Err(failed(name, "duplicate parameter"));
        }
        changes.push((name, parameter, value));
    }
    // Apply all changes to a copy first, so that an error leaves the configuration unchanged.
    let mut config = context.state.config.clone();
    for (name, parameter, value) in changes {
        // The error shows the name in lowercase, as it is in `PARAMETERS`.
        let failed = |why: String| failed(&name.to_ascii_lowercase(), &why);
        config.set(parameter, value).map_err(failed)?;
    }
    context.state.config = config;
    context.ok()
}

/// The version of Redis whose commands this server implements, as reported to clients.
pub(super) const REDIS_VERSION: &str = "7.2.4";

fn info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let asked = &arguments[1..];
    let is_asked = |name: &str| asked.iter().any(|it| it.eq_ignore_ascii_case(name.as_bytes()));
    let all = asked.is_empty() || ["all", "everything", "default"].into_iter().any(is_asked);
    let shown = sections(context.state).into_iter().filter(|(title, _)| all || is_asked(title));
    let shown: Vec<_> = shown.map(|(title, fields)| format!("# {title}\n{fields}")).collect();
    context.replies.verbatim(&shown.join("\n").replace('\n', "\r\n"));
    Ok(())
}

/// Returns the sections of INFO with their titles, in order.
fn sections(state: &mut State) -> [(&'static str, String); 8] {
    let (keyspace, counts) = (&state.keyspace, &state.stats);
    let uptime = keyspace.now().saturating_duration_since(state.started).as_secs();
    let server = format!(
        "redis_version:{REDIS_VERSION}\nserver_name:zset\nzset_version:{}\nredis_mode:standalone\n\
         os:{}\narch_bits:{}\nprocess_id:{}\nuptime_in_seconds:{uptime}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        usize::BITS,
        std::process::id(),
    );
    // `try_borrow` fails only for the calling client, whose session is already borrowed. That
    // client is not waiting.
    let sessions = state.clients.iter();
    let waits: Vec<_> =
        sessions.map(|it| it.try_borrow().is_ok_and(|session| session.wait.is_some())).collect();
    let clients = format!(
        "connected_clients:{}\nmaxclients:{}\nblocked_clients:{}\n",
        waits.len(),
        state.config.max_clients,
        waits.iter().filter(|waits| **waits).count(),
    );
    let (used, peak) = state.memory.look();
    let memory = format!(
        "used_memory:{used}\nused_memory_peak:{peak}\nmaxmemory:{}\n\
         maxmemory_policy:noeviction\n",
        state.config.max_memory,
    );
    let persistence = "loading:0\nrdb_bgsave_in_progress:0\naof_enabled:0\n";
    let statistics = format!(
        "total_connections_received:{}\ntotal_commands_processed:{}\nrejected_connections:{}\n\
         expired_keys:{}\nevicted_keys:0\ntotal_error_replies:{}\n",
        counts.clients, counts.commands, counts.rejected_clients, keyspace.expired, counts.errors,
    );
    let keys = match keyspace.len() {
        0 => String::new(),
        keys => format!("db0:keys={keys},expires={},avg_ttl=0\n", keyspace.expiring_len()),
    };
    let replication = "role:master\nconnected_slaves:0\nmaster_repl_offset:0\n";
    [
        ("Server", server),
        ("Clients", clients),
        ("Memory", memory),
        ("Persistence", persistence.to_owned()),
        ("Stats", statistics),
        ("Replication", replication.to_owned()),
        ("Cluster", "cluster_enabled:0\n".to_owned()),
        ("Keyspace", keys),
    ]
}

/// Has no effect: test suites send it before each test.
fn flush_functions(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match arguments[2..] {
        [] => context.ok(),
        [how] if is_sync_or_async(how) => context.ok(),
        [_] => Err(CommandError::err("FUNCTION FLUSH only supports SYNC|ASYNC option")),
        _ => Err(wrong_arguments("FUNCTION", arguments[1])),
    }
}

/// The maximum sleep, during which no other client is answered.
const MAX_SLEEP: Duration = Duration::from_secs(10);

/// The reply to DEBUG HELP.
const HELP: [&str; 7] = [
    "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
    "HELP",
    "    Lists the subcommands.",
    "JMAP, RELOAD, SET-ACTIVE-EXPIRE <0|1>",
    "    Has no effect.",
    "SLEEP <seconds>",
    "    Blocks the server for at most 10 seconds.",
];

fn debug(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match (arguments[1].to_ascii_lowercase().as_slice(), &arguments[2..]) {
        (b"sleep", [seconds]) => std::thread::sleep(sleep_length(seconds)?),
        (b"help", []) => {
            context.replies.array(HELP.len());
            for line in HELP {
                context.replies.status(line);
            }
            return Ok(());
        }
        // Test suites send these subcommands. Here they would have no observable effect.
        (b"jmap" | b"reload", _) | (b"set-active-expire", [_]) => {}
        _ => return Err(wrong_arguments("DEBUG", arguments[1])),
    }
    context.ok()
}

/// Parses the argument of DEBUG SLEEP, in seconds.
fn sleep_length(text: &[u8]) -> Result<Duration, CommandError> {
    let seconds = score(text)?.get();
    let length = Duration::try_from_secs_f64(seconds).ok().filter(|length| *length <= MAX_SLEEP);
    let text = format!("seconds must be between 0 and {}", MAX_SLEEP.as_secs());
    length.ok_or_else(|| CommandError::err(text))
}
