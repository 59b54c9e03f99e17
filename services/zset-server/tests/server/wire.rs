//! Tests pipelines, and incomplete, invalid and large requests, over sockets.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::thread;

use zset_server::Options;

use crate::patient::Patient;
use crate::running::{Running, options};

#[test]
fn replies_of_a_pipeline_are_in_order() {
    let server = Running::start();
    let mut peer = server.connect();
    let mut requests = Vec::new();
    let mut replies = Vec::new();
    for number in 0..10_000 {
        write!(requests, "*2\r\n$4\r\nECHO\r\n$5\r\n{number:05}\r\n").unwrap();
        write!(replies, "$5\r\n{number:05}\r\n").unwrap();
    }
    peer.send(&requests);
    peer.expect(&replies);
}

#[test]
fn a_million_requests_can_be_sent_before_a_reply_is_read() {
    const REQUESTS: usize = 1_000_000;
    let server = Running::start();
    let mut peer = server.connect();
    let batch = b"PING\r\n".repeat(REQUESTS / 100);
    for _ in 0..100 {
        peer.send(&batch);
    }
    let batch = b"+PONG\r\n".repeat(REQUESTS / 100);
    for _ in 0..100 {
        peer.expect(&batch);
    }
}

#[test]
fn a_client_that_sends_continuously_does_not_block_others() {
    let server = Running::start();
    let mut greedy = server.connect();
    let mut reader = Patient(greedy.stream.try_clone().unwrap());
    let reader = thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while reader.read(&mut buffer).is_ok_and(|len| len > 0) {}
    });
    let batch = b"PING\r\n".repeat(50_000);
    greedy.send(&batch);
    let mut other = server.connect();
    for _ in 0..100 {
        greedy.send(&batch[..6 * 1000]);
        other.ask(b"PING\r\n", b"+PONG\r\n");
    }
    greedy.stream.shutdown(Shutdown::Both).unwrap();
    reader.join().unwrap();
}

#[test]
fn other_clients_run_between_slow_commands_of_one() {
    const COMMANDS: usize = 20;
    let server = Running::with(Options { allows_debug: true, ..options() });
    let (mut slow, mut other) = (server.connect(), server.connect());
    let request = |number| format!("DEBUG SLEEP 0.05\r\nZADD done 1 {number}\r\n");
    let requests: Vec<_> = (0..COMMANDS).map(request).collect();
    // The first round sends all requests in one piece; the second sends each request in its own
    // piece. The pieces usually arrive faster than the commands run.
    for (round, pieces) in [vec![requests.concat()], requests].into_iter().enumerate() {
        other.ask(b"DEL done\r\n", format!(":{round}\r\n").as_bytes());
        for piece in pieces {
            slow.send(piece.as_bytes());
        }
        let mut seen = Vec::new();
        while seen.last().is_none_or(|last| last != ":20") {
            seen.push(other.ask_line(b"ZCARD done\r\n"));
        }
        seen.retain(|len| len != ":0" && len != ":20");
        assert!(!seen.is_empty(), "the other client did not run in between");
    }
}

#[test]
fn keys_expire_within_a_pipeline() {
    let server = Running::with(Options { allows_debug: true, ..options() });
    let mut peer = server.connect();
    let pipeline =
        ["SET k v\r\nPEXPIRE k 1\r\nDEBUG SLEEP 0.01\r\n", &"ECHO x\r\n".repeat(15), "GET k\r\n"];
    peer.send(pipeline.concat().as_bytes());
    peer.expect(b"+OK\r\n:1\r\n+OK\r\n");
    peer.expect(&b"$1\r\nx\r\n".repeat(15));
    peer.expect(b"$-1\r\n");
}

#[test]
fn an_incomplete_request_does_not_run() {
    let server = Running::start();
    let mut other = server.connect();
    let mut peer = server.connect();
    peer.send(b"SET a 1\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n2");
    peer.stream.shutdown(Shutdown::Write).unwrap();
    peer.expect_last(b"+OK\r\n");
    other.ask(b"GET a\r\n", b"$1\r\n1\r\n");
}

#[test]
fn an_invalid_request_gets_an_error_and_closes_the_connection() {
    let server = Running::start();
    let mut other = server.connect();
    for (request, reply) in [
        // One byte more than 512 MB.
        (&b"*2\r\n$4\r\nECHO\r\n$536870913\r\n"[..], "invalid bulk length"),
        (b"*1048577\r\n", "invalid multibulk length"),
        (b"*1\r\n:4\r\n", "expected '$', got ':'"),
        (b"GET 'a\r\n", "unbalanced quotes in request"),
    ] {
        let mut peer = server.connect();
        peer.send(b"PING\r\n");
        peer.send(request);
        peer.send(&vec![b'x'; 900_000]);
        peer.expect(b"+PONG\r\n");
        peer.expect(format!("-ERR Protocol error: {reply}\r\n").as_bytes());
        for _ in 0..3 {
            // The server continues to read: otherwise the connection could be reset before the
            // client reads the reply.
            peer.send(b"more");
            other.ask(b"PING\r\n", b"+PONG\r\n");
        }
        peer.stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(peer.stream.read(&mut [0]).unwrap(), 0);
    }
}

#[test]
fn a_declared_length_does_not_allocate() {
    let server = Running::start();
    let mut peers: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for peer in &mut peers {
        peer.send(b"PING\r\n*2\r\n$4\r\nECHO\r\n$536870912\r\nx");
        peer.expect(b"+PONG\r\n");
    }
    // The declared lengths add up to 25 GB.
    assert!(resident_bytes() < 1 << 30, "{} bytes", resident_bytes());
}

/// Returns the resident memory of this process in bytes.
pub(crate) fn resident_bytes() -> usize {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux reports it");
    1024 * line.trim_end_matches("kB").trim().parse::<usize>().expect("a number of kilobytes")
}

#[test]
fn an_argument_of_many_megabytes_is_stored_and_returned() {
    let server = Running::start();
    let mut peer = server.connect();
    let value = "v".repeat(20 << 20);
    peer.set("k", &value);
    assert!(peer.ask_bulk(b"GET k\r\n") == value);
}

#[test]
fn quit_closes_the_connection_after_all_replies() {
    let server = Running::start();
    let mut peer = server.connect();
    peer.send(b"PING\r\nQUIT\r\n");
    peer.expect(b"+PONG\r\n+OK\r\n");
    peer.stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(peer.stream.read(&mut [0]).unwrap(), 0);
}
