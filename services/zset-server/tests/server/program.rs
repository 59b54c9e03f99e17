//! Runs the program as a server, and lets tests read its log and send it signals.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

use test_support::servers::Folder;

use crate::patient::{Patient, retry};
use crate::running::{PATIENCE, Peer};

/// The program as a server, with a socket in a folder.
pub(crate) struct Program {
    pub(crate) folder: Folder,
    child: Child,
    log: Option<BufReader<ChildStderr>>,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Program {
        Program::run(Command::new(env!("CARGO_BIN_EXE_zset-server")), arguments)
    }

    /// Starts the program from a shell that runs the command `before` first.
    pub(crate) fn start_after(before: &str, arguments: &[&str]) -> Program {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{before}\nexec \"$0\" \"$@\"")]);
        command.arg(env!("CARGO_BIN_EXE_zset-server"));
        Program::run(command, arguments)
    }

    fn run(mut command: Command, arguments: &[&str]) -> Program {
        let folder = Folder::new();
        let mut child = command
            .args(["serve", "--port", "0", "--unixsocket"])
            .arg(folder.socket())
            .args(arguments)
            .env_remove("ZSET_REQUIREPASS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can start");
        let mut log = BufReader::new(child.stderr.take().expect("stderr is piped"));
        let mut text = String::new();
        while !text.contains("listening") {
            let len = log.read_line(&mut text).expect("the log is UTF-8");
            assert!(len > 0, "the program does not start: {text}");
        }
        Program { folder, child, log: Some(log) }
    }

    pub(crate) fn connect(&self) -> Peer<UnixStream> {
        let stream = retry(|| UnixStream::connect(self.folder.socket()));
        let stream = stream.expect("the program listens");
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Peer { stream: Patient(stream) }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Closes standard error, as a terminal does when it closes.
    pub(crate) fn close_log(&mut self) {
        self.log = None;
    }

    /// Waits until the program exits; returns its status and the rest of its log.
    pub(crate) fn wait(&mut self) -> (ExitStatus, String) {
        let mut text = String::new();
        if let Some(mut log) = self.log.take() {
            log.read_to_string(&mut text).expect("the log is UTF-8");
        }
        (self.child.wait().expect("the process is a child"), text)
    }

    /// Stops the program; returns the rest of its log.
    pub(crate) fn stop(&mut self) -> String {
        self.signal("TERM");
        let (status, log) = self.wait();
        assert!(status.success(), "{status}: {log}");
        log
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Ignore errors: a second panic here would hide the panic of the test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
