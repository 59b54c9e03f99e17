//! The contents of snapshots, which are untrusted input.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

use crc::{CRC_64_REDIS, Crc};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use zset_server::{Client, Engine, Replies};
use zset_std::FakeClock;

use crate::process::{Folder, Reply};

static CHECKSUM: Crc<u64> = Crc::<u64>::new(&CRC_64_REDIS);

/// The number of bytes that the server writes at a time.
const PIECE: usize = 64 * 1024;

/// The contents of an engine, sorted: the payload of each key, and its deadline.
type Contents = BTreeMap<Vec<u8>, [Vec<u8>; 2]>;

/// An engine with a client.
struct Keys {
    engine: Engine<FakeClock>,
    client: Client,
    clock: FakeClock,
}

impl Keys {
    fn new() -> Self {
        let clock = FakeClock::new();
        let mut engine = Engine::with_clock(clock.clone());
        let client = engine.client();
        Keys { engine, client, clock }
    }

    fn run(&mut self, words: &[&[u8]]) -> Vec<u8> {
        let mut replies = Replies::default();
        self.engine.execute(&mut self.client, words, &mut replies);
        assert!(!replies.bytes().starts_with(b"-"), "{}", replies.bytes().escape_ascii());
        replies.bytes().to_vec()
    }

    /// Runs a line of words; returns the reply.
    fn ask(&mut self, line: &str) -> String {
        let words: Vec<_> = line.split(' ').map(str::as_bytes).collect();
        String::from_utf8_lossy(&self.run(&words)).into_owned()
    }

    fn len(&mut self) -> usize {
        self.ask("DBSIZE").trim_matches([':', '\r', '\n']).parse().expect("a number")
    }

    fn contents(&mut self) -> Contents {
        let keys = self.run(&[b"KEYS", b"*"]);
        let Reply::List(_, keys) = Reply::of(&keys) else { panic!("no list of keys") };
        let mut contents = Contents::new();
        for key in keys {
            let Reply::Text(_, key) = key else { panic!("no key: {key:?}") };
            let parts = [self.run(&[b"DUMP", key]), self.run(&[b"PEXPIRETIME", key])];
            contents.insert(key.to_vec(), parts);
        }
        contents
    }

    /// Returns the bytes of a snapshot.
    fn written(&mut self) -> Vec<u8> {
        let folder = Folder::new();
        self.engine.open_snapshot(&folder.snapshot()).expect("there is no file yet");
        self.engine.save().expect("the folder is writable");
        fs::read(folder.snapshot()).expect("the file was written")
    }
}

/// Loads a snapshot at a time, in milliseconds; an error is a message without the path.
fn load(bytes: &[u8], now: u64) -> Result<Keys, String> {
    load_into(Keys::new(), bytes, now)
}

fn load_into(mut keys: Keys, bytes: &[u8], now: u64) -> Result<Keys, String> {
    let folder = Folder::new();
    fs::write(folder.snapshot(), bytes).expect("the folder is writable");
    keys.clock.advance(Duration::from_millis(now));
    match keys.engine.open_snapshot(&folder.snapshot()) {
        Ok(()) => Ok(keys),
        Err(error) => {
            let error = error.to_string();
            Err(error.split_once(": ").expect("it begins with the path").1.to_owned())
        }
    }
}

/// All types and encodings.
fn small() -> Keys {
    let mut keys = Keys::new();
    keys.clock.advance(Duration::from_secs(1));
    keys.ask("SET string text");
    keys.ask("SET number -70000");
    keys.run(&[b"SADD", b"", b"a", b"12"]);
    keys.ask("ZADD listpack 1 a -0.0 b inf c");
    keys.run(&[b"ZADD", b"skiplist\xFF\0", b"-inf", &[b'x'; 65], b"0.1", b"5"]);
    keys.ask("PEXPIREAT string 5000");
    keys.ask("PEXPIREAT listpack 6001");
    keys
}

#[test]
fn keys_that_have_not_expired_are_loaded_with_their_deadlines() {
    let mut keys = small();
    let bytes = keys.written();
    let mut expected = keys.contents();
    assert_eq!(load(&bytes, 4_999).unwrap().contents(), expected);
    expected.remove(&b"string"[..]).expect("the key existed");
    assert_eq!(load(&bytes, 5_000).unwrap().contents(), expected);
    // An expired key is not written.
    let mut keys = small();
    keys.clock.advance(Duration::from_secs(6));
    assert_eq!(load(&keys.written(), 0).unwrap().len(), 3);
}

#[test]
fn every_flipped_bit_is_detected() {
    let bytes = small().written();
    for index in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1 << bit;
            let result = load(&damaged, 0);
            assert!(result.is_err(), "bit {bit} of byte {index}");
        }
    }
}

/// Returns the message of the error for a file.
fn refused(bytes: &[u8]) -> String {
    load(bytes, 0).err().expect("it is not loaded")
}

#[test]
fn truncation_and_a_wrong_checksum_have_different_errors() {
    let bytes = small().written();
    let end = bytes.len() - 8;
    for len in 0..bytes.len() {
        let expected = match len {
            0..9 => "it is not an RDB file".to_owned(),
            _ if len < end => "it is truncated or damaged: its end is missing".to_owned(),
            _ => {
                let rest = len - end;
                format!("it is truncated or damaged: its checksum has {rest} of 8 bytes")
            }
        };
        assert_eq!(refused(&bytes[..len]), expected, "{len}");
    }
    for index in end..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[index] ^= 1;
        assert_eq!(refused(&damaged), "it is damaged: its checksum does not match", "{index}");
    }
}

#[test]
fn bytes_after_the_end_are_not_called_a_wrong_checksum() {
    let mut bytes = small().written();
    let end = bytes.len();
    // By the nature of a CRC, the checksum of this file still matches all preceding bytes.
    for rest in [&b"\0"[..], b"x", b"*1\r\n$8\r\nFLUSHALL\r\n", &bytes.clone(), &[0; 8], &[0; 100]]
    {
        bytes.extend(rest);
        let rest = rest.len();
        let expected = format!("it has bytes after its end: {rest} from offset {end}");
        assert_eq!(refused(&bytes), expected);
        bytes.truncate(end);
    }
    // The same in a file without a checksum.
    bytes[end - 8..].fill(0);
    assert!(load(&bytes, 0).is_ok());
    bytes.push(0);
    assert_eq!(refused(&bytes), format!("it has bytes after its end: 1 from offset {end}"));
}

#[test]
fn versions_before_5_have_no_checksum() {
    for version in 1..5 {
        let mut bytes = format!("REDIS000{version}").into_bytes();
        bytes.extend(b"\xFE\0\0\x01k\x01v\xFF");
        assert_eq!(load(&bytes, 0).unwrap().ask("GET k"), "$1\r\nv\r\n");
        let end = bytes.len();
        bytes.extend([0; 8]);
        assert_eq!(refused(&bytes), format!("it has bytes after its end: 8 from offset {end}"));
        assert_eq!(refused(&bytes[..end - 1]), "it is malformed: data is truncated");
    }
}

#[test]
fn known_versions_are_loaded_and_others_are_named() {
    let file = |header: &str| {
        let mut bytes = [header.as_bytes(), b"\0\x01k\x01v\xFF"].concat();
        bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
        bytes
    };
    let known = (5..=15).map(|version| format!("REDIS{version:04}"));
    for header in known.chain(["VALKEY080".to_owned()]) {
        assert_eq!(load(&file(&header), 0).map(|mut keys| keys.len()).ok(), Some(1), "{header}");
    }
    for version in ["0000", "0016", "0079", "0080", "0099", "99999", "12x4"] {
        let text = format!("it has version {}, which is not supported", &version[..4]);
        assert_eq!(refused(&file(&format!("REDIS{version}"))), text);
    }
    for version in ["010", "079", "081"] {
        let text = format!("it has version {version}, which is not supported");
        assert_eq!(refused(&file(&format!("VALKEY{version}"))), text);
    }
}

#[test]
fn sorted_sets_of_other_servers_are_loaded_in_any_order() {
    let number = |number: f64| number.to_le_bytes();
    let binary =
        [&b"\x05\x01a\x03\x01b"[..], &number(2.0), b"\x01a", &number(2.0), b"\x01c", &number(-0.5)];
    let texts = b"\x03\x01b\x03\x01b\x012\x01c\x04-0.5\x01a\x012";
    let listpack = b"\x11\x01c\x1A\x1A\0\0\0\x06\0\x81b\x02\x02\x01\x81c\x02\x84-0.5\x05\
        \x81a\x02\x02\x01\xFF";
    let bytes = sealed(&[&binary.concat()[..], texts, listpack].concat());
    let mut keys = load(&bytes, 0).unwrap();
    for key in ["a", "b", "c"] {
        let members = keys.ask(&format!("ZRANGE {key} 0 -1 WITHSCORES"));
        let members: Vec<_> = members.split("\r\n").skip(2).step_by(2).collect();
        assert_eq!(members, ["c", "-0.5", "a", "2", "b", "2"], "{key}");
    }
}

/// Returns the bytes followed by a valid checksum.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut bytes = [b"REDIS0010", body, b"\xFF"].concat();
    bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
    bytes
}

#[test]
fn unsupported_content_is_named() {
    for (body, text) in [
        (&b"\x01\x03key\x01\x01a"[..], "key 'key' is a list, which is not supported"),
        (
            b"\x04\x04k\xFF\n\0\x01\x01a\x01b",
            "key 'k\\xff\\n\\x00' is a hash, which is not supported",
        ),
        (b"\x0F\x01k", "key 'k' is a stream, which is not supported"),
        (b"\xFE\x03", "it has database 3, which is not supported"),
        (b"\xF5\x01f", "it has a library of functions, which is not supported"),
        // Metadata of keys in Redis 8.6, a slot that is imported in Valkey 9.
        (b"\xF3\x01\x01k", "it has a part of kind 243, which is not supported"),
        (b"\x80\x01k", "it has a part of kind 128, which is not supported"),
        (b"\x1A\x01k\x01v", "key 'k' is of type 26, which is not supported"),
        (
            b"\x0C\x01k\x01v",
            "key 'k' is a sorted set as a ziplist, as written before Redis 7, which is not supported",
        ),
        (
            b"\x05\x01k\x02\x01a\0\0\0\0\0\0\0\0\x01a\0\0\0\0\0\0\xF0\x3F",
            "it is malformed: member of element 1 repeats an earlier one",
        ),
        (b"\0\x01k\x05abc", "it is malformed: data is truncated"),
        (b"\0\x01k\x01v\0\x01k\x01w", "key 'k' is repeated, which is not supported"),
        (b"\0\x01k\xC3\x01\x05a", "it is malformed: a compressed string is malformed"),
        (b"\0\x01k\xBF", "it is malformed: a length is malformed"),
        (b"\x02\x01k\x02\x01a\x01a", "it is malformed: member of element 1 repeats an earlier one"),
    ] {
        assert_eq!(load(&sealed(body), 0).err().as_deref(), Some(text));
    }
    assert_eq!(refused(b"not an RDB file"), "it is not an RDB file");
}

#[test]
fn a_declared_length_does_not_allocate() {
    for body in [
        &b"\0\x01k\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"[..],
        b"\0\x01k\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFF",
        b"\0\x01k\xC3\x02\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFFab",
        b"\x02\x01k\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFF",
        b"\x05\x01k\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFF",
        b"\x0B\x01k\x08\x08\0\0\0\xFF\xFF\xFF\xFF",
    ] {
        assert!(load(&sealed(body), 0).is_err(), "{body:?}");
    }
}

#[test]
fn all_encodings_of_sets_of_other_servers_are_read() {
    let integers = b"\x0B\x01a\x0E\x02\0\0\0\x03\0\0\0\xFF\xFF\x02\0\x03\0";
    let listpack = b"\x14\x01b\x0F\x0F\0\0\0\x03\0\x81a\x02\x81b\x02\x05\x01\xFF";
    let wide = b"\x0B\x01c\x10\x08\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x80";
    let mut keys = load(&sealed(&[&integers[..], listpack, wide].concat()), 0).unwrap();
    for (key, members) in
        [("a", &["-1", "2", "3"][..]), ("b", &["a", "b", "5"]), ("c", &["-9223372036854775808"])]
    {
        let found = keys.ask(&format!("SMEMBERS {key}"));
        let found: BTreeSet<_> = found.split("\r\n").skip(2).step_by(2).collect();
        assert_eq!(found, members.iter().copied().collect());
    }
}

#[test]
fn large_values_are_read_and_written_in_pieces() {
    let mut keys = Keys::new();
    keys.run(&[b"SET", b"string", &vec![7; 5 * PIECE + 1]]);
    let members: Vec<_> = (0..20_000).map(|n| format!("member:{n}")).collect();
    keys.ask(&format!("SADD set {}", members.join(" ")));
    let pairs: Vec<_> =
        members.iter().zip(0..).map(|(member, n)| format!("{n} {member}")).collect();
    keys.ask(&format!("ZADD sorted {}", pairs.join(" ")));
    let bytes = keys.written();
    assert_eq!(load(&bytes, 0).unwrap().contents(), keys.contents());
}

#[test]
fn loaded_sorted_sets_have_the_limits_of_the_server() {
    let mut keys = Keys::new();
    keys.ask("CONFIG SET zset-max-listpack-entries 2");
    let mut keys = load_into(keys, &small().written(), 0).unwrap();
    assert_eq!(keys.ask("OBJECT ENCODING listpack"), "$8\r\nskiplist\r\n");
}

#[test]
fn compressed_strings_and_a_missing_checksum_are_valid() {
    // 3 literal bytes, and a back-reference of 7 bytes at distance 3.
    let mut bytes = sealed(b"\0\x01k\xC3\x06\x0A\x02abc\xA0\x02");
    let end = bytes.len() - 8;
    bytes[end..].fill(0);
    assert_eq!(load(&bytes, 0).unwrap().ask("GET k"), "$10\r\nabcabcabca\r\n");
}

/// A command that creates a key, without the key.
fn values() -> impl Strategy<Value = (&'static str, Vec<Vec<u8>>)> {
    let integer = any::<i64>().prop_map(|integer| integer.to_string().into_bytes());
    let bytes = prop_oneof![vec(any::<u8>(), 0..70), integer].boxed();
    let score = any::<f64>().prop_filter("NaN", |score| !score.is_nan());
    let elements = vec((score, bytes.clone()), 1..150);
    // As in Redis, more than 128 pairs at once make a skip list even if members repeat, and at most
    // 128 members are loaded as a listpack.
    let elements = elements.prop_filter("many pairs of few members", |elements| {
        let members: BTreeSet<_> = elements.iter().map(|(_, member)| member).collect();
        elements.len() <= 128 || members.len() > 128
    });
    let elements = elements.prop_map(|elements| {
        let words = elements.into_iter();
        words.flat_map(|(score, member)| [score.to_string().into_bytes(), member]).collect()
    });
    prop_oneof![
        bytes.clone().prop_map(|string| ("SET", vec![string])),
        vec(bytes, 1..20).prop_map(|members| ("SADD", members)),
        elements.prop_map(|words| ("ZADD", words)),
    ]
}

proptest! {
    #[test]
    fn any_keys_are_unchanged_after_saving_and_loading(
        entries in vec((vec(any::<u8>(), 0..70), values(), option::of(1_u64..1 << 43)), 0..20),
    ) {
        let mut keys = Keys::new();
        for (key, (command, words), deadline) in entries {
            keys.run(&[b"DEL", &key]);
            let mut line = vec![command.as_bytes(), &*key];
            line.extend(words.iter().map(Vec::as_slice));
            keys.run(&line);
            if let Some(deadline) = deadline {
                keys.run(&[b"PEXPIREAT", &key, deadline.to_string().as_bytes()]);
            }
        }
        let bytes = keys.written();
        prop_assert_eq!(load(&bytes, 0).unwrap().contents(), keys.contents());
    }

    #[test]
    fn a_malicious_file_is_an_error_or_valid_keys(
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| small().written());
        let mut bytes = SMALL.clone();
        bytes.truncate(bytes.len() - 8);
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        // The checksum is valid.
        bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
        if let Ok(mut keys) = load(&bytes, 0) {
            let again = keys.written();
            prop_assert_eq!(load(&again, 0).unwrap().contents(), keys.contents());
        }
    }
}
