//! What commands do beyond the replies that the conformance tests compare.

use std::collections::BTreeSet;

use zset_server::{Engine, Replies};

use crate::prompt::{Prompt, ask};

/// Checks for each key and command whether the command marks the key as changed.
fn check_changes(rows: &[(&str, &str, bool)]) {
    for (key, line, changes) in rows {
        let mut prompt = Prompt::new();
        for line in [
            "ZADD key 1 a 2 b 3 c",
            "ZADD other 1 a",
            "SADD plain a",
            "SADD letters a b",
            "SET text 1",
            "SET brief 1 EX 100",
            &format!("WATCH {key}"),
            line,
            "MULTI",
        ] {
            let reply = prompt.ask(line);
            assert!(!reply.starts_with('-'), "{line}: {reply}");
        }
        assert_eq!(prompt.ask("EXEC") == "*-1", *changes, "{line} changes {key}");
    }
}

#[test]
fn what_changes_a_key_is_noted_and_nothing_else() {
    check_changes(&[
        ("key", "ZADD key 1 a", false),
        ("key", "ZADD key 2 a", true),
        ("key", "ZADD key 1 a 1 d", true),
        ("key", "ZADD key NX 2 a", false),
        ("key", "ZADD key XX 2 d", false),
        ("key", "ZADD key GT 0 a", false),
        ("key", "ZADD other 2 b", false),
        ("nokey", "ZADD nokey 1 a", true),
        ("nokey", "ZADD nokey XX 1 a", false),
        ("nokey", "ZADD nokey XX INCR 1 a", false),
        ("key", "ZINCRBY key 1 a", true),
        ("key", "ZINCRBY key 0 a", false),
        ("key", "ZINCRBY key 0 d", true),
        ("nokey", "ZINCRBY nokey 0 a", true),
        ("text", "SET text 1", true),
        ("text", "SET text 1 NX", false),
        ("nokey", "SET nokey 1 XX", false),
        ("nokey", "SET nokey 1 PX 1", true),
        ("text", "GET text", false),
        ("text", "EXPIRE text 100", true),
        ("text", "EXPIRE text 100 XX", false),
        ("nokey", "EXPIRE nokey 100", false),
        ("text", "EXPIRE text -1", true),
        ("text", "PERSIST text", false),
        ("brief", "PERSIST brief", true),
        ("text", "RENAME text nokey", true),
        ("nokey", "RENAME text nokey", true),
        ("text", "RENAME text text", false),
        ("text", "RENAMENX text key", false),
        ("key", "RENAMENX text key", false),
        ("text", "COPY text nokey", false),
        ("nokey", "COPY text nokey", true),
        ("key", "COPY text key", false),
        ("key", "COPY text key REPLACE", true),
        ("text", "DEL text", true),
        ("nokey", "DEL nokey text", false),
        ("text", "FLUSHALL", true),
        ("nokey", "FLUSHALL", false),
        ("nokey", "ZRANGESTORE nokey key 0 0", true),
        ("nokey", "ZRANGESTORE nokey other 5 6", false),
        ("key", "ZREM key a", true),
        ("key", "ZREM key a b c", true),
        ("key", "ZREM key nobody", false),
        ("key", "ZREM other a", false),
        ("key", "ZREMRANGEBYRANK key 0 0", true),
        ("key", "ZREMRANGEBYRANK key 5 9", false),
        ("key", "ZREMRANGEBYSCORE key 1 1", true),
        ("key", "ZREMRANGEBYSCORE key (3 9", false),
        ("key", "ZREMRANGEBYLEX key - +", true),
        ("key", "ZREMRANGEBYLEX key + -", false),
        ("key", "ZPOPMIN key", true),
        ("key", "ZPOPMAX key 7", true),
        ("key", "ZPOPMAX key 0", false),
        ("key", "ZMPOP 2 nokey key MIN", true),
        ("key", "ZMPOP 2 other key MIN", false),
        ("other", "ZMPOP 2 other key MIN", true),
        ("key", "ZUNION 2 key other", false),
        ("key", "ZUNIONSTORE other 1 key", false),
        ("key", "ZUNIONSTORE key 1 key", true),
        ("key", "ZDIFFSTORE key 2 key key", true),
        ("key", "ZINTERSTORE nokey 2 key nokey", false),
        ("nokey", "ZINTERSTORE nokey 2 key nokey", false),
        ("nokey", "ZINTERSTORE nokey 1 key", true),
    ]);
}

#[test]
fn what_changes_a_string_or_a_plain_set_is_noted_and_nothing_else() {
    check_changes(&[
        ("plain", "SADD plain a", false),
        ("plain", "SADD plain a b", true),
        ("plain", "SREM plain b", false),
        ("plain", "SREM plain a", true),
        ("plain", "SMEMBERS plain", false),
        ("plain", "SPOP plain", true),
        ("plain", "SPOP plain 0", false),
        ("plain", "SPOP plain 5", true),
        ("nokey", "SPOP nokey", false),
        ("plain", "SINTER plain letters", false),
        ("plain", "SINTERSTORE nokey plain letters", false),
        ("nokey", "SINTERSTORE nokey plain letters", true),
        ("nokey", "SDIFFSTORE nokey plain letters", false),
        ("plain", "SDIFFSTORE plain plain letters", true),
        ("text", "SUNIONSTORE text plain letters", true),
        ("text", "INCR text", true),
        ("text", "DECRBY text 0", true),
        ("text", "APPEND text 1", true),
        ("text", "STRLEN text", false),
        ("text", "GETDEL text", true),
        ("nokey", "GETDEL nokey", false),
        ("text", "SETEX text 10 x", true),
        ("text", "SETNX text x", false),
        ("nokey", "SETNX nokey x", true),
        ("text", "MGET text nokey", false),
        ("nokey", "MSET text 1 nokey 2", true),
    ]);
}

#[test]
fn info_counts_the_calls_of_each_command() {
    let mut prompt = Prompt::new();
    for line in ["GET a", "GET a b", "get a", "CONFIG GET save", "MULTI", "GET a", "EXEC"] {
        prompt.ask(line);
    }
    let told = prompt.ask("INFO commandstats");
    assert!(told.contains("cmdstat_get:calls=3 "), "{told}");
    assert!(told.contains("cmdstat_config|get:calls=1 "), "{told}");
    assert!(!prompt.ask("INFO").contains("cmdstat_"));
    prompt.ask("CONFIG RESETSTAT");
    assert!(!prompt.ask("INFO commandstats").contains("cmdstat_get"));
}

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
fn exec_of_a_client_that_has_not_said_who_it_is_says_so() {
    let mut prompt = Prompt::new();
    prompt.ask("CONFIG SET requirepass open");
    prompt.client = prompt.engine.client();
    let refused = "-EXECABORT Transaction discarded because of: NOAUTH Authentication required.";
    assert_eq!(prompt.ask("EXEC"), refused);
    assert_eq!(prompt.ask("GET a"), "-NOAUTH Authentication required.");
}

#[test]
fn a_reply_that_would_keep_all_others_waiting_is_refused() {
    let mut prompt = Prompt::new();
    let member = "m".repeat(1000);
    prompt.ask(&format!("ZADD key 1 {member}"));
    // The last count is rejected while the reply is written, the others up front.
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
    loop {
        let page = prompt.ask(&format!("ZSCAN key {cursor} MATCH *7* NOSCORES"));
        let texts: Vec<_> = page.split(' ').filter(|word| !word.starts_with(['*', '$'])).collect();
        for member in &texts[1..] {
            assert!(members.insert((*member).to_owned()), "{member} twice");
        }
        pages += 1;
        texts[0].clone_into(&mut cursor);
        if cursor == "0" {
            break;
        }
    }
    assert_eq!(members.len(), 271);
    assert!(pages > 10, "{pages} pages");
}

#[test]
fn the_estimate_of_memory_grows_with_what_is_stored() {
    let mut prompt = Prompt::new();
    for command in ["ZADD key 1", "SADD key"] {
        prompt.ask("FLUSHALL");
        let mut last = 0;
        for n in 0..200 {
            prompt.ask(&format!("{command} member:{n}"));
            let reply = prompt.ask("MEMORY USAGE key SAMPLES 0");
            let now = reply.trim_start_matches(':').parse().expect("a number");
            assert!(now >= last, "{n}");
            last = now;
        }
        assert!((200 * 30..200 * 120).contains(&last), "{command}: {last}");
    }
}

#[test]
fn a_string_grows_to_the_length_that_an_argument_may_have() {
    let mut prompt = Prompt::new();
    prompt.ask("CONFIG SET proto-max-bulk-len 1mb");
    prompt.ask(&format!("SET key {}", "x".repeat((1 << 20) - 1)));
    let refusal = "-ERR string exceeds maximum allowed size (proto-max-bulk-len)";
    prompt.expect(&[
        ("APPEND key x", ":1048576"),
        ("APPEND key x", refusal),
        ("STRLEN key", ":1048576"),
    ]);
}

#[test]
fn a_set_that_takes_the_place_of_another_type_serves_who_waits() {
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
        // Redis and Valkey serve no client here.
        assert_eq!(ask(&mut engine, &mut other, line), ":1");
        assert!(waiting.take_served(&mut replies), "{line}");
        assert_eq!(replies.bytes(), b"*3\r\n$3\r\nkey\r\n$1\r\na\r\n$1\r\n1\r\n");
    }
}

#[test]
fn a_client_that_asks_while_it_waits_waits_no_longer() {
    let mut engine = Engine::new();
    let (mut waiting, mut other) = (engine.client(), engine.client());
    waiting.allow_waiting();
    ask(&mut engine, &mut waiting, "BZPOPMIN key 0");
    assert_eq!(ask(&mut engine, &mut waiting, "PING"), "*-1 +PONG");
    ask(&mut engine, &mut other, "ZADD key 1 a");
    assert!(!waiting.take_served(&mut Replies::default()));
    assert_eq!(ask(&mut engine, &mut other, "ZCARD key"), ":1");
}
