//! Tests redis-py with the script `redis_py.py`.

use std::process::Command;

use super::running::{Running, is_installed, run};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/redis_py.py");

/// Runs the tests of the script whose names begin with `names`, in both protocols.
fn script(names: &str) {
    if !is_installed("redis-py", Command::new("python3").args(["-c", "import redis"])) {
        return;
    }
    for protocol in ["2", "3"] {
        let server = Running::start();
        let mut command = Command::new("python3");
        command.args(["-B", SCRIPT, &server.port(), protocol, names]);
        let output = String::from_utf8_lossy(&run(&mut command, b"")).into_owned();
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
