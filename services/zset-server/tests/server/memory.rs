//! Tests the memory limit, and the memory that unread replies use.

use std::io::{Read, Write};

use crate::program::Program;
use crate::running::{Peer, set};

#[test]
fn many_clients_with_few_unread_replies_stay_below_the_memory_limit() {
    const CLIENTS: usize = 400;
    const LIMIT: usize = 48 << 20;
    let program = Program::start(&["--maxmemory", "48mb"]);
    let mut peer = program.connect();
    peer.set("k", &"v".repeat(1000));
    let requests = b"GET k\r\n".repeat(9000);
    let mut unread: Vec<_> = (0..CLIENTS).map(|_| program.connect()).collect();
    for client in &mut unread {
        // The connection may already be closed.
        let _ = client.stream.write_all(&requests);
    }
    until_quiet(&mut peer);
    let peak = peer.info("memory", "used_memory_peak:");
    assert!(peak < LIMIT + LIMIT / 4, "{peak}");
    let connected = peer.info("clients", "connected_clients:");
    assert!((CLIENTS / 8..CLIENTS).contains(&connected), "{connected}");
    // Writes still succeed, since the data is far below the limit.
    peer.ask(b"SET k small\r\n", b"+OK\r\n");
    drop(unread);
}

#[test]
fn near_the_limit_a_large_value_is_read_and_a_large_write_gets_an_error() {
    const MB: usize = 1 << 20;
    const REFUSAL: &[u8] = b"-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    let program = Program::start(&["--maxmemory", "100mb"]);
    let mut peer = program.connect();
    peer.set("k", &"v".repeat(50 * MB));
    let long = "v".repeat(60_000);
    let mut fill = |number| peer.ask_line(set(&format!("fill:{number}"), &long).as_bytes());
    assert!((0..10_000).any(|number| fill(number).starts_with("-OOM ")));
    assert_eq!(peer.ask_bulk(b"GET k\r\n").len(), 50 * MB);
    peer.ask(set("l", &"v".repeat(40 * MB)).as_bytes(), REFUSAL);
    peer.ask(b"EXISTS k l\r\n", b":1\r\n");
}

#[test]
fn unread_replies_count_as_memory() {
    const CLIENTS: usize = 48;
    const LIMIT: usize = 128 << 20;
    for (megabytes, are_some_closed) in [(1, false), (16, true)] {
        let program = Program::start(&["--maxmemory", "128mb"]);
        let mut peer = program.connect();
        let value = "v".repeat(megabytes << 20);
        peer.set("k", &value);
        let mut deaf: Vec<_> = (0..CLIENTS).map(|_| program.connect()).collect();
        for client in &mut deaf {
            client.send(&b"GET k\r\n".repeat(100));
        }
        until_quiet(&mut peer);
        let peak = peer.info("memory", "used_memory_peak:");
        assert!(peak < LIMIT + LIMIT / 2, "{peak}");
        let connected = peer.info("clients", "connected_clients:");
        assert_eq!(connected < 1 + CLIENTS, are_some_closed, "{connected}");
        assert_eq!(peer.ask_bulk(b"GET k\r\n").len(), value.len());
        peer.ask(b"SET k small\r\n", b"+OK\r\n");
    }
}

/// Waits until no other client runs commands.
fn until_quiet<S: Read + Write>(peer: &mut Peer<S>) {
    let (mut quiet, mut calls) = (0, 0);
    while calls == 0 || quiet < 50 {
        let before = calls;
        calls = peer.info("stats", "total_commands_processed:");
        // This INFO is itself one of the counted commands.
        quiet = if calls == before + 1 { quiet + 1 } else { 0 };
    }
}

#[test]
fn writes_succeed_again_after_deletions_free_memory() {
    let program = Program::start(&["--maxmemory", "20mb"]);
    let mut peer = program.connect();
    let value = "v".repeat(32 * 1024);
    let set = |number: usize| format!("SET key:{number} {value}\r\n").into_bytes();
    let refused = (0..100_000).find(|number| peer.ask_line(&set(*number)) != "+OK");
    let refused = refused.expect("the limit is reached");
    assert!((300..700).contains(&refused), "{refused}");
    assert!(peer.ask_line(&set(refused)).starts_with("-OOM command not allowed"));
    peer.ask(b"EXISTS key:0\r\n", b":1\r\n");
    for number in 0..10 {
        peer.ask(format!("DEL key:{number}\r\n").as_bytes(), b":1\r\n");
    }
    peer.ask(&set(refused), b"+OK\r\n");
}
