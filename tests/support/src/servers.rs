//! Starts servers for tests: `redis-server` and `valkey-server` from `PATH`, or the programs named
//! by the variables `REDIS_SERVER` and `VALKEY_SERVER`. If a server is not installed, its tests
//! print `SKIPPED` and pass. With `ZSET_REQUIRE_SERVERS=1`, they fail.

mod folder;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;

pub use folder::Folder;

/// A program that tests start.
#[derive(Debug)]
pub struct Program {
    path: OsString,
    /// Whether the user named the program, so it must exist.
    is_named: bool,
}

impl Program {
    pub fn redis() -> Program {
        Program::named_by("REDIS_SERVER", "redis-server")
    }

    pub fn valkey() -> Program {
        Program::named_by("VALKEY_SERVER", "valkey-server")
    }

    fn named_by(variable: &str, default: &str) -> Program {
        let named = env::var_os(variable).filter(|path| !path.is_empty());
        let is_named = named.is_some();
        Program { path: named.unwrap_or_else(|| default.into()), is_named }
    }

    pub fn path(&self) -> &OsString {
        &self.path
    }

    /// Returns whether the program exists.
    pub fn is_installed(&self) -> bool {
        Command::new(&self.path).arg("--version").stdout(Stdio::null()).status().is_ok()
    }

    /// Starts the program, with its output in the folder's log; returns `None` if it is not
    /// installed.
    pub fn start(&self, command: &mut Command, folder: &Folder) -> Option<Child> {
        let log = File::create(folder.log()).expect("the folder is writable");
        let process = command
            .stdin(Stdio::null())
            .stderr(log.try_clone().expect("a file can have two handles"))
            .stdout(log)
            .spawn();
        match process {
            Err(error) if !self.is_named && error.kind() == ErrorKind::NotFound => {
                skip(&format!("{} is not installed", self.path.display()));
                None
            }
            process => {
                Some(process.unwrap_or_else(|error| panic!("{}: {error}", self.path.display())))
            }
        }
    }
}

/// Runs a program with an input until it exits.
pub fn run(command: &mut Command, input: &[u8]) -> io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    thread::scope(|scope| {
        // A separate thread writes the input, so that a full output pipe cannot block both
        // processes. The write may fail, since the program may exit before it has read all of the
        // input.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output()
    })
}

/// Reports that tests are skipped, or panics if `ZSET_REQUIRE_SERVERS` is set.
pub fn skip(reason: &str) {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    assert!(env::var_os("ZSET_REQUIRE_SERVERS").is_none(), "{reason}");
    // Reports each reason only once. Writes to stderr directly, since `eprintln` shows its output
    // only for failing tests.
    if REPORTED.lock().expect("no thread panics with the lock").insert(reason.to_owned()) {
        let _ = writeln!(io::stderr(), "SKIPPED: {reason}");
    }
}
