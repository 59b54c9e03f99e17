//! [`Config`]: the parameters of CONFIG GET and SET.

use std::fmt;
use std::time::Duration;

use zset_core::ListpackLimits;

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
    pub(crate) debug_command: DebugCommand,
    pub(crate) output_limit: OutputLimit,
    /// Whether a password is mandatory because the server is reachable from other machines.
    pub(crate) needs_password: bool,
    /// The maximum number of clients that the operating system allows.
    pub(crate) possible_clients: usize,
}

/// The parameters, each with its older name if it has one.
const PARAMETERS: [&[&str]; 13] = [
    &["appendonly"],
    &["client-output-buffer-limit"],
    &["databases"],
    &["enable-debug-command"],
    &["maxclients"],
    &["maxmemory"],
    &["maxmemory-policy"],
    &["notify-keyspace-events"],
    &["proto-max-bulk-len"],
    &["requirepass"],
    &["save"],
    &["zset-max-listpack-entries", "zset-max-ziplist-entries"],
    &["zset-max-listpack-value", "zset-max-ziplist-value"],
];

/// Which clients may use DEBUG, which can block the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugCommand {
    /// No client.
    #[default]
    No,
    /// Every client.
    Yes,
    /// Clients on the same machine.
    Local,
}

impl DebugCommand {
    /// Parses `no`, `yes` or `local`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut all = [DebugCommand::No, DebugCommand::Yes, DebugCommand::Local].into_iter();
        all.find(|it| it.name().eq_ignore_ascii_case(text))
    }

    /// Returns whether a client may use DEBUG.
    pub(crate) fn allows(self, is_local: bool) -> bool {
        self == DebugCommand::Yes || self == DebugCommand::Local && is_local
    }

    fn name(self) -> &'static str {
        match self {
            DebugCommand::No => "no",
            DebugCommand::Yes => "yes",
            DebugCommand::Local => "local",
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            limits: ListpackLimits::default(),
            max_memory: 0,
            max_clients: 10_000,
            max_bulk_len: 512 * 1024 * 1024,
            password: Vec::new(),
            debug_command: DebugCommand::default(),
            output_limit: OutputLimit::default(),
            needs_password: false,
            possible_clients: usize::MAX,
        }
    }
}

impl Config {
    /// Returns every name of a parameter, with the name that [`get`](Self::get) and
    /// [`set`](Self::set) take.
    pub(crate) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        PARAMETERS.into_iter().flat_map(|names| names.iter().map(|name| (*name, names[0])))
    }

    /// Returns whether a password is correct. The time taken does not reveal how much of it
    /// matches.
    pub(crate) fn is_password(&self, password: &[u8]) -> bool {
        let differences = self.password.iter().zip(password).map(|(one, other)| one ^ other);
        let difference = differences.fold(0, |all, one| all | one);
        std::hint::black_box(difference) == 0 && self.password.len() == password.len()
    }

    /// Returns the value of a parameter as text.
    pub(crate) fn get(&self, parameter: &str) -> Vec<u8> {
        let text = match parameter {
            "client-output-buffer-limit" => self.output_limit.to_string(),
            "enable-debug-command" => self.debug_command.name().to_owned(),
            "maxclients" => self.max_clients.to_string(),
            "maxmemory" => self.max_memory.to_string(),
            "proto-max-bulk-len" => self.max_bulk_len.to_string(),
            "requirepass" => return self.password.clone(),
            "zset-max-listpack-entries" => self.limits.max_listpack_entries.to_string(),
            "zset-max-listpack-value" => self.limits.max_listpack_value.to_string(),
            fixed => fixed_value(fixed).to_owned(),
        };
        text.into_bytes()
    }

    /// Sets a parameter; returns an error that says why the value is invalid.
    pub(crate) fn set(&mut self, parameter: &str, value: &[u8]) -> Result<(), String> {
        match parameter {
            // A value that is not UTF-8 is not a valid limit either.
            "client-output-buffer-limit" => {
                self.output_limit = OutputLimit::parse(&String::from_utf8_lossy(value))?;
            }
            "maxclients" => {
                let max = integer(value, 1, u32::MAX.into())?;
                if max > self.possible_clients {
                    return Err(format!(
                        "The operating system is not able to handle the specified number of \
                         clients, try with {}",
                        self.possible_clients
                    ));
                }
                self.max_clients = max;
            }
            "maxmemory" => self.max_memory = memory(value, 0)?,
            "proto-max-bulk-len" => self.max_bulk_len = memory(value, 1024 * 1024)?,
            "requirepass" if value.is_empty() && self.needs_password => {
                return Err("others can reach the server, so it needs a password".to_owned());
            }
            "requirepass" => self.password = value.to_vec(),
            "zset-max-listpack-entries" => {
                self.limits.max_listpack_entries = integer(value, 0, i64::MAX)?;
            }
            "zset-max-listpack-value" => self.limits.max_listpack_value = memory(value, 0)?,
            fixed if fixed != "enable-debug-command" && fixed_value(fixed).as_bytes() == value => {}
            _ => return Err("can't set immutable config".to_owned()),
        }
        Ok(())
    }
}

/// Returns the value of a parameter that clients query but cannot change.
fn fixed_value(parameter: &str) -> &'static str {
    match parameter {
        "appendonly" => "no",
        "databases" => "1",
        "maxmemory-policy" => "noeviction",
        _ => "",
    }
}

/// Parses an integer within inclusive bounds.
fn integer(value: &[u8], least: i64, most: i64) -> Result<usize, String> {
    let value = crate::resp::parse_integer(value);
    let value = value.ok_or("argument couldn't be parsed into an integer")?;
    in_range(value, least, most)
}

/// Parses a size in bytes, optionally with a unit, and checks its minimum.
fn memory(value: &[u8], least: i64) -> Result<usize, String> {
    let value = parse_memory(value).ok_or("argument must be a memory value")?;
    in_range(value, least, i64::MAX)
}

fn in_range(value: i64, least: i64, most: i64) -> Result<usize, String> {
    if (least..=most).contains(&value) {
        return Ok(usize::try_from(value).unwrap_or(usize::MAX));
    }
    Err(format!("argument must be between {least} and {most} inclusive"))
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

/// The number of reply bytes that a client may leave unread before it is disconnected. Zero means
/// no limit. As in Redis, the first 16 KB are not counted.
///
/// All clients have Redis's class `normal`; there are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputLimit {
    /// A client that exceeds this is disconnected immediately.
    pub hard: usize,
    /// A client that exceeds this for longer than `soft_time` is disconnected.
    pub soft: usize,
    /// The maximum time above `soft`; whole seconds.
    pub soft_time: Duration,
}

impl OutputLimit {
    /// Parses `normal`, a hard limit, a soft limit and seconds, separated by spaces.
    ///
    /// # Errors
    ///
    /// Returns the message of Redis if the text is malformed.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let words: Vec<_> = text.split_ascii_whitespace().collect();
        let [class, hard, soft, seconds] = words[..] else {
            return Err("Wrong number of arguments in buffer limit configuration.");
        };
        if !class.eq_ignore_ascii_case("normal") {
            return Err("Invalid client class specified in buffer limit configuration.");
        }
        let bytes = |text: &str| parse_memory(text.as_bytes())?.try_into().ok();
        let limit = || {
            let soft_time = Duration::from_secs(seconds.parse().ok()?);
            Some(OutputLimit { hard: bytes(hard)?, soft: bytes(soft)?, soft_time })
        };
        limit().ok_or("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
    }
}

impl Default for OutputLimit {
    /// Returns a hard limit of 1 GB.
    fn default() -> Self {
        OutputLimit { hard: 1 << 30, soft: 0, soft_time: Duration::ZERO }
    }
}

impl fmt::Display for OutputLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutputLimit { hard, soft, soft_time } = self;
        write!(f, "normal {hard} {soft} {}", soft_time.as_secs())
    }
}
