//! Redis parameters that have no effect here: for other types, scripts, and how memory is freed.
//!
//! Test suites of clients set them, so values are type-checked, stored and returned.

use super::{Kind, Parameter, SetError, integer, memory, refused};

/// The type of a value, as checked by Redis.
#[derive(Debug)]
pub(super) enum Type {
    /// `yes` or `no`.
    Switch,
    /// An integer within inclusive bounds.
    Integer(i64, i64),
    /// A size in bytes, optionally with a unit.
    Memory,
    /// One of these words.
    Word(&'static [&'static str]),
}

const COUNT: Type = Type::Integer(0, i64::MAX);
const SMALL_COUNT: Type = Type::Integer(0, i32::MAX as i64);
const SMALL: Type = Type::Integer(i32::MIN as i64, i32::MAX as i64);

const fn kept(
    name: &'static str,
    alias: Option<&'static str>,
    kind: Type,
    default: &'static str,
) -> Parameter {
    Parameter { name, alias, kind: Kind::Kept(kind, default) }
}

/// The parameters, sorted by name.
pub(super) static KEPT: &[Parameter] = &[
    kept("active-expire-effort", None, Type::Integer(1, 10), "1"),
    kept("activerehashing", None, Type::Switch, "yes"),
    kept("appendfsync", None, Type::Word(&["everysec", "always", "no"]), "everysec"),
    kept("auto-aof-rewrite-min-size", None, Type::Memory, "67108864"),
    kept("auto-aof-rewrite-percentage", None, SMALL_COUNT, "100"),
    kept("busy-reply-threshold", Some("lua-time-limit"), COUNT, "5000"),
    kept("hash-max-listpack-entries", Some("hash-max-ziplist-entries"), COUNT, "512"),
    kept("hash-max-listpack-value", Some("hash-max-ziplist-value"), Type::Memory, "64"),
    kept("hll-sparse-max-bytes", None, Type::Memory, "3000"),
    kept("latency-monitor-threshold", None, COUNT, "0"),
    kept("latency-tracking", None, Type::Switch, "no"),
    kept("lazyfree-lazy-eviction", None, Type::Switch, "no"),
    kept("lazyfree-lazy-expire", None, Type::Switch, "no"),
    kept("lazyfree-lazy-server-del", None, Type::Switch, "no"),
    kept("lazyfree-lazy-user-del", None, Type::Switch, "no"),
    kept("lazyfree-lazy-user-flush", None, Type::Switch, "no"),
    kept("lfu-decay-time", None, SMALL_COUNT, "1"),
    kept("lfu-log-factor", None, SMALL_COUNT, "10"),
    kept("list-compress-depth", None, SMALL_COUNT, "0"),
    kept("list-max-listpack-size", Some("list-max-ziplist-size"), SMALL, "-2"),
    kept("maxmemory-eviction-tenacity", None, Type::Integer(0, 100), "10"),
    kept("maxmemory-samples", None, Type::Integer(1, 64), "5"),
    kept("no-appendfsync-on-rewrite", None, Type::Switch, "no"),
    kept("rdb-save-incremental-fsync", None, Type::Switch, "yes"),
    kept("rdbcompression", None, Type::Switch, "no"),
    kept("set-max-intset-entries", None, COUNT, "512"),
    kept("set-max-listpack-entries", None, COUNT, "128"),
    kept("set-max-listpack-value", None, COUNT, "64"),
    kept("slowlog-log-slower-than", None, Type::Integer(-1, i64::MAX), "-1"),
    kept("slowlog-max-len", None, COUNT, "128"),
    kept("stream-node-max-bytes", None, Type::Memory, "4096"),
    kept("stream-node-max-entries", None, COUNT, "100"),
];

impl Type {
    /// Parses a value; returns it in the form in which Redis would return it.
    pub(super) fn read(&self, value: &[u8]) -> Result<String, SetError> {
        Ok(match self {
            Type::Integer(least, most) => integer(value, *least, *most)?.to_string(),
            Type::Memory => memory(value, 0)?.to_string(),
            Type::Switch => {
                let word = word(&["yes", "no"], value);
                word.ok_or_else(|| refused("argument must be 'yes' or 'no'"))?
            }
            Type::Word(words) => word(words, value).ok_or_else(|| {
                SetError(format!("argument(s) must be one of the following: {}", words.join(", ")))
            })?,
        })
    }
}

/// Returns the word that a value matches, ignoring case.
fn word(words: &[&str], value: &[u8]) -> Option<String> {
    let is_meant = |word: &&&str| word.as_bytes().eq_ignore_ascii_case(value);
    words.iter().find(is_meant).map(|word| (*word).to_owned())
}
