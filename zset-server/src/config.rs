//! [`Config`]: the parameters of CONFIG GET and SET.

use std::fmt;
use std::time::Duration;

use zset_core::ListpackLimits;

/// The settings that can be changed while the server runs.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    numbers: [i64; NUMBERS],
    /// Empty means that none is required.
    pub(crate) password: Vec<u8>,
    pub(crate) debug_command: DebugCommand,
    pub(crate) output_limits: OutputLimits,
    /// Whether a password is mandatory because the server is reachable from other machines.
    pub(crate) needs_password: bool,
    /// The maximum number of clients that the operating system allows.
    possible_clients: usize,
}

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
            numbers: [128, 64, 0, 10_000, 512 * 1024 * 1024],
            password: Vec::new(),
            debug_command: DebugCommand::default(),
            output_limits: OutputLimits::default(),
            needs_password: false,
            possible_clients: usize::MAX,
        }
    }
}

impl Config {
    fn number(&self, number: Number) -> usize {
        usize::try_from(self.numbers[number as usize]).unwrap_or(usize::MAX)
    }

    /// Returns the listpack limits for new sorted sets.
    pub(crate) fn limits(&self) -> ListpackLimits {
        ListpackLimits {
            max_listpack_entries: self.number(Number::ListpackEntries),
            max_listpack_value: self.number(Number::ListpackValue),
        }
    }

    /// Returns the memory limit in bytes; 0 means no limit.
    pub(crate) fn max_memory(&self) -> usize {
        self.number(Number::MaxMemory)
    }

    /// Returns the maximum number of clients.
    pub(crate) fn max_clients(&self) -> usize {
        self.number(Number::MaxClients)
    }

    /// Sets the memory limit in bytes; 0 means no limit.
    pub(crate) fn set_max_memory(&mut self, max: u64) {
        self.numbers[Number::MaxMemory as usize] = max.try_into().unwrap_or(i64::MAX);
    }

    /// Sets the maximum number of clients, and how many the operating system allows.
    pub(crate) fn set_max_clients(&mut self, max: usize, possible: usize) {
        let max = max.min(possible).try_into().unwrap_or(i64::MAX);
        self.numbers[Number::MaxClients as usize] = max;
        self.possible_clients = possible;
    }

    /// Returns the maximum length of an argument, in bytes.
    pub(crate) fn max_bulk_len(&self) -> usize {
        self.number(Number::MaxBulkLen)
    }

    /// Returns whether a password is correct. The time taken does not reveal how much of it matches.
    pub(crate) fn is_password(&self, password: &[u8]) -> bool {
        let differences = self.password.iter().zip(password).map(|(one, other)| one ^ other);
        let difference = differences.fold(0, |all, one| all | one);
        std::hint::black_box(difference) == 0 && self.password.len() == password.len()
    }

    /// Returns the value of a parameter as text.
    pub(crate) fn get(&self, parameter: &Parameter) -> Vec<u8> {
        match &parameter.kind {
            Kind::Integer(number, ..) | Kind::Memory(number, _) => {
                self.numbers[*number as usize].to_string().into_bytes()
            }
            Kind::Password => self.password.clone(),
            Kind::DebugCommand => self.debug_command.name().into(),
            Kind::OutputLimits => self.output_limits.to_string().into_bytes(),
            Kind::Fixed(value) => value.as_bytes().to_vec(),
        }
    }

    /// Sets a parameter; returns an error that says why the value is invalid.
    pub(crate) fn set(&mut self, parameter: &Parameter, value: &[u8]) -> Result<(), String> {
        match parameter.kind {
            Kind::Integer(number, least, most) => {
                let value = integer(value, least, most)?;
                if let Number::MaxClients = number
                    && usize::try_from(value).is_ok_and(|value| value > self.possible_clients)
                {
                    return Err(format!(
                        "The operating system is not able to handle the specified number of \
                         clients, try with {}",
                        self.possible_clients
                    ));
                }
                self.numbers[number as usize] = value;
            }
            Kind::Memory(number, least) => self.numbers[number as usize] = memory(value, least)?,
            Kind::Password if value.is_empty() && self.needs_password => {
                return Err("others can reach the server, so it needs a password".to_owned());
            }
            Kind::Password => self.password = value.to_vec(),
            Kind::OutputLimits => {
                // A value that is not UTF-8 contains no valid class name either.
                self.output_limits = self.output_limits.with(&String::from_utf8_lossy(value))?;
            }
            Kind::Fixed(fixed) if fixed.as_bytes() == value => {}
            Kind::Fixed(_) | Kind::DebugCommand => {
                return Err("can't set immutable config".to_owned());
            }
        }
        Ok(())
    }
}

/// Parses an integer within inclusive bounds.
fn integer(value: &[u8], least: i64, most: i64) -> Result<i64, String> {
    let value = crate::resp::parse_integer(value);
    let value = value.ok_or("argument couldn't be parsed into an integer")?;
    in_range(value, least, most)
}

/// Parses a size in bytes, optionally with a unit, and checks its minimum.
fn memory(value: &[u8], least: i64) -> Result<i64, String> {
    let value = parse_memory(value).ok_or("argument must be a memory value")?;
    in_range(value, least, i64::MAX)
}

fn in_range(value: i64, least: i64, most: i64) -> Result<i64, String> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(format!("argument must be between {least} and {most} inclusive"))
}

/// Parses a size in bytes, with or without a unit, like Redis: `64`, `1k` (1000), `1kb` (1024).
///
/// # Examples
///
/// ```
/// assert_eq!(zset_server::parse_memory(b"2kb"), Some(2048));
/// assert_eq!(zset_server::parse_memory(b"2 kb"), None);
/// ```
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

/// The numeric parameters.
#[derive(Clone, Copy, Debug)]
enum Number {
    ListpackEntries,
    ListpackValue,
    MaxMemory,
    MaxClients,
    MaxBulkLen,
}

const NUMBERS: usize = 5;

/// A parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// An older name for the same parameter.
    pub(crate) alias: Option<&'static str>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
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

/// The number of reply bytes that a client may leave unread before it is disconnected. Zero means no
/// limit. As in Redis, the first 16 KB are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputLimit {
    /// A client that exceeds this is disconnected immediately.
    pub hard: usize,
    /// A client that exceeds this for longer than `soft_time` is disconnected.
    pub soft: usize,
    /// The maximum time above `soft`; whole seconds.
    pub soft_time: Duration,
}

/// The [`OutputLimit`] of each class of clients, as in `client-output-buffer-limit`.
///
/// All clients belong to the class `normal`. Redis's other classes, `slave` and `pubsub`, can be set for
/// compatibility with its configurations, but have no effect.
///
/// # Examples
///
/// ```
/// use zset_server::OutputLimits;
///
/// let limits = OutputLimits::default().with("normal 100mb 10mb 60")?;
/// assert_eq!(limits.normal().hard, 100 << 20);
/// assert!(limits.to_string().starts_with("normal 104857600 10485760 60 slave "));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputLimits {
    classes: [OutputLimit; CLASSES.len()],
}

/// The names of the classes, as displayed.
const CLASSES: [&str; 3] = ["normal", "slave", "pubsub"];

impl OutputLimits {
    /// Returns the limit for clients of class `normal`.
    pub fn normal(&self) -> OutputLimit {
        self.classes[0]
    }

    /// Returns these limits, updated by a text: a class, a hard limit, a soft limit and seconds for each
    /// class to update.
    ///
    /// # Errors
    ///
    /// Returns the message of Redis if the text is malformed.
    pub fn with(mut self, text: &str) -> Result<Self, &'static str> {
        let words: Vec<_> = text.split_ascii_whitespace().collect();
        let (limits, []) = words.as_chunks::<4>() else {
            return Err("Wrong number of arguments in buffer limit configuration.");
        };
        for [class, hard, soft, seconds] in limits {
            let class = if class.eq_ignore_ascii_case("replica") { "slave" } else { class };
            let index = CLASSES.iter().position(|name| name.eq_ignore_ascii_case(class));
            let index =
                index.ok_or("Invalid client class specified in buffer limit configuration.")?;
            let bytes = |text: &str| parse_memory(text.as_bytes())?.try_into().ok();
            let limit = || {
                let soft_time = Duration::from_secs(seconds.parse().ok()?);
                Some(OutputLimit { hard: bytes(hard)?, soft: bytes(soft)?, soft_time })
            };
            self.classes[index] = limit().ok_or(
                "Error in hard, soft or soft_seconds setting in buffer limit configuration.",
            )?;
        }
        Ok(self)
    }
}

impl Default for OutputLimits {
    /// Returns the defaults of Redis, except that class `normal` has a hard limit of 1 GB.
    fn default() -> Self {
        const MB: usize = 1024 * 1024;
        let limit = |hard, soft, seconds| OutputLimit {
            hard,
            soft,
            soft_time: Duration::from_secs(seconds),
        };
        let classes =
            [limit(1024 * MB, 0, 0), limit(256 * MB, 64 * MB, 60), limit(32 * MB, 8 * MB, 60)];
        OutputLimits { classes }
    }
}

impl fmt::Display for OutputLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, limit)) in CLASSES.iter().zip(&self.classes).enumerate() {
            let space = if index == 0 { "" } else { " " };
            let OutputLimit { hard, soft, soft_time } = limit;
            write!(f, "{space}{name} {hard} {soft} {}", soft_time.as_secs())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed_with_their_units() {
        for (text, bytes) in [
            ("0", Some(0)),
            ("5b", Some(5)),
            ("2K", Some(2000)),
            ("2kB", Some(2048)),
            ("", Some(0)),
        ] {
            assert_eq!(parse_memory(text.as_bytes()), bytes, "{text}");
        }
        for text in ["-1", "1 kb", "1tb", "99999999999999999999", "9999999999gb"] {
            assert_eq!(parse_memory(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn defaults_are_those_of_redis() {
        let config = Config::default();
        assert_eq!(config.limits(), ListpackLimits::default());
        assert_eq!((config.max_memory(), config.max_clients()), (0, 10_000));
        assert_eq!(config.max_bulk_len(), 512 << 20);
    }

    #[test]
    fn only_the_whole_password_is_correct() {
        let mut config = Config::default();
        let parameter = Parameter::find(b"REQUIREPASS").expect("the parameter exists");
        assert!(config.set(parameter, b"open").is_ok());
        for (password, is_right) in [
            (&b"open"[..], true),
            (b"ope", false),
            (b"openx", false),
            (b"opem", false),
            (b"", false),
        ] {
            assert_eq!(config.is_password(password), is_right);
        }
    }
}
