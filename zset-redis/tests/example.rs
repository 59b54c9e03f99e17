//! The output of the example.

#![cfg(unix)]

mod servers;

use std::env;
use std::path::Path;
use std::process::Command;

use servers::{Kind, Server};

#[test]
fn two_processes_share_their_limits() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    // Cargo builds it next to the tests: target/debug/deps/example-0123 ->
    // target/debug/examples/NAME
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples/shared_limits");
    let hint = "cargo build -p zset-redis --example shared_limits";
    assert!(example.exists(), "no {}; {hint}", example.to_string_lossy());
    let output = Command::new(example).arg(server.url()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected =
        "paid\npaid\npaid\nagain in 60s\n6 requests left\nlimited: false, remaining: 4\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{errors}");
}
