//! Handwritten sequences for edge cases.

use std::ops::Bound::{self, Excluded, Included, Unbounded};
use test_support::zset::Operation;
use zset_core::redis::AddFlags;

use Operation::{
    Add, Clear, Increment, InsertRun, Level, PopFirst, PopLast, Promote, RemoveRangeByLex,
    RemoveRangeByRank, RemoveRangeByScore, Retain,
};

const INF: f64 = f64::INFINITY;

/// A sequence, and the expected elements after it, in order.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) operations: Vec<Operation>,
    pub(crate) left: Vec<(&'static [u8], f64)>,
}

fn case(
    name: &'static str,
    operations: impl IntoIterator<Item = Operation>,
    left: impl IntoIterator<Item = (&'static str, f64)>,
) -> Case {
    let left = left.into_iter().map(|(member, score)| (member.as_bytes(), score));
    Case { name, operations: operations.into_iter().collect(), left: left.collect() }
}

/// Returns these members with equal scores.
fn level(score: f64, words: &'static str) -> impl Iterator<Item = (&'static str, f64)> {
    words.split(' ').map(move |word| (word, score))
}

fn insert(member: &str, score: f64) -> Operation {
    Operation::Insert(member.into(), score)
}

fn update(member: &str, score: f64) -> Operation {
    Operation::Update(member.into(), score)
}

fn remove(member: &str) -> Operation {
    Operation::Remove(member.into())
}

fn increment(member: &str, by: f64) -> Operation {
    Increment(member.into(), by)
}

/// Adds with the options that `options` names.
fn add(member: &str, score: f64, options: &str) -> Operation {
    let [nx, xx, gt, lt, ch, incr] = ["NX", "XX", "GT", "LT", "CH", "INCR"]
        .map(|option| options.split(' ').any(|other| other == option));
    Add(member.into(), score, AddFlags { nx, xx, gt, lt, ch, incr })
}

/// Inserts these members with equal scores.
fn words(words: &str) -> impl Iterator<Item = Operation> {
    words.split(' ').map(|word| insert(word, 0.0))
}

fn by_lex(start: Bound<&str>, end: Bound<&str>) -> Operation {
    RemoveRangeByLex((start.map(Into::into), end.map(Into::into)))
}

pub(crate) fn order_and_scores() -> Vec<Case> {
    vec![
        case(
            "equal scores: by bytes, then the shorter first",
            words("aa a B 9 10"),
            level(0.0, "10 9 B a aa"),
        ),
        Case {
            name: "binary members, the empty one first",
            operations: [&b"\xFF"[..], b"\xFF\0", b"", b"\0", b"\x7F", b"\x80", b"z"]
                .map(|member| Operation::Insert(member.to_vec(), 1.0))
                .to_vec(),
            left: [&b""[..], b"\0", b"z", b"\x7F", b"\x80", b"\xFF", b"\xFF\0"]
                .map(|member| (member, 1.0))
                .to_vec(),
        },
        case(
            "members that are almost integers are distinct",
            words("7 07 +7 -7 -07 7.0 0 -0 00 9223372036854775807 9223372036854775808"),
            level(0.0, "+7 -0 -07 -7 0 00 07 7 7.0 9223372036854775807 9223372036854775808"),
        ),
        case(
            "a member that looks like the score of another",
            [insert("1", 2.0), insert("2", 1.0), insert("inf", 1.0), insert("x", INF), remove("1")],
            [("2", 1.0), ("inf", 1.0), ("x", INF)],
        ),
        case(
            "a removed score that looks like a member is not found",
            [insert("a", 5.0), remove("5"), update("5", 7.0), increment("5", 0.5), remove("a")],
            [("5", 0.5)],
        ),
        case(
            "infinities at both ends",
            [insert("a", INF), insert("b", 0.0), insert("c", -INF), insert("d", f64::MAX)],
            [("c", -INF), ("b", 0.0), ("d", f64::MAX), ("a", INF)],
        ),
        case(
            "a negative zero is zero",
            [insert("b", -0.0), insert("a", 0.0), insert("c", 1.0), increment("c", -1.0)],
            level(0.0, "a b c"),
        ),
        case(
            "scores beyond the exact integers",
            [insert("a", 9_007_199_254_740_993.0), insert("b", 9_007_199_254_740_992.0)],
            [("a", 9_007_199_254_740_992.0), ("b", 9_007_199_254_740_992.0)],
        ),
        case(
            "a sum that overflows is infinite",
            [insert("a", f64::MAX), increment("a", f64::MAX), add("b", -0.0, "INCR")],
            [("b", 0.0), ("a", INF)],
        ),
        case(
            "a sum of opposite infinities is refused and changes nothing",
            [
                insert("a", INF),
                increment("a", -INF),
                add("a", -INF, "INCR"),
                add("a", -INF, "INCR GT"),
                add("a", -INF, "INCR NX"),
                increment("a", f64::NAN),
                increment("absent", f64::NAN),
                increment("b", -INF),
                increment("b", -INF),
                increment("b", INF),
            ],
            [("b", -INF), ("a", INF)],
        ),
    ]
}

pub(crate) fn additions() -> Vec<Case> {
    vec![
        case(
            "NX adds and never updates",
            [add("a", 1.0, "NX"), add("a", 2.0, "NX"), add("a", 3.0, "NX INCR CH")],
            [("a", 1.0)],
        ),
        case(
            "XX updates and never adds",
            [add("a", 1.0, "XX"), insert("b", 1.0), add("b", 2.0, "XX"), add("c", 1.0, "XX INCR")],
            [("b", 2.0)],
        ),
        case(
            "GT and LT add members, and update in one direction only",
            [
                add("a", 5.0, "GT"),
                add("a", 4.0, "GT"),
                add("a", 5.0, "GT CH"),
                add("a", 6.0, "GT CH"),
                add("b", 5.0, "LT"),
                add("b", 6.0, "LT"),
                add("b", 4.0, "LT"),
            ],
            [("b", 4.0), ("a", 6.0)],
        ),
        case(
            "GT and LT compare the sum of an increment",
            [
                insert("a", 5.0),
                add("a", -1.0, "GT INCR"),
                add("a", 0.0, "GT INCR"),
                add("a", 2.0, "GT INCR"),
                insert("b", 5.0),
                add("b", 1.0, "LT INCR"),
                add("b", -1.0, "LT INCR"),
                add("c", -9.0, "GT INCR"),
            ],
            [("c", -9.0), ("b", 4.0), ("a", 7.0)],
        ),
        case(
            "XX with GT or LT does both",
            [
                add("a", 1.0, "XX GT"),
                insert("b", 1.0),
                add("b", 0.0, "XX GT"),
                add("b", 0.5, "XX LT"),
            ],
            [("b", 0.5)],
        ),
        case(
            "contradicting options",
            ["NX XX", "NX GT", "NX LT", "GT LT", "XX GT LT", "NX XX GT LT"]
                .map(|options| add("a", 1.0, options)),
            [],
        ),
        case(
            "an update to the same place, next to it, and to the ends",
            [
                insert("a", 1.0),
                insert("b", 2.0),
                insert("c", 3.0),
                update("b", 2.0),
                update("b", 2.5),
                update("b", 3.0),
                update("b", 3.5),
                update("b", -3.5),
                update("c", -100_000.0),
                update("absent", 1.0),
            ],
            [("c", -100_000.0), ("b", -3.5), ("a", 1.0)],
        ),
        case(
            "a member moves past all of its neighbours with equal scores",
            words("a b c d").chain([update("a", 1.0), update("d", -1.0), Level(2.5)]),
            level(2.5, "a b c d"),
        ),
    ]
}

pub(crate) fn ranges() -> Vec<Case> {
    let scored = || [insert("a", 1.0), insert("b", 2.0), insert("c", 3.0), insert("d", INF)];
    let all = [("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", INF)];
    let all_scores = RemoveRangeByScore((Included(-INF), Included(INF)));
    let all_members = by_lex(Unbounded, Unbounded);
    vec![
        case(
            "inverted ranges are empty",
            scored().into_iter().chain([
                RemoveRangeByScore((Included(3.0), Included(1.0))),
                RemoveRangeByScore((Excluded(2.0), Excluded(2.0))),
                RemoveRangeByScore((Included(2.0), Excluded(2.0))),
                RemoveRangeByScore((Included(INF), Included(-INF))),
                RemoveRangeByRank((Included(3), Excluded(1))),
                RemoveRangeByRank((Excluded(2), Included(2))),
                RemoveRangeByRank((Included(usize::MAX), Included(0))),
                Level(1.0),
                by_lex(Included("c"), Included("a")),
                by_lex(Excluded("b"), Excluded("b")),
                by_lex(Included("b"), Excluded("b")),
                by_lex(Excluded("a"), Excluded("b")),
                update("b", 2.0),
                update("c", 3.0),
                update("d", INF),
            ]),
            all,
        ),
        case(
            "ranges beyond both ends",
            scored().into_iter().chain([
                RemoveRangeByScore((Excluded(INF), Unbounded)),
                RemoveRangeByScore((Unbounded, Excluded(1.0))),
                RemoveRangeByRank((Included(4), Unbounded)),
                RemoveRangeByRank((Excluded(usize::MAX), Unbounded)),
                RemoveRangeByRank((Unbounded, Excluded(0))),
            ]),
            all,
        ),
        case(
            "bounds of scores",
            scored().into_iter().chain([
                RemoveRangeByScore((Excluded(1.0), Included(2.0))),
                RemoveRangeByScore((Included(INF), Included(INF))),
            ]),
            [("a", 1.0), ("c", 3.0)],
        ),
        case(
            "bounds of ranks",
            scored().into_iter().chain([
                RemoveRangeByRank((Excluded(0), Included(1))),
                RemoveRangeByRank((Included(2), Included(usize::MAX))),
            ]),
            [("a", 1.0), ("c", 3.0)],
        ),
        case(
            "bounds of members",
            words("a aa ab b c").chain([by_lex(Excluded("a"), Excluded("b"))]),
            level(0.0, "a b c"),
        ),
        case(
            "the empty member is above no bound",
            [insert("", 0.0), insert("a", 0.0), by_lex(Excluded(""), Unbounded)],
            [("", 0.0)],
        ),
        case(
            "decimal members are compared as text",
            words("1 10 100 2 20 9").chain([by_lex(Included("10"), Included("2"))]),
            level(0.0, "1 20 9"),
        ),
        case("everything by score", scored().into_iter().chain([all_scores]), []),
        case("everything by rank", scored().into_iter().chain([ALL_RANKS]), []),
        case("everything by member", scored().into_iter().chain([all_members]), []),
    ]
}

const ALL_RANKS: Operation = RemoveRangeByRank((Unbounded, Unbounded));

pub(crate) fn growing_and_shrinking() -> Vec<Case> {
    let run = |len| InsertRun { first: 0, len, score: 1.0, step: 0.0 };
    vec![
        case(
            "an empty set returns nothing",
            [PopFirst, PopLast, remove(""), ALL_RANKS, Clear, Level(1.0)],
            [],
        ),
        case(
            "emptied by removals and reused",
            [run(6), ALL_RANKS, insert("x", 1.0), PopLast, insert("y", 1.0), PopFirst, run(3)],
            level(1.0, "m0 m1 m2"),
        ),
        case(
            "cleared and reused",
            [run(6), Clear, insert("x", 1.0), Promote, Clear, insert("y", 2.0)],
            [("y", 2.0)],
        ),
        case(
            "drained and reused",
            [run(7), Operation::Drain { front: 2, back: 2 }, insert("x", 1.0)],
            [("x", 1.0)],
        ),
        case(
            "pops from both ends",
            [run(6), update("m3", 0.0), PopFirst, PopLast],
            level(1.0, "m0 m1 m2 m4"),
        ),
        case(
            "retain of some and of all",
            [run(4), Retain(2), Retain(1), insert("z", 1.0)],
            level(1.0, "m1 m3 z"),
        ),
        case(
            "a score text that grows and shrinks in place",
            [
                insert("a", 1.0),
                insert("b", 2.0),
                update("a", 1.234_567_890_123),
                update("a", 1.5),
                update("b", 1e300),
                update("b", 3e-300),
                update("a", -1e10),
            ],
            [("a", -1e10), ("b", 3e-300)],
        ),
    ]
}
