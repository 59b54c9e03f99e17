//! [`Config`]: the parameters of CONFIG GET and SET.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use zset_core::ListpackLimits;

use crate::requests::parse_integer;

/// The settings that can be changed while the server runs.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The listpack limits of new sorted sets.
    pub(crate) limits: ListpackLimits,
    /// The memory limit in bytes; 0 means no limit.
    pub(crate) max_memory: usize,
    pub(crate) max_clients: usize,
    /// The maximum length of an argument, in bytes.
    pub(crate) max_bulk_len: usize,
    /// The password; empty if none is required.
    pub(crate) password: Vec<u8>,
    /// Whether clients may use DEBUG, which can block the server.
    pub(crate) allows_debug: bool,
    /// Whether a password is mandatory because the server is reachable from other machines.
    pub(crate) needs_password: bool,
    /// The maximum number of clients that the operating system allows.
    pub(crate) possible_clients: usize,
    /// The values that clients have set for parameters of data types that the server lacks. Some
    /// clients set them on startup. They have no effect.
    others: BTreeMap<&'static str, i64>,
}

/// A parameter of CONFIG GET and SET.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// Its name in older versions of Redis.
    pub(crate) older_name: Option<&'static str>,
    kind: Kind,
    /// The value until it is set; used only for parameters without effect.
    default: i64,
}

/// The values that a parameter can have.
enum Kind {
    /// A constant. Setting it to the same value succeeds.
    Fixed(&'static str),
    /// Set by the command-line option of the same name; read-only.
    Option,
    Password,
    Integer(RangeInclusive<i64>),
    /// A size of at least this number of bytes.
    Memory(i64),
}

pub(crate) static PARAMETERS: [Parameter; 22] = {
    use Kind::{Fixed, Integer, Memory, Password};

    const fn used(name: &'static str, kind: Kind) -> Parameter {
        Parameter { name, older_name: None, kind, default: 0 }
    }
    const fn other(name: &'static str, kind: Kind, default: i64) -> Parameter {
        Parameter { name, older_name: None, kind, default }
    }
    const fn renamed(older_name: &'static str, parameter: Parameter) -> Parameter {
        Parameter { older_name: Some(older_name), ..parameter }
    }
    const ENTRIES: Kind = Integer(0..=i64::MAX);
    const SIZE: Kind = Integer(i32::MIN as i64..=i32::MAX as i64);
    [
        used("appendonly", Fixed("no")),
        used("databases", Fixed("1")),
        used("enable-debug-command", Kind::Option),
        renamed("hash-max-ziplist-entries", other("hash-max-listpack-entries", ENTRIES, 512)),
        renamed("hash-max-ziplist-value", other("hash-max-listpack-value", Memory(0), 64)),
        other("hll-sparse-max-bytes", Memory(0), 3000),
        other("list-compress-depth", Integer(0..=i32::MAX as i64), 0),
        renamed("list-max-ziplist-size", other("list-max-listpack-size", SIZE, -2)),
        used("maxclients", Integer(1..=u32::MAX as i64)),
        used("maxmemory", Memory(0)),
        used("maxmemory-policy", Fixed("noeviction")),
        used("notify-keyspace-events", Fixed("")),
        used("proto-max-bulk-len", Memory(1024 * 1024)),
        used("requirepass", Password),
        used("save", Fixed("")),
        other("set-max-intset-entries", ENTRIES, 512),
        other("set-max-listpack-entries", ENTRIES, 128),
        other("set-max-listpack-value", ENTRIES, 64),
        other("stream-node-max-bytes", Memory(0), 4096),
        other("stream-node-max-entries", ENTRIES, 100),
        renamed("zset-max-ziplist-entries", used("zset-max-listpack-entries", ENTRIES)),
        renamed("zset-max-ziplist-value", used("zset-max-listpack-value", Memory(0))),
    ]
};

impl Default for Config {
    fn default() -> Self {
        Config {
            limits: ListpackLimits::default(),
            max_memory: 0,
            max_clients: 10_000,
            max_bulk_len: 512 * 1024 * 1024,
            password: Vec::new(),
            allows_debug: false,
            needs_password: false,
            possible_clients: usize::MAX,
            others: BTreeMap::new(),
        }
    }
}

impl Config {
    /// Returns whether a password is correct. The time taken does not reveal how much of it
    /// matches.
    pub(crate) fn is_password(&self, password: &[u8]) -> bool {
        let differences = self.password.iter().zip(password).map(|(one, other)| one ^ other);
        let difference = differences.fold(0, |all, one| all | one);
        std::hint::black_box(difference) == 0 && self.password.len() == password.len()
    }

    /// Returns the value of a parameter as text.
    pub(crate) fn get(&self, parameter: &Parameter) -> Vec<u8> {
        let text = match (&parameter.kind, parameter.name) {
            (Kind::Fixed(value), _) => (*value).to_owned(),
            (Kind::Option, _) => if self.allows_debug { "yes" } else { "no" }.to_owned(),
            (Kind::Password, _) => return self.password.clone(),
            (_, "maxclients") => self.max_clients.to_string(),
            (_, "maxmemory") => self.max_memory.to_string(),
            (_, "proto-max-bulk-len") => self.max_bulk_len.to_string(),
            (_, "zset-max-listpack-entries") => self.limits.max_listpack_entries.to_string(),
            (_, "zset-max-listpack-value") => self.limits.max_listpack_value.to_string(),
            (_, other) => self.others.get(other).unwrap_or(&parameter.default).to_string(),
        };
        text.into_bytes()
    }

    /// Sets a parameter; returns an error that says why the value is invalid.
    pub(crate) fn set(&mut self, parameter: &Parameter, value: &[u8]) -> Result<(), String> {
        let number = match &parameter.kind {
            Kind::Fixed(fixed) if fixed.as_bytes() == value => return Ok(()),
            Kind::Fixed(_) | Kind::Option => return Err("can't set immutable config".to_owned()),
            Kind::Password if value.is_empty() && self.needs_password => {
                return Err("others can reach the server, so it needs a password".to_owned());
            }
            Kind::Password => {
                self.password = value.to_vec();
                return Ok(());
            }
            Kind::Integer(range) => {
                let number = parse_integer(value);
                let number = number.ok_or("argument couldn't be parsed into an integer")?;
                in_range(number, range)?
            }
            Kind::Memory(least) => {
                let number = parse_memory(value).ok_or("argument must be a memory value")?;
                in_range(number, &(*least..=i64::MAX))?
            }
        };
        let size = usize::try_from(number).unwrap_or(usize::MAX);
        match parameter.name {
            "maxclients" if size > self.possible_clients => {
                return Err(format!(
                    "The operating system is not able to handle the specified number of clients, \
                     try with {}",
                    self.possible_clients
                ));
            }
            "maxclients" => self.max_clients = size,
            "maxmemory" => self.max_memory = size,
            "proto-max-bulk-len" => self.max_bulk_len = size,
            "zset-max-listpack-entries" => self.limits.max_listpack_entries = size,
            "zset-max-listpack-value" => self.limits.max_listpack_value = size,
            other => _ = self.others.insert(other, number),
        }
        Ok(())
    }
}

fn in_range(number: i64, range: &RangeInclusive<i64>) -> Result<i64, String> {
    if range.contains(&number) {
        return Ok(number);
    }
    Err(format!("argument must be between {} and {} inclusive", range.start(), range.end()))
}

/// Parses a size in bytes, with or without a unit, like Redis: `64`, `1k` (1000), `1kb` (1024).
pub fn parse_memory(text: &[u8]) -> Option<i64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, unit) = text.split_at(digits);
    let unit: i64 = match unit.to_ascii_lowercase().as_slice() {
        b"" | b"b" => 1,
        b"k" => 1000,
        b"kb" => 1 << 10,
        b"m" => 1_000_000,
        b"mb" => 1 << 20,
        b"g" => 1_000_000_000,
        b"gb" => 1 << 30,
        _ => return None,
    };
    // An empty number is zero, as with C's `strtoull`.
    let number = if number.is_empty() { b"0" } else { number };
    std::str::from_utf8(number).ok()?.parse::<i64>().ok()?.checked_mul(unit)
}
