//! [`Command`]: a command whose arguments may contain any bytes.

use std::fmt;

use zset_server::Requests;

use super::process::Server;

/// The name of a command and its arguments.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Command(Vec<Vec<u8>>);

/// Creates a command from words that implement `AsRef<[u8]>`.
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

    /// Returns the name in uppercase.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.0[0]).to_ascii_uppercase()
    }

    /// Returns the key of the sorted set that the command writes, if it writes one.
    pub(crate) fn written_key(&self) -> Option<&[u8]> {
        const WRITES: &str = "ZADD ZINCRBY ZREM ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREMRANGEBYLEX \
                              ZPOPMIN ZPOPMAX ZUNIONSTORE ZINTERSTORE ZDIFFSTORE RESTORE";
        let name = self.name();
        let writes = WRITES.split(' ').any(|it| it == name);
        self.0.get(1).filter(|_| writes).map(Vec::as_slice)
    }

    /// Returns the members that a ZADD or ZINCRBY names, whether or not they are new.
    pub(crate) fn added_members(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        const OPTIONS: [&[u8]; 6] = [b"NX", b"XX", b"GT", b"LT", b"CH", b"INCR"];
        let is_option = |word: &Vec<u8>| OPTIONS.contains(&&*word.to_ascii_uppercase());
        let adds = matches!(self.name().as_str(), "ZADD" | "ZINCRBY");
        let pairs = self.0.get(2..).filter(|_| adds).unwrap_or_default();
        let options = pairs.iter().take_while(|word| is_option(word)).count();
        pairs[options..].chunks_exact(2).map(|pair| &*pair[1])
    }

    /// Appends the command as clients send it.
    fn write(&self, request: &mut Vec<u8>) {
        request.extend(format!("*{}\r\n", self.0.len()).bytes());
        for word in &self.0 {
            request.extend(format!("${}\r\n", word.len()).bytes());
            request.extend_from_slice(word);
            request.extend(b"\r\n");
        }
    }
}

impl Server {
    /// Sends a command; returns the reply.
    pub(crate) fn run(&mut self, command: &Command) -> Vec<u8> {
        self.run_all(std::slice::from_ref(command)).remove(0)
    }

    /// Sends all commands at once; returns the reply to each.
    pub(crate) fn run_all(&mut self, commands: &[Command]) -> Vec<Vec<u8>> {
        let mut requests = Vec::new();
        for command in commands {
            command.write(&mut requests);
        }
        self.exchange(&requests, commands.len()).expect("the server replies")
    }
}

/// Parses a command line.
impl From<&str> for Command {
    fn from(line: &str) -> Command {
        let mut requests = Requests::default();
        requests.buffer().extend(format!("{line}\n").bytes());
        let words = requests.next().expect("the line is well-formed").expect("it has words");
        Command::new(words.into_iter().map(<[u8]>::to_vec))
    }
}

/// Writes the command for `redis-cli`, so that a failure can be reproduced by hand.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |&byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\');
        let words = self.0.iter().map(|word| match str::from_utf8(word) {
            Ok(text) if !word.is_empty() && word.iter().all(plain) => text.to_owned(),
            _ => quoted(word),
        });
        f.write_str(&words.collect::<Vec<_>>().join(" "))
    }
}

/// Quotes an argument of a command line, which may have any bytes.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let escaped = |byte: &u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    };
    format!("\"{}\"", bytes.iter().map(escaped).collect::<String>())
}
