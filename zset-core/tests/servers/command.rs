//! [`Command`]: a command as a client sends it.

use std::fmt;

/// The words of a command. Any word may have any bytes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Command(Vec<Vec<u8>>);

/// Makes a command of its words: strings, byte strings and what else is `AsRef<[u8]>`.
macro_rules! command {
    ($($word:expr),+ $(,)?) => {
        $crate::command::Command::new([$(<_ as AsRef<[u8]>>::as_ref(&$word).to_vec()),+])
    };
}
pub(crate) use command;

impl Command {
    pub(crate) fn new(words: impl IntoIterator<Item = Vec<u8>>) -> Command {
        Command(words.into_iter().collect())
    }

    pub(crate) fn words(&self) -> &[Vec<u8>] {
        &self.0
    }

    /// Returns the name in capitals.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.0[0]).to_ascii_uppercase()
    }

    /// Returns the key that the command writes to, if it is one that writes.
    pub(crate) fn written_key(&self) -> Option<&[u8]> {
        const WRITES: [&str; 12] = [
            "ZADD",
            "ZINCRBY",
            "ZREM",
            "ZREMRANGEBYRANK",
            "ZREMRANGEBYSCORE",
            "ZREMRANGEBYLEX",
            "ZPOPMIN",
            "ZPOPMAX",
            "ZUNIONSTORE",
            "ZINTERSTORE",
            "ZDIFFSTORE",
            "RESTORE",
        ];
        if WRITES.contains(&self.name().as_str()) { self.0.get(1).map(Vec::as_slice) } else { None }
    }
}

/// Writes what `redis-cli` reads, so that a failure can be tried by hand.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, word) in self.0.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            let plain =
                |&byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\');
            if !word.is_empty() && word.iter().all(plain) {
                write!(f, "{space}{}", String::from_utf8_lossy(word))?;
            } else {
                write!(f, "{space}{}", Quoted(word))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Bytes between quotes.
pub(crate) struct Quoted<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for &byte in self.0 {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                b' '..=b'~' => write!(f, "{}", char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str("\"")
    }
}
