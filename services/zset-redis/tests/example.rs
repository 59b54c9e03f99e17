//! Runs the examples, and checks their output.

#![cfg(unix)]

#[path = "support/mod.rs"]
mod servers;

use std::env;
use std::path::Path;
use std::process::{Command, Output};

use servers::{Kind, Server};
use test_support::servers::skip;

/// Runs an example with the server at this URL.
fn run(name: &str, url: String) -> Output {
    command(name).env("REDIS_URL", url).output().unwrap()
}

/// Runs an example that starts servers of this kind itself.
fn run_alone(name: &str, kind: Kind) -> Output {
    command(name).env("REDIS_SERVER", kind.program().path()).output().unwrap()
}

fn command(name: &str) -> Command {
    // Cargo builds examples next to the tests: target/debug/deps/example-0123 ->
    // target/debug/examples/NAME
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(name);
    let hint = format!("cargo build -p zset-redis --example {name}");
    assert!(example.exists(), "no {}; {hint}", example.to_string_lossy());
    let mut command = Command::new(example);
    for variable in ["REDIS_URL", "REDIS_CA", "REDIS_SENTINELS", "REDIS_MASTER"] {
        command.env_remove(variable);
    }
    command
}

#[track_caller]
fn succeeded(output: Output) -> String {
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn two_processes_share_their_limits() {
    for server in Server::of_each_kind() {
        let expected =
            "paid\npaid\npaid\nagain in 60s\n6 requests left\nlimited: false, remaining: 4\n";
        assert_eq!(succeeded(run("shared_limits", server.url())), expected);
    }
}

/// The order of the lines varies; the program itself checks the deliveries.
#[test]
fn webhooks_are_delivered_by_workers_that_die_and_to_receivers_that_fail() {
    for server in Server::of_each_kind() {
        let output = succeeded(run("webhooks", server.url()));
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
fn without_a_url_the_webhooks_start_their_own_server() {
    for kind in installed() {
        succeeded(run_alone("webhooks", kind));
    }
}

#[test]
fn a_limit_outlives_the_primary_that_a_sentinel_names() {
    for kind in installed() {
        let output = succeeded(run_alone("sentinel", kind));
        assert!(output.contains("7 of 10 left\nthe primary is killed\n"), "{output}");
    }
}

#[test]
fn a_server_is_reached_with_tls() {
    if Command::new("openssl").arg("version").output().is_err() {
        skip("openssl is not installed");
        return;
    }
    for kind in installed() {
        // Only a server that was built with TLS reports that the certificate is missing.
        let tls = ["--port", "0", "--tls-port", "1"];
        let output = Command::new(kind.program().path()).args(tls).output().unwrap();
        if !String::from_utf8_lossy(&output.stdout).contains("No tls-cert-file configured") {
            // Report only a Redis without TLS: Debian's Redis supports TLS, but not all builds of
            // Valkey do.
            if kind == Kind::Redis {
                skip("this redis-server has no TLS");
            }
            continue;
        }
        let output = succeeded(run_alone("tls", kind));
        assert!(output.ends_with("allowed, 0 left\ndenied\n"), "{output}");
    }
}

/// Returns the kinds of servers that are installed, and reports the missing ones.
fn installed() -> impl Iterator<Item = Kind> {
    Kind::each().filter(|kind| Server::start(*kind).is_some())
}
