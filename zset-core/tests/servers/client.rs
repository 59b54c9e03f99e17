//! A connection to a server, and what the server replies.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use redis::{Parser, Value};

use crate::command::{Command, Quoted};

/// A server that is silent for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a server replies, in version 2 of the protocol.
#[derive(Clone, PartialEq)]
pub(crate) enum Reply {
    Nil,
    Number(i64),
    Text(Vec<u8>),
    List(Vec<Reply>),
    Error(String),
}

impl Reply {
    /// Returns the texts of a list of texts.
    #[track_caller]
    pub(crate) fn into_texts(self) -> Vec<Vec<u8>> {
        let Reply::List(replies) = self else { panic!("not a list: {self:?}") };
        replies.into_iter().map(Reply::into_text).collect()
    }

    #[track_caller]
    pub(crate) fn into_text(self) -> Vec<u8> {
        let Reply::Text(text) = self else { panic!("not a text: {self:?}") };
        text
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Nil => f.write_str("nil"),
            Reply::Number(number) => write!(f, "{number}"),
            Reply::Text(text) => fmt::Display::fmt(&Quoted(text), f),
            Reply::List(replies) => f.debug_list().entries(replies).finish(),
            Reply::Error(message) => write!(f, "error: {message}"),
        }
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Reply {
        match value {
            Value::Nil => Reply::Nil,
            Value::Int(number) => Reply::Number(number),
            Value::BulkString(text) => Reply::Text(text),
            Value::SimpleString(text) => Reply::Text(text.into_bytes()),
            Value::Okay => Reply::Text(b"OK".to_vec()),
            Value::Array(values) => Reply::List(values.into_iter().map(Reply::from).collect()),
            Value::ServerError(error) => {
                Reply::Error(format!("{} {}", error.code(), error.details().unwrap_or_default()))
            }
            other => panic!("version 2 of the protocol has no {other:?}"),
        }
    }
}

/// A stream on which a read that a signal interrupts is made again. With a time limit it does not go on by
/// itself when a process that was stopped continues.
struct Patient(UnixStream);

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

pub(crate) struct Connection {
    stream: Patient,
    parser: Parser,
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> io::Result<Connection> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Connection { stream: Patient(stream), parser: Parser::new() })
    }

    /// Sends the commands all at once, and returns a reply for each.
    pub(crate) fn ask_all(&mut self, commands: &[Command]) -> Vec<Reply> {
        if commands.is_empty() {
            return Vec::new();
        }
        let mut packed = Vec::new();
        for command in commands {
            let mut arguments = redis::Cmd::new();
            for word in command.words() {
                arguments.arg(word.as_slice());
            }
            packed.extend(arguments.get_packed_command());
        }
        self.stream.0.write_all(&packed).expect("the server listens");
        let mut reply = || self.parser.parse_value(&mut self.stream).expect("the server replies");
        commands.iter().map(|_| Reply::from(reply())).collect()
    }
}
