//! DUMP of all types, restored by other servers, and the reverse.

use super::Ours;
use super::command::quoted;
use super::process::{Kind, Reply, Server};

/// Returns a RESTORE of the payload in a reply.
fn restore(key: &str, dump: &[u8]) -> String {
    format!("RESTORE {key} 0 {} REPLACE", quoted(Reply::of(dump).into_text()))
}

/// Returns scores and members of small and large sets: strings, integers, bytes and long members.
fn sets() -> Vec<String> {
    let elements = |len: usize, element: fn(usize) -> String| -> String {
        (0..len).map(element).collect::<Vec<_>>().join(" ")
    };
    let mut sets = Vec::new();
    for len in [1, 2, 100, 128, 129, 300] {
        sets.push(elements(len, |i| format!("{i} member{i}")));
        sets.push(elements(len, |i| format!("{}.5 {i}", 1000 - i)));
        sets.push(elements(len, |i| format!("-1{i}e10 \"\\x{:02x}\\xff\\x00{i}\"", i % 256)));
        sets.push(elements(len, |i| format!("0 {}", (1_usize << (i % 63)) + i)));
    }
    sets.push(format!("1 {} -inf a +inf b 0 c 1e-300 d", "x".repeat(65)));
    sets.push(format!("1 {} 0.1 \"\"", "xy".repeat(9000)));
    sets
}

#[test]
fn sorted_sets_are_exchanged_with_other_servers() {
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(mut server) = Server::start(kind) else { continue };
        for elements in sets() {
            let mut ours = Ours::new();
            server.ask("FLUSHALL");
            // Compression would change the bytes.
            server.ask("CONFIG SET rdbcompression no");
            for line in [format!("ZADD key {elements}"), "EXPIRE key 100".to_owned()] {
                assert_eq!(server.ask(&line), ours.ask(&line));
            }
            let all = "ZRANGE key 0 -1 WITHSCORES";
            let (their_all, encoding) = (server.ask(all), server.ask("OBJECT ENCODING key"));
            assert_eq!(ours.ask("OBJECT ENCODING key"), encoding);

            let (theirs, our) = (server.ask("DUMP key"), ours.ask("DUMP key"));
            if kind == Kind::Redis {
                assert_eq!(theirs, our, "{elements}");
            }
            assert_eq!(server.ask(&restore("back", &our)), b"+OK\r\n", "{elements}");
            assert_eq!(server.ask("ZRANGE back 0 -1 WITHSCORES"), their_all);
            assert_eq!(server.ask("OBJECT ENCODING back"), encoding);
            server.ask("CONFIG SET rdbcompression yes");
            for payload in [theirs, server.ask("DUMP key")] {
                assert_eq!(ours.ask(&restore("back", &payload)), b"+OK\r\n", "{elements}");
                assert_eq!(ours.ask("OBJECT ENCODING back"), encoding);
                assert_eq!(ours.ask("DUMP back"), our, "{elements}");
            }
        }
    }
}

#[test]
fn strings_and_sets_are_exchanged_with_other_servers() {
    let long = "ab".repeat(20_000);
    let mut strings: Vec<String> = [
        "\"\"",
        "a",
        "0",
        "-0",
        "007",
        "127",
        "128",
        "-128",
        "-129",
        "32767",
        "32768",
        "-32769",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "9223372036854775807",
        "1.5",
        "\"\\x00\\xff\"",
    ]
    .map(str::to_owned)
    .to_vec();
    strings.extend([20, 63, 64, 16_383, 16_384, 40_000].map(|len| long[..len].to_owned()));
    let integers: Vec<_> = (0..600).map(|n: i64| (n * 1_000_000_007).to_string()).collect();
    let integers = integers.join(" ");
    let sets = ["1 2 3", "-1 300", "70000 -5000000000", "a 1 \"\" \"\\x00\"", &long, &integers];
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(mut server) = Server::start(kind) else { continue };
        let mut ours = Ours::new();
        for compression in ["no", "yes"] {
            server.ask(&format!("CONFIG SET rdbcompression {compression}"));
            for string in &strings {
                let set = format!("SET key {string}");
                assert_eq!(ours.ask(&set), server.ask(&set));
                let (theirs, our) = (server.ask("DUMP key"), ours.ask("DUMP key"));
                if kind == Kind::Redis && compression == "no" {
                    assert_eq!(theirs, our, "{string}");
                }
                for (to, from) in [(true, &our), (false, &theirs)] {
                    let line = restore("back", from);
                    let mut ask = |line: &str| if to { server.ask(line) } else { ours.ask(line) };
                    assert_eq!(ask(&line), b"+OK\r\n", "{string}");
                    assert_eq!(ask("GET back"), ask("GET key"), "{string}");
                }
            }
            for members in sets {
                for line in ["DEL set".to_owned(), format!("SADD set {members}")] {
                    assert_eq!(ours.ask(&line), server.ask(&line));
                }
                let (theirs, our) = (server.ask("DUMP set"), ours.ask("DUMP set"));
                for (to, from) in [(true, &our), (false, &theirs)] {
                    let line = restore("back", from);
                    let mut ask = |line: &str| if to { server.ask(line) } else { ours.ask(line) };
                    assert_eq!(ask(&line), b"+OK\r\n", "{members}");
                    // Unions with plain sets are ordered.
                    assert_eq!(
                        ask("ZUNION 2 set back WITHSCORES"),
                        ask("ZUNION 2 set set WITHSCORES")
                    );
                }
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
