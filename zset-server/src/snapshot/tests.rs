//! Tests of the contents of files and of their location.

mod places;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Write as _};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use zset_core::{ListpackLimits, Score, ZSet, rdb};
use zset_std::Timestamp;

use super::*;
use crate::keyspace::{Keyspace, Set, Typed as _, Value};
use crate::testing::ask;

/// The contents of a keyspace, sorted.
type Contents = BTreeMap<Vec<u8>, (Shown, Option<Timestamp>)>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shown {
    String(Vec<u8>),
    Set(Vec<Vec<u8>>),
    /// Scores as bits, to distinguish -0 from 0.
    SortedSet(Vec<(Vec<u8>, u64)>),
}

fn contents(keyspace: &Keyspace) -> Contents {
    let shown = |value: &Value| match value {
        Value::String(string) => Shown::String(string.clone()),
        Value::Set(set) => {
            let mut members: Vec<_> = set.iter().map(|member| member.to_vec()).collect();
            members.sort();
            Shown::Set(members)
        }
        Value::SortedSet(set) => {
            let bits = |score: Score| score.get().to_bits();
            Shown::SortedSet(set.iter().map(|(m, score)| (m.to_vec(), bits(score))).collect())
        }
    };
    let deadline = |key: &[u8]| keyspace.deadline(key).flatten();
    keyspace.iter().map(|(key, value)| (key.to_vec(), (shown(value), deadline(key)))).collect()
}

fn millis(millis: u64) -> Timestamp {
    Timestamp::from_nanos(millis.saturating_mul(1_000_000))
}

fn written(keyspace: &Keyspace) -> Vec<u8> {
    let mut bytes = Vec::new();
    write::write(keyspace, &mut bytes).expect("a vector takes all");
    bytes
}

fn load(bytes: &[u8], now: Timestamp) -> Result<Keyspace, SnapshotProblem> {
    read::load(Cursor::new(bytes), now, ListpackLimits::default())
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
fn keys_come_back_with_their_deadlines_unless_these_are_over() {
    let keyspace = small();
    let bytes = written(&keyspace);
    assert_eq!(contents(&load(&bytes, millis(4_999)).unwrap()), contents(&keyspace));
    let later = contents(&load(&bytes, millis(5_000)).unwrap());
    let mut expected = contents(&keyspace);
    expected.remove(&b"string"[..]).expect("it was there");
    assert_eq!(later, expected);
    // A key that has expired when the keyspace is saved is not written.
    let mut keyspace = small();
    keyspace.set_now(millis(7_000));
    assert_eq!(load(&written(&keyspace), millis(0)).unwrap().len(), 3);
}

#[test]
fn every_flipped_bit_is_noticed() {
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

#[test]
fn every_truncation_is_noticed_and_so_is_what_comes_behind() {
    let mut bytes = written(&small());
    for len in 0..bytes.len() {
        let result = load(&bytes[..len], millis(0));
        assert!(matches!(result, Err(SnapshotProblem::Truncated)), "{len}: {result:?}");
    }
    bytes.push(0);
    assert!(matches!(load(&bytes, millis(0)), Err(SnapshotProblem::TrailingBytes)));
}

/// Returns the bytes followed by a valid checksum.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut bytes = [b"REDIS0010", body, &[opcode::END]].concat();
    bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
    bytes
}

#[test]
fn what_is_not_stored_here_is_named() {
    for (body, text) in [
        (&b"\x01\x03key\x01\x01a"[..], "key 'key' is a list, which is not stored here"),
        (
            b"\x04\x04k\xFF\n\0\x01\x01a\x01b",
            "key 'k\\xff\\n\\x00' is a hash, which is not stored here",
        ),
        (b"\x0F\x01k", "key 'k' is a stream, which is not stored here"),
        (b"\xFE\x03", "it has keys in database 3, and there is only database 0"),
        (b"\xF5\x01f", "it has a library of functions, which is not known here"),
        (b"\0\x01k\x01v\0\x01k\x01w", "it is malformed: key 'k' is there twice"),
        (b"\0\x01k\xC3\x01\x05a", "it is malformed at byte 9: a compressed string is malformed"),
        (b"\0\x01k\xBF", "it is malformed at byte 9: a length is malformed"),
        (
            b"\x02\x01k\x02\x01a\x01a",
            "it is malformed at byte 9: member of element 1 repeats an earlier one",
        ),
    ] {
        assert_eq!(load(&sealed(body), millis(0)).unwrap_err().to_string(), text);
    }
    assert!(matches!(load(b"not an RDB file", millis(0)), Err(SnapshotProblem::Magic)));
    let newer = [&b"REDIS0099"[..], &[0; 100]].concat();
    let error = load(&newer, millis(0)).unwrap_err();
    assert_eq!(error.to_string(), "RDB version 0099 is not known");
}

#[test]
fn a_length_that_is_not_there_takes_no_memory() {
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
fn sets_of_other_servers_are_read_in_each_of_their_encodings() {
    let integers = b"\x0B\x01a\x0E\x02\0\0\0\x03\0\0\0\xFF\xFF\x02\0\x03\0";
    let listpack = b"\x14\x01b\x0F\x0F\0\0\0\x03\0\x81a\x02\x81b\x02\x05\x01\xFF";
    let wide = b"\x0B\x01c\x10\x08\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x80";
    let keyspace = load(&sealed(&[&integers[..], listpack, wide].concat()), millis(0)).unwrap();
    let set = |members: &[&[u8]]| Shown::Set(members.iter().map(|m| m.to_vec()).collect());
    let shown: Vec<_> = contents(&keyspace).into_values().map(|(shown, _)| shown).collect();
    let lowest: &[u8] = b"-9223372036854775808";
    assert_eq!(shown, [set(&[b"-1", b"2", b"3"]), set(&[b"5", b"a", b"b"]), set(&[lowest])]);
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
fn sorted_sets_get_the_limits_of_the_server() {
    let limits = ListpackLimits { max_listpack_entries: 2, ..ListpackLimits::default() };
    let keyspace = read::load(Cursor::new(written(&small())), millis(0), limits).unwrap();
    let set = keyspace.get::<ZSet>(b"listpack").unwrap().expect("it is there");
    assert_eq!((set.encoding(), set.limits()), (zset_core::Encoding::Skiplist, limits));
}

#[test]
fn a_file_that_was_compressed_or_has_no_checksum_is_read() {
    // 3 literal bytes, and a back-reference of 7 bytes at distance 3.
    let mut bytes = sealed(b"\0\x01k\xC3\x06\x0A\x02abc\xA0\x02");
    let end = bytes.len() - 8;
    bytes[end..].fill(0);
    let keyspace = load(&bytes, millis(0)).unwrap();
    assert_eq!(keyspace.get::<Vec<u8>>(b"k"), Ok(Some(&b"abcabcabca".to_vec())));
}

#[test]
fn a_file_that_was_written_here_has_its_checksum() {
    let mut bytes = written(&small());
    let end = bytes.len() - 8;
    bytes[end..].fill(0);
    assert!(matches!(load(&bytes, millis(0)), Err(SnapshotProblem::Checksum)));
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..12),
        any::<i64>().prop_map(|integer| integer.to_string().into_bytes()),
        any::<i8>().prop_map(|integer| integer.to_string().into_bytes()),
        vec(any::<u8>(), 60..70),
    ]
}

fn scores() -> impl Strategy<Value = Score> {
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e22, 0.1];
    let any = any::<f64>().prop_filter("a number", |score| !score.is_nan());
    let scores =
        prop_oneof![any, prop::sample::select(special.to_vec()), (-5_i8..5).prop_map(f64::from)];
    scores.prop_map(|score| Score::new(score).expect("a number"))
}

fn values() -> impl Strategy<Value = Value> {
    let sorted = vec((bytes(), scores()), 1..150);
    prop_oneof![
        bytes().prop_map(Value::String),
        vec(bytes(), 1..20).prop_map(|members| {
            members.into_iter().map(Vec::into_boxed_slice).collect::<Set>().into_value()
        }),
        sorted.prop_map(|elements| Value::SortedSet(elements.into_iter().collect())),
    ]
}

proptest! {
    #[test]
    fn any_keyspace_comes_back(
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
    fn any_bytes_are_an_error_or_keys(body in vec(any::<u8>(), 0..200)) {
        let _ = load(&sealed(&body), millis(0));
    }

    #[test]
    fn a_file_that_was_made_to_harm_is_an_error_or_keys(
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

    #[test]
    fn a_value_is_what_dump_and_restore_make_of_it(value in values()) {
        let mut payload = vec![value::type_of(&value)];
        value::write(&value, &mut payload, |_| Ok::<_, ()>(())).unwrap();
        rdb::seal(&mut payload);
        let body = rdb::unseal(&payload).unwrap();
        let mut reader = rdb::Reader::new(body);
        let kind = reader.byte().unwrap();
        let back = value::read(kind, &mut reader, ListpackLimits::default()).unwrap();
        prop_assert_eq!(reader.rest(), 0);
        let single = |value| {
            let mut keyspace = Keyspace::default();
            keyspace.set(b"", value);
            contents(&keyspace)
        };
        prop_assert_eq!(single(back), single(value));
    }
}
