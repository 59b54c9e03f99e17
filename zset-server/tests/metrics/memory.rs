//! The limit of memory, of a server whose allocator counts.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use zset_server::Options;

use crate::peer::{Peer, connect, options};

/// What a value takes, and most of what there is.
const VALUE: usize = 32 * 1024;

/// Room for many of them beside what the tests have for themselves.
const MAX: usize = 2000 * VALUE;

/// All servers of this process count the same memory, so one test at a time has a limit.
static LIMITED: Mutex<()> = Mutex::new(());

#[test]
fn at_the_limit_writes_are_refused_and_after_deletions_they_are_not() {
    let _limited = LIMITED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut peer = Peer::start(Options { max_memory: Some(MAX as u64), ..options() });
    peer.ask(&format!("CONFIG SET maxmemory {MAX}"));
    let value = "v".repeat(VALUE);
    for round in 0..2 {
        let refused = (0..100_000).find(|n| peer.ask(&format!("SET key:{n} {value}")) != "+OK\r\n");
        let refused = refused.expect("memory has an end");

        assert!(refused > 1000, "{refused} in round {round}");
        let refusal = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
        assert_eq!(peer.ask(&format!("ZADD z 1 {value}")), refusal);
        assert_eq!(peer.ask("GET key:0").len(), value.len() + 2);
        assert_eq!(peer.ask("EXISTS key:1"), ":1\r\n");
        let used = number(&mut peer, "zset_memory_used_bytes");
        assert!(used > MAX / 2 && number(&mut peer, "zset_memory_peak_bytes") > MAX, "{used}");
        for n in 0..refused {
            assert_eq!(peer.ask(&format!("DEL key:{n}")), ":1\r\n");
        }
        assert!(number(&mut peer, "zset_memory_used_bytes") < MAX / 2);
        assert_eq!(peer.ask("ZADD z 1 a"), ":1\r\n");
        assert_eq!(peer.ask("DEL z"), ":1\r\n");
    }
}

#[test]
fn replies_that_are_not_read_count_as_memory() {
    const CLIENTS: usize = 48;
    const LIMIT: usize = 128 << 20;
    let _limited = LIMITED.lock().unwrap_or_else(PoisonError::into_inner);
    for (megabytes, are_some_closed) in [(1, false), (16, true)] {
        let mut peer = Peer::start(Options { max_memory: Some(LIMIT as u64), ..options() });
        let value = "v".repeat(megabytes << 20);
        let set = format!("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${}\r\n{value}", value.len());
        assert_eq!(peer.ask(&set), "+OK\r\n");
        let mut deaf: Vec<_> = (0..CLIENTS).map(|_| connect(peer.address)).collect();
        for stream in &mut deaf {
            stream.write_all(&b"GET k\r\n".repeat(100)).unwrap();
        }
        until_quiet(&mut peer);
        let peak = number(&mut peer, "zset_memory_peak_bytes");
        assert!(peak < LIMIT + LIMIT / 2, "{peak}");
        let connected = number(&mut peer, "zset_clients_connected");
        assert_eq!(connected < 1 + CLIENTS, are_some_closed, "{connected}");
        assert_eq!(peer.ask("GET k").len(), value.len() + 2);
        assert_eq!(peer.ask("SET k small"), "+OK\r\n");
    }
}

/// Waits until no client has had a further reply to GET for so long that there will be none.
fn until_quiet(peer: &mut Peer) {
    const QUIET: usize = 50;
    let (mut quiet, mut calls) = (0, 0);
    while calls == 0 || quiet < QUIET {
        let before = calls;
        calls = number(peer, "zset_command_calls_total{command=\"get\"}");
        quiet = if calls == before { quiet + 1 } else { 0 };
    }
}

/// Returns a number of the page; zero if it is not there.
fn number(peer: &mut Peer, name: &str) -> usize {
    let page = peer.ask("METRICS");
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.map_or(0, |number| number.parse().expect("a number"))
}
