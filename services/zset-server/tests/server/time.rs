//! Tests commands whose effects depend on the time.

use zset_std::Timestamp;

use crate::prompt::Prompt;

#[test]
fn the_time_to_live_is_rounded_to_seconds_and_at_zero_the_key_has_expired() {
    let mut prompt = Prompt::new();
    prompt.expect(&[
        ("SET a 1", "+OK"),
        ("PEXPIRE a 1500", ":1"),
        ("TTL a", ":2"),
        ("PTTL a", ":1500"),
        ("EXPIRETIME a", ":1000002"),
        ("PEXPIRETIME a", ":1000001500"),
    ]);
    prompt.advance(1);
    prompt.expect(&[("TTL a", ":1"), ("PTTL a", ":1499")]);
    prompt.advance(1498);
    prompt.expect(&[("TTL a", ":0"), ("PTTL a", ":1"), ("EXISTS a", ":1")]);
    prompt.advance(1);
    prompt.expect(&[("TTL a", ":-2"), ("EXISTS a", ":0"), ("TYPE a", "+none"), ("DEL a", ":0")]);
}

#[test]
fn an_expired_key_does_not_exist_for_any_command() {
    let mut prompt = Prompt::new();
    for key in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        prompt.ask(&format!("SET {key} 1"));
        prompt.ask(&format!("PEXPIRE {key} 10"));
    }
    prompt.ask("SET z 1");
    prompt.advance(10);
    prompt.expect(&[
        ("KEYS *", "*1 $1 z"),
        ("RENAME h x", "-ERR no such key"),
        ("RENAME z g", "+OK"),
        ("TTL g", ":-1"),
        ("COPY g f", ":1"),
        ("TTL f", ":-1"),
        ("GET e", "$-1"),
        ("PERSIST d", ":0"),
        ("EXPIRE c 100", ":0"),
        ("OBJECT ENCODING b", "$-1"),
        ("DBSIZE", ":2"),
    ]);
}

#[test]
fn restored_keys_go_when_they_are_told_to() {
    let mut prompt = Prompt::new();
    prompt.expect(&[("ZADD z 1 a", ":1")]);
    let dump = prompt.run(&[b"DUMP", b"z"]);
    let header = dump.iter().position(|byte| *byte == b'\n').expect("a length") + 1;
    let payload = &dump[header..dump.len() - 2];
    let longest = i64::MAX.to_string();
    for (key, ttl, option) in [
        (b"y", "50", "REPLACE"),
        (b"x", "1000000050", "absttl"),
        (b"w", "1", "absttl"),
        (b"v", &*longest, "REPLACE"),
    ] {
        let words = [&b"RESTORE"[..], key, ttl.as_bytes(), payload, option.as_bytes()];
        assert_eq!(prompt.run(&words), b"+OK\r\n");
    }
    prompt.expect(&[("PTTL y", ":50"), ("PTTL x", ":50"), ("EXISTS v w", ":1")]);
    prompt.advance(50);
    prompt.expect(&[("EXISTS x y z", ":1")]);
}

#[test]
fn cl_throttle_answers_as_redis_cell_does() {
    let mut prompt = Prompt::new();
    // The example in redis-cell's README: a maximum burst of 15, and 30 units in 60 seconds.
    prompt.expect(&[
        ("CL.THROTTLE user123 15 30 60 1", "*5 :0 :16 :15 :-1 :2"),
        ("cl.throttle user123 15 30 60", "*5 :0 :16 :14 :-1 :4"),
        ("CL.THROTTLE user123 15 30 60 14", "*5 :0 :16 :0 :-1 :32"),
        ("CL.THROTTLE user123 15 30 60 1", "*5 :1 :16 :0 :2 :32"),
        ("CL.THROTTLE user123 15 30 60 17", "*5 :1 :16 :0 :-1 :32"),
        ("CL.THROTTLE user123 15 30 60 0", "*5 :0 :16 :0 :-1 :32"),
        // A full bucket drains within the period, even if the count does not divide the period.
        ("CL.THROTTLE thirds 2 3 1 3", "*5 :0 :3 :0 :-1 :1"),
        // As in redis-cell, numbers may have a plus sign and leading zeros.
        ("CL.THROTTLE other +15 030 60 1", "*5 :0 :16 :15 :-1 :2"),
        ("EXISTS user123", ":0"),
    ]);
    prompt.advance(2000);
    prompt.expect(&[("CL.THROTTLE user123 15 30 60 1", "*5 :0 :16 :0 :-1 :32")]);
}

#[test]
fn del_and_flushall_reset_limits() {
    let mut prompt = Prompt::new();
    let (call, passed) = ("CL.THROTTLE a 0 1 60", "*5 :0 :1 :0 :-1 :60");
    let denied = "*5 :1 :1 :0 :60 :60";
    prompt.expect(&[(call, passed), (call, denied), ("DEL a", ":1"), ("DEL a", ":0")]);
    prompt.expect(&[(call, passed), (call, denied), ("FLUSHALL", "+OK"), (call, passed)]);
    prompt.advance(60_000);
    prompt.expect(&[("DEL a", ":0"), ("SET a 1", "+OK"), (call, passed), ("DEL a", ":1")]);
}

#[test]
fn cl_throttle_refuses_what_has_no_meaning() {
    let mut prompt = Prompt::new();
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
        ("CL.THROTTLE a 1 0 1", "Zero rates are not supported"),
        ("CL.THROTTLE a 1 1 0", "Zero rates are not supported"),
        ("CL.THROTTLE a 9223372036854775807 1 1", "burst is negative or too large"),
    ] {
        let answer = prompt.ask(line);
        assert!(answer.starts_with(&format!("-Cell error: {reply}")), "{line}: {answer}");
    }
}

#[test]
fn a_scan_returns_every_key_that_is_set_again_meanwhile() {
    let mut prompt = Prompt::new();
    for number in 0..100 {
        prompt.ask(&format!("SET key{number} 1"));
    }
    let (mut cursor, mut seen) = ("0".to_owned(), Vec::new());
    for round in 0.. {
        let page;
        (cursor, page) = prompt.page(&format!("SCAN {cursor} COUNT 7"));
        seen.extend(page);
        if cursor == "0" {
            break;
        }
        prompt.ask(&format!("SET key{round} 2"));
        prompt.ask(&format!("DEL gone{round} key{}", 99 - round));
        prompt.ask(&format!("SET new{round} 2"));
    }
    for number in 0..80 {
        assert!(seen.contains(&format!("key{number}")), "{number}");
    }
}

#[test]
fn all_expired_keys_are_counted_however_they_are_removed() {
    let mut prompt = Prompt::new();
    let expired = |prompt: &mut Prompt| {
        let info = prompt.ask("INFO stats");
        let number = info.split(' ').find_map(|word| word.strip_prefix("expired_keys:"));
        number.expect("INFO has the field").parse::<u64>().expect("a number")
    };
    for key in 0..8 {
        prompt.ask(&format!("SET {key} 1"));
        prompt.ask(&format!("PEXPIRE {key} 10"));
    }
    prompt.advance(10);
    // Each command first removes up to two expired keys, in addition to the keys that it names.
    prompt.ask("DEL 0 1 2 3 4 5 6 7");
    assert_eq!(expired(&mut prompt), 8);
    for key in 10..30 {
        prompt.ask(&format!("ZADD {key} 1 a"));
        prompt.ask(&format!("PEXPIRE {key} 10"));
    }
    prompt.advance(10);
    // Of keys with the same deadline, those with the smallest names are removed first.
    for line in ["SET 29 1", "ZADD 28 1 a", "DEL 25 24 23"] {
        prompt.ask(line);
    }
    for _ in 0..20 {
        prompt.ask("PING");
    }
    assert_eq!(prompt.ask("DBSIZE"), ":2", "the keys that were created again stay");
    assert_eq!(expired(&mut prompt), 28);
    prompt.ask("PEXPIRE 29 -1");
    prompt.ask("DEL 28");
    assert_eq!(expired(&mut prompt), 28, "a removed key does not expire");
}

#[test]
fn a_large_step_back_of_the_clock_takes_effect_and_a_small_one_is_ignored() {
    let set = |prompt: &Prompt, seconds: u64| {
        prompt.clock.set(Timestamp::from_nanos(seconds * 1_000_000_000));
    };
    let mut prompt = Prompt::new();
    set(&prompt, 100);
    prompt.expect(&[("SET a 1", "+OK"), ("EXPIREAT a 100", ":1"), ("EXISTS a", ":0")]);
    prompt.expect(&[("SET b 1", "+OK"), ("EXPIRE b 1", ":1")]);
    set(&prompt, 99);
    prompt.expect(&[("PTTL b", ":1000")]);
    set(&prompt, 1_000_000);
    prompt.expect(&[("EXISTS b", ":0"), ("SET b 1", "+OK")]);
    set(&prompt, 101);
    prompt.expect(&[("EXPIREAT b 102", ":1"), ("PTTL b", ":1000")]);
    set(&prompt, 102);
    prompt.expect(&[("EXISTS b", ":0")]);
}
