//! Real servers, asked line by line.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::patient::{Patient, retry};
use super::reply::Reply;

/// How long a server may take until it answers.
const START: Duration = Duration::from_secs(20);

/// How long an answer may take. Only a test that fails waits for so long.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Redis,
    Valkey,
}

pub(crate) struct Server {
    pub(crate) kind: Kind,
    process: Child,
    folder: PathBuf,
    stream: Patient<UnixStream>,
}

impl Server {
    /// Starts a server; none where it is not installed, unless the tests are told to require it.
    pub(crate) fn start(kind: Kind) -> Option<Server> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (program, variable) = match kind {
            Kind::Redis => ("redis-server", "REDIS_SERVER"),
            Kind::Valkey => ("valkey-server", "VALKEY_SERVER"),
        };
        let program = env::var(variable).unwrap_or_else(|_| program.to_owned());
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            env::temp_dir().join(format!("zset-conformance-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder of one's own");
        let socket = folder.join("socket");
        let process = Command::new(&program)
            .args([
                "--port",
                "0",
                "--databases",
                "1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--unixsocket",
            ])
            .arg(&socket)
            .arg("--dir")
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = process else {
            assert!(env::var_os("ZSET_REQUIRE_SERVERS").is_none(), "there is no {program}");
            eprintln!("SKIPPED: there is no {program}");
            let _ = fs::remove_dir_all(&folder);
            return None;
        };
        let start = Instant::now();
        loop {
            if let Ok(stream) = retry(|| UnixStream::connect(&socket)) {
                stream.set_read_timeout(Some(PATIENCE)).expect("it is not zero");
                stream.set_write_timeout(Some(PATIENCE)).expect("it is not zero");
                return Some(Server { kind, process, folder, stream: Patient(stream) });
            }
            assert!(start.elapsed() < START, "{program} does not start");
            sleep(Duration::from_millis(5));
        }
    }

    /// Returns where it listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Returns the reply to a line.
    pub(crate) fn ask(&mut self, line: &str) -> Vec<u8> {
        self.try_ask(line).unwrap_or_else(|error| panic!("no answer to {line}: {error}"))
    }

    fn try_ask(&mut self, line: &str) -> io::Result<Vec<u8>> {
        write!(self.stream, "{line}\r\n")?;
        let (mut reply, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            let len = self.stream.read(&mut buffer)?;
            if len == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            reply.extend_from_slice(&buffer[..len]);
            if let Some((_, behind)) = Reply::parse(&reply) {
                assert!(
                    behind.is_empty(),
                    "more than an answer to {line}: {}",
                    reply.escape_ascii()
                );
                return Ok(reply);
            }
        }
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
