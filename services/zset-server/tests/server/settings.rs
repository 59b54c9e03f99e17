//! Tests limits set by options or by CONFIG SET. CONFIG SET takes effect immediately.

use std::net::TcpStream;

use zset_server::{Limits, Options};

use crate::running::{Peer, Running, options};

fn set(peer: &mut Peer<TcpStream>, parameter: &str, value: &str) {
    peer.ask(format!("CONFIG SET {parameter} {value}\r\n").as_bytes(), b"+OK\r\n");
}

#[test]
fn maxclients_limits_new_clients() {
    let server = Running::with_limits(Limits { max_clients: 2, ..Limits::default() });
    let mut one = server.connect();
    let mut two = server.connect();
    two.ask(b"PING\r\n", b"+PONG\r\n");
    one.ask(b"CONFIG GET maxclients\r\n", b"*2\r\n$10\r\nmaxclients\r\n$1\r\n2\r\n");
    server.connect().expect_last(b"-ERR max number of clients reached\r\n");
    set(&mut one, "maxclients", "3");
    let mut three = server.connect();
    three.ask(b"PING\r\n", b"+PONG\r\n");
    // Lowering the limit disconnects no client.
    set(&mut one, "maxclients", "1");
    three.ask(b"PING\r\n", b"+PONG\r\n");
    server.connect().expect_last(b"-ERR max number of clients reached\r\n");
    let info = one.ask_bulk(b"INFO\r\n");
    for line in [
        "connected_clients:3\r\n",
        "maxclients:1\r\n",
        "rejected_connections:2\r\n",
        "total_connections_received:3\r\n",
    ] {
        assert!(info.contains(line), "{line} is not in {info}");
    }
    // This number is usually above the limit on open files.
    let reply = one.ask_line(b"CONFIG SET maxclients 4294967295\r\n");
    assert!(reply == "+OK" || reply.contains("The operating system is not able"), "{reply}");
}

#[test]
fn proto_max_bulk_len_limits_arguments() {
    let server = Running::start();
    let mut peer = server.connect();
    peer.send(b"CONFIG SET proto-max-bulk-len 1mb\r\n*2\r\n$4\r\nECHO\r\n$1048577\r\n");
    peer.expect(b"+OK\r\n-ERR Protocol error: invalid bulk length\r\n");
    let mut other = server.connect();
    other.send(b"*2\r\n$4\r\nECHO\r\n$1048576\r\n");
    other.send(&vec![b'x'; 1 << 20]);
    other.ask(b"\r\n", b"$1048576\r\nx");
}

#[test]
#[cfg(target_os = "linux")]
fn writes_above_maxmemory_are_errors() {
    const REFUSED: &str = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    let server = Running::with(Options { max_memory: 1, allocated: Some(|| 2), ..options() });
    let (mut one, mut other) = (server.connect(), server.connect());
    one.ask(b"ZADD k 1 a\r\n", REFUSED.as_bytes());
    one.ask(b"ZCARD k\r\n", b":0\r\n");
    set(&mut one, "maxmemory", "0");
    one.ask(b"ZADD k 1 a\r\n", b":1\r\n");
    // Lower the limit only after the commands have been queued.
    one.ask(b"MULTI\r\nZADD k 2 b\r\nZCARD k\r\n", b"+OK\r\n+QUEUED\r\n+QUEUED\r\n");
    set(&mut other, "maxmemory", "1");
    let reason = REFUSED.trim_start_matches('-');
    let reply = format!("-EXECABORT Transaction discarded because of: {reason}");
    one.ask(b"EXEC\r\n", reply.as_bytes());
    one.ask(b"MULTI\r\nZCARD k\r\n", b"+OK\r\n+QUEUED\r\n");
    one.ask(b"EXEC\r\n", b"*1\r\n:1\r\n");
    one.ask(b"MULTI\r\n", b"+OK\r\n");
    one.ask(b"ZADD k 2 b\r\n", REFUSED.as_bytes());
    let reply = "-EXECABORT Transaction discarded because of previous errors.\r\n";
    one.ask(b"EXEC\r\n", reply.as_bytes());
    one.ask(b"DEL k\r\n", b":1\r\n");
}

const DEBUG_REFUSED: &str =
    "-ERR DEBUG command not allowed. Start the server with --enable-debug-command yes to allow it.";

#[test]
fn debug_is_disabled_by_default() {
    let server = Running::start();
    let mut peer = server.connect();
    for command in ["DEBUG SLEEP 0", "debug object k", "DEBUG HELP", "DEBUG NOSUCH"] {
        assert_eq!(peer.ask_line(format!("{command}\r\n").as_bytes()), DEBUG_REFUSED);
    }
    peer.send(b"CONFIG GET enable-debug-command\r\n");
    peer.expect(b"*2\r\n$20\r\nenable-debug-command\r\n$2\r\nno\r\n");
    let reply = peer.ask_line(b"CONFIG SET enable-debug-command yes\r\n");
    assert!(reply.ends_with("- can't set immutable config"), "{reply}");
    peer.ask(b"MULTI\r\n", b"+OK\r\n");
    assert_eq!(peer.ask_line(b"DEBUG SLEEP 0\r\n"), DEBUG_REFUSED);
    peer.send(b"EXEC\r\n");
    peer.expect(b"-EXECABORT Transaction discarded because of previous errors.\r\n");
}

#[test]
fn debug_can_be_enabled_and_a_sleep_has_bounds() {
    const OUT_OF_RANGE: &str = "-ERR seconds must be between 0 and 10";
    const NO_NUMBER: &str = "-ERR value is not a valid float";
    let server = Running::with(Options { allows_debug: true, ..options() });
    let mut peer = server.connect();
    for (seconds, reply) in [
        ("0", "+OK"),
        ("0.001", "+OK"),
        ("inf", OUT_OF_RANGE),
        ("-inf", OUT_OF_RANGE),
        ("1e300", OUT_OF_RANGE),
        ("10.001", OUT_OF_RANGE),
        ("-0.001", OUT_OF_RANGE),
        ("nan", NO_NUMBER),
        ("soon", NO_NUMBER),
    ] {
        let answer = peer.ask_line(format!("DEBUG SLEEP {seconds}\r\n").as_bytes());
        assert_eq!(answer, reply, "{seconds}");
    }
    // The error quotes only the start of a long name.
    let reply = peer.ask_line(format!("DEBUG {}\r\n", "a".repeat(1000)).as_bytes());
    let text = "unknown subcommand or wrong number of arguments for";
    assert_eq!(reply, format!("-ERR {text} '{}'. Try DEBUG HELP.", "a".repeat(128)));
    let help = peer.ask_line(b"DEBUG HELP\r\n");
    assert!(help.starts_with('*'), "{help}");
}
