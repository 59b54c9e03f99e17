//! Snapshots exchanged with other servers.

use std::fs;

use crc::{CRC_64_REDIS, Crc};
use zset_core::rdb::{write_length, write_string};

use crate::process::{Folder, Kind, Server};
use crate::starts::run;

/// Keys of each type, small and large, with and without a deadline.
fn lines() -> Vec<String> {
    let long = "long ".repeat(40);
    let mut lines: Vec<String> = [
        "SET text hello",
        "SET empty \"\"",
        "SET \"\" \"an empty key\"",
        "SET \"\\x00\\xff\\r\\n\" \"\\x80\\x00\"",
        "SADD members a bb ccc 12 \"\"",
        "SADD integers 1 -1 300 -70000 5000000000",
        "ZADD small 1 a -inf b inf c -0.0 d 0.5 e 1e20 f 7 12 7 -1",
        "ZADD deadline 1 a",
        "PEXPIREAT deadline 9000000000123",
        "SET soon x",
        "PEXPIREAT soon 8000000000000",
    ]
    .map(str::to_owned)
    .to_vec();
    for (n, integer) in
        ["0", "-1", "127", "128", "-128", "-129", "32767", "32768", "-32769", "2147483647"]
            .iter()
            .chain(&["2147483648", "-2147483648", "-2147483649", "007", "+1", "-0", "1.0"])
            .enumerate()
    {
        lines.push(format!("SET number{n} {integer}"));
    }
    for len in [20, 63, 64, 65, 16_383, 16_384] {
        // One string compresses, the other does not.
        lines.push(format!("SET same{len} {}", "x".repeat(len)));
        let mixed: String =
            (0..len as u64).map(|n| char::from(b'!' + (n * n % 71) as u8)).collect();
        lines.push(format!("SADD mixed \"{}\"", mixed.replace(['"', '\\', '\''], "_")));
    }
    for key in ["large", "larger"] {
        for start in [0, 1000] {
            let elements = (start..start + 1000).map(|n| format!("{n}.5 \"{n} {long}\""));
            lines.push(format!("ZADD {key} {}", elements.take(300).collect::<Vec<_>>().join(" ")));
        }
    }
    lines
}

/// Returns commands that read all keys.
fn questions() -> Vec<&'static str> {
    vec![
        "DBSIZE",
        "GET text",
        "GET empty",
        "GET \"\"",
        "GET \"\\x00\\xff\\r\\n\"",
        "ZUNION 1 members WITHSCORES",
        "ZUNION 1 integers",
        "ZUNION 1 mixed",
        "ZRANGE small 0 -1 WITHSCORES",
        "OBJECT ENCODING small",
        "PEXPIRETIME deadline",
        "PEXPIRETIME soon",
        "PEXPIRETIME text",
        "GET number0",
        "GET number5",
        "GET number9",
        "GET number10",
        "GET number12",
        "GET number13",
        "GET number15",
        "GET same65",
        "GET same16384",
        "ZRANGE large 0 -1 WITHSCORES",
        "ZRANGE larger 0 -1",
        "OBJECT ENCODING large",
    ]
}

#[test]
fn other_servers_load_our_snapshots() {
    let folder = Folder::new();
    let mut ours = Server::zset(&folder);
    for line in lines() {
        let reply = ours.ask_text(&line);
        assert!(!reply.starts_with('-'), "{reply}");
    }
    let replies: Vec<_> = questions().into_iter().map(|line| ours.ask_text(line)).collect();
    assert!(ours.stop().success());
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(mut theirs) = Server::start_in(kind, &folder) else { continue };
        for (line, reply) in questions().into_iter().zip(&replies) {
            assert_eq!(&theirs.ask_text(line), reply, "{kind:?}: {line}");
        }
    }
}

#[test]
fn snapshots_of_other_servers_are_loaded() {
    for kind in [Kind::Redis, Kind::Valkey] {
        for compression in ["yes", "no"] {
            let folder = Folder::new();
            let Some(mut theirs) = Server::start_in(kind, &folder) else { continue };
            theirs.ask(&format!("CONFIG SET rdbcompression {compression}"));
            for line in lines() {
                let reply = theirs.ask_text(&line);
                assert!(!reply.starts_with('-'), "{reply}");
            }
            let replies: Vec<_> =
                questions().into_iter().map(|line| theirs.ask_text(line)).collect();
            assert_eq!(theirs.ask_text("SAVE"), "+OK\r\n");
            theirs.kill();
            let mut ours = Server::zset(&folder);
            for (line, reply) in questions().into_iter().zip(&replies) {
                assert_eq!(&ours.ask_text(line), reply, "{kind:?}: {line}");
            }
        }
    }
}

#[test]
fn a_snapshot_with_another_type_is_an_error_that_names_the_key() {
    for (line, what) in [
        ("RPUSH other a", "a list"),
        ("HSET other a 1", "a hash"),
        ("XADD other 1-1 a 1", "a stream"),
    ] {
        let folder = Folder::new();
        let Some(mut theirs) = Server::start_in(Kind::Redis, &folder) else { return };
        theirs.ask("SET text hello");
        theirs.ask(line);
        theirs.ask("SAVE");
        theirs.kill();
        let before = fs::read(folder.snapshot()).unwrap();
        let socket = folder.snapshot().with_extension("socket");
        let (success, log) = run(&folder.snapshot(), &socket);
        let text = format!("key 'other' is {what}, which is not supported\n");
        assert!(!success && log.ends_with(&text), "{log}");
        assert_eq!(fs::read(folder.snapshot()).unwrap(), before);
    }
}

/// Returns a file of sorted sets as servers before Redis 4.0 wrote it, in the order of a hash
/// table, with scores as strings; and as later servers do, lowest first and by score only, with
/// binary scores.
fn file_in_other_orders(version: u16) -> Vec<u8> {
    let mut bytes = format!("REDIS{version:04}").into_bytes();
    bytes.extend(b"\xFE\0");
    let lens = [("small", 7_u32), ("large", 1000)];
    for (name, len) in lens {
        bytes.push(3);
        write_string(format!("{name}:hash").as_bytes(), &mut bytes);
        write_length(len as usize, &mut bytes);
        for i in 0..len {
            let number = i * 387 % len;
            write_string(format!("member:{number}").as_bytes(), &mut bytes);
            match number {
                0 => bytes.push(255),
                1 => bytes.push(254),
                _ => {
                    let score = (f64::from(number / 3) * 0.5).to_string();
                    bytes.push(score.len() as u8);
                    bytes.extend(score.as_bytes());
                }
            }
        }
        for order in ["ascending", "score", "descending"] {
            bytes.push(5);
            write_string(format!("{name}:{order}").as_bytes(), &mut bytes);
            write_length(len as usize, &mut bytes);
            for i in 0..len {
                let (number, score) = match order {
                    "ascending" => (i, i),
                    "score" => (i * 387 % len, len - i / 5),
                    _ => (len - i, len - i),
                };
                write_string(format!("member:{number:04}").as_bytes(), &mut bytes);
                bytes.extend(f64::from(score).to_le_bytes());
            }
        }
    }
    bytes.push(0xFF);
    bytes.extend(Crc::<u64>::new(&CRC_64_REDIS).checksum(&bytes).to_le_bytes());
    bytes
}

#[test]
fn a_snapshot_with_elements_in_another_order_is_loaded_as_by_other_servers() {
    let names = ["small", "large"].into_iter().flat_map(|size| {
        ["hash", "ascending", "score", "descending"].map(|order| format!("{size}:{order}"))
    });
    let questions: Vec<_> = names
        .flat_map(|name| {
            [format!("ZRANGE {name} 0 -1 WITHSCORES"), format!("OBJECT ENCODING {name}")]
        })
        .collect();
    for version in [6, 8, 9] {
        let folder = Folder::new();
        fs::write(folder.snapshot(), file_in_other_orders(version)).unwrap();
        let mut ours = Server::zset(&folder);
        let replies: Vec<_> = questions.iter().map(|line| ours.ask_text(line)).collect();
        assert!(replies.iter().all(|reply| !reply.starts_with("*0") && !reply.starts_with('-')));
        ours.kill();
        for kind in [Kind::Redis, Kind::Valkey] {
            let Some(mut theirs) = Server::start_in(kind, &folder) else { continue };
            for (line, reply) in questions.iter().zip(&replies) {
                assert_eq!(&theirs.ask_text(line), reply, "{kind:?}: {line}");
            }
            theirs.kill();
        }
    }
}
