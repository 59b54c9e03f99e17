//! Clients that want too much.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use zset_server::{Limits, Options, OutputLimits, ServeError, Server};

use crate::running::{Peer, Running, options};
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
    let output = OutputLimits::default().with("normal 100000 0 0").unwrap();
    let limits = Limits { pause_at: 1000, output, ..Limits::default() };
    let server = Running::with_limits(limits);
    let mut peer = server.connect();
    let value = "v".repeat(60_000);
    peer.ask(format!("SET k {value}\r\n").as_bytes(), b"+OK\r\n");
    peer.ask(b"GET k\r\n", format!("$60000\r\n{value}\r\n").as_bytes());
    let large = "v".repeat(120_000);
    let request = format!("*2\r\n$4\r\nECHO\r\n$120000\r\n{large}\r\n");
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

#[test]
fn a_server_that_others_can_reach_keeps_its_password() {
    let addresses = vec![([0, 0, 0, 0], 0).into()];
    let open = Options { addresses, password: "word".into(), ..options() };
    let refusal = "-ERR CONFIG SET failed (possibly related to argument 'requirepass') - others can \
                   reach the server, so it needs a password";
    let server = Running::with(open);
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

/// Waits until so few clients are left.
fn until_left(observer: &mut Peer<TcpStream>, most: usize) {
    let is_left = |info: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix("connected_clients:"));
        line.expect("it is told").parse::<usize>().expect("a number") <= most
    };
    while !is_left(&observer.ask_bulk(b"INFO clients\r\n")) {}
}

#[test]
fn a_client_that_does_not_read_is_cut_off_below_every_bound() {
    let stalled = Duration::from_millis(200);
    let server = Running::with_limits(Limits { stalled, ..Limits::default() });
    let (mut deaf, mut other) = (server.connect(), server.connect());
    let value = "v".repeat(20 << 20);
    other.send(format!("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${}\r\n", value.len()).as_bytes());
    other.send(value.as_bytes());
    other.ask(b"\r\n", b"+OK\r\n");
    // Less than would stop it from being read from.
    deaf.send(b"GET k\r\n");
    until_left(&mut other, 1);
}

#[test]
fn what_is_held_for_all_clients_is_bounded() {
    const CLIENTS: usize = 20;
    const MOST: usize = 32 << 20;
    let server = Running::with_limits(Limits { all_clients: MOST, ..Limits::default() });
    let mut other = server.connect();
    let value = vec![b'v'; 10 << 20];
    let set = format!("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${}\r\n", value.len());
    other.send(set.as_bytes());
    other.send(&value);
    other.ask(b"\r\n", b"+OK\r\n");
    let (get, multi) = (&b"GET k\r\n"[..], b"MULTI\r\n".as_slice());
    let wait = [b"BZPOPMIN".to_vec(), b" j".repeat(20_000), b" 0\r\n".to_vec()].concat();
    // Replies that are not read, requests that do not end, and commands that do not run, or not yet.
    for parts in [
        &[get][..],
        &[set.as_bytes(), &value[1..]],
        &[multi, set.as_bytes(), &value, b"\r\n"],
        &[&wait],
    ] {
        let mut peers: Vec<_> = (0..CLIENTS).map(|_| server.connect()).collect();
        for peer in &mut peers {
            for part in parts {
                // It may have been cut off already.
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
fn a_transaction_of_too_large_replies_ends_without_any_of_them_whole() {
    let output = OutputLimits::default().with("normal 100000 0 0").unwrap();
    let limits = Limits { pause_at: 1000, output, ..Limits::default() };
    let server = Running::with_limits(limits);
    let (mut peer, mut other) = (server.connect(), server.connect());
    other.ask(format!("SET k {}\r\n", "v".repeat(60_000)).as_bytes(), b"+OK\r\n");
    let get = "GET k\r\n".repeat(5);
    // The one that sends itself away would have the rest of its replies.
    let kill = "CLIENT KILL TYPE normal SKIPME no\r\n";
    peer.send(format!("MULTI\r\n{get}SET ran yes\r\n{kill}").as_bytes());
    peer.expect(format!("+OK\r\n{}", "+QUEUED\r\n".repeat(7)).as_bytes());
    peer.send(b"EXEC\r\n");
    assert!(!matches!(peer.stream.read(&mut [0]), Ok(1)));
    let mut other = server.connect();
    // It was run to its end nevertheless.
    other.ask(b"GET ran\r\n", b"$3\r\nyes\r\n");
}

#[test]
fn strangers_do_not_keep_those_out_who_know_the_password() {
    let strangers = Duration::ZERO;
    let limits = Limits { max_clients: 3, strangers, ..Limits::default() };
    let server = Running::with(Options { password: "word".into(), limits, ..options() });
    let mut friend = server.connect();
    friend.ask(b"AUTH word\r\n", b"+OK\r\n");
    let mut stranger = server.connect();
    stranger.ask(b"PING\r\n", b"-NOAUTH Authentication required.\r\n");
    // There is room for one more still.
    let mut other = server.connect();
    while other.stream.read_exact(&mut [0]).is_ok() {}
    stranger.expect_last(b"");
    friend.ask(b"PING\r\n", b"+PONG\r\n");
}

#[test]
fn memory_is_given_back_by_those_who_are_silent() {
    // It has to read meanwhile.
    let stalled = Duration::from_secs(1);
    let server = Running::with_limits(Limits { stalled, ..Limits::default() });
    let (mut silent, mut other) = (server.connect(), server.connect());
    silent.ask(b"CLIENT SETNAME silent\r\n", b"+OK\r\n");
    let request = b"ECHO 0123456789\r\n".repeat(20_000);
    silent.ask(&request, &b"$10\r\n0123456789\r\n".repeat(20_000));
    let has_nothing = |list: &str| {
        let line = list.lines().find(|line| line.contains("name=silent")).expect("it is there");
        line.contains(" qbuf-free=0 ") && line.contains(" rbs=0 ")
    };
    while !has_nothing(&other.ask_bulk(b"CLIENT LIST\r\n")) {}
    silent.ask(b"PING\r\n", b"+PONG\r\n");
}

#[test]
fn three_thousand_are_refused_at_once_though_they_stay() {
    const TOO_MANY: usize = 3000;
    let server = Running::with_limits(Limits { max_clients: 1, ..Limits::default() });
    let mut only = server.connect();
    only.ask(b"PING\r\n", b"+PONG\r\n");
    let mut refused: Vec<_> = (0..TOO_MANY).map(|_| server.connect()).collect();
    let told = format!("rejected_connections:{TOO_MANY}\r\n");
    while !only.ask_bulk(b"INFO stats\r\n").contains(&told) {}
    for peer in &mut refused {
        peer.expect_last(b"-ERR max number of clients reached\r\n");
    }
}
