//! Tests serialization round trips in a human-readable format (JSON), a self-describing binary
//! format (CBOR), and a format without self-description (postcard). Untrusted data must be loaded
//! or rejected without a panic.

#![cfg(all(feature = "alloc", feature = "serde"))]

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zset_core::{
    ByteString, FixedSortedSet, Score, SkipList, SortedMap, SortedSet, ZSet, sorted_map, sorted_set,
};

/// A type under test.
trait Checked: Serialize + DeserializeOwned + PartialEq + Debug {
    fn check(&self);
}

macro_rules! checked {
    ($($set:ty),*) => {$(
        impl Checked for $set {
            fn check(&self) {
                self.check();
            }
        }
    )*};
}

checked! {
    SortedSet<String>, SortedSet<u32, i64>, SortedSet<(u8, u64), u32>, SortedSet<ByteString>,
    SkipList<String, Score>, SkipList<u8, u8>,
    SortedMap<(u8, u8), char, i32>, SortedMap<String, Vec<u8>>, ZSet,
    FixedSortedSet<String, u32, 3, u8>
}

const INFINITIES: [Score; 2] = [Score::NEG_INFINITY, Score::INFINITY];

fn score(number: f64) -> Score {
    Score::new(number).unwrap()
}

fn json<T: Checked>(text: &str) -> Result<T, String> {
    let set: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    set.check();
    Ok(set)
}

fn postcard<T: Checked>(bytes: &[u8]) -> Option<T> {
    let (set, rest): (T, _) = postcard::take_from_bytes(bytes).ok()?;
    set.check();
    rest.is_empty().then_some(set)
}

fn cbor<T: Checked>(bytes: &[u8]) -> Option<T> {
    let set: T = ciborium::from_reader(bytes).ok()?;
    set.check();
    Some(set)
}

fn to_cbor(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

/// Round-trips a set through all formats; returns its JSON.
fn round_trip<T: Checked>(set: &T) -> String {
    let text = serde_json::to_string(set).unwrap();
    assert_eq!(&json::<T>(&text).unwrap(), set, "{text}");
    assert_eq!(postcard(&postcard::to_allocvec(set).unwrap()).as_ref(), Some(set));
    assert_eq!(cbor(&to_cbor(set)).as_ref(), Some(set));
    text
}

/// Deserializes a set from one of the formats.
type Read<T> = fn(&[u8]) -> Option<T>;

/// Truncates and damages the bytes of a set in each format: loading must fail or return a valid
/// set.
fn damage_is_harmless<T: Checked>(set: &T) {
    let text = serde_json::to_string(set).unwrap();
    for end in 0..text.len() {
        assert!(json::<T>(&text[..end]).is_err(), "{}", &text[..end]);
    }
    let formats: [(Vec<u8>, Read<T>); 3] = [
        (postcard::to_allocvec(set).unwrap(), postcard::<T>),
        (to_cbor(set), cbor::<T>),
        (text.into_bytes(), |bytes| json(std::str::from_utf8(bytes).ok()?).ok()),
    ];
    for (bytes, read) in formats {
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end]), None, "{:?}", &bytes[..end]);
        }
        for at in 0..bytes.len() {
            for value in if cfg!(miri) { 0xF8..=0xFF } else { 0..=0xFF } {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                read(&damaged);
            }
        }
    }
}

#[test]
fn a_set_serializes_as_sorted_pairs() {
    let set: SortedSet<String> =
        [("b", 1.5), ("a", 1.5), ("c", -2.0), ("d", f64::INFINITY), ("e", f64::NEG_INFINITY)]
            .map(|(member, number)| (member.to_string(), score(number)))
            .into();
    let text = round_trip(&set);
    assert_eq!(text, r#"[["e","-inf"],["c",-2.0],["a",1.5],["b",1.5],["d","inf"]]"#);
    damage_is_harmless(&set);
    assert_eq!(round_trip(&SortedSet::<String>::new()), "[]");
}

#[test]
fn members_need_not_be_strings() {
    let set = SortedSet::<(u8, u64), u32>::from([((2, u64::MAX), 7), ((1, 5), 7), ((0, 0), 9)]);
    assert_eq!(round_trip(&set), "[[[1,5],7],[[2,18446744073709551615],7],[[0,0],9]]");
    damage_is_harmless(&set);
    let bytes = SortedSet::from(INFINITIES.map(|score| (ByteString::from(b"\xFF"), score)));
    assert_eq!(round_trip(&bytes), r#"[[[255],"inf"]]"#);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn sets_of_several_leaves_round_trip() {
    round_trip(&(0..300).map(|i| (i, -i64::from(i) / 2)).collect::<SortedSet<u32, i64>>());
    round_trip(&(0..300_u16).map(|i| (i as u8, i as u8 / 2)).collect::<SkipList<u8, u8>>());
    let map = (0..300_u16).map(|i| ((i as u8, (i / 256) as u8), 'x', -i32::from(i) / 2));
    round_trip(&map.collect::<SortedMap<(u8, u8), char, i32>>());
}

#[test]
fn a_list_serializes_as_pairs_that_may_repeat() {
    let elements = [("b", 2.0), ("a", 2.0), ("b", 2.0), ("b", f64::INFINITY)];
    let list: SkipList<String, Score> =
        elements.map(|(member, number)| (member.to_string(), score(number))).into_iter().collect();
    assert_eq!(round_trip(&list), r#"[["a",2.0],["b",2.0],["b",2.0],["b","inf"]]"#);
    damage_is_harmless(&list);
}

#[test]
fn a_map_serializes_as_sorted_triples() {
    let map = SortedMap::<(u8, u8), char, i32>::from([((2, 1), 'y', 7), ((1, 1), 'x', -3)]);
    assert_eq!(round_trip(&map), r#"[[[1,1],"x",-3],[[2,1],"y",7]]"#);
    damage_is_harmless(&map);
    let scored = [("a", vec![1], score(0.5)), ("b", vec![], Score::INFINITY)]
        .map(|(key, value, score)| (key.to_string(), value, score));
    let text = round_trip(&SortedMap::<String, Vec<u8>>::from(scored));
    assert_eq!(text, r#"[["a",[1],0.5],["b",[],"inf"]]"#);
}

#[test]
fn a_zset_serializes_as_pairs_with_byte_members() {
    let long = "x".repeat(70);
    let elements = [("b", 1.5), ("a", f64::INFINITY), ("10", -0.0), (&long, f64::NEG_INFINITY)];
    for len in [0, 1, 3, 4] {
        let elements = elements[..len].iter().map(|&(member, number)| (member, score(number)));
        let set: ZSet = elements.collect();
        let text = round_trip(&set);
        let back: ZSet = postcard(&postcard::to_allocvec(&set).unwrap()).unwrap();
        assert_eq!(back.encoding(), set.encoding());
        if len == 3 {
            assert_eq!(text, r#"[[[49,48],0.0],[[98],1.5],[[97],"inf"]]"#);
            damage_is_harmless(&set);
        }
    }
}

#[test]
fn elements_may_come_in_any_order() {
    let pairs = r#"[["b", 2], ["c", "-inf"], ["a", 2]]"#;
    let elements = [("a", score(2.0)), ("b", score(2.0)), ("c", Score::NEG_INFINITY)];
    assert_eq!(json::<ZSet>(pairs), Ok(elements.into_iter().collect()));
    let elements = elements.map(|(member, score)| (member.to_string(), score));
    assert_eq!(json::<SortedSet<String>>(pairs), Ok(elements.clone().into()));
    assert_eq!(json::<SkipList<String, Score>>(pairs), Ok(elements.into_iter().collect()));
    let map = json::<SortedMap<String, Vec<u8>>>(r#"[["b", [], 2], ["a", [7], 1.5]]"#).unwrap();
    assert_eq!(map.first(), Some((&"a".to_string(), &vec![7], &score(1.5))));
}

#[test]
fn a_repeated_member_is_an_error() {
    fn refused<T: Checked>(text: &str) {
        let error = json::<T>(text).unwrap_err();
        assert!(error.starts_with("element 2 repeats an earlier one"), "{error}");
    }
    for last in [1, 3] {
        let pairs = format!(r#"[["a", 1], ["b", 2], ["a", {last}]]"#);
        refused::<SortedSet<String>>(&pairs);
        refused::<ZSet>(&pairs);
        assert_eq!(json::<SkipList<String, Score>>(&pairs).unwrap().len(), 3);
        refused::<SortedMap<String, Vec<u8>>>(&format!(
            r#"[["a", [], 1], ["b", [], 2], ["a", [], {last}]]"#
        ));
    }
    // A member may be a string or a list of bytes: "1" and [49] are the same member.
    assert!(json::<ZSet>(r#"[["1", 1], [[49], 2]]"#).is_err());
}

#[test]
fn malformed_sets_are_rejected() {
    for text in [
        "{}",
        "1",
        "null",
        r#""a""#,
        r#"["a", 1]"#,
        r#"[["a"]]"#,
        r#"[["a", 1, 2]]"#,
        r#"[["a", null]]"#,
        r#"[["a", "x"]]"#,
        r#"[["a", "NaN"]]"#,
        r#"[["a", []]]"#,
        r#"[["a", 1]"#,
        r#"[["a", 1]] 2"#,
        r#"{"a": 1}"#,
    ] {
        assert!(json::<SortedSet<String>>(text).is_err(), "{text}");
        assert!(json::<SkipList<String, Score>>(text).is_err(), "{text}");
        assert!(json::<SortedMap<String, Vec<u8>>>(text).is_err(), "{text}");
        assert!(json::<ZSet>(text).is_err(), "{text}");
    }
    let error = json::<SortedSet<String>>("{}").unwrap_err();
    assert!(error.contains("expected a sequence of members and scores"), "{error}");
    let error = json::<SortedMap<String, Vec<u8>>>("{}").unwrap_err();
    assert!(error.contains("expected a sequence of keys, values and scores"), "{error}");
}

#[test]
fn nan_is_rejected() {
    let pairs = [("a", f64::NAN)];
    let bytes = postcard::to_allocvec(&pairs.as_slice()).unwrap();
    assert_eq!(postcard::<SortedSet<String>>(&bytes), None);
    assert_eq!(postcard::<SkipList<String, Score>>(&bytes), None);
    assert_eq!(postcard::<ZSet>(&bytes), None);
    assert_eq!(cbor::<SortedSet<String>>(&to_cbor(&pairs)), None);
    assert_eq!(cbor::<ZSet>(&to_cbor(&pairs)), None);
}

/// Sets serialized as maps.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Maps {
    #[serde(with = "sorted_set::serde_map")]
    board: SortedSet<String>,
    #[serde(with = "sorted_map::serde_map")]
    jobs: SortedMap<u16, (bool, String), i32>,
}

#[test]
fn sets_round_trip_as_maps() {
    let maps = Maps {
        board: [("ann", 120.0), ("bob", 85.0), ("cid", f64::INFINITY)]
            .map(|(member, number)| (member.to_string(), score(number)))
            .into(),
        jobs: [(7, (true, "mail".to_string()), 2), (8, (false, String::new()), -1)].into(),
    };
    let text = serde_json::to_string(&maps).unwrap();
    let expected = r#"{"board":{"bob":85.0,"ann":120.0,"cid":"inf"},"jobs":{"8":[[false,""],-1],"7":[[true,"mail"],2]}}"#;
    assert_eq!(text, expected);
    assert_eq!(serde_json::from_str::<Maps>(&text).unwrap(), maps);
    let bytes = postcard::to_allocvec(&maps).unwrap();
    assert_eq!(postcard::from_bytes::<Maps>(&bytes).unwrap(), maps);
    assert_eq!(ciborium::from_reader::<Maps, _>(to_cbor(&maps).as_slice()).unwrap(), maps);
}

#[test]
fn maps_may_come_in_any_order_but_keys_must_not_repeat() {
    let read = |board: &str, jobs: &str| {
        let text = format!(r#"{{"board":{board},"jobs":{jobs}}}"#);
        serde_json::from_str::<Maps>(&text).map_err(|error| error.to_string())
    };
    let maps =
        read(r#"{"a": 2, "b": 1}"#, r#"{"2": [[true, ""], 2], "1": [[true, ""], 1]}"#).unwrap();
    maps.board.check();
    maps.jobs.check();
    assert_eq!(maps.board.rank("b"), Some(0));
    assert_eq!(maps.jobs.rank(&2), Some(1));
    for (board, jobs, message) in [
        (r#"{"a": 2, "a": 2}"#, "{}", "element 1 repeats an earlier one"),
        (
            "{}",
            r#"{"1": [[true, ""], 1], "1": [[true, ""], 2]}"#,
            "element 1 repeats an earlier one",
        ),
        ("[]", "{}", "expected a map from members to scores"),
        ("{}", "[]", "expected a map from keys to values and scores"),
        ("{}", r#"{"1": [true, 1]}"#, "invalid type"),
        (r#"{"a": null}"#, "{}", "invalid type"),
    ] {
        let error = read(board, jobs).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    // JSON keys can only be strings, numbers and booleans, so a tuple as a key is an error.
    let tuples = SortedSet::from([((1, 2), 3)]);
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut text);
    assert!(sorted_set::serde_map::serialize(&tuples, &mut serializer).is_err());
}

#[test]
fn a_fixed_set_rejects_more_elements_than_its_capacity() {
    type Fixed = FixedSortedSet<String, u32, 3, u8>;
    let mut set = Fixed::new();
    for (member, score) in [("b", 2), ("a", 2), ("c", 1)] {
        set.try_insert(member.to_string(), score).unwrap();
    }
    assert_eq!(round_trip(&set), r#"[["c",1],["a",2],["b",2]]"#);
    damage_is_harmless(&set);
    let error = json::<Fixed>(r#"[["a",1],["b",1],["c",1],["d",1]]"#).unwrap_err();
    assert!(error.contains("buffer is full"), "{error}");
    let error = json::<Fixed>(r#"[["a",1],["a",2]]"#).unwrap_err();
    assert!(error.contains("repeats an earlier one"), "{error}");
}
