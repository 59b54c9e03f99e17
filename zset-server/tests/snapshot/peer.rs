//! Servers, ours and others, that share a folder.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::patient::{Patient, retry};

/// How long something may take. Only a test that fails waits for so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// What comes behind each reply, so that its end is known.
const MARKER: &str = "5d0c2a-end-of-reply";

fn connect(socket: &Path) -> io::Result<Patient<UnixStream>> {
    let stream = retry(|| UnixStream::connect(socket))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(Patient(stream))
}

/// A folder that goes with its end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("zset-snapshot-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("a folder of one's own");
        Folder(path)
    }

    pub(crate) fn snapshot(&self) -> PathBuf {
        self.0.join("dump.rdb")
    }

    /// Returns a path to something else in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns the path of a snapshot that is not whole yet.
    pub(crate) fn unfinished(&self) -> Option<PathBuf> {
        let mut paths = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path());
        paths.find(|path| path.extension().is_some_and(|extension| extension == "unfinished"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A server that runs, and a connection to it.
pub(crate) struct Peer {
    pub(crate) process: Child,
    stream: Patient<UnixStream>,
}

impl Peer {
    /// Starts our program.
    pub(crate) fn ours(folder: &Folder) -> Peer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zset-server"));
        command.args(["serve", "--port", "0", "--snapshot"]).arg(folder.snapshot());
        Peer::start(command, folder).expect("it was built")
    }

    /// Starts another server; none where it is not installed, unless the tests are told to require it.
    pub(crate) fn theirs(program: &str, variable: &str, folder: &Folder) -> Option<Peer> {
        let program = env::var_os(variable).unwrap_or_else(|| program.into());
        let mut command = Command::new(&program);
        command.args(["--port", "0", "--save", "", "--dbfilename", "dump.rdb", "--dir"]);
        command.arg(&folder.0);
        let peer = Peer::start(command, folder);
        if peer.is_none() {
            assert!(
                env::var_os("ZSET_REQUIRE_SERVERS").is_none(),
                "there is no {}",
                program.display()
            );
            eprintln!("SKIPPED: there is no {}", program.display());
        }
        peer
    }

    fn start(mut command: Command, folder: &Folder) -> Option<Peer> {
        let socket = folder.0.join("socket");
        let _ = fs::remove_file(&socket);
        command.arg("--unixsocket").arg(&socket);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().ok()?;
        let start = Instant::now();
        loop {
            if let Ok(stream) = connect(&socket) {
                let mut peer = Peer { process, stream };
                while peer.ask("PING") != "+PONG\r\n" {
                    assert!(start.elapsed() < PATIENCE, "it does not answer");
                }
                return Some(peer);
            }
            if let Some(status) = process.try_wait().unwrap() {
                panic!("{command:?} ends: {status}");
            }
            assert!(start.elapsed() < PATIENCE, "{command:?} does not start");
            sleep(Duration::from_millis(5));
        }
    }

    /// Connects once more.
    pub(crate) fn reconnect(&mut self, folder: &Folder) -> &mut Peer {
        self.stream = connect(&folder.join("socket")).expect("it listens");
        self
    }

    pub(crate) fn send(&mut self, line: &str) {
        write!(self.stream, "{line}\r\n").expect("the server listens");
    }

    /// Returns the reply to a line, as text.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        let end = format!("${}\r\n{MARKER}\r\n", MARKER.len());
        self.send(&format!("{line}\r\nECHO {MARKER}"));
        let (mut reply, mut buffer) = (Vec::new(), [0; 8192]);
        while !reply.ends_with(end.as_bytes()) {
            let len = self.stream.read(&mut buffer).expect("the server answers");
            assert!(len > 0, "the server has closed the connection");
            reply.extend_from_slice(&buffer[..len]);
        }
        reply.truncate(reply.len() - end.len());
        reply.escape_ascii().to_string().replace("\\r\\n", "\r\n")
    }

    /// Ends it as SIGTERM does.
    pub(crate) fn stop(mut self) -> ExitStatus {
        self.terminate();
        self.process.wait().unwrap()
    }

    /// Sends SIGTERM.
    pub(crate) fn terminate(&self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
    }

    /// Ends it as the loss of power does.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().unwrap();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Nothing to do about an error, which would hide the one of the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs our program to its end; returns whether that was a success, and what it says.
pub(crate) fn run(snapshot: &Path, socket: &Path) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_zset-server"))
        .args(["serve", "--port", "0", "--snapshot"])
        .arg(snapshot)
        .arg("--unixsocket")
        .arg(socket)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}
