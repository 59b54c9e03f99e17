//! Runs client programs with a server in this process.

use std::env;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::thread;

pub(crate) use crate::serving::Running;

impl Running {
    pub(crate) fn port(&self) -> String {
        self.address.port().to_string()
    }

    /// Returns a command that runs one of Redis's programs with the server.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(["-h", "127.0.0.1", "-p", &self.port()]).args(arguments);
        command
    }

    /// Runs one of Redis's programs; returns its output, or `None` if it is not installed.
    pub(crate) fn run(&self, program: &str, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
        run(&mut self.command(program, arguments), input)
    }
}

/// Runs a program, which must succeed; returns its output, or `None` if it is not installed.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Option<Vec<u8>> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        skip(&command.get_program().to_string_lossy());
        return None;
    };
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_vec();
    // On a separate thread, so that a full output pipe cannot block both processes. The program may
    // exit before it has read all of the input.
    let writer = thread::spawn(move || stdin.write_all(&input));
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    let _ = writer.join();
    let printed = || String::from_utf8_lossy(&[&stdout[..], &stderr].concat()).into_owned();
    assert!(status.success(), "{command:?}: {status}: {}", printed());
    assert!(stderr.is_empty(), "{command:?}: {}", printed());
    Some(stdout)
}

/// Reports that a client is not installed.
pub(crate) fn skip(client: &str) {
    assert!(env::var_os("ZSET_REQUIRE_CLIENTS").is_none(), "{client} is not installed");
    eprintln!("SKIPPED: {client} is not installed");
}
