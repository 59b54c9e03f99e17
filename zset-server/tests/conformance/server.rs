//! Real servers, asked line by line.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take until it answers.
const START: Duration = Duration::from_secs(20);

/// What comes behind each reply, so that its end is known.
const MARKER: &str = "b7e1c3-end-of-reply";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Redis,
    Valkey,
}

pub(crate) struct Server {
    process: Child,
    folder: PathBuf,
    stream: UnixStream,
    /// Commands are queued, so a marker would be too.
    is_in_transaction: bool,
}

impl Server {
    /// Starts a server; none where it is not installed, unless the tests are told to require it.
    pub(crate) fn start(kind: Kind) -> Option<Server> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (program, variable) = match kind {
            Kind::Redis => ("redis-server", "REDIS_SERVER"),
            Kind::Valkey => ("valkey-server", "VALKEY_SERVER"),
        };
        let program = env::var_os(variable).unwrap_or_else(|| program.into());
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
            assert!(env::var_os("ZSET_REQUIRE_SERVERS").is_none(), "there is no {program:?}");
            eprintln!("SKIPPED: there is no {program:?}");
            let _ = fs::remove_dir_all(&folder);
            return None;
        };
        let start = Instant::now();
        loop {
            if let Ok(stream) = UnixStream::connect(&socket) {
                return Some(Server { process, folder, stream, is_in_transaction: false });
            }
            assert!(start.elapsed() < START, "{program:?} does not start");
            sleep(Duration::from_millis(5));
        }
    }

    /// Returns where it listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Returns the reply to a line.
    pub(crate) fn ask(&mut self, line: &str) -> Vec<u8> {
        let command = line.to_ascii_uppercase();
        self.is_in_transaction |= command == "MULTI";
        if self.is_in_transaction {
            // EXEC ends it however it is called.
            let is_end = matches!(&*command, "DISCARD" | "RESET") || command.starts_with("EXEC");
            self.is_in_transaction = !is_end;
            write!(self.stream, "{line}\r\n").expect("the server listens");
            return self.read_until(|reply| whole(reply) == Some(reply.len()));
        }
        let end = format!("${}\r\n{MARKER}\r\n", MARKER.len());
        write!(self.stream, "{line}\r\nECHO {MARKER}\r\n").expect("the server listens");
        let mut reply = self.read_until(|reply| reply.ends_with(end.as_bytes()));
        reply.truncate(reply.len() - end.len());
        reply
    }

    fn read_until(&mut self, is_whole: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let (mut reply, mut buffer) = (Vec::new(), [0; 4096]);
        while !is_whole(&reply) {
            let len = self.stream.read(&mut buffer).expect("the server answers");
            assert!(len > 0, "the server has closed the connection");
            reply.extend_from_slice(&buffer[..len]);
        }
        reply
    }
}

/// Returns the length of the first reply, if it is there as a whole.
pub(crate) fn whole(bytes: &[u8]) -> Option<usize> {
    let line = bytes.windows(2).position(|end| end == b"\r\n")?;
    let number = || std::str::from_utf8(&bytes[1..line]).ok()?.parse::<i64>().ok();
    let mut len = line + 2;
    let parts = match bytes[0] {
        b'$' | b'=' => {
            len += usize::try_from(number()?).map_or(0, |text| text + 2);
            0
        }
        b'%' => 2 * number()?,
        b'*' | b'~' | b'>' => number()?,
        _ => 0,
    };
    for _ in 0..parts {
        len += whole(bytes.get(len..)?)?;
    }
    (len <= bytes.len()).then_some(len)
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing to do about an error, which would hide the one of the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
