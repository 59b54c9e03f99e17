//! Where servers differ, from each other or from us, each with a test that shows it.
//!
//! | what | Redis 7.0 | Valkey 9 | `ZSet` | test |
//! |---|---|---|---|---|
//! | text of a score | 17 digits: `0.10000000000000001` | the fewest, but not always: `7.360000000000001e+23`; or not the nearest of them: `6.862259687411968e-201` | the fewest, and the nearest: `0.1`, `7.36e+23`, `6.862259687411969e-201` | `texts_of_scores` |
//! | -0.0 | keeps its sign in a skip list and loses it in a listpack | the same | is 0 | `negative_zero` |
//! | hexadecimal scores and bounds: `0x10` | read | refused | refused | `texts_that_are_read` |
//! | white space before a bound: `" 1"` | read | refused | refused | `texts_that_are_read` |
//! | an empty bound: `""`, `(` | is 0 | is 0 | refused | `texts_that_are_read` |
//! | a zero byte in a bound: `"1\0x"` | ends it | ends it | refused | `texts_that_are_read` |
//! | what else overflows | no score, but a bound: an infinity | the same | the same | `texts_that_are_read` |
//! | 0 times infinity, in a set of ZINTER that is not the smallest | NaN: a sum becomes 0, MIN and MAX ignore it | the same | 0, as in ZUNION | `zero_times_infinity` |
//! | order of summands | the smallest set first | the same | the order of the arguments | `order_of_summands` |
//! | ZADD of more pairs, or a longer member, than a listpack may have, of which none is new | stays a listpack | becomes a skip list | stays a listpack | `hints` |
//! | negative first number of LIMIT | nothing | nothing of a listpack; of a skip list, counted from the end | none of its business: an iterator | `negative_offsets` |
//! | RESTORE of a listpack with a longer member than `zset-max-listpack-value` | stays a listpack | the same | becomes a skip list | `interchange::other_limits` |
//! | back-length of a listpack entry of 16,383 bytes | 3 bytes | 2 bytes, and refuses 3 | 3 bytes, and restores both | `back_length_of_16383` |
//!
//! Unions and intersections are those of a `SortedSet` with the same elements.
//!
//! Besides, what a server's front end decides has no counterpart here: the texts of its errors,
//! what it takes for an integer, the values of cursors, and who is drawn at random.

use zset_core::redis::ScoreRange;
use zset_core::{Aggregate, ListpackLimits, Score, SortedSet, rdb};

use crate::both::Both;
use crate::client::Reply;
use crate::command::{Command, command};
use crate::front_end::sorted;
use crate::server::{Kind, Server, test_with_each_server};

test_with_each_server!(
    texts_of_scores,
    negative_zero,
    texts_that_are_read,
    infinities,
    zero_times_infinity,
    order_of_summands,
    hints,
    negative_offsets,
    back_length_of_16383,
);

const SKIPLISTS: ListpackLimits =
    ListpackLimits { max_listpack_entries: 0, max_listpack_value: 64 };

fn text(text: &str) -> Reply {
    Reply::Text(text.as_bytes().to_vec())
}

fn texts(texts: &[&str]) -> Reply {
    Reply::List(texts.iter().map(|it| text(it)).collect())
}

/// Fills sets: each is its key, and its elements as ZADD takes them.
fn fill(both: &mut Both<'_>, sets: &[(&str, &[&str])]) {
    for (key, elements) in sets {
        let words = ["ZADD", key].into_iter().chain(elements.iter().copied());
        both.agree(&Command::new(words.map(|word| word.as_bytes().to_vec())));
    }
}

fn texts_of_scores(mut server: Server) {
    for limits in [ListpackLimits::default(), SKIPLISTS] {
        let mut both = Both::new(&mut server, limits);
        for (long, short, ours) in [
            ("0.10000000000000001", "0.1", "0.1"),
            ("7.3600000000000007e+23", "7.360000000000001e+23", "7.36e+23"),
            ("6.8622596874119685e-201", "6.862259687411968e-201", "6.862259687411969e-201"),
            ("9.2233720368547758e+18", "9223372036854776000", "9223372036854776000"),
        ] {
            let score = Score::parse(ours.as_bytes()).unwrap();
            both.agree(&command!["ZADD", "set", ours, "member"]);
            let theirs = if both.server.kind == Kind::Redis { long } else { short };
            assert_eq!(both.server.ask(&command!["ZSCORE", "set", "member"]), text(theirs));
            assert_eq!(score.to_string(), ours);
            assert_eq!(theirs.parse(), Ok(score), "it reads back the same");
        }
    }
}

fn negative_zero(mut server: Server) {
    for (limits, theirs) in [(ListpackLimits::default(), "0"), (SKIPLISTS, "-0")] {
        let mut both = Both::new(&mut server, limits);
        fill(&mut both, &[("set", &["-0", "b", "0", "a", "-1", "c"])]);
        both.agree(&command!["ZINCRBY", "set", "1", "c"]);
        assert_eq!(both.server.ask(&command!["ZSCORE", "set", "b"]), text(theirs));
        assert_eq!(both.ours.set(b"set").score("b").unwrap().to_string(), "0");
        // They are equal, here and there.
        both.agree(&command!["ZADD", "set", "CH", "0", "b"]);
        both.agree(&command!["ZRANGE", "set", "0", "-1"]);
        both.agree(&command!["ZCOUNT", "set", "(0", "0"]);
        both.agree(&command!["ZCOUNT", "set", "-0", "-0"]);
    }
}

fn texts_that_are_read(mut server: Server) {
    // Each with whether Redis 7.0, Valkey and we read it: as a score, and as a bound.
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
        let theirs = usize::from(server.kind == Kind::Valkey);
        let is_read = |reply: Reply| !matches!(reply, Reply::Error(_));
        let added = server.ask(&command!["ZADD", "set", word, "member"]);
        assert_eq!(is_read(added), as_score[theirs], "{word:?} as a score");
        assert_eq!(
            Score::parse(word.as_bytes()).is_ok(),
            as_score[2],
            "{word:?} as a score of ours"
        );
        for bound in [word.to_owned(), format!("({word}")] {
            let count = server.ask(&command!["ZCOUNT", "set", bound, "inf"]);
            assert_eq!(is_read(count), as_bound[theirs], "{bound:?} as a bound");
            let ours = ScoreRange::parse(bound.as_bytes(), b"inf");
            assert_eq!(ours.is_ok(), as_bound[2], "{bound:?} as a bound of ours");
        }
    }

    // What overflows, as a bound.
    let mut both = Both::new(&mut server, ListpackLimits::default());
    fill(&mut both, &[("set", &["-inf", "a", "0", "b", "5e-324", "c", "1e308", "d", "inf", "e"])]);
    for bound in ["1e400", "-1e400", "1e-400", "-1e-400"].map(str::to_owned) {
        for bound in [format!("({bound}"), bound] {
            both.agree(&command!["ZCOUNT", "set", bound, "+inf"]);
            both.agree(&command!["ZCOUNT", "set", "-inf", bound]);
        }
    }
}

fn infinities(mut server: Server) {
    for limits in [ListpackLimits::default(), SKIPLISTS] {
        let mut both = Both::new(&mut server, limits);
        fill(
            &mut both,
            &[("a", &["inf", "x", "-inf", "y"]), ("b", &["-inf", "x", "inf", "y", "1", "z"])],
        );
        // inf - inf is an error where it would be a score...
        both.agree(&command!["ZINCRBY", "a", "-inf", "x"]);
        both.agree(&command!["ZADD", "a", "INCR", "inf", "y"]);
        both.agree(&command!["ZINCRBY", "a", "inf", "x"]);
        // ...and 0 where sets are combined.
        let zeros = texts(&["x", "0", "y", "0"]);
        let intersection = command!["ZINTER", "2", "a", "b", "WITHSCORES"];
        both.agree(&intersection);
        assert_eq!(both.server.ask(&intersection), zeros);
        both.agree(&command!["ZUNION", "2", "a", "b", "WITHSCORES"]);
        both.agree(&command!["ZUNION", "2", "a", "b", "WEIGHTS", "-1", "1", "WITHSCORES"]);
        both.agree(&command!["ZUNION", "1", "a", "WEIGHTS", "0", "WITHSCORES"]);
        both.agree(&command!["ZUNIONSTORE", "c", "2", "a", "b"]);
        both.agree(&command!["ZINTERSTORE", "c", "2", "a", "b", "AGGREGATE", "MIN"]);
        both.agree(&command!["ZRANGE", "c", "0", "-1", "WITHSCORES"]);
    }
}

fn zero_times_infinity(mut server: Server) {
    for limits in [ListpackLimits::default(), SKIPLISTS] {
        let mut both = Both::new(&mut server, limits);
        fill(&mut both, &[("small", &["1", "x"]), ("large", &["inf", "x", "1", "y"])]);
        for (name, aggregate, theirs, ours) in [
            ("SUM", Aggregate::Sum, "0", 1),
            ("MIN", Aggregate::Min, "1", 0),
            ("MAX", Aggregate::Max, "1", 1),
        ] {
            let words =
                ["2", "small", "large", "WEIGHTS", "1", "0", "AGGREGATE", name, "WITHSCORES"];
            let words = ["ZINTER"].into_iter().chain(words).map(|word| word.as_bytes().to_vec());
            assert_eq!(both.server.ask(&Command::new(words)), texts(&["x", theirs]));
            let sets = ["small", "large"].map(|key| sorted(both.ours.set(key.as_bytes())));
            let sets = sets.iter().zip([Score::from(1), Score::ZERO]);
            let intersection = SortedSet::weighted_intersection(sets, aggregate);
            assert_eq!(intersection.score(&b"x"[..]), Some(Score::from(ours)), "{name}");
        }
        // The first set, and unions, have it as we do.
        both.agree(&command!["ZINTER", "2", "small", "large", "WEIGHTS", "inf", "1", "WITHSCORES"]);
        both.agree(&command!["ZINTER", "1", "large", "WEIGHTS", "0", "WITHSCORES"]);
        both.agree(&command!["ZUNION", "2", "small", "large", "WEIGHTS", "1", "0", "WITHSCORES"]);
    }
}

fn order_of_summands(mut server: Server) {
    let mut both = Both::new(&mut server, ListpackLimits::default());
    let sets: [(&str, &[&str]); 3] = [
        ("three", &["inf", "x", "1", "y", "1", "z"]),
        ("two", &["-inf", "x", "1", "y"]),
        ("one", &["5", "x"]),
    ];
    fill(&mut both, &sets);
    // (5 - inf) + inf, whatever the order of the keys.
    let union = command!["ZUNION", "3", "three", "two", "one", "WITHSCORES"];
    assert_eq!(both.server.ask(&union), texts(&["x", "0", "z", "1", "y", "2"]));
    // (inf - inf) + 5
    let sets = sets.map(|(key, _)| sorted(both.ours.set(key.as_bytes())));
    let weighted = sets.iter().map(|set| (set, Score::from(1)));
    let union = SortedSet::weighted_union(weighted, Aggregate::Sum);
    assert_eq!(union.score(&b"x"[..]), Some(Score::from(5)));
    // The front end sorts the sets first, as servers do.
    both.agree(&command!["ZUNION", "3", "three", "two", "one", "WITHSCORES"]);
}

fn hints(mut server: Server) {
    let limits = ListpackLimits { max_listpack_entries: 2, max_listpack_value: 4 };
    for command in [
        command!["ZADD", "set", "XX", "1", "longer"],
        command!["ZADD", "set", "1", "a", "2", "a", "3", "a"],
    ] {
        let mut both = Both::new(&mut server, limits);
        fill(&mut both, &[("set", &["0", "a"])]);
        // The front end does as the server does.
        both.agree(&command);
        let encoding = if both.server.kind == Kind::Redis { "listpack" } else { "skiplist" };
        assert_eq!(both.server.ask(&command!["OBJECT", "ENCODING", "set"]), text(encoding));
    }
}

fn negative_offsets(mut server: Server) {
    for limits in [ListpackLimits::default(), SKIPLISTS] {
        let mut both = Both::new(&mut server, limits);
        fill(&mut both, &[("set", &["0", "a", "0", "b", "0", "c", "0", "d"])]);
        let range = command!["ZRANGEBYSCORE", "set", "0", "0", "LIMIT", "-2", "9"];
        let from_end = both.server.kind == Kind::Valkey && limits == SKIPLISTS;
        let expected: &[&str] = if from_end { &["c", "d"] } else { &[] };
        assert_eq!(both.server.ask(&range), texts(expected));
    }
}

/// An entry is its length, in 5 bytes, and its text; behind it is how long that was, to go back.
fn back_length_of_16383(mut server: Server) {
    let limits = ListpackLimits { max_listpack_value: 20_000, ..ListpackLimits::default() };
    server.order(&command!["CONFIG", "SET", "rdbcompression", "no"]);
    let mut both = Both::new(&mut server, limits);
    let member = vec![b'm'; 16_383 - 5];
    both.agree(&command!["ZADD", "set", "1", member]);
    let ours = both.ours.set(b"set").clone();

    let payload = rdb::dump(&ours);
    let reply = both.server.ask(&command!["RESTORE", "copy", "0", payload]);
    let theirs = both.server.ask(&command!["DUMP", "set"]).into_text();
    assert_eq!(rdb::restore_with_limits(&theirs, limits), Ok(ours));
    if both.server.kind == Kind::Redis {
        assert_eq!(reply, text("OK"));
    } else {
        assert!(matches!(reply, Reply::Error(_)), "{reply:?}");
    }
}
