//! Tests of the contents of files.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use zset_core::{Score, ZSet};

use super::*;
use crate::keyspace::{Set, Typed as _, Value};

/// The contents of a keyspace, sorted.
type Contents = BTreeMap<Vec<u8>, (String, Option<Timestamp>)>;

fn contents(keyspace: &Keyspace) -> Contents {
    let deadline = |key: &[u8]| keyspace.deadline(key).flatten();
    let shown =
        |(key, value): (&[u8], &Value)| (key.to_vec(), (format!("{value:?}"), deadline(key)));
    keyspace.iter().map(shown).collect()
}

fn millis(millis: u64) -> Timestamp {
    Timestamp::from_nanos(millis.saturating_mul(1_000_000))
}

fn written(keyspace: &Keyspace) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(keyspace, &mut bytes).expect("writing to a vector cannot fail");
    bytes
}

fn load(bytes: &[u8], now: Timestamp) -> Result<Keyspace, SnapshotProblem> {
    read::load(bytes, now, ListpackLimits::default())
}

fn sorted_set(elements: &[(&str, f64)]) -> Value {
    let scores = elements.iter().map(|(member, score)| (*member, Score::new(*score).unwrap()));
    Value::SortedSet(scores.collect())
}

/// A keyspace with all types and encodings.
fn small() -> Keyspace {
    let mut keyspace = Keyspace::default();
    keyspace.set_now(millis(1_000));
    keyspace.set(b"string", Value::String(b"text".to_vec()));
    keyspace.set(b"number", Value::String(b"-70000".to_vec()));
    keyspace.set(b"", Set::from_iter([Box::from(*b"a"), Box::from(*b"12")]).into_value());
    keyspace.set(b"listpack", sorted_set(&[("a", 1.0), ("b", -0.0), ("c", f64::INFINITY)]));
    let long = "x".repeat(65);
    keyspace.set(b"skiplist\xFF\0", sorted_set(&[(&long, f64::NEG_INFINITY), ("5", 0.1)]));
    keyspace.set_deadline(b"string", Some(millis(5_000)));
    keyspace.set_deadline(b"listpack", Some(millis(6_001)));
    keyspace
}

#[test]
fn keys_that_have_not_expired_are_loaded_with_their_deadlines() {
    let keyspace = small();
    let bytes = written(&keyspace);
    assert_eq!(contents(&load(&bytes, millis(4_999)).unwrap()), contents(&keyspace));
    let later = contents(&load(&bytes, millis(5_000)).unwrap());
    let mut expected = contents(&keyspace);
    expected.remove(&b"string"[..]).expect("the key existed");
    assert_eq!(later, expected);
    // A key that has expired when the keyspace is saved is not written.
    let mut keyspace = small();
    keyspace.set_now(millis(7_000));
    assert_eq!(load(&written(&keyspace), millis(0)).unwrap().len(), 3);
}

#[test]
fn every_flipped_bit_is_detected() {
    let bytes = written(&small());
    for index in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1 << bit;
            let result = load(&damaged, millis(0));
            assert!(result.is_err(), "bit {bit} of byte {index}");
        }
    }
}

/// Returns the message of the error for a file.
fn refused(bytes: &[u8]) -> String {
    load(bytes, millis(0)).unwrap_err().to_string()
}

#[test]
fn truncation_and_a_wrong_checksum_are_told_apart() {
    let bytes = written(&small());
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
    let mut bytes = written(&small());
    let end = bytes.len();
    // By the nature of a CRC, the checksum of this one still matches that of all bytes before.
    for rest in [&b"\0"[..], b"x", b"*1\r\n$8\r\nFLUSHALL\r\n", &bytes.clone(), &[0; 8], &[0; 100]]
    {
        bytes.extend(rest);
        let rest = rest.len();
        let expected = format!("it has bytes after its end: {rest} from offset {end}");
        assert_eq!(refused(&bytes), expected);
        bytes.truncate(end);
    }
    // In a file without a checksum, too.
    bytes[end - 8..].fill(0);
    assert!(load(&bytes, millis(0)).is_ok());
    bytes.push(0);
    assert_eq!(refused(&bytes), format!("it has bytes after its end: 1 from offset {end}"));
}

#[test]
fn versions_before_5_have_no_checksum() {
    for version in 1..5 {
        let mut bytes = format!("REDIS000{version}").into_bytes();
        bytes.extend(b"\xFE\0\0\x01k\x01v\xFF");
        let keyspace = load(&bytes, millis(0)).unwrap();
        assert_eq!(keyspace.get::<Vec<u8>>(b"k"), Ok(Some(&b"v".to_vec())));
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
        assert_eq!(
            load(&file(&header), millis(0)).map(|keys| keys.len()).ok(),
            Some(1),
            "{header}"
        );
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
    let keyspace = load(&bytes, millis(0)).unwrap();
    let expected = ZSet::from(
        [("c", -0.5), ("a", 2.0), ("b", 2.0)]
            .map(|(member, score)| (member, Score::new(score).unwrap())),
    );
    for key in [b"a", b"b", b"c"] {
        assert_eq!(keyspace.get::<ZSet>(key), Ok(Some(&expected)), "{}", key.escape_ascii());
    }
}

/// Returns the bytes followed by a valid checksum.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut bytes = [b"REDIS0010", body, &[opcode::END]].concat();
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
        assert_eq!(load(&sealed(body), millis(0)).unwrap_err().to_string(), text);
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
        assert!(load(&sealed(body), millis(0)).is_err(), "{body:?}");
    }
}

#[test]
fn all_encodings_of_sets_of_other_servers_are_read() {
    let integers = b"\x0B\x01a\x0E\x02\0\0\0\x03\0\0\0\xFF\xFF\x02\0\x03\0";
    let listpack = b"\x14\x01b\x0F\x0F\0\0\0\x03\0\x81a\x02\x81b\x02\x05\x01\xFF";
    let wide = b"\x0B\x01c\x10\x08\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x80";
    let keyspace = load(&sealed(&[&integers[..], listpack, wide].concat()), millis(0)).unwrap();
    for (key, members) in
        [(b"a", &["-1", "2", "3"][..]), (b"b", &["a", "b", "5"]), (b"c", &["-9223372036854775808"])]
    {
        let set = keyspace.get::<Set>(key).unwrap().expect("the key was loaded");
        assert!(set.iter().map(|member| &**member).eq(members.iter().map(|text| text.as_bytes())));
    }
}

#[test]
fn large_values_are_read_and_written_in_pieces() {
    let mut keyspace = Keyspace::default();
    keyspace.set(b"string", Value::String(vec![7; 5 * PIECE + 1]));
    let members = (0..20_000_u32).map(|n| (format!("member:{n}"), Score::from(n)));
    keyspace.set(b"sorted", Value::SortedSet(members.collect::<ZSet>()));
    let members = (0..20_000_u32).map(|n| format!("member:{n}").into_bytes().into());
    keyspace.set(b"set", members.collect::<Set>().into_value());
    let bytes = written(&keyspace);
    assert_eq!(contents(&load(&bytes, millis(0)).unwrap()), contents(&keyspace));
}

#[test]
fn loaded_sorted_sets_have_the_limits_of_the_server() {
    let limits = ListpackLimits { max_listpack_entries: 2, ..ListpackLimits::default() };
    let keyspace = read::load(&written(&small()), millis(0), limits).unwrap();
    let set = keyspace.get::<ZSet>(b"listpack").unwrap().expect("the key exists");
    assert_eq!((set.encoding(), set.limits()), (zset_core::Encoding::Skiplist, limits));
}

#[test]
fn compressed_strings_and_a_missing_checksum_are_valid() {
    // 3 literal bytes, and a back-reference of 7 bytes at distance 3.
    let mut bytes = sealed(b"\0\x01k\xC3\x06\x0A\x02abc\xA0\x02");
    let end = bytes.len() - 8;
    bytes[end..].fill(0);
    let keyspace = load(&bytes, millis(0)).unwrap();
    assert_eq!(keyspace.get::<Vec<u8>>(b"k"), Ok(Some(&b"abcabcabca".to_vec())));
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let integer = any::<i64>().prop_map(|integer| integer.to_string().into_bytes());
    prop_oneof![vec(any::<u8>(), 0..70), integer]
}

fn values() -> impl Strategy<Value = Value> {
    let score = any::<f64>().prop_filter_map("NaN", |score| Score::new(score).ok());
    let sets = vec(bytes(), 1..20)
        .prop_map(|members| -> Set { members.into_iter().map(Vec::into_boxed_slice).collect() });
    prop_oneof![
        bytes().prop_map(Value::String),
        sets.prop_map(Set::into_value),
        vec((bytes(), score), 1..150)
            .prop_map(|elements| Value::SortedSet(elements.into_iter().collect())),
    ]
}

proptest! {
    #[test]
    fn any_keyspace_is_unchanged_after_saving_and_loading(
        entries in vec((bytes(), values(), option::of(1_u64..1 << 45)), 0..20),
    ) {
        let mut keyspace = Keyspace::default();
        for (key, value, deadline) in entries {
            keyspace.set(&key, value);
            keyspace.set_deadline(&key, deadline.map(millis));
        }
        let loaded = load(&written(&keyspace), millis(0)).unwrap();
        prop_assert_eq!(contents(&loaded), contents(&keyspace));
    }

    #[test]
    fn a_malicious_file_is_an_error_or_valid_keys(
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let mut bytes = written(&small());
        bytes.truncate(bytes.len() - 8);
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        // The checksum is valid.
        bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
        if let Ok(keyspace) = load(&bytes, millis(0)) {
            prop_assert_eq!(contents(&load(&written(&keyspace), millis(0)).unwrap()), contents(&keyspace));
        }
    }
}
