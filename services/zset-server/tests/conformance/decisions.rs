//! Tests what the engine does where Redis, Valkey and `zset_core` differ.
//!
//! `docs/design.md` has a table of the differences. Three of them are tested elsewhere: RESTORE of
//! long members in `interchange::other_limits`, sums of infinities in `rows/infinities.txt`, and
//! negative offsets in `rows/range.txt`.
//!
//! Where the two servers agree, the engine does the same. Where they differ, the engine follows
//! Valkey. The exceptions are in `docs/redis.md`.

use zset_core::redis::rdb;
use zset_core::redis::{AddOptions, ScoreRange};
use zset_core::{Encoding, ListpackLimits, Score, ZSet};

use super::both::Both;
use super::command::{Command, command};
use super::process::{Kind, Reply, Server};
use super::test_with_each_server;

test_with_each_server!(
    texts_of_scores,
    negative_zero,
    valid_numbers,
    arguments_that_promote,
    back_length_of_16383,
);

const SKIPLISTS: ListpackLimits =
    ListpackLimits { max_listpack_entries: 0, max_listpack_value: 64 };

fn texts_of_scores(mut server: Server) {
    for limits in [ListpackLimits::default(), SKIPLISTS] {
        let mut both = Both::new(&mut server, limits);
        for (long, short, ours) in [
            ("0.10000000000000001", "0.1", "0.1"),
            ("7.3600000000000007e+23", "7.360000000000001e+23", "7.36e+23"),
            ("6.8622596874119685e-201", "6.862259687411968e-201", "6.862259687411969e-201"),
            ("9.2233720368547758e+18", "9223372036854776000", "9223372036854776000"),
        ] {
            both.agree(command!["ZADD", "set", ours, "member"]);
            let theirs = if both.server.kind == Kind::Redis { long } else { short };
            assert_eq!(both.show("ZSCORE set member"), [ours, theirs]);
            let score = Score::parse(ours.as_bytes()).unwrap();
            assert_eq!(score.to_string(), ours);
            assert_eq!(theirs.parse(), Ok(score), "both strings are the same score");
        }
    }
}

fn negative_zero(mut server: Server) {
    for (limits, theirs) in [(ListpackLimits::default(), "0"), (SKIPLISTS, "-0")] {
        let mut both = Both::new(&mut server, limits);
        both.agree_all(["ZADD set -0 b 0 a -1 c", "ZINCRBY set 1 c"]);
        assert_eq!(both.show("ZSCORE set b"), ["0", theirs]);
        // The engine and both servers treat zeros of both signs as equal.
        let lines = ["ZADD set CH 0 b", "ZRANGE set 0 -1", "ZCOUNT set (0 0", "ZCOUNT set -0 -0"];
        both.agree_all(lines);
    }
}

fn valid_numbers(mut server: Server) {
    // Each array says whether a string is valid: first for Redis 7.0, then for Valkey and the
    // engine, and last for `zset_core`.
    const NONE: [bool; 3] = [false; 3];
    const ALL: [bool; 3] = [true; 3];
    const REDIS: [bool; 3] = [true, false, false];
    const SERVERS: [bool; 3] = [true, true, false];
    for (word, as_score, as_bound) in [
        ("0x10", REDIS, REDIS),
        ("-0X1p-3", REDIS, REDIS),
        (" 1", NONE, REDIS),
        ("\t\n1", NONE, REDIS),
        ("1 ", NONE, NONE),
        ("", NONE, SERVERS),
        ("1\0x", NONE, SERVERS),
        ("1e400", NONE, ALL),
        ("-1e400", NONE, ALL),
        ("1e-400", NONE, ALL),
        ("2e-324", NONE, ALL),
        ("3e-324", ALL, ALL),
        ("nan", NONE, NONE),
        ("infinity", ALL, ALL),
        (".5", ALL, ALL),
        ("5.", ALL, ALL),
    ] {
        let mut both = Both::new(&mut server, ListpackLimits::default());
        let mut check = |command: Command, expected: [bool; 3]| {
            let theirs = expected[usize::from(both.server.kind != Kind::Redis)];
            let is_valid = |reply: &[u8]| !reply.starts_with(b"-");
            assert_eq!(is_valid(&both.server.run(&command)), theirs, "{command}");
            assert_eq!(is_valid(&both.ours.run(&command)), expected[1], "{command} here");
        };
        check(command!["ZADD", "set", word, "member"], as_score);
        assert_eq!(Score::parse(word.as_bytes()).is_ok(), as_score[2], "{word:?} as a score");
        for bound in [word.to_owned(), format!("({word}")] {
            check(command!["ZCOUNT", "set", bound, "inf"], as_bound);
            let range = ScoreRange::parse(bound.as_bytes(), b"inf");
            assert_eq!(range.is_ok(), as_bound[2], "{bound:?} as a bound");
        }
    }

    let mut both = Both::new(&mut server, ListpackLimits::default());
    both.agree("ZADD set -inf a 0 b 5e-324 c 1e308 d inf e");
    for bound in ["1e400", "-1e400", "1e-400", "-1e-400"].map(str::to_owned) {
        for bound in [format!("({bound}"), bound] {
            both.agree(command!["ZCOUNT", "set", bound, "+inf"]);
            both.agree(command!["ZCOUNT", "set", "-inf", bound]);
        }
    }
}

fn arguments_that_promote(mut server: Server) {
    let limits = ListpackLimits { max_listpack_entries: 2, max_listpack_value: 4 };
    for line in ["ZADD set XX 1 longer", "ZADD set 1 a 2 a 3 a"] {
        let mut both = Both::new(&mut server, limits);
        both.agree_all(["ZADD set 0 a", line]);
        let is_redis = both.server.kind == Kind::Redis;
        let theirs = if is_redis { "\"listpack\"" } else { "\"skiplist\"" };
        assert_eq!(both.show("OBJECT ENCODING set"), ["\"skiplist\"", theirs]);
    }
    let mut set = ZSet::with_limits(limits);
    set.add("a", Score::ZERO, AddOptions::new()).unwrap();
    set.add("longer", Score::from(1), AddOptions::new().xx()).unwrap();
    assert_eq!(set.encoding(), Encoding::Listpack);
}

/// Tests an entry with a back-length of 16,383: the length of the string in 5 bytes, and the
/// string.
fn back_length_of_16383(mut server: Server) {
    let limits = ListpackLimits { max_listpack_value: 20_000, ..ListpackLimits::default() };
    let mut both = Both::new(&mut server, limits);
    both.server.ask("CONFIG SET rdbcompression no");
    let member = vec![b'm'; 16_383 - 5];
    both.agree(command!["ZADD", "set", "1", member]);
    let mut ours = ZSet::with_limits(limits);
    ours.insert(&member, Score::from(1));

    let reply = both.server.run(&command!["RESTORE", "copy", "0", rdb::dump(&ours)]);
    assert_eq!(reply == b"+OK\r\n", both.server.kind == Kind::Redis, "{}", reply.escape_ascii());
    let theirs = both.server.ask("DUMP set");
    let theirs = Reply::of(&theirs).into_text();
    assert_eq!(rdb::restore_with_limits(theirs, limits), Ok(ours));
    assert_eq!(both.ours.run(&command!["RESTORE", "copy", "0", theirs]), b"+OK\r\n");
}
