//! Tests effects of commands that the conformance tests do not compare.

use std::collections::BTreeSet;

use zset_server::{Engine, Replies};

use crate::prompt::{Prompt, ask};

#[test]
fn hello_and_info_tell_the_same_version() {
    for protocol in ["2", "3"] {
        let mut prompt = Prompt::new();
        let hello = prompt.ask(&format!("HELLO {protocol}"));
        let mut words = hello.split(' ').skip_while(|word| *word != "version").skip(2);
        let version = words.next().expect("INFO has the field");
        let info = prompt.ask("INFO server");
        let told = info.split(' ').find_map(|word| word.strip_prefix("redis_version:"));
        assert_eq!(Some(version), told);
    }
}

#[test]
fn exec_of_an_unauthenticated_client_says_so() {
    let mut prompt = Prompt::new();
    prompt.ask("CONFIG SET requirepass open");
    prompt.client = prompt.engine.client();
    let refused = "-EXECABORT Transaction discarded because of: NOAUTH Authentication required.";
    assert_eq!(prompt.ask("EXEC"), refused);
    assert_eq!(prompt.ask("GET a"), "-NOAUTH Authentication required.");
}

#[test]
fn a_reply_that_would_block_all_other_clients_is_refused() {
    let mut prompt = Prompt::new();
    let member = "m".repeat(1000);
    prompt.ask(&format!("ZADD key 1 {member}"));
    // The last count is rejected while the reply is being written, the others before that.
    for count in ["-9223372036854775807", "-4611686018427387903", "-89478480", "-70000"] {
        let reply = prompt.ask(&format!("ZRANDMEMBER key {count}"));
        assert_eq!(reply, "-ERR value is out of range", "{count}");
    }
    let reply = prompt.ask("ZRANDMEMBER key -2");
    assert_eq!(reply, format!("*2 $1000 {member} $1000 {member}"));
}

#[test]
fn pages_of_a_large_set_hold_each_member_once() {
    let mut prompt = Prompt::new();
    for member in 0..1000 {
        prompt.ask(&format!("ZADD key 1 {member}"));
    }
    let (mut cursor, mut members, mut pages) = ("0".to_owned(), BTreeSet::new(), 0);
    while pages == 0 || cursor != "0" {
        let page;
        (cursor, page) = prompt.page(&format!("ZSCAN key {cursor} MATCH *7* NOSCORES"));
        for member in page {
            assert!(members.insert(member.clone()), "{member} twice");
        }
        pages += 1;
    }
    assert_eq!(members.len(), 271);
    assert!(pages > 10, "{pages} pages");
}

#[test]
fn a_set_that_replaces_another_type_serves_waiting_clients() {
    let mut engine = Engine::new();
    let (mut waiting, mut other) = (engine.client(), engine.client());
    waiting.allow_waiting();
    for line in ["ZUNIONSTORE key 1 from", "ZRANGESTORE key from 0 -1"] {
        assert_eq!(ask(&mut engine, &mut waiting, "BZPOPMIN key 0"), "");
        let mut replies = Replies::default();
        for line in ["SET key value", "ZADD from 1 a"] {
            ask(&mut engine, &mut other, line);
            assert!(!waiting.take_served(&mut replies));
        }
        // Redis and Valkey do not serve the waiting client here, but this server does.
        assert_eq!(ask(&mut engine, &mut other, line), ":1");
        assert!(waiting.take_served(&mut replies), "{line}");
        assert_eq!(replies.bytes(), b"*3\r\n$3\r\nkey\r\n$1\r\na\r\n$1\r\n1\r\n");
    }
}

#[test]
fn a_command_of_a_waiting_client_ends_its_wait() {
    let mut engine = Engine::new();
    let (mut waiting, mut other) = (engine.client(), engine.client());
    waiting.allow_waiting();
    ask(&mut engine, &mut waiting, "BZPOPMIN key 0");
    assert_eq!(ask(&mut engine, &mut waiting, "PING"), "*-1 +PONG");
    ask(&mut engine, &mut other, "ZADD key 1 a");
    assert!(!waiting.take_served(&mut Replies::default()));
    assert_eq!(ask(&mut engine, &mut other, "ZCARD key"), ":1");
}

#[test]
fn an_abusive_pattern_is_matched_quickly() {
    let mut prompt = Prompt::new();
    prompt.ask(&format!("SET {} 1", "a".repeat(20_000)));
    let pattern = "a*".repeat(5_000);
    assert!(prompt.ask(&format!("KEYS {pattern}")).starts_with("*1 "));
    assert_eq!(prompt.ask(&format!("KEYS {pattern}b")), "*0");
}
