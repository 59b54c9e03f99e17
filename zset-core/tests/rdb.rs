//! Tests RDB payloads: those of real servers, and malformed ones.

#![cfg(all(feature = "alloc", feature = "zset"))]

use std::collections::BTreeSet;

use proptest::collection::btree_map;
use proptest::prelude::*;
use zset_core::redis::listpack::ListpackError;
use zset_core::redis::rdb::{RestoreError, dump, restore, restore_with_limits, write_length};
use zset_core::{Encoding, Listpack, ListpackLimits, Score, ZSet};

/// The version that [`dump`] writes.
const VERSION: u16 = 10;

/// The RDB types of a sorted set that is stored as a listpack, or as a list of elements.
const TYPE_LISTPACK: u8 = 17;
const TYPE_ELEMENTS: u8 = 5;

/// The byte that precedes a length of four bytes.
const LENGTH_32: u8 = 0x80;

/// Computes the CRC-64 of Redis bit by bit.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, &byte| {
        (0..8).fold(sum ^ u64::from(byte), |sum, _| {
            (sum >> 1) ^ if sum & 1 == 1 { 0x95AC_9329_AC4B_C9B5 } else { 0 }
        })
    })
}

/// A payload from Redis 7.0.15: a listpack.
const LISTPACK: &[u8] =
    b"\x11@@@\0\0\0\x0C\0\x80\x01\x84-inf\x05\x82\xFF\0\x03\x84-1.5\x05\x83007\x04\0\x01\
    \x11\x01\x11\x01\x83big\x04\x861e+100\x07\xF4\0\0\0\0\0\0\0\x80\x09\x83inf\x04\xFF\
    \x0A\0Vy\xF2\xD9\xBF\xA5o_";

/// A payload from Redis 7.0.15: elements, with integers and a compressed string.
const ELEMENTS: &[u8] =
    b"\x05\x07\xC2\x90\xEE\xFE\xFF\0\0\0\0\0\x17\xF1@\xC1,\x01\0\0\0\0\0\xC0r@\xC0\x11\0\0\
    \0\0\0\x001@\xC3\x09<\x01zz\xE0/\0\x01zz\x9A\x99\x99\x99\x99\x99\xB9?\x03007\0\0\0\0\0\
    \0\0\0\x02\xFF\0\0\0\0\0\0\0\xF8\xBF\0\0\0\0\0\0\0\xF0\xFF\x0A\0i\x0D\xA87\xF7\xDF\
    \xFB\xB4";

/// A payload from Redis 7.0.15: a compressed listpack.
const COMPRESSED: &[u8] =
    b"\x11\xC3@]@\xED\x0F\xED\0\0\0\x18\0\x8Fmember nu`\x06\x030\x10\x05\x01\xE0\x06\x12\0\
    1 \x12\0\x90\xE0\x05%\x0210\x11\xE0\x09\x13\x001 \x13\xE0\x06:\x002 :\xE0\x06\x12\x003\xE0\
    \x09\x12\x004\xE0\x09\x12\x005\xE0\x09\x12\x006\xE0\x09\x12\x007\xE0\x09\x12\x008\xE0\x09\x12\
    \x009 \x12\0\xFF\x0A\0(H\x90Z\xF1\x92Q\xFE";

/// The versions and checksums of Valkey 9.1.2, for `LISTPACK` and `ELEMENTS`.
const VALKEY_LISTPACK_END: &[u8] = b"P\0\x99S;H!\xF7\x08\xAB";
const VALKEY_ELEMENTS_END: &[u8] = b"P\0\xA6'a\xA6i\x8D\x9C@";

/// Returns a payload with the same body and a different end.
fn with_end(payload: &[u8], end: &[u8]) -> Vec<u8> {
    [&payload[..payload.len() - end.len()], end].concat()
}

/// Restores a set that does not become a listpack.
fn restore_skiplist(payload: &[u8]) -> ZSet {
    let none = ListpackLimits { max_listpack_entries: 0, ..ListpackLimits::default() };
    restore_with_limits(payload, none).unwrap()
}

/// Returns a payload with this body and version.
fn signed(body: &[u8], version: u16) -> Vec<u8> {
    let mut payload = body.to_vec();
    payload.extend(version.to_le_bytes());
    payload.extend(checksum(&payload).to_le_bytes());
    payload
}

/// Returns the error for a payload with this body.
fn refused(body: &[u8]) -> RestoreError {
    restore(&signed(body, VERSION)).unwrap_err()
}

/// Returns the body for a listpack with these entries.
fn packed(entries: &[&[u8]]) -> Vec<u8> {
    let mut list = Listpack::new();
    for &entry in entries {
        list.try_push_back(entry).unwrap();
    }
    let mut body = Vec::from([TYPE_LISTPACK]);
    write_length(list.as_bytes().len(), &mut body);
    body.extend(list.as_bytes());
    body
}

/// Returns the body for these elements, in wire order.
fn elements(elements: &[(&str, f64)]) -> Vec<u8> {
    let mut body = Vec::from([TYPE_ELEMENTS]);
    write_length(elements.len(), &mut body);
    for (member, score) in elements {
        body.push(member.len() as u8);
        body.extend(member.bytes());
        body.extend(score.to_le_bytes());
    }
    body
}

/// Returns the body for these elements, in wire order, with scores as text.
fn text_scores(elements: &[(&str, impl AsRef<str>)]) -> Vec<u8> {
    let mut body = Vec::from([3]);
    write_length(elements.len(), &mut body);
    for (member, score) in elements {
        for text in [member, score.as_ref()] {
            body.push(text.len() as u8);
            body.extend(text.bytes());
        }
    }
    body
}

/// Returns the bodies of all types for these elements, in wire order.
fn bodies(wire: &[(&str, f64)]) -> [Vec<u8>; 3] {
    let texts: Vec<_> = wire.iter().map(|(member, score)| (*member, score.to_string())).collect();
    let entries: Vec<_> =
        texts.iter().flat_map(|(member, score)| [member.as_bytes(), score.as_bytes()]).collect();
    [elements(wire), text_scores(&texts), packed(&entries)]
}

/// Verifies the elements. Expected members are escaped.
#[track_caller]
fn assert_elements(set: &ZSet, expected: &[(&str, f64)], case: &str) {
    set.check();
    let elements = set.iter().map(|(m, score)| (m.escape_ascii().to_string(), score.get()));
    let elements: Vec<_> = elements.collect();
    let shown: Vec<_> = elements.iter().map(|(m, score)| (m.as_str(), *score)).collect();
    assert_eq!(shown, expected, "{case}");
}

#[test]
fn payloads_of_servers_are_restored() {
    let expected = [
        ("", f64::NEG_INFINITY),
        ("\\xff\\x00", -1.5),
        ("007", 0.0),
        ("17", 17.0),
        ("big", 1e100),
        ("-9223372036854775808", f64::INFINITY),
    ];
    for payload in [LISTPACK, &with_end(LISTPACK, VALKEY_LISTPACK_END)] {
        let set = restore(payload).unwrap();
        assert_elements(&set, &expected, "listpack");
        assert_eq!(set.encoding(), Encoding::Listpack);
    }

    let long = "z".repeat(60);
    let expected = [
        ("", f64::NEG_INFINITY),
        ("\\xff\\x00", -1.5),
        ("007", 0.0),
        (&long, 0.1),
        ("17", 17.0),
        ("300", 300.0),
        ("-70000", 70000.0),
    ];
    for payload in [ELEMENTS, &with_end(ELEMENTS, VALKEY_ELEMENTS_END)] {
        let set = restore_skiplist(payload);
        assert_elements(&set, &expected, "elements");
        assert_eq!(set.encoding(), Encoding::Skiplist);
        // By default, a small set becomes a listpack, as it does in the servers.
        assert_eq!(restore(payload).unwrap().encoding(), Encoding::Listpack);
    }

    let set = restore(COMPRESSED).unwrap();
    assert_eq!(set.len(), 12);
    assert!(set.iter().all(|(_, score)| score == Score::from(5)));
    assert!(set.contains("member number 11"));
}

#[test]
fn payloads_match_those_of_servers_byte_for_byte() {
    assert_eq!(dump(&restore(LISTPACK).unwrap()), LISTPACK);
    // `ELEMENTS` has a compressed string, which `dump` never writes, so only parts of it are
    // compared.
    let mut set = restore_skiplist(ELEMENTS);
    let plain = dump(&set);
    assert_eq!(plain[..12], ELEMENTS[..12]);
    set.remove("z".repeat(60));
    let at = ELEMENTS.windows(2).position(|pair| pair == b"\xC3\x09").unwrap();
    assert_eq!(dump(&set)[2..at], ELEMENTS[2..at]);
}

#[test]
fn known_versions_are_accepted_and_others_are_reported() {
    let body = packed(&[b"a", b"1"]);
    for version in (1..=15).chain([80]) {
        assert_eq!(restore(&signed(&body, version)).unwrap().len(), 1);
    }
    for version in [0, 16, 17, 79, 81, u16::MAX] {
        let error = restore(&signed(&body, version)).unwrap_err();
        assert_eq!(error, RestoreError::Version(version));
        assert_eq!(error.to_string(), format!("version {version} is not supported"));
    }
    // A payload from Redis 8.8.
    let payload =
        b"\x11\x0C\x0C\0\0\0\x02\0\x81a\x02\x01\x01\xFF\x0E\0\xDA\x5E\x16\xC7\x84\x9A\x27\x73";
    assert_eq!(restore(payload), Ok(ZSet::from([("a", Score::from(1))])));
}

#[test]
fn damage_is_detected() {
    for payload in [LISTPACK, ELEMENTS, COMPRESSED] {
        for len in 0..payload.len() {
            let error = restore(&payload[..len]).unwrap_err();
            assert!(matches!(error, RestoreError::Checksum | RestoreError::Truncated), "{len}");
        }
        for at in 0..payload.len() {
            let mut damaged = payload.to_vec();
            damaged[at] ^= 0x10;
            assert_eq!(restore(&damaged), Err(RestoreError::Checksum), "{at}");
        }
    }
}

#[test]
fn other_types_and_trailing_bytes_are_rejected() {
    for (kind, text) in [
        (0, "type 0 is not a sorted set"),
        (12, "type 12, a sorted set as a ziplist, is not supported"),
        // Redis 8.6 uses this type for metadata of a key.
        (243, "type 243 is not a sorted set"),
    ] {
        let error = refused(&[kind, 1, b'a']);
        assert_eq!(error, RestoreError::Type(kind));
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(refused(&[&packed(&[b"a", b"1"])[..], b"\0"].concat()), RestoreError::TrailingBytes);
    assert_eq!(
        refused(&[&elements(&[("a", 1.0)])[..], b"\0"].concat()),
        RestoreError::TrailingBytes
    );
}

#[test]
fn excessive_lengths_are_rejected() {
    for body in [
        &b"\x11"[..],
        b"\x11\x05abc",
        b"\x11\x80\xFF\xFF\xFF\xFFabc",
        b"\x11\xC3\x03\x01\x00a",
        b"\x05",
        b"\x05\x01\x01a",
        b"\x05\x80\xFF\xFF\xFF\xFF\x01a",
        b"\x05\x01\xC1\x00\0\0\0\0\0\0\0",
    ] {
        assert_eq!(refused(body), RestoreError::Truncated, "{}", body.escape_ascii());
    }
    for body in [&b"\x11\xC4"[..], b"\x05\xC0", b"\x05\x90", b"\x05\x01\xFFaaaaaaaaaa"] {
        assert_eq!(refused(body), RestoreError::Length, "{}", body.escape_ascii());
    }
    #[cfg(target_pointer_width = "64")]
    assert_eq!(refused(b"\x05\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), RestoreError::Truncated);
    assert_eq!(refused(b"\x11\xC3\x02\x80\xFF\xFF\xFF\xFF\x00a"), RestoreError::Compression);
}

#[test]
fn elements_that_are_not_in_the_order_of_redis_are_sorted() {
    // Dragonfly writes the lowest element first, unlike Redis.
    let payload = b"\x05\x02\x01a\0\0\0\0\0\0\xF0\x3F\x01b\0\0\0\0\0\0\0\x40\
        \x09\0\xFC\x63\x8E\x5F\x17\x86\x1D\x39";
    assert_eq!(restore(payload), Ok(ZSet::from([("a", Score::from(1)), ("b", Score::from(2))])));

    let sorted = [
        ("d", f64::NEG_INFINITY),
        ("a", -0.5),
        ("b", 0.0),
        ("c", -0.0),
        ("aa", 1e100),
        ("e", 1e100),
    ];
    for order in [
        [0, 1, 2, 3, 4, 5],
        [5, 4, 3, 2, 1, 0],
        // The next two orders are sorted by score only. In the two after them, only the last
        // element is out of order.
        [0, 1, 3, 2, 5, 4],
        [4, 5, 2, 3, 1, 0],
        [1, 2, 3, 4, 5, 0],
        [4, 3, 2, 1, 0, 5],
        [3, 0, 5, 1, 4, 2],
    ] {
        for body in bodies(&order.map(|rank| sorted[rank])) {
            let set = restore(&signed(&body, VERSION)).unwrap();
            assert_elements(&set, &sorted, &format!("{order:?}, type {}", body[0]));
        }
    }
}

#[test]
fn scores_of_redis_before_4_are_restored() {
    let texts = [
        ("a", "-17"),
        ("b", "0.10000000000000001"),
        ("c", "4.9406564584124654e-324"),
        ("d", "1.7976931348623157e+308"),
        ("e", "-0"),
    ];
    let mut body = text_scores(&texts);
    body[1] += 2;
    body.extend(b"\x01f\xFE\x01g\xFF");
    let set = restore(&signed(&body, 6)).unwrap();
    let expected = [
        ("a", -17.0),
        ("b", 0.1),
        ("c", 5e-324),
        ("d", f64::MAX),
        ("e", 0.0),
        ("f", f64::INFINITY),
    ];
    for (member, score) in expected {
        assert_eq!(set.score(member), Score::new(score).ok(), "{member}");
    }
    assert_eq!(set.first().map(|(member, _)| member.to_vec()), Some(b"g".to_vec()));

    assert_eq!(refused(b"\x03\x01\x01a\xFD"), RestoreError::Nan { rank: 0 });
    assert_eq!(refused(&text_scores(&[("a", "1"), ("b", "nan")])), RestoreError::Nan { rank: 1 });
    for text in ["", "x", "1x", "0x10", " 1", "1e999"] {
        let error = refused(&text_scores(&[("a", "1"), ("b", text)]));
        assert_eq!(error, RestoreError::Score { rank: 1 }, "{text}");
    }
    for body in [&b"\x03\x01\x01a"[..], b"\x03\x01\x01a\x02", b"\x03\x02\x01a\x011"] {
        assert_eq!(refused(body), RestoreError::Truncated);
    }
    let set = restore(&signed(b"\x03\0", VERSION)).unwrap();
    assert!(set.is_empty());
}

#[test]
fn repeated_members_are_rejected_in_any_order_with_the_rank_of_the_first() {
    for (wire, rank) in [
        (&[("a", 1.0), ("a", 1.0)][..], 1),
        (&[("a", 0.0), ("a", -0.0)], 1),
        (&[("a", 2.0), ("a", 1.0)], 1),
        (&[("a", 1.0), ("a", 2.0)], 1),
        (&[("a", 1.0), ("b", 1.0), ("a", 2.0)], 2),
        (&[("a", 2.0), ("b", 1.0), ("a", 1.0)], 2),
        (&[("c", 2.0), ("b", 9.0), ("b", 1.0), ("c", 5.0)], 2),
        (&[("c", 2.0), ("b", 9.0), ("c", 1.0), ("b", 5.0), ("b", 5.0)], 2),
        (&[("a", 4.0), ("b", 3.0), ("b", 2.0), ("a", 1.0)], 2),
        (&[("a", 1.0), ("b", 2.0), ("b", 3.0), ("a", 4.0)], 2),
    ] {
        for body in bodies(wire) {
            assert_eq!(refused(&body), RestoreError::DuplicateMember { rank }, "{wire:?}");
        }
    }
}

#[test]
fn checks_that_servers_omit_are_made() {
    let list = |entries: &[&[u8]]| refused(&packed(entries));
    assert_eq!(list(&[b"a"]), RestoreError::OddLength);
    assert_eq!(list(&[b"b", b"2", b"a", b"1", b"c"]), RestoreError::OddLength);
    assert_eq!(list(&[b"a", b"one"]), RestoreError::Score { rank: 0 });
    assert_eq!(list(&[b"a", b""]), RestoreError::Score { rank: 0 });
    assert_eq!(list(&[b"a", b"1", b"b", b"nan"]), RestoreError::Nan { rank: 1 });
    assert_eq!(list(&[b"a", b"2", b"b", b"1", b"c", b"nan"]), RestoreError::Nan { rank: 2 });
    // An integer stored as text is the same member as the integer.
    let twice = b"\x11\x10\x10\0\0\0\x04\0\x817\x02\x01\x01\x07\x01\x02\x01\xFF";
    assert_eq!(refused(twice), RestoreError::DuplicateMember { rank: 1 });

    let set = |wire: &[(&str, f64)]| refused(&elements(wire));
    assert_eq!(set(&[("a", f64::NAN)]), RestoreError::Nan { rank: 0 });
    assert_eq!(set(&[("b", 2.0), ("a", 1.0), ("c", f64::NAN)]), RestoreError::Nan { rank: 2 });

    let error = RestoreError::Listpack(ListpackError::Length);
    assert_eq!(refused(b"\x11\x00"), error);
    assert_eq!(refused(b"\x11\x08\x07\0\0\0\0\0\xFF\0"), error);
    let error = RestoreError::Listpack(ListpackError::Entry { offset: 6 });
    assert_eq!(refused(b"\x11\x09\x09\0\0\0\x01\0\x01\x02\xFF"), error);
}

#[test]
fn an_integer_stored_as_text_is_restored_as_an_integer() {
    let body = b"\x11\x0C\x0C\0\0\0\x02\0\x817\x02\x01\x01\xFF";
    let set = restore(&signed(body, VERSION)).unwrap();
    set.check();
    assert_eq!(set.rank("7"), Some(0));
}

#[test]
fn a_back_length_written_by_valkey_is_restored() {
    // A member of 16378 bytes has an entry of 16383 bytes. Valkey writes its back-length in 2
    // bytes, Redis in 3.
    let mut list = Vec::from(*b"\x0A\x40\0\0\x02\0\xF0\xFA\x3F\0\0");
    list.extend([b'x'; 16_378]);
    list.extend(*b"\x7F\xFF\x01\x01\xFF");
    let mut body = Vec::from([TYPE_LISTPACK, LENGTH_32]);
    body.extend((list.len() as u32).to_be_bytes());
    body.extend(&list);
    let set = restore(&signed(&body, 80)).unwrap();
    assert_eq!(set.score("x".repeat(16_378)), Some(Score::from(1)));
    // `Listpack` rejects this entry, because it would write a different back-length.
    assert_eq!(Listpack::from_bytes(list).unwrap_err(), ListpackError::Entry { offset: 6 });
}

proptest! {
    #![proptest_config(test_support::strategy::config(256, 3))]

    #[test]
    fn elements_in_any_order_are_restored_as_a_btree_set_has_them(
        shuffled in btree_map("[a-d]{0,4}", -4_i8..4, 0..if cfg!(miri) { 20 } else { 200 })
            .prop_map(|map| map.into_iter().collect::<Vec<_>>())
            .prop_shuffle(),
        order in 0..4,
    ) {
        let expected: BTreeSet<_> =
            shuffled.iter().map(|(member, score)| (*score, member.as_str())).collect();
        let mut wire: Vec<_> = shuffled.iter().map(|(m, s)| (m.as_str(), f64::from(*s))).collect();
        match order {
            0 => {}
            // Sorts by score only, highest first.
            1 => wire.sort_by(|(_, a), (_, b)| b.total_cmp(a)),
            _ => wire.sort_by(|(a, a_score), (b, b_score)| {
                a_score.total_cmp(b_score).then_with(|| a.cmp(b))
            }),
        }
        if order == 3 {
            wire.reverse();
        }
        for body in bodies(&wire) {
            let set = restore(&signed(&body, VERSION)).unwrap();
            set.check();
            let actual = set.iter().map(|(member, score)| (score.get(), member.to_vec()));
            let expected = expected.iter().map(|(s, m)| (f64::from(*s), m.as_bytes().to_vec()));
            prop_assert!(actual.eq(expected), "type {}", body[0]);
        }
    }
}

#[test]
fn sets_with_every_length_encoding_round_trip() {
    let sizes: &[u16] =
        if cfg!(miri) { &[0, 1, 64] } else { &[0, 1, 63, 64, 128, 129, 16_383, 16_384] };
    for &len in sizes {
        let set: ZSet = (0..len).map(|i| (format!("{i}"), Score::from(i / 3))).collect();
        let restored = restore(&dump(&set)).unwrap();
        assert_eq!(restored, set);
        assert_eq!(restored.encoding(), set.encoding());
    }
    let long = "x".repeat(70_000);
    let set = ZSet::from([(long.as_str(), Score::INFINITY)]);
    assert_eq!(restore(&dump(&set)), Ok(set));
}
