//! Tests lists against known bytes: the output of `DUMP` in Redis 7.0.15 for small sets and hashes.

use zset_core::redis::listpack::Value;
use zset_core::{Encoding, Listpack, PackedZSet, Score, ZSet};

use crate::naive::{self, Entry};

type Elements<'a> = &'a [(&'a [u8], f64)];

const I64_MAX: &[u8] = b"9223372036854775807";
const I64_MIN: &[u8] = b"-9223372036854775808";

/// Sets and their bytes in Redis. The elements are in no particular order.
const SETS: [(Elements<'_>, &[u8]); 7] = [
    (&[], b"\x07\0\0\0\0\0\xFF"),
    (
        &[(b"a", 1.0), (b"B", 1.0), (b"9", 1.0), (b"10", 1.0), (b"aa", 1.0)],
        b"\x1f\0\0\0\x0a\0\x0a\x01\x01\x01\x09\x01\x01\x01\x81B\x02\x01\x01\x81a\x02\x01\x01\
          \x82aa\x03\x01\x01\xff",
    ),
    (
        &[(b"zero", 0.0), (b"neg", -1.0), (b"x", 127.0), (b"y", 128.0), (b"half", 1.5)],
        b"\x2d\0\0\0\x0a\0\x83neg\x04\xdf\xff\x02\x84zero\x05\0\x01\x84half\x05\x831.5\x04\
          \x81x\x02\x7f\x01\x81y\x02\xc0\x80\x02\xff",
    ),
    (
        &[
            (b"inf", f64::INFINITY),
            (b"-inf", f64::NEG_INFINITY),
            (b"big", 1e22),
            (b"most", 4_611_686_018_427_387_904.0),
            (b"i64", 2_147_483_648.0),
            (b"i32", 8_388_608.0),
            (b"i24", 8_388_607.0),
            (b"i16", 4096.0),
            (b"n16", -4097.0),
            (b"n13", -4096.0),
        ],
        b"\x77\0\0\0\x14\0\x84-inf\x05\x84-inf\x05\x83n16\x04\xf1\xff\xef\x03\x83n13\x04\xd0\0\x02\
          \x83i16\x04\xf1\0\x10\x03\x83i24\x04\xf2\xff\xff\x7f\x04\x83i32\x04\xf3\0\0\x80\0\x05\
          \x83i64\x04\xf4\0\0\0\x80\0\0\0\0\x09\x84most\x05\xf4\0\0\0\0\0\0\0\x40\x09\
          \x83big\x04\x851e+22\x06\x83inf\x04\x83inf\x04\xff",
    ),
    (
        &[
            (b"", 0.0),
            (b"007", 0.0),
            (b"-0", 0.0),
            (b"-5", 0.0),
            (b"127", 0.0),
            (I64_MAX, 0.0),
            (b"9223372036854775808", 0.0),
            (I64_MIN, 0.0),
        ],
        b"\x50\0\0\0\x10\0\x80\x01\0\x01\x82-0\x03\0\x01\xdf\xfb\x02\0\x01\
          \xf4\0\0\0\0\0\0\0\x80\x09\0\x01\x83007\x04\0\x01\x7f\x01\0\x01\
          \xf4\xff\xff\xff\xff\xff\xff\xff\x7f\x09\0\x01\x939223372036854775808\x14\0\x01\xff",
    ),
    (&[(b"\xff\xfe", 2.0)], b"\x0d\0\0\0\x02\0\x82\xff\xfe\x03\x02\x01\xff"),
    (
        &[(&[b'x'; 64], 3.0)],
        b"\x4c\0\0\0\x02\0\xe0\x40xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
          xxxx\x42\x03\x01\xff",
    ),
];

/// Returns the bytes of a set that is a listpack.
fn bytes(set: &ZSet) -> &[u8] {
    set.as_listpack().expect("it is small").as_bytes()
}

fn set_of(elements: Elements<'_>) -> ZSet {
    elements.iter().map(|&(member, score)| (member, Score::new(score).unwrap())).collect()
}

#[test]
fn sets_have_the_bytes_of_redis() {
    for (elements, golden) in SETS {
        let mut set = set_of(elements);
        assert_eq!(set.encoding(), Encoding::Listpack);
        assert_eq!(bytes(&set).escape_ascii().to_string(), golden.escape_ascii().to_string());

        // The bytes are the same in a fixed buffer, even after other elements were inserted and
        // removed.
        let mut packed = PackedZSet::with_storage([0xAA; 400]).unwrap();
        for &(member, _) in elements.iter().rev() {
            packed.try_insert(member, Score::from(77)).unwrap();
            packed.try_insert([member, b"gone"].concat(), Score::from(7)).unwrap();
        }
        for &(member, score) in elements {
            packed.try_insert(member, Score::new(score).unwrap()).unwrap();
        }
        packed.retain(|member, _| !member.ends_with(b"gone"));
        assert_eq!(packed.as_listpack().as_bytes(), golden);
        set.shrink_to_fit();
        assert_eq!(bytes(&set), golden);
    }
}

#[test]
fn bytes_of_redis_restore_the_sets() {
    for (elements, golden) in SETS {
        let list = Listpack::from_bytes(golden.to_vec()).unwrap();
        assert_eq!(list.as_bytes(), golden);
        let packed = PackedZSet::from_listpack(list).unwrap();
        packed.check();
        assert!(packed.iter().eq(&set_of(elements)));
    }
}

/// Redis formats such a score as decimal text, for example `4611686018427389000`. A listpack stores
/// decimal text as an integer if it fits into an `i64`.
#[test]
fn scores_that_print_as_integers_are_stored_as_integers() {
    for (score, integer) in [
        (4_611_686_018_427_388_928.0, 4_611_686_018_427_389_000_i64),
        (-9_223_372_036_854_774_784.0, -9_223_372_036_854_775_000),
    ] {
        let set = set_of(&[(b"a", score)]);
        let entries = [Entry::of(b"a"), Entry::Integer(integer)];
        assert_eq!(bytes(&set), naive::listpack(&entries));
        assert_eq!(set.score("a"), Score::new(score).ok());
    }
    // This integer exceeds `i64`.
    let set = set_of(&[(b"a", 9_223_372_036_854_775_808.0)]);
    let entries = [Entry::of(b"a"), Entry::of(b"9223372036854776000")];
    assert_eq!(bytes(&set), naive::listpack(&entries));
}

/// Redis also stores a small hash as a listpack: as pairs of a field and its value.
#[test]
fn a_hash_of_redis_is_read_and_written() {
    let (y, z) = ([b'y'; 63], [b'z'; 64]);
    let golden = [
        &b"\x96\0\0\0\x06\0\x81a\x02\xbf"[..],
        &y,
        b"\x40\x81b\x02\xe0\x40",
        &z,
        b"\x42\x0c\x01\xde\xd4\x02\xff",
    ]
    .concat();
    let list = Listpack::from_bytes(golden.as_slice().to_vec()).unwrap();
    let values = [
        Value::Bytes(b"a"),
        Value::Bytes(&y),
        Value::Bytes(b"b"),
        Value::Bytes(&z),
        Value::Integer(12),
        Value::Integer(-300),
    ];
    assert!(list.iter().eq(values));

    let mut written = Listpack::with_storage([0; 160]).unwrap();
    for value in [&b"a"[..], &y, b"b", &z, b"12", b"-300"] {
        written.try_push_back(value).unwrap();
    }
    assert_eq!(written.as_bytes(), golden);
    assert_eq!(written, list, "the bytes do not depend on the storage");
}

#[test]
fn a_long_string_has_a_length_of_four_bytes_and_a_back_length_of_up_to_three() {
    let lens = [
        (4096_usize, &b"\xF0\x00\x10\x00\x00"[..], &b"\x20\x85"[..]),
        (16_377, b"\xF0\xF9\x3F\x00\x00", b"\x7F\xFE"),
        (16_378, b"\xF0\xFA\x3F\x00\x00", b"\x00\xFF\xFF"),
        (70_000, b"\xF0\x70\x11\x01\x00", b"\x04\xA2\xF5"),
    ];
    for (len, head, back) in lens.into_iter().take(if cfg!(miri) { 1 } else { 4 }) {
        let text = vec![b'x'; len];
        let mut list = Listpack::new();
        list.try_push_back(text.as_slice()).unwrap();
        let (bytes, total) = (list.as_bytes(), 7 + head.len() + len + back.len());
        assert_eq!(bytes[..4], u32::try_from(total).unwrap().to_le_bytes());
        assert_eq!(bytes[6..6 + head.len()], *head);
        assert_eq!(bytes[total - 1 - back.len()..], [back, b"\xFF"].concat());
    }
}
