//! Starts server processes: Redis and Valkey, each on a Unix socket in a temporary folder.
//!
//! [`test_support::servers`] determines the programs, and what happens if one is not installed.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use test_support::servers::{Program, skip};

use crate::patient::{Patient, retry};
pub(crate) use crate::reply::Reply;
pub(crate) use test_support::servers::Folder;

/// The timeout of a start and of a reply. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Redis 7.0.
    Redis,
    /// Valkey 9.
    Valkey,
}

impl Kind {
    fn program(self) -> Program {
        match self {
            Kind::Redis => Program::redis(),
            Kind::Valkey => Program::valkey(),
        }
    }

    /// Returns the beginning of the line in INFO that shows the right version.
    fn version(self) -> &'static str {
        match self {
            Kind::Redis => "redis_version:7.0.",
            Kind::Valkey => "valkey_version:9.",
        }
    }

    /// Returns the command that starts a server with its files in a folder.
    fn command(self, folder: &Folder) -> Command {
        let mut command = Command::new(self.program().path());
        command.args(["--port", "0", "--databases", "1", "--save", "", "--appendonly", "no"]);
        command.arg("--dir").arg(folder.path()).arg("--unixsocket").arg(folder.socket());
        command
    }
}

/// A server process with a connection to it. It is killed on drop.
pub(crate) struct Server {
    pub(crate) kind: Kind,
    process: Child,
    connection: Connection,
    // The folder is deleted when this field is dropped, after the process has ended.
    folder: Folder,
}

impl Server {
    /// Starts each of the other servers that is installed, when the iterator reaches it.
    pub(crate) fn all() -> impl Iterator<Item = Server> {
        [Kind::Redis, Kind::Valkey].into_iter().filter_map(Server::start)
    }

    /// Starts a server in its own folder; returns `None` if the right version is not installed.
    pub(crate) fn start(kind: Kind) -> Option<Server> {
        let (program, folder) = (kind.program(), Folder::new());
        let process = program.start(&mut kind.command(&folder), &folder)?;
        let mut server = Server::connect(kind, process, folder);
        let info = String::from_utf8_lossy(&server.ask("INFO server")).into_owned();
        if info.lines().any(|line| line.starts_with(kind.version())) {
            return Some(server);
        }
        let versions: Vec<_> = info.lines().filter(|line| line.contains("_version:")).collect();
        let (program, versions) = (program.path().display(), versions.join(" "));
        skip(&format!("{program} has {versions}, not {}", kind.version()));
        None
    }

    /// Connects to a server as soon as it accepts connections.
    fn connect(kind: Kind, mut process: Child, folder: Folder) -> Server {
        let start = Instant::now();
        let connection = loop {
            if let Ok(connection) = Connection::open(&folder.socket()) {
                break connection;
            }
            let status = process.try_wait().expect("the process is a child");
            if status.is_some() || start.elapsed() > PATIENCE {
                let _ = process.kill();
                let log = fs::read_to_string(folder.log()).unwrap_or_default();
                panic!("{kind:?} does not start ({status:?}):\n{log}");
            }
            sleep(Duration::from_millis(5));
        };
        Server { kind, process, connection, folder }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.socket()
    }

    /// Sends a command line; returns the reply.
    pub(crate) fn ask(&mut self, line: &str) -> Vec<u8> {
        let replies = self.exchange(format!("{line}\r\n").as_bytes(), 1);
        replies.unwrap_or_else(|error| panic!("no reply to {line}: {error}")).remove(0)
    }

    /// Sends all requests at once; returns the reply to each.
    pub(crate) fn exchange(&mut self, requests: &[u8], count: usize) -> io::Result<Vec<Vec<u8>>> {
        let Connection { stream, .. } = &mut self.connection;
        stream.write_all(requests)?;
        let replies = (0..count).map(|_| self.connection.reply()).collect();
        let ahead = &self.connection.ahead;
        assert!(ahead.is_empty(), "more than {count} replies: {}", ahead.escape_ascii());
        replies
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ignore errors: a second panic here would hide the panic of the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) struct Connection {
    pub(crate) stream: Patient<UnixStream>,
    /// Bytes received after the last reply.
    pub(crate) ahead: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> io::Result<Connection> {
        let stream = retry(|| UnixStream::connect(socket))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Connection { stream: Patient(stream), ahead: Vec::new() })
    }

    /// Returns the next reply.
    pub(crate) fn reply(&mut self) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            if let Some((_, rest)) = Reply::parse(&self.ahead) {
                let len = self.ahead.len() - rest.len();
                return Ok(self.ahead.drain(..len).collect());
            }
            match self.stream.read(&mut buffer)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                len => self.ahead.extend_from_slice(&buffer[..len]),
            }
        }
    }
}
