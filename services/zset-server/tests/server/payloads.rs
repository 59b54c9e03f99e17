//! Tests RESTORE of plain sets and strings. Their payloads are untrusted input.

use proptest::collection::vec;
use proptest::prelude::*;
use zset_core::redis::rdb;

use crate::prompt::Prompt;

/// Restores a body, which is a type byte and a value, at the key `key`; returns the reply.
fn restore(prompt: &mut Prompt, body: &[u8]) -> String {
    let mut payload = body.to_vec();
    rdb::seal(&mut payload);
    let reply = prompt.run(&[b"RESTORE", b"key", b"0", &payload, b"REPLACE"]);
    String::from_utf8_lossy(&reply).into_owned()
}

/// Bodies in all encodings of sets, each with its members in order.
const SETS: [(&[u8], &[&str]); 4] = [
    (b"\x02\x02\x01b\x01a", &["a", "b"]),
    (b"\x0B\x0E\x02\0\0\0\x03\0\0\0\xFF\xFF\x02\0\x03\0", &["-1", "2", "3"]),
    (b"\x0B\x10\x08\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x80", &["-9223372036854775808"]),
    (b"\x14\x0F\x0F\0\0\0\x03\0\x81a\x02\x81b\x02\x05\x01\xFF", &["5", "a", "b"]),
];

#[test]
fn all_encodings_of_sets_are_restored() {
    let mut prompt = Prompt::new();
    for (body, members) in SETS {
        assert_eq!(restore(&mut prompt, body), "+OK\r\n");
        let found: Vec<_> = members.iter().map(|it| format!(" ${} {it}", it.len())).collect();
        let expected = format!("*{}{}", members.len(), found.concat());
        assert_eq!(prompt.ask("ZUNION 1 key"), expected);
    }
}

#[test]
fn compressed_strings_are_restored() {
    let mut prompt = Prompt::new();
    // The compressed string is 3 literal bytes and a back-reference of 7 bytes at distance 3.
    assert_eq!(restore(&mut prompt, b"\0\xC3\x06\x0A\x02abc\xA0\x02"), "+OK\r\n");
    assert_eq!(prompt.ask("GET key"), "$10 abcabcabca");
}

#[test]
fn a_declared_length_does_not_allocate() {
    let mut prompt = Prompt::new();
    for body in [
        &b"\0\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"[..],
        b"\0\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFF",
        b"\0\xC3\x02\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFFab",
        b"\x02\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFF",
        b"\x05\x81\x00\x00\x00\xFF\xFF\xFF\xFF\xFF",
        b"\x0B\x08\x08\0\0\0\xFF\xFF\xFF\xFF",
    ] {
        assert_eq!(restore(&mut prompt, body), "-ERR Bad data format\r\n", "{body:?}");
    }
}

proptest! {
    #[test]
    fn a_changed_payload_is_an_error_or_a_value(
        (body, _) in prop::sample::select(&SETS[..]),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let mut body = body.to_vec();
        for (index, byte) in changes {
            let index = index.index(body.len());
            body[index] = byte;
        }
        let mut prompt = Prompt::new();
        let reply = restore(&mut prompt, &body);
        if reply == "+OK\r\n" {
            prop_assert_eq!(prompt.ask("EXISTS key"), ":1");
            prop_assert!(prompt.ask("DUMP key").starts_with('$'));
        } else {
            prop_assert_eq!(reply, "-ERR Bad data format\r\n");
        }
    }
}
