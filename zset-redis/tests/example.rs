//! The output of the examples.

#![cfg(unix)]

mod servers;

use std::env;
use std::path::Path;
use std::process::{Command, Output};

use servers::{Kind, Server};

/// Runs an example with the variable `REDIS_URL`, if there is a URL.
fn run(name: &str, url: Option<String>) -> Output {
    // Cargo builds it next to the tests: target/debug/deps/example-0123 ->
    // target/debug/examples/NAME
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(name);
    let hint = format!("cargo build -p zset-redis --all-features --example {name}");
    assert!(example.exists(), "no {}; {hint}", example.to_string_lossy());
    let mut command = Command::new(example);
    command.env_remove("REDIS_URL").envs(url.map(|url| ("REDIS_URL", url)));
    command.output().unwrap()
}

#[track_caller]
fn succeeded(output: Output) -> String {
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn two_processes_share_their_limits() {
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(server) = Server::start(kind) else { continue };
        let expected =
            "paid\npaid\npaid\nagain in 60s\n6 requests left\nlimited: false, remaining: 4\n";
        assert_eq!(succeeded(run("shared_limits", Some(server.url()))), expected);
    }
}

/// The order of the lines differs from run to run; the program asserts what is delivered.
#[test]
fn webhooks_are_delivered_by_workers_that_die_and_to_receivers_that_fail() {
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(server) = Server::start(kind) else { continue };
        let output = succeeded(run("webhooks", Some(server.url())));
        for line in [
            "order 2 paid, attempt 1: the worker is killed\n",
            "order 4 paid, attempt 8: 500 for the last time\n",
            "dead letter: order 4 paid, 8 attempts\n",
            "received: order 1 paid, order 2 paid, order 3 paid, order 5 paid\n",
        ] {
            assert!(output.contains(line), "no {line:?} in:\n{output}");
        }
    }
}

#[test]
fn without_a_url_the_webhooks_start_a_server_of_their_own() {
    if Kind::Redis.program().is_installed() {
        succeeded(run("webhooks", None));
    }
}
