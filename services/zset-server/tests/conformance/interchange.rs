//! Tests the payloads of sorted sets in DUMP and RESTORE: other servers restore ours, and the
//! engine restores theirs.

use std::collections::BTreeSet;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use zset_core::redis::rdb;
use zset_core::{Encoding, ListpackLimits, Score, ZSet};

use super::both::{Both, LIMITS};
use super::command::{Command, command};
use super::episodes::script;
use super::process::{Kind, Reply, Server};
use super::test_with_each_server;

/// The key of the set that is exchanged. Its copy is at `copy`.
const KEY: &str = "set";

test_with_each_server!(
    members_of_all_lengths,
    integers_of_all_widths,
    scores_of_all_kinds,
    random_sets,
    compressed_payloads,
    large_sets,
    other_limits,
);

/// Limits under which long members are stored in a listpack.
const LONG_MEMBERS: ListpackLimits =
    ListpackLimits { max_listpack_entries: 128, max_listpack_value: 20_000 };

/// Exchanges the set at [`KEY`], which both have, and compares its elements, encodings and bytes.
fn exchange(both: &mut Both<'_>) {
    // Give the key a deadline, which must not become part of the payload.
    both.agree("EXPIRE set 1000");
    let dumps = both.run("DUMP set");
    let [ours, theirs] = [0, 1].map(|side: usize| Reply::of(&dumps[side]).into_text());

    let restore = |payload| command!["RESTORE", "copy", "0", payload, "REPLACE"];
    assert_eq!(both.server.run(&restore(ours)), b"+OK\r\n");
    assert_eq!(both.ours.run(&restore(theirs)), b"+OK\r\n");
    both.agree_all(["OBJECT ENCODING copy", "ZRANGE copy 0 -1 WITHSCORES"]);
    assert_eq!(both.elements(b"copy"), both.elements(b"set"));
    let copy = both.ours.ask("DUMP copy");
    assert_eq!(Reply::of(&copy).into_text(), ours, "the same set has the same payload");

    // Restore with `zset_core` alone, without the engine.
    let restored = rdb::restore_with_limits(theirs, both.limits);
    let restored = restored.unwrap_or_else(|error| panic!("{error}: {}", theirs.escape_ascii()));
    restored.check();
    assert!(rdb::dump(&restored) == ours, "{restored:?}");

    // The listpacks are equal, unless the server compresses its payload or writes scores as other
    // strings.
    let is_listpack = restored.encoding() == Encoding::Listpack;
    if is_listpack && !is_compressed(theirs) && has_our_texts(both.server, &restored) {
        assert_eq!(listpack_in(ours), listpack_in(theirs), "{restored:?}");
    }
    // Redis 7.0 writes the same RDB version, so its uncompressed payloads are equal as a whole. The
    // exceptions are scores written as other strings, and zeros in skip lists, whose sign Redis
    // keeps.
    let has_zero = restored.iter().any(|(_, score)| score == Score::ZERO);
    let has_our_bytes = if is_listpack { has_our_texts(both.server, &restored) } else { !has_zero };
    let compresses = both.server.ask("CONFIG GET rdbcompression").ends_with(b"yes\r\n");
    if both.server.kind == Kind::Redis && !compresses && has_our_bytes {
        assert_eq!(ours, theirs, "{restored:?}");
    }
}

/// Returns whether a server stores all scores as the same strings as the engine.
fn has_our_texts(server: &mut Server, ours: &ZSet) -> bool {
    let reply = server.ask("ZRANGE set 0 -1 WITHSCORES");
    let pairs = Reply::of(&reply).into_parts().into_iter().map(Reply::into_parts);
    let is_integer = |score: Score| score.get().fract() == 0.0 && score.get().abs() < 4e18;
    ours.iter().zip(pairs).all(|((_, score), pair)| {
        is_integer(score) || pair[1] == Reply::Line(b',', score.to_string().as_bytes())
    })
}

/// The offset of a string's length, after the type.
const LENGTH: usize = 1;

fn is_compressed(payload: &[u8]) -> bool {
    payload[LENGTH] == 0xC3
}

/// Returns the listpack in a payload that is not compressed.
fn listpack_in(payload: &[u8]) -> &[u8] {
    /// The length of the version and the checksum.
    const FOOTER: usize = 10;
    assert_eq!(payload[0], 17, "the type of a listpack");
    let (len, start) = match payload[LENGTH..] {
        [len @ 0..0x40, ..] => (usize::from(len), 2),
        [high @ 0x40..0x80, low, ..] => (usize::from(high & 0x3F) << 8 | usize::from(low), 3),
        [0x80, a, b, c, d, ..] => (u32::from_be_bytes([a, b, c, d]) as usize, 6),
        _ => panic!("the string is compressed"),
    };
    assert_eq!(payload.len(), start + len + FOOTER);
    &payload[start..start + len]
}

fn compress(server: &mut Server, compress: bool) {
    let yes_or_no = if compress { "yes" } else { "no" };
    assert_eq!(server.ask(&format!("CONFIG SET rdbcompression {yes_or_no}")), b"+OK\r\n");
    // Enable all checks of payloads. Ignore the reply, since a server may lack this setting.
    let _ = server.ask("CONFIG SET sanitize-dump-payload yes");
}

/// Returns the given limits, and limits under which every set is a skip list.
fn each_encoding(limits: ListpackLimits) -> [ListpackLimits; 2] {
    [limits, ListpackLimits { max_listpack_entries: 0, ..limits }]
}

/// For each element, exchanges a set with only this element. Then adds the elements one by one to
/// the same set, and exchanges it after each addition.
fn exchange_growing(
    server: &mut Server,
    limits: ListpackLimits,
    elements: impl IntoIterator<Item = (Vec<u8>, String)>,
) {
    let elements: Vec<_> = elements.into_iter().collect();
    let add = |(member, score): &(Vec<u8>, String)| command!["ZADD", KEY, score, member];
    for element in &elements {
        let mut both = Both::new(server, limits);
        both.agree(add(element));
        exchange(&mut both);
    }
    let mut both = Both::new(server, limits);
    for element in &elements {
        both.agree(add(element));
        exchange(&mut both);
    }
}

fn members_of_all_lengths(mut server: Server) {
    compress(&mut server, false);
    for limits in each_encoding(LONG_MEMBERS) {
        // Lengths around those at which the encoding of a string changes, in a listpack or in a
        // payload. Servers disagree about 16,378 bytes, so that length is tested in `decisions`.
        let lengths = [0, 1, 2, 10, 11, 12, 62, 63, 64, 65, 126, 127, 128, 4094, 4095, 4096, 4097];
        let longer = [16_371, 16_375, 16_376, 16_377, 16_379, 16_382, 16_383, 16_384, 16_385];
        for length in lengths.into_iter().chain(longer) {
            let member = vec![b'm'; length];
            exchange_growing(&mut server, limits, [(member, "1".into())]);
        }
        let elements = lengths.map(|length| (vec![0xA5; length], length.to_string()));
        exchange_growing(&mut server, limits, elements);
    }
}

/// Returns the integers around the limits of each form in a listpack or a payload.
fn integers() -> BTreeSet<i128> {
    let widths = [0, 1, 6, 7, 8, 12, 13, 15, 16, 23, 24, 31, 32, 52, 53, 54, 61, 62, 63, 64];
    let near = widths.into_iter().flat_map(|width| [-1, 0, 1].map(|near| (1i128 << width) + near));
    near.flat_map(|integer| [integer, -integer]).collect()
}

fn integers_of_all_widths(mut server: Server) {
    compress(&mut server, false);
    for limits in each_encoding(ListpackLimits { max_listpack_entries: 1000, ..LONG_MEMBERS }) {
        // Use each integer as a member, as a score, and as both.
        let elements: [fn(i128) -> (String, String); 3] = [
            |i| (i.to_string(), "0".into()),
            |i| ("member".into(), i.to_string()),
            |i| (i.to_string(), (-i).to_string()),
        ];
        for element in elements {
            let elements = integers().into_iter().map(element);
            let elements = elements.map(|(member, score)| (member.into_bytes(), score));
            exchange_growing(&mut server, limits, elements);
        }
    }
}

fn scores_of_all_kinds(mut server: Server) {
    compress(&mut server, false);
    let scores = "-inf -1.7976931348623157e308 -599999999999999950000000 -1e22 \
                  -6917529027641081856 -123456.789 -1.5 -0.1 -1e-9 -5e-324 -0 0 5e-324 \
                  2.2250738585072014e-308 1e-7 0.00001 0.1 0.30000000000000004 1.5 \
                  3.141592653589793 123456789.123 4503599627370496.5 4611686018427388928 \
                  6917529027641081856 9223372036854774784 1e20 599999999999999950000000 1e21 \
                  1e22 1e23 1.7976931348623157e308 inf";
    for limits in each_encoding(ListpackLimits::default()) {
        let elements = scores.split(' ').enumerate();
        let elements = elements.map(|(i, score)| (format!("m{i}").into_bytes(), score.to_owned()));
        exchange_growing(&mut server, limits, elements);
    }
}

fn random_sets(mut server: Server) {
    for seed in 0..150 {
        compress(&mut server, seed % 2 == 0);
        let (limits, len) = (LIMITS[seed % 5], [1, 4, 5, 30, 150][seed / 5 % 5]);
        let mut script = script(seed as u64);
        let mut both = Both::new(&mut server, limits);
        for _ in 0..len {
            both.agree(&*script.draw("ZADD set <validscore> <member>"));
        }
        exchange(&mut both);
    }
}

fn compressed_payloads(mut server: Server) {
    compress(&mut server, true);
    let mut compressed = 0;
    for limits in each_encoding(LONG_MEMBERS) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for length in [5, 21, 60, 100, 265, 266, 1000, 8192, 8300, 20_000] {
            for period in [1, 2, 3, 7, 30, 300] {
                let unit: Vec<u8> = (0..period).map(|_| random.random()).collect();
                let member: Vec<u8> = unit.into_iter().cycle().take(length).collect();
                let mut both = Both::new(&mut server, limits);
                both.agree(command!["ZADD", KEY, "1", member]);
                let similar = [&member[..length / 2], b"other"].concat();
                both.agree(command!["ZADD", KEY, "2.5", similar]);
                exchange(&mut both);
                let theirs = both.server.ask("DUMP set");
                compressed += usize::from(is_compressed(Reply::of(&theirs).into_text()));
            }
        }
    }
    assert!(compressed > 40, "only {compressed} listpacks were compressed");
}

fn large_sets(mut server: Server) {
    for (compressed, len) in [(false, 129), (true, 1000), (false, 5000), (true, 5000)] {
        compress(&mut server, compressed);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(len);
        let mut both = Both::new(&mut server, ListpackLimits::default());
        for first in (0..len).step_by(100) {
            let mut words = vec![b"ZADD".to_vec(), KEY.into()];
            for i in first..len.min(first + 100) {
                words.push(random.random_range(-99.0..99.0f64).to_string().into_bytes());
                words.push(format!("member {i}").into_bytes());
            }
            both.agree(Command::new(words));
        }
        exchange(&mut both);
    }
}

/// Tests payloads that come from a server with other limits.
fn other_limits(mut server: Server) {
    compress(&mut server, false);
    let short = |i: u32| format!("m{i}").into_bytes();
    let long = |i: u32| format!("member {i}").into_bytes();
    let sets: [(u32, fn(u32) -> Vec<u8>); 4] = [(4, short), (5, short), (4, long), (200, long)];
    for (len, member) in sets {
        let set: ZSet = (0..len).map(|i| (member(i), Score::from(i))).collect();
        let mut promoted = set.clone();
        promoted.promote();
        for set in [set, promoted] {
            for limits in LIMITS {
                let payload = rdb::dump(&set);
                let restored = rdb::restore_with_limits(&payload, limits).expect("it is valid");
                assert_eq!(restored, set);
                let mut both = Both::new(&mut server, limits);
                let replies = both.run(command!["RESTORE", KEY, "0", payload]);
                assert_eq!(replies, [b"+OK\r\n"; 2]);
                let is_long = member(0).len() > limits.max_listpack_value;
                let fits = set.len() <= limits.max_listpack_entries;
                // When servers restore a listpack, they ignore the lengths of its members, unlike
                // `zset_core`.
                let expected = if set.encoding() == Encoding::Listpack && is_long && fits {
                    assert_eq!(restored.encoding(), Encoding::Skiplist);
                    Encoding::Listpack
                } else {
                    restored.encoding()
                };
                let message = format!("{set:?}, {:?}, with {limits:?}", set.encoding());
                let expected = format!("\"{expected}\"");
                assert_eq!(both.show("OBJECT ENCODING set"), [&*expected; 2], "{message}");
            }
        }
    }
}
