//! redis-py, through the script `redis_py.py`.

use std::process::Command;

use super::running::{Running, run, skip};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/redis_py.py");

/// Runs the tests of the script with a prefix, in both protocols.
fn script(names: &str) {
    let is_installed = Command::new("python3").args(["-c", "import redis"]).output();
    if !is_installed.is_ok_and(|output| output.status.success()) {
        return skip("redis-py");
    }
    for protocol in ["2", "3"] {
        let server = Running::start();
        let mut command = Command::new("python3");
        command.args(["-B", SCRIPT, &server.port(), protocol, names]);
        let output = run(&mut command, b"").expect("Python is installed");
        let output = String::from_utf8_lossy(&output);
        assert!(output.ends_with("all tests passed\n"), "{output}");
    }
}

#[test]
fn every_group_of_commands_works() {
    script("test_");
}

#[test]
fn blocking_pops_wait() {
    script("blocking_");
}
