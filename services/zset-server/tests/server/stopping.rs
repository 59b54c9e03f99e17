//! Tests that a server stops, directly or when the program receives a signal.

use std::env;
use std::fs;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use zset_server::{Limits, Options, Server};

use crate::patient::{Patient, retry};
use crate::program::Program;
use crate::running::{Peer, Running, options};

#[test]
fn received_requests_are_answered_before_a_stop() {
    // The grace period is unlimited, so a pause of the machine cannot end it early.
    let server = Running::with_limits(Limits { grace: Duration::MAX, ..Limits::default() });
    let mut idle = server.connect();
    let mut half = server.connect();
    let mut busy = server.connect();
    for peer in [&mut idle, &mut half, &mut busy] {
        peer.ask(b"PING\r\n", b"+PONG\r\n");
    }
    half.send(b"*1\r\n$4\r\nPI");
    busy.send(&b"PING\r\n".repeat(5000));
    server.stop();
    idle.expect_last(b"");
    half.expect_last(b"");
    busy.expect_last(&b"+PONG\r\n".repeat(5000));
}

#[test]
fn a_stopped_server_does_not_listen() {
    let server = Running::start();
    let address = server.address;
    server.stop();
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn a_client_that_does_not_read_does_not_delay_a_stop() {
    let grace = Duration::from_millis(100);
    let server = Running::with_limits(Limits { grace, ..Limits::default() });
    let mut peer = server.connect();
    peer.set("k", &"v".repeat(60_000));
    peer.send(&b"GET k\r\n".repeat(400));
    server.stop();
    drop(peer);
}

#[test]
fn a_unix_socket_is_removed_at_the_stop_and_a_stale_one_is_replaced() {
    let path = env::temp_dir().join(format!("zset-server-{}.socket", std::process::id()));
    let _ = fs::remove_file(&path);
    // Dropping a listener does not remove its socket file.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let with_socket = || Options { unix_socket: Some(path.clone()), ..options() };
    let server = Running::with(with_socket());
    let mut peer = Peer { stream: Patient(retry(|| UnixStream::connect(&path)).unwrap()) };
    peer.ask(b"PING\r\n", b"+PONG\r\n");
    assert!(Server::bind(with_socket()).is_err(), "the socket is in use");
    peer.ask(b"PING\r\n", b"+PONG\r\n");
    server.stop();
    assert!(!path.exists());
    fs::write(&path, "not a socket").unwrap();
    assert!(Server::bind(with_socket()).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "not a socket");
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_signal_stops_the_program() {
    for signal in ["INT", "TERM", "HUP"] {
        let mut program = Program::start(&[]);
        let mut peer = program.connect();
        peer.ask(b"SET key value\r\n", b"+OK\r\n");
        program.signal(signal);
        peer.expect_last(b"");
        let (status, log) = program.wait();
        assert!(status.success(), "{status}: {log}");
        assert!(log.contains(&format!("SIG{signal}")) && log.contains("stopped"), "{log}");
        assert!(!program.folder.socket().exists());
    }
}

#[test]
fn a_closed_terminal_stops_the_program() {
    let mut program = Program::start(&[]);
    let mut peer = program.connect();
    peer.ask(b"SET key value\r\n", b"+OK\r\n");
    // From now on, logging fails.
    program.close_log();
    // When a terminal closes, both the system and the shell send SIGHUP.
    program.signal("HUP");
    program.signal("HUP");
    peer.expect_last(b"");
    let (status, _) = program.wait();
    assert!(status.success(), "{status}");
}
