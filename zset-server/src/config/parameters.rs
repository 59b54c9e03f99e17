//! [`Parameter`]: the table of parameters.

/// The numeric parameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    ListpackEntries,
    ListpackValue,
    MaxMemory,
    MaxClients,
    MaxBulkLen,
}

pub(super) const NUMBERS: usize = 5;

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
}

const fn parameter(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, alias: None, kind }
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
