//! The program itself: its arguments, its log, and the signals that it gets.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::patient::{Patient, retry};
use crate::running::{PATIENCE, Peer};

/// A folder that is removed with its value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("zset-program-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("temporary folders can be made");
        Folder(path)
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program as a server, with a socket of its own.
pub(crate) struct Program {
    pub(crate) folder: Folder,
    child: Child,
    log: Option<BufReader<ChildStderr>>,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Program {
        Program::run(Command::new(env!("CARGO_BIN_EXE_zset-server")), arguments)
    }

    /// Starts the program in a shell, after a command of the shell.
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
            .arg(folder.join("socket"))
            .arg("--snapshot")
            .arg(folder.join("dump.rdb"))
            .args(arguments)
            .env_remove("ZSET_REQUIREPASS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it was built");
        let mut log = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let mut text = String::new();
        while !text.contains("listening") {
            let len = log.read_line(&mut text).expect("it is text");
            assert!(len > 0, "it does not start: {text}");
        }
        Program { folder, child, log: Some(log) }
    }

    pub(crate) fn connect(&self) -> Peer<UnixStream> {
        let stream = retry(|| UnixStream::connect(self.folder.join("socket")));
        let stream = stream.expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Peer { stream: Patient(stream) }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Closes the standard error, as the end of a terminal does.
    pub(crate) fn close_log(&mut self) {
        self.log = None;
    }

    /// Waits for the end of the program; returns its status and the rest of its log.
    pub(crate) fn wait(&mut self) -> (ExitStatus, String) {
        let mut text = String::new();
        if let Some(mut log) = self.log.take() {
            log.read_to_string(&mut text).expect("it is text");
        }
        (self.child.wait().expect("it is a child"), text)
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
        // Nothing to do about an error, which would hide the one of the test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
