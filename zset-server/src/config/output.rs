//! [`OutputLimits`]: limits on clients' unread replies.

use std::fmt;
use std::time::Duration;

use super::parse_memory;

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
