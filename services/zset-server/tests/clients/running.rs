//! Runs client programs against a server in this process.

use std::env;
use std::process::{Command, Output};

use test_support::servers;

pub(crate) use crate::serving::Running;

impl Running {
    pub(crate) fn port(&self) -> String {
        self.address.port().to_string()
    }
}

/// One of Redis's client programs, with a server for it.
pub(crate) struct Client {
    program: &'static str,
    server: Running,
}

impl Client {
    /// Starts a server, or returns `None` if the program is not installed.
    pub(crate) fn start(program: &'static str) -> Option<Client> {
        let is_installed = is_installed(program, Command::new(program).arg("--version"));
        is_installed.then(|| Client { program, server: Running::start() })
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command.args(["-h", "127.0.0.1", "-p", &self.server.port()]).args(arguments);
        command
    }

    /// Runs the program, which must succeed; returns its output.
    pub(crate) fn run(&self, arguments: &[&str], input: &[u8]) -> String {
        let output = run(&mut self.command(arguments), input);
        String::from_utf8(output).expect("the program escapes other bytes")
    }
}

/// Runs a program, which must succeed; returns its output.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let output = servers::run(command, input).expect("the program is installed");
    let Output { status, stdout, stderr } = output;
    let printed = || String::from_utf8_lossy(&[&stdout[..], &stderr].concat()).into_owned();
    assert!(status.success() && stderr.is_empty(), "{command:?}: {status}: {}", printed());
    stdout
}

/// Returns whether a command of a client succeeds. If it fails, reports that the client is not
/// installed.
pub(crate) fn is_installed(client: &str, command: &mut Command) -> bool {
    let is_installed = command.output().is_ok_and(|output| output.status.success());
    if !is_installed {
        assert!(env::var_os("ZSET_REQUIRE_CLIENTS").is_none(), "{client} is not installed");
        eprintln!("SKIPPED: {client} is not installed");
    }
    is_installed
}
