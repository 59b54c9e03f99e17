//! Tests that untrusted bytes are either rejected or form a valid list.

use proptest::collection::vec;
use proptest::prelude::*;
use zset_core::redis::listpack::{ListpackError, Storage, Value};
use zset_core::{Listpack, PackedZSet, Score};

use crate::naive::{self, Entry};
use crate::values::{Given, any_given, entries, entry};

/// Verifies that an accepted list reads the same from both ends and can be changed.
fn verify<B: Storage>(list: &Listpack<B>) {
    list.check();
    let forward = entries(list);
    let mut backward: Vec<Entry> = list.iter().rev().map(|value| entry(&value)).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    assert_eq!((list.len(), list.is_empty()), (forward.len(), forward.is_empty()));
    for index in [0, forward.len() / 2, forward.len().saturating_sub(1), forward.len()] {
        assert_eq!(list.get(index).map(|value| entry(&value)).as_ref(), forward.get(index));
    }

    let mut copy = Listpack::from_bytes(list.as_bytes().to_vec()).unwrap();
    copy.try_push_back("back").unwrap();
    copy.check();
    assert_eq!(copy.len(), forward.len() + 1);
    assert_eq!(copy.iter().next_back(), Some(Value::Bytes(b"back")));
}

/// Verifies that an accepted set is valid and can be changed.
fn verify_as_set(list: Listpack<Vec<u8>>) {
    let Ok(mut set) = PackedZSet::from_listpack(list) else { return };
    set.check();
    let elements: Vec<_> = set.iter().map(|(member, score)| (member.to_vec(), score)).collect();
    for (rank, (member, score)) in elements.iter().enumerate() {
        assert_eq!((set.rank(member), set.score(member)), (Some(rank), Some(*score)));
        // Moves the member to the end, to a score of -1, and back.
        set.try_insert(member, Score::INFINITY).unwrap();
        set.try_insert(member, Score::from(-1)).unwrap();
        set.check();
        set.try_insert(member, *score).unwrap();
        set.check();
    }
    assert!(set.iter().map(|(member, score)| (member.to_vec(), score)).eq(elements));
}

/// Adopts the bytes as a listpack in every kind of storage; returns whether they are valid.
fn adopt(bytes: &[u8]) -> bool {
    let taken = Listpack::from_bytes(bytes.to_vec());
    let mut buffer = [0xFF; 300];
    let len = bytes.len().min(buffer.len());
    buffer[..len].copy_from_slice(&bytes[..len]);
    let borrowed = Listpack::from_bytes(&mut buffer[..len]);
    if bytes.len() == len {
        assert_eq!(borrowed.as_ref().err(), taken.as_ref().err());
    }
    borrowed.iter().for_each(verify);
    let Ok(list) = taken else { return false };
    verify(&list);
    assert!(bytes.starts_with(list.as_bytes()), "the bytes are unchanged");
    verify_as_set(list);
    true
}

/// Returns listpacks with entries of every encoding. The first is empty; the second is a set.
fn samples() -> Vec<Vec<u8>> {
    let set = [
        "-inf",
        "-inf",
        "n",
        "-4097",
        "5",
        "3",
        "7",
        "3",
        "",
        "4",
        "long enough",
        "1.5e+100",
        "z",
        "inf",
    ];
    let set = set.map(|text| Entry::of(text.as_bytes()));
    let integers = [0, 127, 128, -1, -4096, 4096, -32_769, 1 << 23, 1 << 40, i64::MIN];
    let integers = integers.map(Entry::Integer);
    let texts = [0, 1, 63, 64, 126].map(|len| Entry::Text(vec![0xFF; len]));
    vec![
        naive::listpack(&[]),
        naive::listpack(&set),
        naive::listpack(&integers),
        naive::listpack(&texts),
    ]
}

/// The distance between damaged bytes. Miri has time for few.
const STEP: usize = if cfg!(miri) { 37 } else { 1 };

/// Returns replacements for a byte: with one bit flipped, one more, one less, and bytes with a
/// special meaning.
fn damaged_values(byte: u8) -> impl Iterator<Item = u8> {
    let bits = (0..8).map(move |bit| byte ^ 1 << bit);
    let near = [byte.wrapping_sub(1), byte.wrapping_add(1)];
    let special = [0, 0x7F, 0x80, 0xC0, 0xDF, 0xE0, 0xEF, 0xF0, 0xF1, 0xF2, 0xF4, 0xF5, 0xFF];
    let all = bits.chain(near).chain(special);
    all.filter(move |&other| other != byte).step_by(if cfg!(miri) { 9 } else { 1 })
}

#[test]
fn a_changed_byte_is_detected_or_harmless() {
    let (mut accepted, mut refused) = (0, 0);
    for sample in samples() {
        for at in (0..sample.len()).step_by(STEP) {
            for value in damaged_values(sample[at]) {
                let mut bytes = sample.clone();
                bytes[at] = value;
                *(if adopt(&bytes) { &mut accepted } else { &mut refused }) += 1;
            }
        }
    }
    // Damage to a value may be accepted. Damage to a length, an encoding or the end is usually
    // rejected.
    assert!(accepted > 0 && refused > accepted / 4, "{accepted} accepted, {refused} refused");
}

#[test]
fn a_truncated_or_extended_listpack_is_rejected_unless_its_header_agrees() {
    for sample in samples() {
        for len in (0..sample.len()).step_by(STEP) {
            assert!(!adopt(&sample[..len]), "{len} of {} bytes", sample.len());
            // A truncated list is rejected even if the length in its header is corrected.
            let mut cut = sample[..len].to_vec();
            if let Some(header) = cut.first_chunk_mut::<4>() {
                *header = u32::try_from(len).unwrap().to_le_bytes();
            }
            assert!(!adopt(&cut), "{len} of {} bytes", sample.len());
        }
        let longer = [&sample[..], b"trailing bytes"].concat();
        assert!(adopt(&longer));
        let list = Listpack::from_bytes(longer).unwrap();
        assert_eq!(list.into_storage(), sample, "a vector drops the trailing bytes");
    }
}

#[test]
fn swapped_bytes_and_missing_or_doubled_entries() {
    for sample in samples() {
        for at in (6..sample.len()).step_by(STEP) {
            let mut swapped = sample.clone();
            swapped.swap(at, at - 1);
            adopt(&swapped);
            for (from, to) in [(at, at - 1), (at - 1, at)] {
                // Drops or doubles a byte, and adjusts the length in the header.
                let mut bytes = [&sample[..from], &sample[to..]].concat();
                let len = u32::try_from(bytes.len()).unwrap();
                bytes[..4].copy_from_slice(&len.to_le_bytes());
                adopt(&bytes);
            }
        }
    }
}

#[test]
fn errors_name_the_problem_and_its_position() {
    for (bytes, error) in [
        (&b""[..], ListpackError::Length),
        (b"\x07\0\0\0\0\0", ListpackError::Length),
        (b"\x06\0\0\0\0\0\xFF", ListpackError::Length),
        (b"\x08\0\0\0\0\0\xFF", ListpackError::Length),
        (b"\0\0\0\0\0\0\xFF", ListpackError::Length),
        (b"\xFF\xFF\xFF\xFF\0\0\xFF", ListpackError::Length),
        (b"\x07\0\0\0\x01\0\xFF", ListpackError::Count),
        (b"\x09\0\0\0\0\0\x05\x01\xFF", ListpackError::Count),
        (b"\x09\0\0\0\x02\0\x05\x01\xFF", ListpackError::Count),
        (b"\x09\0\0\0\x01\0\x05\x01\x00", ListpackError::End),
        (b"\x09\0\0\0\x01\0\xFF\x01\xFF", ListpackError::End),
        (b"\x0A\0\0\0\x01\0\x05\x01\xFF\xFF", ListpackError::End),
        // A back-length that is wrong, too long, or truncated.
        (b"\x09\0\0\0\x01\0\x05\x02\xFF", ListpackError::Entry { offset: 6 }),
        (b"\x0A\0\0\0\x01\0\x05\x00\x81\xFF", ListpackError::Entry { offset: 6 }),
        (b"\x08\0\0\0\x01\0\x05\xFF", ListpackError::Entry { offset: 6 }),
        // Bytes that cannot start an entry, and lengths that exceed the list.
        (b"\x0B\0\0\0\x02\0\x05\x01\xF5\x01\xFF", ListpackError::Entry { offset: 8 }),
        (b"\x0B\0\0\0\x02\0\x05\x01\xFE\x01\xFF", ListpackError::Entry { offset: 8 }),
        (b"\x0B\0\0\0\x02\0\x05\x01\x83\x01\xFF", ListpackError::Entry { offset: 8 }),
        (b"\x0D\0\0\0\x01\0\xF0\xFF\xFF\xFF\xFF\x01\xFF", ListpackError::Entry { offset: 6 }),
        (b"\x0D\0\0\0\x01\0\xF0\xFB\xFF\xFF\xFF\x01\xFF", ListpackError::Entry { offset: 6 }),
        (b"\x09\0\0\0\x01\0\xF4\x01\xFF", ListpackError::Entry { offset: 6 }),
    ] {
        let refused = Listpack::from_bytes(bytes.to_vec()).unwrap_err();
        assert_eq!(refused, error, "{}", bytes.escape_ascii());
        assert!(!refused.to_string().is_empty());
    }
}

#[test]
#[cfg_attr(miri, ignore = "needs a GiB of memory")]
fn a_listpack_has_at_most_a_gib() {
    let mut bytes = vec![0; (1 << 30) + 1];
    let malformed = ListpackError::Entry { offset: 6 };
    for (len, error) in [(1 << 30, malformed), ((1 << 30) + 1, ListpackError::Length)] {
        bytes[..4].copy_from_slice(&u32::to_le_bytes(len));
        let list = Listpack::from_bytes(&mut bytes[..len as usize]);
        assert_eq!(list.unwrap_err(), error);
    }
}

/// Valkey 9 writes a back-length of 16383 in two bytes, Redis in three. A listpack accepts only the
/// form of Redis.
#[test]
fn a_back_length_shorter_than_in_redis_is_malformed() {
    let text = vec![b'x'; 16_378];
    let list = |back: &[u8]| {
        let entry = [b"\xF0\xFA\x3F\0\0", &text[..], back].concat();
        let total = u32::try_from(7 + entry.len()).unwrap();
        let bytes = [&total.to_le_bytes()[..], b"\x01\0", &entry, b"\xFF"].concat();
        Listpack::from_bytes(bytes)
    };
    assert_eq!(list(b"\0\xFF\xFF").map(|list| list.len()), Ok(1));
    assert_eq!(list(b"\x7F\xFF").unwrap_err(), ListpackError::Entry { offset: 6 });
}

/// The header of any listpack may state that it has too many entries to count.
#[test]
fn entries_beyond_the_header_limit_are_counted() {
    let list = Listpack::from_bytes(*b"\x0B\0\0\0\xFF\xFF\x05\x01\x06\x01\xFF").unwrap();
    verify(&list);
    assert_eq!(list.len(), 2);
    let list = Listpack::from_bytes(*b"\x07\0\0\0\xFF\xFF\xFF").unwrap();
    verify(&list);
    assert_eq!((list.len(), list.is_empty()), (0, true));
    let set = PackedZSet::from_listpack(list).unwrap();
    assert_eq!((set.len(), set.first()), (0, None));
}

/// Redis writes the shortest encoding, but does not require it when reading.
#[test]
fn overlong_encodings_are_read_and_rewritten_in_the_shortest_form() {
    let entries = [
        &b"\x81a\x02"[..],
        b"\xF4\x05\0\0\0\0\0\0\0\x09", // 5, in eight bytes
        b"\xE0\x01b\x03",              // a string of one byte, whose length has twelve bits
        b"\xF1\x05\0\x03",             // 5
        b"\xF2\x07\0\0\x04",           // 7, a member
        b"\xC0\x06\x02",               // 6
        b"\xF0\x01\0\0\0c\x06",        // a string of one byte, whose length has four bytes
        b"\x06\x01",
    ]
    .concat();
    let total = u8::try_from(7 + entries.len()).unwrap();
    let bytes = [&[total, 0, 0, 0, 8, 0], &entries[..], b"\xFF"].concat();
    let list = Listpack::from_bytes(bytes.clone()).unwrap();
    verify(&list);

    let mut set = PackedZSet::from_listpack(list).unwrap();
    assert_eq!(set.as_listpack().as_bytes(), bytes);
    for member in ["a", "b", "7", "c"] {
        let score = set.score(member).unwrap();
        for score in [Score::INFINITY, Score::NEG_INFINITY, score] {
            set.try_insert(member, score).unwrap();
            set.check();
        }
        set.remove(member);
        set.try_insert(member, score).unwrap();
    }
    let shortest = ["a", "5", "b", "5", "7", "6", "c", "6"].map(|text| Entry::of(text.as_bytes()));
    let shortest = naive::listpack(&shortest);
    assert_eq!(set.as_listpack().as_bytes(), shortest);
}

proptest! {
    #![proptest_config(test_support::strategy::config(2000, 4))]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..40)) {
        adopt(&bytes);
    }

    /// Most random bytes are rejected at the header. Here the header is valid, so the entries are
    /// read as well.
    #[test]
    fn random_entries(
        body in vec(prop_oneof![any::<u8>(), 0..10_u8, 0x80..0x86_u8, Just(0xFF)], 0..30),
        count in prop_oneof![0..8_u16, Just(u16::MAX)],
    ) {
        let total = u32::try_from(7 + body.len()).unwrap();
        let bytes = [&total.to_le_bytes()[..], &count.to_le_bytes(), &body, &[0xFF]].concat();
        adopt(&bytes);
    }

    #[test]
    fn random_damage(
        given in vec(any_given(), 0..6),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let entries: Vec<Entry> = given.iter().map(Given::entry).collect();
        let mut bytes = naive::listpack(&entries);
        prop_assert!(Listpack::from_bytes(bytes.clone()).is_ok());
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        adopt(&bytes);
    }
}

/// Redis and Valkey never store a decimal integer as a string, but other writers may.
#[test]
fn integers_stored_as_strings_are_read_and_rewritten_as_integers() {
    let bytes = b"\x0E\0\0\0\x02\0\x82-7\x03\xDF\xF9\x02\xFF";
    let list = Listpack::from_bytes(bytes.to_vec()).unwrap();
    assert!(list.iter().eq([Value::Bytes(b"-7"), Value::Integer(-7)]));
    let mut copy = Listpack::new();
    list.iter().for_each(|value| copy.try_push_back(value).unwrap());
    assert!(copy.iter().eq([Value::Integer(-7), Value::Integer(-7)]));
}
