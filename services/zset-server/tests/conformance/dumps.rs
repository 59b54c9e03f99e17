//! Tests DUMP of strings and plain sets: other servers restore our payloads, and the engine
//! restores theirs. [`interchange`] does the same for sorted sets.
//!
//! [`interchange`]: super::interchange

use super::Ours;
use super::command::quoted;
use super::process::{Kind, Reply, Server};

/// Returns a RESTORE command for the payload in a reply to DUMP.
fn restore(key: &str, dump: &[u8]) -> String {
    format!("RESTORE {key} 0 {} REPLACE", quoted(Reply::of(dump).into_text()))
}

#[test]
fn strings_and_sets_are_exchanged_with_other_servers() {
    let long = "ab".repeat(20_000);
    let strings = "\"\" a 0 -0 007 127 128 -128 -129 32767 32768 -32769 2147483647 2147483648 \
                   -2147483648 -2147483649 9223372036854775807 1.5 \"\\x00\\xff\"";
    let strings = strings.split(' ');
    let strings = strings.chain([20, 63, 64, 16_383, 16_384, 40_000].map(|len| &long[..len]));
    let integers: Vec<_> = (0..600).map(|n: i64| (n * 1_000_000_007).to_string()).collect();
    let integers = integers.join(" ");
    let sets = ["1 2 3", "-1 300", "70000 -5000000000", "a 1 \"\" \"\\x00\"", &long, &integers];
    // For each value: the command that writes it to `key`, and the commands that read its copy at
    // `back` and the value itself. Sets are read with ZUNION, because its reply is ordered.
    let unions = ["ZUNION 2 key back WITHSCORES", "ZUNION 2 key key WITHSCORES"];
    let strings = strings.map(|string| (format!("SET key {string}"), ["GET back", "GET key"]));
    let sets = sets.iter().map(|members| (format!("SADD key {members}"), unions));
    let values: Vec<_> = strings.chain(sets).collect();
    for mut server in Server::all() {
        let mut ours = Ours::new();
        for compression in ["no", "yes"] {
            server.ask(&format!("CONFIG SET rdbcompression {compression}"));
            for (write, [copy, value]) in &values {
                for line in ["DEL key", write] {
                    assert_eq!(ours.ask(line), server.ask(line));
                }
                let (theirs, our) = (server.ask("DUMP key"), ours.ask("DUMP key"));
                let has_our_bytes = server.kind == Kind::Redis && compression == "no";
                if has_our_bytes && write.starts_with("SET") {
                    assert_eq!(theirs, our, "{write}");
                }
                assert_eq!(server.ask(&restore("back", &our)), b"+OK\r\n", "{write}");
                assert_eq!(server.ask(copy), server.ask(value), "{write}");
                assert_eq!(ours.ask(&restore("back", &theirs)), b"+OK\r\n", "{write}");
                assert_eq!(ours.ask(copy), ours.ask(value), "{write}");
            }
        }
    }
}

#[test]
fn payloads_of_other_types_and_damaged_payloads_are_errors() {
    let Some(mut server) = Server::start(Kind::Redis) else { return };
    let mut ours = Ours::new();
    for line in ["RPUSH list a", "HSET hash a 1", "XADD stream 1-1 a 1"] {
        server.ask(line);
        let key = line.split(' ').nth(1).expect("a key");
        let payload = server.ask(&format!("DUMP {key}"));
        let restore = restore("key", &payload);
        assert_eq!(ours.ask(&restore), b"-ERR Bad data format\r\n", "{key}");
    }
    server.ask("ZADD z 1 a 2 b 3 c");
    let reply = server.ask("DUMP z");
    let payload = Reply::of(&reply).into_text();
    for index in 0..payload.len() {
        let mut damaged = payload.to_vec();
        damaged[index] ^= 1;
        let cut = &payload[..index];
        for bytes in [&*damaged, cut] {
            let restore = format!("RESTORE key 0 {}", quoted(bytes));
            assert_eq!(ours.ask(&restore), server.ask(&restore), "{}", bytes.escape_ascii());
        }
    }
    assert_eq!(ours.ask("EXISTS key"), b":0\r\n");
}
