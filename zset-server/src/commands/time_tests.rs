//! Tests of time-dependent behaviour, with a fake clock.

use std::time::Duration;

use zset_std::FakeClock;

use crate::testing::ask;
use crate::{Client, Engine, Replies};

struct Session {
    clock: FakeClock,
    engine: Engine<FakeClock>,
    client: Client,
}

impl Session {
    fn new() -> Self {
        let clock = FakeClock::new();
        clock.advance(Duration::from_secs(1_000_000));
        let mut engine = Engine::with_clock(clock.clone());
        let client = engine.client();
        Session { clock, engine, client }
    }

    /// Returns the reply to a line of words, with line ends as spaces.
    fn ask(&mut self, line: &str) -> String {
        let reply = ask(&mut self.engine, &mut self.client, line);
        reply.replace("\r\n", " ").trim_end().to_owned()
    }

    /// Runs each line and compares its reply.
    fn expect(&mut self, rows: &[(&str, &str)]) {
        for (line, reply) in rows {
            assert_eq!(self.ask(line), *reply, "{line}");
        }
    }

    fn advance(&mut self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
    }
}

#[test]
fn the_time_left_is_rounded_to_seconds_and_at_none_the_key_is_gone() {
    let mut session = Session::new();
    session.expect(&[
        ("SET a 1 PX 1500", "+OK"),
        ("TTL a", ":2"),
        ("PTTL a", ":1500"),
        ("EXPIRETIME a", ":1000002"),
        ("PEXPIRETIME a", ":1000001500"),
    ]);
    session.advance(1);
    session.expect(&[("TTL a", ":1"), ("PTTL a", ":1499")]);
    session.advance(1498);
    session.expect(&[("TTL a", ":0"), ("PTTL a", ":1"), ("EXISTS a", ":1")]);
    session.advance(1);
    session.expect(&[("TTL a", ":-2"), ("EXISTS a", ":0"), ("TYPE a", "+none"), ("DEL a", ":0")]);
}

#[test]
fn what_has_expired_is_no_key_for_any_command() {
    let mut session = Session::new();
    for key in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        session.ask(&format!("SET {key} 1 PX 10"));
    }
    session.ask("SET z 1");
    session.advance(10);
    session.expect(&[
        ("RANDOMKEY", "$1 z"),
        ("KEYS *", "*1 $1 z"),
        ("RENAME h x", "-ERR no such key"),
        ("RENAMENX z g", ":1"),
        ("TTL g", ":-1"),
        ("COPY g f", ":1"),
        ("TTL f", ":-1"),
        ("SET e 1 XX", "$-1"),
        ("PERSIST d", ":0"),
        ("EXPIRE c 100", ":0"),
        ("OBJECT ENCODING b", "$-1"),
        ("DBSIZE", ":2"),
    ]);
}

#[test]
fn a_watched_key_that_expires_has_changed_and_one_that_had_expired_has_not() {
    let mut session = Session::new();
    session.expect(&[("SET a 1 PX 10", "+OK"), ("WATCH a", "+OK"), ("MULTI", "+OK")]);
    session.expect(&[("PING", "+QUEUED")]);
    session.advance(10);
    session.expect(&[("EXEC", "*-1"), ("MULTI", "+OK"), ("EXEC", "*0")]);

    session.expect(&[("SET a 1 PX 10", "+OK")]);
    session.advance(10);
    session.expect(&[("WATCH a", "+OK"), ("DEL a", ":0"), ("MULTI", "+OK"), ("EXEC", "*0")]);
    // Creating a key again is a change.
    session.expect(&[("WATCH a", "+OK"), ("SET a 1", "+OK"), ("MULTI", "+OK"), ("EXEC", "*-1")]);
}

#[test]
fn a_client_that_leaves_watches_nothing_more() {
    let mut session = Session::new();
    session.expect(&[("WATCH a b a", "+OK"), ("MULTI", "+OK"), ("SET a 1", "+QUEUED")]);
    let Session { engine, client, .. } = &mut session;
    engine.leave(client);
    session.expect(&[("EXEC", "-ERR EXEC without MULTI"), ("GET a", "$-1")]);
}

#[test]
fn another_client_changes_what_this_one_watches() {
    let mut session = Session::new();
    session.expect(&[("SET a 1", "+OK"), ("WATCH a", "+OK"), ("MULTI", "+OK")]);
    session.expect(&[("GET a", "+QUEUED")]);
    let other = session.engine.client();
    let first = std::mem::replace(&mut session.client, other);
    session.expect(&[("WATCH a", "+OK"), ("SET a 2", "+OK")]);
    session.client = first;
    session.expect(&[("EXEC", "*-1"), ("GET a", "$1 2")]);
}

#[test]
fn restored_keys_go_when_they_are_told_to() {
    let mut session = Session::new();
    session.expect(&[("ZADD z 1 a", ":1")]);
    let mut replies = Replies::default();
    let Session { engine, client, .. } = &mut session;
    engine.execute(client, &[b"DUMP", b"z"], &mut replies);
    let header = replies.bytes().iter().position(|byte| *byte == b'\n').expect("a length") + 1;
    let payload = replies.bytes()[header..replies.bytes().len() - 2].to_vec();
    replies.clear();
    engine.execute(client, &[b"RESTORE", b"y", b"50", &payload], &mut replies);
    engine.execute(client, &[b"RESTORE", b"x", b"1000000050", &payload, b"absttl"], &mut replies);
    engine.execute(client, &[b"RESTORE", b"w", b"1", &payload, b"absttl"], &mut replies);
    let longest = i64::MAX.to_string();
    engine.execute(client, &[b"RESTORE", b"v", longest.as_bytes(), &payload], &mut replies);
    assert_eq!(replies.bytes(), b"+OK\r\n".repeat(4));
    session.expect(&[("PTTL y", ":50"), ("PTTL x", ":50"), ("EXISTS v w", ":1")]);
    session.advance(50);
    session.expect(&[("EXISTS x y z", ":1")]);
}

#[test]
fn cl_throttle_answers_as_redis_cell_does() {
    let mut session = Session::new();
    // The example of redis-cell's README: a burst of fifteen more, thirty in sixty seconds.
    session.expect(&[
        ("CL.THROTTLE user123 15 30 60 1", "*5 :0 :16 :15 :-1 :2"),
        ("cl.throttle user123 15 30 60", "*5 :0 :16 :14 :-1 :4"),
        ("CL.THROTTLE user123 15 30 60 14", "*5 :0 :16 :0 :-1 :32"),
        ("CL.THROTTLE user123 15 30 60 1", "*5 :1 :16 :0 :2 :32"),
        ("CL.THROTTLE user123 15 30 60 17", "*5 :1 :16 :0 :-1 :32"),
        ("CL.THROTTLE user123 15 30 60 0", "*5 :0 :16 :0 :-1 :32"),
        ("CL.THROTTLE other 15 30 60 1", "*5 :0 :16 :15 :-1 :2"),
        ("EXISTS user123", ":0"),
    ]);
    session.advance(2000);
    session.expect(&[("CL.THROTTLE user123 15 30 60 1", "*5 :0 :16 :0 :-1 :32")]);
}

#[test]
fn del_and_flushall_reset_limits() {
    let mut session = Session::new();
    let (call, passed) = ("CL.THROTTLE a 0 1 60", "*5 :0 :1 :0 :-1 :60");
    let denied = "*5 :1 :1 :0 :60 :60";
    session.expect(&[(call, passed), (call, denied), ("DEL a", ":1"), ("DEL a", ":0")]);
    session.expect(&[(call, passed), (call, denied), ("FLUSHALL", "+OK"), (call, passed)]);
    session.advance(60_000);
    session.expect(&[("DEL a", ":0"), ("SET a 1", "+OK"), (call, passed), ("DEL a", ":1")]);
}

#[test]
fn cl_throttle_refuses_what_has_no_meaning() {
    let mut session = Session::new();
    for (line, reply) in [
        ("CL.THROTTLE", "Usage: cl.throttle <key>"),
        ("CL.THROTTLE a 1 1", "Usage: cl.throttle <key>"),
        ("CL.THROTTLE a 1 1 1 1 1", "Usage: cl.throttle <key>"),
        ("CL.THROTTLE a x 1 1", "Couldn't parse as integer: x"),
        ("CL.THROTTLE a 1 1 1 1.5", "Couldn't parse as integer: 1.5"),
        ("CL.THROTTLE a -1 1 1", "burst is negative or too large"),
        ("CL.THROTTLE a 1 -1 1", "count or period is negative or too large"),
        ("CL.THROTTLE a 1 1 -1", "count or period is negative or too large"),
        ("CL.THROTTLE a 1 1 1 -1", "quantity is negative or too large"),
        ("CL.THROTTLE a 1 0 1", ""),
        ("CL.THROTTLE a 1 1 0", ""),
        ("CL.THROTTLE a 9223372036854775807 1 1", "burst is negative or too large"),
    ] {
        let answer = session.ask(line);
        assert!(answer.starts_with(&format!("-Cell error: {reply}")), "{line}: {answer}");
    }
}

#[test]
fn a_scan_misses_no_key_that_is_set_again_meanwhile() {
    let mut session = Session::new();
    for number in 0..100 {
        session.ask(&format!("SET key{number} 1"));
    }
    let (mut cursor, mut seen) = ("0".to_owned(), Vec::new());
    for round in 0.. {
        let reply = session.ask(&format!("SCAN {cursor} COUNT 7"));
        // Drop the headers of bulk strings and arrays.
        let words: Vec<_> = reply.split(' ').filter(|word| !word.starts_with(['$', '*'])).collect();
        cursor = words[0].to_owned();
        seen.extend(words[1..].iter().map(|key| (*key).to_owned()));
        if cursor == "0" {
            break;
        }
        session.ask(&format!("SET key{round} 2"));
        session.ask(&format!("DEL gone{round} key{}", 99 - round));
        session.ask(&format!("SET new{round} 2"));
    }
    for number in 0..80 {
        assert!(seen.contains(&format!("key{number}")), "{number}");
    }
}
#[test]
fn all_keys_that_expire_are_counted_however_they_go() {
    let mut session = Session::new();
    let expired = |session: &mut Session| {
        let info = session.ask("INFO stats");
        let (_, behind) = info.split_once("expired_keys:").expect("it is told");
        behind.split(' ').next().expect("a number").parse::<u64>().expect("a number")
    };
    for key in 0..8 {
        session.ask(&format!("SET {key} 1 PX 10"));
    }
    session.advance(10);
    // Each command removes two expired keys, in addition to those that it names.
    session.ask("DEL 0 1 2 3 4 5 6 7");
    assert_eq!(expired(&mut session), 8);
    for key in 10..30 {
        session.ask(&format!("ZADD {key} 1 a"));
        session.ask(&format!("PEXPIRE {key} 10"));
    }
    session.advance(10);
    // The keys with the smallest names expire first.
    for line in ["SET 29 1", "ZADD 28 1 a", "WATCH 26 27", "DEL 25 24 23"] {
        session.ask(line);
    }
    for _ in 0..20 {
        session.ask("PING");
    }
    assert_eq!(session.ask("DBSIZE"), ":2", "those that were made anew stay");
    assert_eq!(expired(&mut session), 28);
    session.ask("SET 29 1 PX 1");
    session.ask("PEXPIRE 29 -1");
    session.ask("DEL 28");
    assert_eq!(expired(&mut session), 28, "what is removed does not expire");
    session.ask("CONFIG RESETSTAT");
    assert_eq!(expired(&mut session), 0);
}
