//! Real servers: how they are found, started and ended.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio, id};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::client::{Connection, Reply};
use crate::command::{Command, command};

/// How long a server may take until it answers.
const START: Duration = Duration::from_secs(20);

/// Which servers there are. They differ in what `decisions` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Redis 7.0.
    Redis,
    /// Valkey 9.
    Valkey,
}

impl Kind {
    /// Returns the program, and the variable that can name another.
    fn program(self) -> (&'static str, &'static str) {
        match self {
            Kind::Redis => ("redis-server", "REDIS_SERVER"),
            Kind::Valkey => ("valkey-server", "VALKEY_SERVER"),
        }
    }

    /// Returns how the version begins in what such a server tells of itself.
    fn version(self) -> &'static str {
        match self {
            Kind::Redis => "redis_version:7.0.",
            Kind::Valkey => "valkey_version:9.",
        }
    }
}

/// A server of one's own: it listens to a socket in its own folder, keeps nothing, and ends when
/// this is dropped, also by a panic.
pub(crate) struct Server {
    process: Child,
    folder: PathBuf,
    connection: Option<Connection>,
    pub(crate) kind: Kind,
}

impl Server {
    /// Starts a server. Where it is not installed, or not in a version that the tests know, says so
    /// and returns none.
    ///
    /// # Panics
    ///
    /// If it does not start, or if it is required and would be skipped.
    pub(crate) fn start(kind: Kind) -> Option<Server> {
        let (program, variable) = kind.program();
        let named = env::var_os(variable).filter(|path| !path.is_empty());
        let program = named.clone().unwrap_or_else(|| program.into());
        let folder = new_folder();
        let process = Process::new(&program)
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no"])
            .arg("--unixsocket")
            .arg(socket(&folder))
            .arg("--dir")
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(File::create(log(&folder)).expect("a file in an own folder"))
            .stderr(Stdio::null())
            .spawn();
        let process = match process {
            Ok(process) => process,
            Err(error) => {
                fs::remove_dir_all(&folder).expect("it is the test's own");
                assert!(named.is_none(), "{variable} is {program:?}: {error}");
                assert_eq!(error.kind(), ErrorKind::NotFound, "{program:?}: {error}");
                skip(&format!("there is no {}", Path::new(&program).display()));
                return None;
            }
        };
        // From here on, dropping it ends the process.
        let mut server = Server { process, folder, connection: None, kind };
        server.connect();
        let info = server.ask(&command!["INFO", "server"]).into_text();
        let info = String::from_utf8(info).expect("it is ASCII");
        if info.lines().any(|line| line.starts_with(kind.version())) {
            return Some(server);
        }
        let versions: Vec<&str> = info.lines().filter(|line| line.contains("_version:")).collect();
        skip(&format!(
            "{} has {}, not {}",
            Path::new(&program).display(),
            versions.join(" "),
            kind.version()
        ));
        None
    }

    fn connect(&mut self) {
        let start = Instant::now();
        while self.connection.is_none() {
            let status = self.process.try_wait().expect("it is a child");
            if status.is_some() || start.elapsed() > START {
                let log = fs::read_to_string(log(&self.folder)).unwrap_or_default();
                panic!("the server does not start (exit status: {status:?}):\n{log}");
            }
            self.connection = Connection::open(&socket(&self.folder)).ok();
            sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn ask(&mut self, command: &Command) -> Reply {
        self.ask_all(std::slice::from_ref(command)).remove(0)
    }

    pub(crate) fn ask_all(&mut self, commands: &[Command]) -> Vec<Reply> {
        self.connection.as_mut().expect("it is connected since its start").ask_all(commands)
    }

    /// Asks for something that the server only has to agree to.
    #[track_caller]
    pub(crate) fn order(&mut self, command: &Command) {
        assert_eq!(self.ask(command), Reply::Text(b"OK".to_vec()), "{command}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing to do about an error, which would hide the one of the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn skip(reason: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let required = env::var_os("ZSET_REQUIRE_SERVERS").is_some_and(|value| value == "1");
    assert!(!required, "{reason}, and ZSET_REQUIRE_SERVERS is 1");
    // Once, not for each test; and not with `eprintln`, which is shown for failed tests only.
    if SAID.lock().expect("nothing panics with it").insert(reason.to_owned()) {
        let _ = writeln!(io::stderr(), "SKIPPED: {reason}");
    }
}

fn new_folder() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // A short name, since the path of a socket is short.
    let name = format!("zset-{}-{}", id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = env::temp_dir().join(name);
    // One of this name is of an ended process of the same id.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("temporary folders can be made");
    folder
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("socket")
}

fn log(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// Makes two tests of each function: one with Redis, one with Valkey.
macro_rules! test_with_each_server {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use crate::server::{Kind, Server};

            #[test]
            fn redis() {
                if let Some(server) = Server::start(Kind::Redis) {
                    super::$test(server);
                }
            }

            #[test]
            fn valkey() {
                if let Some(server) = Server::start(Kind::Valkey) {
                    super::$test(server);
                }
            }
        }
    )+};
}
pub(crate) use test_with_each_server;
