//! Server processes: zset-server, Redis and Valkey, each on a Unix socket in a temporary folder.
//!
//! [`test_support::servers`] defines which programs the other servers are, and what happens if one
//! is missing.

// Each test target uses only a part of this module.
#![allow(dead_code)]

mod reply;

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use test_support::servers::Program;

use crate::patient::{Patient, retry};
pub(crate) use reply::Reply;
pub(crate) use test_support::servers::{Folder, skip};

/// The timeout of a start and of a reply. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Redis 7.0.
    Redis,
    /// Valkey 9.
    Valkey,
    /// The program of this crate.
    Zset,
}

impl Kind {
    fn program(self) -> Program {
        match self {
            Kind::Redis => Program::redis(),
            Kind::Valkey => Program::valkey(),
            Kind::Zset => Program::built(env!("CARGO_BIN_EXE_zset-server")),
        }
    }

    /// Returns the start of the line in INFO if the version is right.
    fn version(self) -> &'static str {
        match self {
            Kind::Redis => "redis_version:7.0.",
            Kind::Valkey => "valkey_version:9.",
            // It was built with the tests.
            Kind::Zset => "",
        }
    }

    /// Returns the command that starts a server which reads and writes `dump.rdb` in a folder.
    fn command(self, folder: &Folder) -> Command {
        let mut command = Command::new(self.program().path());
        if self == Kind::Zset {
            command.args(["serve", "--port", "0", "--snapshot"]).arg(folder.snapshot());
            command.env_remove("ZSET_REQUIREPASS");
        } else {
            command.args(["--port", "0", "--databases", "1", "--save", "", "--appendonly", "no"]);
            command.args(["--dbfilename", "dump.rdb", "--dir"]).arg(folder.path());
        }
        command.arg("--unixsocket").arg(folder.socket());
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
        Server::start_in(kind, &Folder::new())
    }

    /// Like [`start`](Server::start), in a given folder.
    pub(crate) fn start_in(kind: Kind, folder: &Folder) -> Option<Server> {
        let program = kind.program();
        let _ = fs::remove_file(folder.socket());
        let process = program.start(&mut kind.command(folder), folder)?;
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

    /// Starts the program of this crate.
    pub(crate) fn zset(folder: &Folder) -> Server {
        Server::start_in(Kind::Zset, folder).expect("this crate's program is never skipped")
    }

    /// Waits until a server has loaded its data.
    fn connect(kind: Kind, mut process: Child, folder: &Folder) -> Server {
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
        let mut server = Server { kind, process, stream, folder: folder.clone() };
        while server.ask("PING") != b"+PONG\r\n" {
            assert!(start.elapsed() < PATIENCE, "{kind:?} does not load its data");
        }
        server
    }

    /// Replaces the connection by a new one.
    pub(crate) fn reconnect(&mut self) -> &mut Server {
        self.stream = connect(&self.folder.socket()).expect("the server listens");
        self
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.socket()
    }

    pub(crate) fn send(&mut self, line: &str) {
        write!(self.stream, "{line}\r\n").expect("the server reads");
    }

    /// Returns the reply to a line.
    pub(crate) fn ask(&mut self, line: &str) -> Vec<u8> {
        let replies = self.exchange(format!("{line}\r\n").as_bytes(), 1);
        replies.unwrap_or_else(|error| panic!("no reply to {line}: {error}")).remove(0)
    }

    /// Returns the reply to a line as a string; other bytes are escaped.
    pub(crate) fn ask_text(&mut self, line: &str) -> String {
        self.ask(line).escape_ascii().to_string().replace("\\r\\n", "\r\n")
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

    /// Sends SIGTERM.
    pub(crate) fn terminate(&self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
    }

    /// Sends SIGTERM and waits for the process to exit.
    pub(crate) fn stop(mut self) -> ExitStatus {
        self.terminate();
        self.process.wait().unwrap()
    }

    /// Kills the process, as in a power failure.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("the process runs");
        self.process.wait().unwrap();
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
