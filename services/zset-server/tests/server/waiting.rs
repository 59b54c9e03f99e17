//! Tests blocking commands over sockets.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use zset_server::Limits;

use crate::running::{Peer, Running};

/// Waits until this many clients are blocked.
fn until_waiting(observer: &mut Peer<TcpStream>, clients: usize) {
    while observer.info("clients", "blocked_clients:") != clients {}
}

#[test]
fn a_blocking_pop_waits_for_a_member() {
    let server = Running::start();
    let (mut waiting, mut other) = (server.connect(), server.connect());
    waiting.send(b"ECHO a\r\nBZPOPMIN jobs 0\r\nECHO b\r\n");
    waiting.expect(b"$1\r\na\r\n");
    until_waiting(&mut other, 1);
    other.ask(b"ZADD jobs 2 y 1 x\r\n", b":2\r\n");
    waiting.expect(b"*3\r\n$4\r\njobs\r\n$1\r\nx\r\n$1\r\n1\r\n$1\r\nb\r\n");
    until_waiting(&mut other, 0);
    other.ask(b"ZRANGE jobs 0 -1\r\n", b"*1\r\n$1\r\ny\r\n");
}

#[test]
fn a_blocking_pop_returns_null_after_its_timeout() {
    let server = Running::start();
    let (mut waiting, mut other) = (server.connect(), server.connect());
    waiting.send(b"BZPOPMIN jobs 0.01\r\nBZMPOP 0.01 1 jobs MAX\r\nHELLO 3\r\n");
    waiting.expect(b"*-1\r\n*-1\r\n%7\r\n");
    until_waiting(&mut other, 0);
    other.ask(b"ZADD jobs 1 x\r\n", b":1\r\n");
    other.ask(b"ZCARD jobs\r\n", b":1\r\n");
}

#[test]
fn a_client_that_disconnects_while_blocked_pops_nothing() {
    let server = Running::start();
    let mut other = server.connect();
    for end in [Shutdown::Both, Shutdown::Write] {
        let mut waiting: Vec<_> = (0..20).map(|_| server.connect()).collect();
        for peer in &mut waiting {
            peer.send(b"BZPOPMIN jobs 0\r\nPING\r\n");
        }
        until_waiting(&mut other, 20);
        for peer in &waiting {
            peer.stream.shutdown(end).unwrap();
        }
        until_waiting(&mut other, 0);
        other.ask(b"ZADD jobs 1 x\r\n", b":1\r\n");
        other.ask(b"ZPOPMIN jobs\r\n", b"*2\r\n$1\r\nx\r\n$1\r\n1\r\n");
        while other.info("clients", "connected_clients:") != 1 {}
    }
}

#[test]
fn requests_sent_while_blocked_run_afterwards() {
    const REQUESTS: usize = 100_000;
    let server = Running::start();
    let (mut waiting, mut other) = (server.connect(), server.connect());
    waiting.send(b"BZPOPMAX jobs 0\r\n");
    until_waiting(&mut other, 1);
    waiting.send(&b"ECHO x\r\n".repeat(REQUESTS));
    other.ask(b"PING\r\nZADD jobs 1 x\r\n", b"+PONG\r\n:1\r\n");
    waiting.expect(b"*3\r\n$4\r\njobs\r\n$1\r\nx\r\n$1\r\n1\r\n");
    waiting.expect(&b"$1\r\nx\r\n".repeat(REQUESTS));
}

#[test]
fn a_blocked_client_can_read_earlier_replies() {
    let server = Running::start();
    let (mut waiting, mut other) = (server.connect(), server.connect());
    let value = "v".repeat(1 << 20);
    other.set("k", &value);
    waiting.send(&[&b"GET k\r\n".repeat(20)[..], b"BZPOPMIN jobs 0\r\n"].concat());
    until_waiting(&mut other, 1);
    for _ in 0..20 {
        assert_eq!(waiting.bulk(), value);
    }
}

#[test]
fn a_server_that_stops_closes_blocked_clients() {
    let server = Running::with_limits(Limits { grace: Duration::MAX, ..Limits::default() });
    let mut other = server.connect();
    let mut waiting: Vec<_> = (0..50).map(|_| server.connect()).collect();
    for peer in &mut waiting {
        peer.send(b"PING\r\nBZPOPMIN jobs 0\r\nBZPOPMIN jobs 1000\r\n");
    }
    until_waiting(&mut other, 50);
    server.stop();
    for peer in &mut waiting {
        peer.expect_last(b"+PONG\r\n");
    }
}

#[test]
fn many_blocked_clients_pop_each_member_once() {
    const CLIENTS: usize = 20;
    const MEMBERS: usize = 2000;
    let server = Running::start();
    let workers: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let mut worker = server.connect();
            std::thread::spawn(move || {
                let mut done = Vec::new();
                loop {
                    worker.ask(b"BZPOPMIN jobs stop 0\r\n", b"*3\r\n");
                    let [key, member, _] = [(); 3].map(|()| worker.bulk());
                    if key == "stop" {
                        return done;
                    }
                    done.push(member);
                }
            })
        })
        .collect();
    let mut boss = server.connect();
    for number in 0..MEMBERS {
        boss.ask(format!("ZADD jobs {number} {number:04}\r\n").as_bytes(), b":1\r\n");
    }
    while boss.ask_line(b"ZCARD jobs\r\n") != ":0" {}
    for number in 0..CLIENTS {
        boss.ask(format!("ZADD stop 1 {number}\r\n").as_bytes(), b":1\r\n");
    }
    let mut done: Vec<_> = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    done.sort_unstable();
    assert!(done.into_iter().eq((0..MEMBERS).map(|number| format!("{number:04}"))));
}

#[test]
fn thousands_of_blocked_clients_are_served_by_one_command() {
    const CLIENTS: usize = 2000;
    let server = Running::start();
    let mut peers: Vec<_> = (0..CLIENTS).map(|_| server.connect()).collect();
    for peer in &mut peers {
        peer.send(b"BZPOPMIN jobs 0\r\n");
    }
    let mut other = server.connect();
    until_waiting(&mut other, CLIENTS);
    let mut request = b"ZADD jobs".to_vec();
    for number in 0..CLIENTS {
        write!(request, " {number} {number:04}").unwrap();
    }
    request.extend(b"\r\n");
    other.ask(&request, b":2000\r\n");
    let mut members = Vec::new();
    for peer in &mut peers {
        assert_eq!(peer.line(), "*3");
        assert_eq!(peer.bulk(), "jobs");
        members.push(peer.bulk());
        peer.bulk();
    }
    members.sort_unstable();
    assert!(members.into_iter().eq((0..CLIENTS).map(|number| format!("{number:04}"))));
}
