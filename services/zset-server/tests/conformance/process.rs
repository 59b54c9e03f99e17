//! Server processes: Redis and Valkey, each on a Unix socket in a temporary folder.
//!
//! [`test_support::servers`] defines which programs the other servers are, and what happens if one
//! is missing.

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

    /// Returns the start of the line in INFO if the version is right.
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
    stream: Patient<UnixStream>,
    // Dropped after the process has ended.
    folder: Folder,
}

impl Server {
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

    /// Waits until a server answers.
    fn connect(kind: Kind, mut process: Child, folder: Folder) -> Server {
        let start = Instant::now();
        let stream = loop {
            if let Ok(stream) = connect(&folder.socket()) {
                break stream;
            }
            let status = process.try_wait().expect("the process is a child");
            if status.is_some() || start.elapsed() > PATIENCE {
                let _ = process.kill();
                let log = fs::read_to_string(folder.log()).unwrap_or_default();
                panic!("{kind:?} does not start ({status:?}):\n{log}");
            }
            sleep(Duration::from_millis(5));
        };
        Server { kind, process, stream, folder }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.socket()
    }

    /// Returns the reply to a line.
    pub(crate) fn ask(&mut self, line: &str) -> Vec<u8> {
        let replies = self.exchange(format!("{line}\r\n").as_bytes(), 1);
        replies.unwrap_or_else(|error| panic!("no reply to {line}: {error}")).remove(0)
    }

    /// Sends requests at once; returns the reply to each.
    pub(crate) fn exchange(&mut self, requests: &[u8], count: usize) -> io::Result<Vec<Vec<u8>>> {
        self.stream.write_all(requests)?;
        let (mut received, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        let (mut replies, mut start) = (Vec::new(), 0);
        while replies.len() < count {
            let len = self.stream.read(&mut buffer)?;
            if len == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            received.extend_from_slice(&buffer[..len]);
            while let Some((_, rest)) = Reply::parse(&received[start..]) {
                let end = received.len() - rest.len();
                replies.push(received[start..end].to_vec());
                start = end;
            }
        }
        let is_exact = replies.len() == count && start == received.len();
        assert!(is_exact, "more than {count} replies: {}", received.escape_ascii());
        Ok(replies)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A second panic here would hide the test's.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn connect(socket: &Path) -> io::Result<Patient<UnixStream>> {
    let stream = retry(|| UnixStream::connect(socket))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(Patient(stream))
}
