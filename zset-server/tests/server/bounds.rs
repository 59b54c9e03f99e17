//! Clients that want too much.

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

use zset_server::{Limits, Options, ServeError, Server};

use crate::running::{Running, options};
use crate::wire::resident_bytes;

#[test]
fn a_client_that_never_reads_is_not_read_from_and_cut_off() {
    const MOST: usize = 1 << 20;
    let stalled = Duration::from_millis(200);
    let server = Running::with_limits(Limits { pause_at: MOST, stalled, ..Limits::default() });
    let mut other = server.connect();
    other.send(format!("SET k {}\r\n", "v".repeat(60_000)).as_bytes());
    other.expect(b"+OK\r\n");
    let before = resident_bytes();
    let mut peer = server.connect();
    // Six gigabytes of replies.
    let requests = b"GET k\r\n".repeat(1000);
    let mut most = before;
    let mut rounds = 0;
    let error = loop {
        if let Err(error) = peer.stream.write_all(&requests) {
            break error;
        }
        other.ask(b"PING\r\n", b"+PONG\r\n");
        most = most.max(resident_bytes());
        rounds += 1;
        if rounds == 100 {
            // All requests fit into the buffers on the way; the server has to give up nevertheless.
            let mut read = 0;
            let mut buffer = vec![0; 1 << 16];
            std::thread::sleep(3 * stalled);
            break loop {
                match peer.stream.read(&mut buffer) {
                    Ok(0) => break ErrorKind::ConnectionReset.into(),
                    Ok(len) => read += len,
                    Err(error) => break error,
                }
                assert!(read < 1 << 30, "it is not cut off");
            };
        }
    };
    let kinds = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
    assert!(kinds.contains(&error.kind()), "{error:?}");
    assert!(most < before + 200 * MOST, "{} bytes more", most - before);
    other.ask(b"PING\r\n", b"+PONG\r\n");
}

#[test]
fn a_client_that_reads_late_gets_every_reply() {
    let server = Running::with_limits(Limits { pause_at: 10_000, ..Limits::default() });
    let mut peer = server.connect();
    let mut writer = peer.stream.try_clone().unwrap();
    let value = "v".repeat(5000);
    peer.ask(format!("SET k {value}\r\n").as_bytes(), b"+OK\r\n");
    let thread = std::thread::spawn(move || writer.write_all(&b"GET k\r\n".repeat(10_000)));
    let reply = format!("$5000\r\n{value}\r\n");
    for _ in 0..10_000 {
        peer.expect(reply.as_bytes());
    }
    thread.join().unwrap().unwrap();
}

#[test]
fn a_reply_above_the_bound_ends_the_connection() {
    let limits = Limits { pause_at: 1000, close_at: 100_000, ..Limits::default() };
    let server = Running::with_limits(limits);
    let mut peer = server.connect();
    let value = "v".repeat(60_000);
    peer.ask(format!("SET k {value}\r\n").as_bytes(), b"+OK\r\n");
    peer.ask(b"GET k\r\n", format!("$60000\r\n{value}\r\n").as_bytes());
    let large = "v".repeat(100_000);
    let request = format!("*2\r\n$4\r\nECHO\r\n$100000\r\n{large}\r\n");
    peer.send(request.as_bytes());
    assert!(!matches!(peer.stream.read(&mut [0]), Ok(1)));
}

#[test]
fn one_client_too_many_is_refused_in_words() {
    let server = Running::with_limits(Limits { max_clients: 3, ..Limits::default() });
    let mut peers: Vec<_> = (0..3).map(|_| server.connect()).collect();
    for peer in &mut peers {
        peer.ask(b"PING\r\n", b"+PONG\r\n");
    }
    for _ in 0..100 {
        let mut refused = server.connect();
        let _ = refused.stream.write_all(b"PING\r\n");
        refused.expect_last(b"-ERR max number of clients reached\r\n");
    }
    for peer in &mut peers {
        peer.ask(b"PING\r\n", b"+PONG\r\n");
    }
    // Who goes makes room.
    let mut last = peers.pop().unwrap();
    last.send(b"QUIT\r\n");
    last.expect(b"+OK\r\n");
    drop(last);
    let has_room = || {
        let mut peer = server.connect();
        peer.send(b"PING\r\n");
        let mut kind = [0];
        peer.stream.read_exact(&mut kind).is_ok() && kind == *b"+"
    };
    assert!((0..1000).any(|_| has_room()), "nobody is let in again");
}

#[test]
fn strangers_may_send_little_until_they_say_the_password() {
    let server = Running::with(Options { password: "open sesame".into(), ..options() });
    let large = format!("*2\r\n$4\r\nECHO\r\n$20000\r\n{}\r\n", "x".repeat(20_000));
    let mut stranger = server.connect();
    stranger.ask(b"GET k\r\n", b"-NOAUTH Authentication required.\r\n");
    stranger.ask(
        b"AUTH open\r\n",
        b"-WRONGPASS invalid username-password pair or user is disabled.\r\n",
    );
    stranger.send(large.as_bytes());
    stranger.expect(b"-ERR Protocol error: unauthenticated bulk length\r\n");
    let mut friend = server.connect();
    friend.ask(b"AUTH 'open sesame'\r\n", b"+OK\r\n");
    friend.ask(large.as_bytes(), format!("$20000\r\n{}\r\n", "x".repeat(20_000)).as_bytes());
    // Who takes that back is a stranger again.
    friend.ask(b"RESET\r\n", b"+RESET\r\n");
    friend.ask(b"*11\r\n", b"-ERR Protocol error: unauthenticated multibulk length\r\n");
    let mut again = server.connect();
    again.ask(b"AUTH default 'open sesame'\r\nGET k\r\n", b"+OK\r\n$-1\r\n");
}

#[test]
fn an_address_that_others_can_reach_needs_a_password() {
    let addresses = vec![([0, 0, 0, 0], 0).into()];
    let open = Options { addresses, ..options() };
    assert!(matches!(Server::bind(open.clone()), Err(ServeError::NoPassword(_))));
    assert!(Server::bind(Options { password: "word".into(), ..open }).is_ok());
}
