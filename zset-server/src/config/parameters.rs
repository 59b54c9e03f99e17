//! [`Parameter`]: the table of parameters.

/// The numeric parameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    ListpackEntries,
    ListpackValue,
    MaxMemory,
    MaxClients,
    MaxBulkLen,
    Timeout,
}

pub(super) const NUMBERS: usize = 6;

/// A parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// An older name for the same parameter.
    pub(crate) alias: Option<&'static str>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// An integer within inclusive bounds.
    Integer(Number, i64, i64),
    /// A size in bytes, optionally with a unit, and its minimum.
    Memory(Number, i64),
    Password,
    DebugCommand,
    OutputLimits,
    /// A value that clients query but cannot change.
    Fixed(&'static str),
    /// A value that clients set although it has no effect here, with its default.
    Kept(&'static str),
}

const fn parameter(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, alias: None, kind }
}

const fn kept(name: &'static str, default: &'static str) -> Parameter {
    parameter(name, Kind::Kept(default))
}

const fn aliased(name: &'static str, alias: &'static str, kind: Kind) -> Parameter {
    Parameter { name, alias: Some(alias), kind }
}

/// The parameters. Those that are kept are for other types, scripts, and how memory is freed: test suites
/// of clients set them.
static PARAMETERS: &[Parameter] = &[
    parameter("appendonly", Kind::Fixed("no")),
    parameter("client-output-buffer-limit", Kind::OutputLimits),
    parameter("databases", Kind::Fixed("1")),
    parameter("enable-debug-command", Kind::DebugCommand),
    parameter("maxclients", Kind::Integer(Number::MaxClients, 1, u32::MAX as i64)),
    parameter("maxmemory", Kind::Memory(Number::MaxMemory, 0)),
    parameter("maxmemory-policy", Kind::Fixed("noeviction")),
    parameter("notify-keyspace-events", Kind::Fixed("")),
    parameter("proto-max-bulk-len", Kind::Memory(Number::MaxBulkLen, 1024 * 1024)),
    parameter("requirepass", Kind::Password),
    parameter("save", Kind::Fixed("")),
    parameter("timeout", Kind::Integer(Number::Timeout, 0, i32::MAX as i64)),
    aliased(
        "zset-max-listpack-entries",
        "zset-max-ziplist-entries",
        Kind::Integer(Number::ListpackEntries, 0, i64::MAX),
    ),
    aliased(
        "zset-max-listpack-value",
        "zset-max-ziplist-value",
        Kind::Memory(Number::ListpackValue, 0),
    ),
    kept("active-expire-effort", "1"),
    kept("activerehashing", "yes"),
    kept("appendfsync", "everysec"),
    kept("auto-aof-rewrite-min-size", "67108864"),
    kept("auto-aof-rewrite-percentage", "100"),
    aliased("busy-reply-threshold", "lua-time-limit", Kind::Kept("5000")),
    aliased("hash-max-listpack-entries", "hash-max-ziplist-entries", Kind::Kept("512")),
    aliased("hash-max-listpack-value", "hash-max-ziplist-value", Kind::Kept("64")),
    kept("hll-sparse-max-bytes", "3000"),
    kept("latency-monitor-threshold", "0"),
    kept("latency-tracking", "no"),
    kept("lazyfree-lazy-eviction", "no"),
    kept("lazyfree-lazy-expire", "no"),
    kept("lazyfree-lazy-server-del", "no"),
    kept("lazyfree-lazy-user-del", "no"),
    kept("lazyfree-lazy-user-flush", "no"),
    kept("lfu-decay-time", "1"),
    kept("lfu-log-factor", "10"),
    kept("list-compress-depth", "0"),
    aliased("list-max-listpack-size", "list-max-ziplist-size", Kind::Kept("-2")),
    kept("maxmemory-eviction-tenacity", "10"),
    kept("maxmemory-samples", "5"),
    kept("no-appendfsync-on-rewrite", "no"),
    kept("rdb-save-incremental-fsync", "yes"),
    kept("rdbcompression", "no"),
    kept("set-max-intset-entries", "512"),
    kept("set-max-listpack-entries", "128"),
    kept("set-max-listpack-value", "64"),
    kept("slowlog-log-slower-than", "-1"),
    kept("slowlog-max-len", "128"),
    kept("stream-node-max-bytes", "4096"),
    kept("stream-node-max-entries", "100"),
];

impl Parameter {
    /// Returns all parameters.
    pub(crate) fn all() -> impl Iterator<Item = &'static Parameter> {
        PARAMETERS.iter()
    }

    /// Returns the parameter with a name, ignoring case.
    pub(crate) fn find(name: &[u8]) -> Option<&'static Parameter> {
        Parameter::all().find(|parameter| {
            parameter.names().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
        })
    }

    /// Returns the name and the alias, if any.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.alias)
    }
}
