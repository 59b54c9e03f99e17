//! The metrics page, in the text format of Prometheus:
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>.

use std::fmt::{Display, Write as _};

use crate::command::State;
use crate::memory::resident;

#[derive(Clone, Copy)]
enum Kind {
    Counter,
    Gauge,
}

/// The lines written so far.
#[derive(Default)]
struct Page(String);

impl Page {
    fn add(&mut self, kind: Kind, name: &str, help: &str, value: impl Display) {
        self.head(kind, name, help);
        self.line(name, "", value);
    }

    /// Writes the description of the lines that follow.
    fn head(&mut self, kind: Kind, name: &str, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        // Writing to a string cannot fail, here and below.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// Writes a line; the labels must not contain characters to escape.
    fn line(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

/// Returns the metrics page.
pub(crate) fn page(state: &mut State) -> String {
    let mut page = Page::default();
    server(&mut page, state);
    calls(&mut page, state);
    clients(&mut page, state);
    data(&mut page, state);
    memory(&mut page, state);
    snapshots(&mut page, state);
    page.0
}

fn server(page: &mut Page, state: &State) {
    let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    page.head(Kind::Gauge, "zset_build_info", "Which version runs.");
    page.line("zset_build_info", &version, 1);
    let uptime = state.keyspace.now().saturating_duration_since(state.started).as_secs_f64();
    page.add(Kind::Gauge, "zset_uptime_seconds", "Since the server has started.", uptime);
    let counts = &state.stats;
    page.add(Kind::Counter, "zset_commands_total", "Commands that came.", counts.commands);
    page.add(
        Kind::Counter,
        "zset_command_errors_total",
        "Commands that were answered by an error.",
        counts.errors,
    );
}

fn calls(page: &mut Page, state: &State) {
    const NAME: &str = "zset_command_calls_total";
    page.head(Kind::Counter, NAME, "Calls of each command, those in transactions too.");
    for (name, count) in &state.stats.calls {
        page.line(NAME, &format!("{{command=\"{name}\"}}"), count);
    }
}

fn clients(page: &mut Page, state: &State) {
    let counts = &state.stats;
    page.add(
        Kind::Gauge,
        "zset_clients_connected",
        "Clients there are.",
        state.clients.iter().count(),
    );
    page.add(Kind::Gauge, "zset_clients_max", "Clients there may be.", state.config.max_clients());
    page.add(Kind::Counter, "zset_clients_accepted_total", "Clients that came.", counts.clients);
    page.add(
        Kind::Counter,
        "zset_clients_rejected_total",
        "Clients that were one too many.",
        counts.rejected_clients,
    );
}

fn data(page: &mut Page, state: &State) {
    page.add(Kind::Gauge, "zset_keys", "Keys there are.", state.keyspace.len());
    page.add(
        Kind::Gauge,
        "zset_keys_expiring",
        "Keys that go at some time.",
        state.keyspace.expiring_len(),
    );
    page.add(
        Kind::Counter,
        "zset_keys_expired_total",
        "Keys whose time was over.",
        state.keyspace.expired(),
    );
    page.add(
        Kind::Gauge,
        "zset_throttles",
        "Keys of CL.THROTTLE that are kept.",
        state.keyspace.throttles.funnels.len(),
    );
}

fn memory(page: &mut Page, state: &mut State) {
    let (used, peak) = state.memory.look();
    page.add(Kind::Gauge, "zset_memory_used_bytes", "What the allocator has given.", used);
    page.add(Kind::Gauge, "zset_memory_peak_bytes", "The most that it had given.", peak);
    page.add(
        Kind::Gauge,
        "zset_memory_max_bytes",
        "At how much no more data is taken; 0 is never.",
        state.config.max_memory(),
    );
    if let Some(resident) = resident() {
        page.add(
            Kind::Gauge,
            "zset_memory_resident_bytes",
            "What the system counts for the process.",
            resident,
        );
    }
}

fn snapshots(page: &mut Page, state: &State) {
    let snapshots = &state.snapshots;
    if !snapshots.is_on() {
        return;
    }
    page.add(
        Kind::Counter,
        "zset_snapshots_total",
        "Snapshots that were saved.",
        snapshots.saved(),
    );
    if snapshots.is_tried() {
        page.add(
            Kind::Gauge,
            "zset_snapshot_last_success",
            "Whether the last one was saved: 1 or 0.",
            u8::from(!snapshots.has_failed()),
        );
    }
    if let Some(last) = snapshots.last() {
        page.add(
            Kind::Gauge,
            "zset_snapshot_last_timestamp_seconds",
            "When one was saved or loaded last.",
            last.as_nanos() / 1_000_000_000,
        );
    }
}
