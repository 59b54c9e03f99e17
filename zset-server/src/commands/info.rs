//! INFO.

use std::collections::BTreeMap;

use crate::command::{Context, Handlers, Replied, State};

pub(super) const HANDLERS: Handlers = &[("info", info)];

/// The version of Redis whose commands this server implements, as reported to clients.
pub(super) const REDIS_VERSION: &str = "7.2.4";

/// The section that is shown only if requested.
const SPECIAL: &str = "Commandstats";

fn info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let asked = &arguments[1..];
    let is_asked = |name: &str| asked.iter().any(|it| it.eq_ignore_ascii_case(name.as_bytes()));
    let all = is_asked("all") || is_asked("everything");
    let default = asked.is_empty() || is_asked("default");
    let shown = sections(context.state)
        .into_iter()
        .filter(|(title, _)| all || is_asked(title) || (default && *title != SPECIAL));
    let shown: Vec<_> = shown.map(|(title, fields)| format!("# {title}\n{fields}")).collect();
    context.replies.verbatim(&shown.join("\n").replace('\n', "\r\n"));
    Ok(())
}

/// Returns the sections with their titles, in order.
fn sections(state: &mut State) -> [(&'static str, String); 9] {
    let (keyspace, counts, snapshots) = (&state.keyspace, &state.stats, &state.snapshots);
    let uptime = keyspace.now().saturating_duration_since(state.started).as_secs();
    let server = format!(
        "redis_version:{REDIS_VERSION}\nserver_name:zset\nzset_version:{}\nredis_mode:standalone\n\
         os:{}\nprocess_id:{}\nuptime_in_seconds:{uptime}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::process::id(),
    );
    // The session of the calling client is already borrowed, and is not waiting.
    let sessions = state.clients.iter();
    let waits: Vec<_> =
        sessions.map(|it| it.try_borrow().is_ok_and(|session| session.wait.is_some())).collect();
    let clients = format!(
        "connected_clients:{}\nmaxclients:{}\nblocked_clients:{}\n",
        waits.len(),
        state.config.max_clients(),
        waits.iter().filter(|waits| **waits).count(),
    );
    let (used, peak) = state.memory.look();
    let memory = format!(
        "used_memory:{used}\nused_memory_peak:{peak}\nmaxmemory:{}\n\
         maxmemory_policy:noeviction\n",
        state.config.max_memory(),
    );
    let persistence = format!(
        "loading:0\nrdb_bgsave_in_progress:0\nrdb_last_save_time:{}\nrdb_last_bgsave_status:{}\n\
         rdb_saves:{}\naof_enabled:0\n",
        snapshots.last.unwrap_or(state.started).as_nanos() / 1_000_000_000,
        if snapshots.has_failed { "err" } else { "ok" },
        snapshots.saved,
    );
    let statistics = format!(
        "total_connections_received:{}\ntotal_commands_processed:{}\nrejected_connections:{}\n\
         expired_keys:{}\nevicted_keys:0\ntotal_error_replies:{}\n",
        counts.clients, counts.commands, counts.rejected_clients, keyspace.expired, counts.errors,
    );
    let calls: BTreeMap<_, _> = counts.calls.iter().collect();
    let calls = calls.iter().map(|(name, calls)| format!("cmdstat_{name}:calls={calls}\n"));
    let keys = match keyspace.len() {
        0 => String::new(),
        keys => format!("db0:keys={keys},expires={},avg_ttl=0\n", keyspace.expiring_len()),
    };
    let replication = "role:master\nconnected_slaves:0\nmaster_repl_offset:0\n";
    [
        ("Server", server),
        ("Clients", clients),
        ("Memory", memory),
        ("Persistence", persistence),
        ("Stats", statistics),
        ("Replication", replication.to_owned()),
        (SPECIAL, calls.collect()),
        ("Cluster", "cluster_enabled:0\n".to_owned()),
        ("Keyspace", keys),
    ]
}
