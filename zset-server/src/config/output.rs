//! [`OutputLimits`]: how many bytes of replies a client may leave unread.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::parse_memory;

/// How many bytes of replies a client may leave unread before it is closed. Zero stands for no limit.
/// As in Redis, the first 16 KB of them are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputLimit {
    /// More than that closes it at once.
    pub hard: usize,
    /// More than that closes it if it lasts for `soft_time`.
    pub soft: usize,
    /// How long that may last; whole seconds.
    pub soft_time: Duration,
}

/// The [`OutputLimit`] of each class of clients, as `client-output-buffer-limit` has them.
///
/// All clients are of the class `normal`. The others of Redis, `slave` and `pubsub`, can be set, so that
/// its configurations can be used, and bound nothing.
///
/// # Examples
///
/// ```
/// use zset_server::OutputLimits;
///
/// let limits: OutputLimits = "normal 100mb 10mb 60".parse()?;
/// assert_eq!(limits.normal().hard, 100 << 20);
/// assert!(limits.to_string().starts_with("normal 104857600 10485760 60 slave "));
/// # Ok::<(), zset_server::ParseOutputLimitsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputLimits {
    classes: [OutputLimit; CLASSES.len()],
}

/// The names of the classes, as they are shown.
const CLASSES: [&str; 3] = ["normal", "slave", "pubsub"];

impl OutputLimits {
    /// Returns the limit of clients.
    pub fn normal(&self) -> OutputLimit {
        self.classes[0]
    }

    /// Returns these limits, but for those that a text sets.
    pub(crate) fn with(mut self, text: &str) -> Result<Self, ParseOutputLimitsError> {
        let words: Vec<_> = text.split_ascii_whitespace().collect();
        let (limits, []) = words.as_chunks::<4>() else {
            return Err(ParseOutputLimitsError::Arguments);
        };
        for [class, hard, soft, seconds] in limits {
            let class = if class.eq_ignore_ascii_case("replica") { "slave" } else { class };
            let index = CLASSES.iter().position(|name| name.eq_ignore_ascii_case(class));
            let index = index.ok_or(ParseOutputLimitsError::Class)?;
            let bytes = |text: &str| parse_memory(text.as_bytes())?.try_into().ok();
            let limit = || {
                let soft_time = Duration::from_secs(seconds.parse().ok()?);
                Some(OutputLimit { hard: bytes(hard)?, soft: bytes(soft)?, soft_time })
            };
            self.classes[index] = limit().ok_or(ParseOutputLimitsError::Number)?;
        }
        Ok(self)
    }
}

impl Default for OutputLimits {
    /// The limits of Redis, but for those of clients: it has none.
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

/// Why a text is not a valid output limit, in the words of Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseOutputLimitsError {
    /// It is not a class and three numbers, or several times that.
    Arguments,
    /// There is no such class.
    Class,
    /// A number is invalid.
    Number,
}

impl fmt::Display for ParseOutputLimitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Arguments => "Wrong number of arguments in buffer limit configuration.",
            Self::Class => "Invalid client class specified in buffer limit configuration.",
            Self::Number => {
                "Error in hard, soft or soft_seconds setting in buffer limit configuration."
            }
        })
    }
}

impl std::error::Error for ParseOutputLimitsError {}

impl FromStr for OutputLimits {
    type Err = ParseOutputLimitsError;

    fn from_str(text: &str) -> Result<Self, ParseOutputLimitsError> {
        OutputLimits::default().with(text)
    }
}
