//! INFO.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::command::{Context, Handlers, Replied};
use crate::memory::resident;

pub(super) const HANDLERS: Handlers = &[("info", info)];

/// The version of Redis whose commands this server implements, as reported to clients.
pub(super) const REDIS_VERSION: &str = "7.2.4";

type Section = fn(&mut Context<'_>, &mut String) -> std::fmt::Result;

/// The sections with their titles, in order.
const SECTIONS: &[(&str, Section)] = &[
    ("Server", server),
    ("Clients", clients),
    ("Memory", memory),
    ("Persistence", persistence),
    ("Stats", stats),
    ("Replication", replication),
    ("Commandstats", command_stats),
    ("Cluster", cluster),
    ("Keyspace", keyspace),
];

/// The sections that are shown only if requested.
const SPECIAL: &[&str] = &["Commandstats"];

fn info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let asked = &arguments[1..];
    let is_asked = |name: &str| asked.iter().any(|it| it.eq_ignore_ascii_case(name.as_bytes()));
    let all = is_asked("all") || is_asked("everything");
    let default = asked.is_empty() || is_asked("default");
    let mut text = String::new();
    for (title, section) in SECTIONS {
        if !(all || is_asked(title) || (default && !SPECIAL.contains(title))) {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\r\n");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "# {title}\r\n");
        let _ = section(context, &mut text);
    }
    context.replies.verbatim(&text);
    Ok(())
}

fn server(context: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    let now = context.state.keyspace.now();
    let uptime = now.saturating_duration_since(context.state.started).as_secs();
    write!(
        text,
        "redis_version:{REDIS_VERSION}\r\nserver_name:zset\r\nzset_version:{}\r\n\
         redis_mode:standalone\r\nos:{}\r\narch_bits:{}\r\nprocess_id:{}\r\n\
         server_time_usec:{}\r\nuptime_in_seconds:{uptime}\r\nuptime_in_days:{}\r\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        usize::BITS,
        std::process::id(),
        now.as_nanos() / 1000,
        uptime / (24 * 60 * 60),
    )
}

fn clients(context: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    let (mut connected, mut blocked) = (0, 0);
    for session in context.state.clients.iter() {
        connected += 1;
        // The session of the calling client is already borrowed, and is not waiting.
        blocked += usize::from(session.try_borrow().is_ok_and(|session| session.wait.is_some()));
    }
    let max = context.state.config.max_clients();
    write!(
        text,
        "connected_clients:{connected}\r\nmaxclients:{max}\r\nblocked_clients:{blocked}\r\n",
    )
}

fn memory(context: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    let (used, peak) = context.state.memory.look();
    let resident = resident().unwrap_or(used);
    let max = context.state.config.max_memory();
    write!(
        text,
        "used_memory:{used}\r\nused_memory_rss:{resident}\r\nused_memory_peak:{peak}\r\n\
         maxmemory:{max}\r\nmaxmemory_policy:noeviction\r\n",
    )
}

fn persistence(context: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    let snapshots = &context.state.snapshots;
    let last = snapshots.last().unwrap_or(context.state.started).as_nanos() / 1_000_000_000;
    write!(
        text,
        "loading:0\r\nasync_loading:0\r\nrdb_bgsave_in_progress:0\r\nrdb_last_save_time:{last}\r\n\
         rdb_last_bgsave_status:{}\r\nrdb_saves:{}\r\naof_enabled:0\r\n",
        if snapshots.has_failed() { "err" } else { "ok" },
        snapshots.saved(),
    )
}

fn stats(context: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    let (stats, expired) = (&context.state.stats, context.state.keyspace.expired());
    write!(
        text,
        "total_connections_received:{}\r\ntotal_commands_processed:{}\r\n\
         rejected_connections:{}\r\nexpired_keys:{}\r\nevicted_keys:0\r\n\
         total_error_replies:{}\r\n",
        stats.clients, stats.commands, stats.rejected_clients, expired, stats.errors,
    )
}

fn replication(_: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    text.write_str("role:master\r\nconnected_slaves:0\r\nmaster_repl_offset:0\r\n")
}

/// Writes how often each command was called; execution times are not measured.
fn command_stats(context: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    for (name, calls) in context.state.stats.calls.iter().collect::<BTreeMap<_, _>>() {
        write!(text, "cmdstat_{name}:calls={calls}\r\n")?;
    }
    Ok(())
}

fn cluster(_: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    text.write_str("cluster_enabled:0\r\n")
}

fn keyspace(context: &mut Context<'_>, text: &mut String) -> std::fmt::Result {
    let (keys, expires) = (context.state.keyspace.len(), context.state.keyspace.expiring_len());
    if keys == 0 {
        return Ok(());
    }
    write!(text, "db0:keys={keys},expires={expires},avg_ttl=0\r\n")
}
