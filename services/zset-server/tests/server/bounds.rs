//! Tests the limits on clients, requests and replies.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use zset_server::{Limits, Options, ServeError, Server};

use crate::running::{Peer, Running, options, set};
use crate::wire::resident_bytes;

#[test]
fn unread_replies_are_bounded() {
    const LIMIT: usize = 1 << 20;
    let server = Running::with_limits(Limits { pause_at: LIMIT, ..Limits::default() });
    let mut other = server.connect();
    other.set("k", &"v".repeat(60_000));
    let before = resident_bytes();
    let mut peer = server.connect();
    let mut most = before;
    // The replies would need more than a gigabyte. All requests fit in the buffers of the operating
    // system.
    for _ in 0..20 {
        peer.send(&b"GET k\r\n".repeat(1000));
        other.ask(b"PING\r\n", b"+PONG\r\n");
        most = most.max(resident_bytes());
    }
    assert!(most < before + 200 * LIMIT, "{} more bytes", most - before);
}

#[test]
fn a_client_that_reads_late_gets_every_reply() {
    let server = Running::with_limits(Limits { pause_at: 10_000, ..Limits::default() });
    let mut peer = server.connect();
    let mut writer = peer.stream.try_clone().unwrap();
    let value = "v".repeat(5000);
    peer.set("k", &value);
    let thread = std::thread::spawn(move || writer.write_all(&b"GET k\r\n".repeat(10_000)));
    let reply = format!("$5000\r\n{value}\r\n");
    for _ in 0..10_000 {
        peer.expect(reply.as_bytes());
    }
    thread.join().unwrap().unwrap();
}

#[test]
fn a_reply_above_the_limit_closes_the_connection() {
    let limits = Limits { pause_at: 1000, max_unread: 100_000, ..Limits::default() };
    let server = Running::with_limits(limits);
    let mut peer = server.connect();
    let value = "v".repeat(60_000);
    peer.set("k", &value);
    peer.ask(b"GET k\r\n", format!("$60000\r\n{value}\r\n").as_bytes());
    let large = "v".repeat(120_000);
    peer.send(format!("*2\r\n$4\r\nECHO\r\n$120000\r\n{large}\r\n").as_bytes());
    assert!(!matches!(peer.stream.read(&mut [0]), Ok(1)));
}

#[test]
fn clients_without_the_password_may_send_only_short_requests() {
    let server = Running::with(Options { password: "open sesame".into(), ..options() });
    let large = format!("*2\r\n$4\r\nECHO\r\n$20000\r\n{}\r\n", "x".repeat(20_000));
    let mut guest = server.connect();
    guest.ask(b"GET k\r\n", b"-NOAUTH Authentication required.\r\n");
    guest.ask(
        b"AUTH open\r\n",
        b"-WRONGPASS invalid username-password pair or user is disabled.\r\n",
    );
    guest.send(large.as_bytes());
    guest.expect(b"-ERR Protocol error: unauthenticated bulk length\r\n");
    let mut user = server.connect();
    user.ask(b"AUTH 'open sesame'\r\n", b"+OK\r\n");
    user.ask(large.as_bytes(), format!("$20000\r\n{}\r\n", "x".repeat(20_000)).as_bytes());
    // RESET undoes AUTH.
    user.ask(b"RESET\r\n", b"+RESET\r\n");
    user.ask(b"*11\r\n", b"-ERR Protocol error: unauthenticated multibulk length\r\n");
    let mut again = server.connect();
    again.ask(b"AUTH default 'open sesame'\r\nGET k\r\n", b"+OK\r\n$-1\r\n");
}

#[test]
fn a_public_address_requires_a_password() {
    let addresses = vec![([0, 0, 0, 0], 0).into()];
    let open = Options { addresses, ..options() };
    assert!(matches!(Server::bind(open.clone()), Err(ServeError::NoPassword(_))));
    assert!(Server::bind(Options { password: "word".into(), ..open }).is_ok());
}

#[test]
fn a_server_with_a_public_address_keeps_its_password() {
    let addresses = vec![([0, 0, 0, 0], 0).into()];
    let server = Running::with(Options { addresses, password: "word".into(), ..options() });
    let refusal = "-ERR CONFIG SET failed (possibly related to argument 'requirepass') - others can \
                   reach the server, so it needs a password";
    let mut peer = server.connect();
    peer.ask(b"AUTH word\r\n", b"+OK\r\n");
    assert_eq!(peer.ask_line(b"CONFIG SET requirepass ''\r\n"), refusal);
    peer.ask(b"CONFIG SET requirepass other\r\n", b"+OK\r\n");
    server.connect().ask(b"PING\r\n", b"-NOAUTH Authentication required.\r\n");
    let server = Running::with(Options { password: "word".into(), ..options() });
    let mut peer = server.connect();
    peer.ask(b"AUTH word\r\nCONFIG SET requirepass ''\r\n", b"+OK\r\n+OK\r\n");
    server.connect().ask(b"PING\r\n", b"+PONG\r\n");
}

/// Waits until at most this many clients are connected.
fn until_left(observer: &mut Peer<TcpStream>, most: usize) {
    while observer.info("clients", "connected_clients:") > most {}
}

#[test]
fn the_memory_of_all_clients_is_bounded() {
    const CLIENTS: usize = 20;
    const LIMIT: usize = 32 << 20;
    let server = Running::with_limits(Limits { all_clients: LIMIT, ..Limits::default() });
    let mut other = server.connect();
    let value = "v".repeat(10 << 20);
    other.set("k", &value);
    let set = set("k", &value).into_bytes();
    let (get, multi) = (&b"GET k\r\n"[..], b"MULTI\r\n".as_slice());
    let wait = [b"BZPOPMIN".to_vec(), b" j".repeat(20_000), b" 0\r\n".to_vec()].concat();
    // In each round, the clients use memory in a different way: unread replies, incomplete
    // requests, queued commands, and waits for many keys.
    for parts in [&[get][..], &[&set[..set.len() - 3]], &[multi, &set], &[&wait]] {
        let mut peers: Vec<_> = (0..CLIENTS).map(|_| server.connect()).collect();
        for peer in &mut peers {
            for part in parts {
                // The connection may already be closed.
                let _ = peer.stream.write_all(part);
            }
        }
        until_left(&mut other, 1 + CLIENTS / 2);
        other.ask(b"PING\r\n", b"+PONG\r\n");
        drop(peers);
        until_left(&mut other, 1);
    }
    other.ask(get, format!("${}\r\n", value.len()).as_bytes());
}

#[test]
fn a_transaction_with_replies_above_the_limit_runs_and_closes_the_connection() {
    let limits = Limits { pause_at: 1000, max_unread: 100_000, ..Limits::default() };
    let server = Running::with_limits(limits);
    let (mut peer, mut other) = (server.connect(), server.connect());
    other.set("k", &"v".repeat(60_000));
    let get = "GET k\r\n".repeat(5);
    peer.send(format!("MULTI\r\n{get}SET ran yes\r\n").as_bytes());
    peer.expect(format!("+OK\r\n{}", "+QUEUED\r\n".repeat(6)).as_bytes());
    peer.send(b"EXEC\r\n");
    assert!(!matches!(peer.stream.read(&mut [0]), Ok(1)));
    let mut other = server.connect();
    // The transaction has run completely, although its replies exceeded the limit.
    other.ask(b"GET ran\r\n", b"$3\r\nyes\r\n");
}

#[test]
fn clients_that_do_not_authenticate_make_room_for_others() {
    let limits = Limits { max_clients: 3, strangers: Duration::ZERO, ..Limits::default() };
    let server = Running::with(Options { password: "word".into(), limits, ..options() });
    let mut user = server.connect();
    user.ask(b"AUTH word\r\n", b"+OK\r\n");
    let mut guest = server.connect();
    guest.ask(b"PING\r\n", b"-NOAUTH Authentication required.\r\n");
    // The third client reaches the limit, so both clients without authentication are disconnected.
    let mut other = server.connect();
    while other.stream.read_exact(&mut [0]).is_ok() {}
    guest.expect_last(b"");
    user.ask(b"PING\r\n", b"+PONG\r\n");
}

#[test]
fn three_thousand_refused_clients_may_stay_connected_until_there_is_room() {
    const TOO_MANY: usize = 3000;
    let server = Running::with_limits(Limits { max_clients: 1, ..Limits::default() });
    let mut only = server.connect();
    only.ask(b"PING\r\n", b"+PONG\r\n");
    let mut refused: Vec<_> = (0..TOO_MANY).map(|_| server.connect()).collect();
    while only.info("stats", "rejected_connections:") != TOO_MANY {}
    for peer in &mut refused {
        let _ = peer.stream.write_all(b"PING\r\n");
        peer.expect_last(b"-ERR max number of clients reached\r\n");
    }
    // When the only connected client leaves, a new client is accepted.
    only.ask(b"QUIT\r\n", b"+OK\r\n");
    drop(only);
    let has_room = || {
        let mut peer = server.connect();
        let _ = peer.stream.write_all(b"PING\r\n");
        let mut kind = [0];
        peer.stream.read_exact(&mut kind).is_ok() && kind == *b"+"
    };
    assert!((0..1000).any(|_| has_room()), "no new client is accepted");
}
