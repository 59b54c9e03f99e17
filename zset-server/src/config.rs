//! [`Config`]: the parameters of CONFIG GET and SET.

mod output;
mod parameters;

use zset_core::ListpackLimits;

pub use output::{OutputLimit, OutputLimits};
pub(crate) use parameters::Parameter;
use parameters::{Kind, NUMBERS, Number};

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
