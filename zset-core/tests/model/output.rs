//! Tests what `Debug` shows of every type that implements it by hand, and the messages of errors.

use std::error::Error;
use std::fmt::Debug;
use std::hash::BuildHasher;
use zset_core::redis::listpack::Value;
use zset_core::sorted_set::FromSortedError;
use zset_core::{
    ByteString, FixedSortedSet, IncrementError, InexactScore, NanScore, PackedZSet,
    ParseScoreError, Score, ScoreOverflow, SkipList, SortedMap, SortedSet, TryReserveError, ZSet,
};

#[track_caller]
fn check(value: impl Debug, expected: &str) {
    assert_eq!(format!("{value:?}"), expected);
}

#[test]
fn debug_of_a_set_and_its_views_shows_elements() {
    let mut set = SortedSet::from([("b", 2), ("a", 1)]);
    let pairs = r#"[("a", 1), ("b", 2)]"#;
    check(&set, r#"{"a": 1, "b": 2}"#);
    check(set.iter(), pairs);
    check(set.clone().into_iter(), pairs);
    check(set.clone().drain(), pairs);
    check(set.difference(&SortedSet::from([("a", ())])), r#"[("b", 2)]"#);
    check(set.extract_if(|_, _| true), r#"ExtractIf { set: {"a": 1, "b": 2}, .. }"#);
    check(set.entry("a"), r#"OccupiedEntry { member: "a", score: 1 }"#);
    check(set.entry("c"), r#"VacantEntry("c")"#);
    check(set.scores(["a"]), "Scores { .. }");
    check(set.root(), "Node { id: 0, level: 0, span: 2, .. }");
    check(set.hasher().build_hasher(), "DefaultHasher { .. }");

    let mut list = SkipList::from_iter([("a", 1), ("a", 1)]);
    check(&list, r#"[("a", 1), ("a", 1)]"#);
    check(list.extract_if(|_, _| true), r#"ExtractIf { list: [("a", 1), ("a", 1)], .. }"#);

    let mut fixed = FixedSortedSet::<_, _, 1>::new();
    fixed.try_insert("a", 1).unwrap();
    check(&fixed, r#"{"a": 1}"#);
    check(fixed.iter(), r#"[("a", 1)]"#);
    check(fixed.try_insert("b", 2), "Err(InsertError { error: BufferFull, .. })");
    check(fixed.into_iter(), "IntoIter { len: 1, .. }");
}

#[test]
fn debug_of_a_map_and_its_views_shows_values_and_scores() {
    let mut map = SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    check(&map, r#"{"a": ('x', 1), "b": ('y', 2)}"#);
    check(map.iter(), r#"[("a", 'x', 1), ("b", 'y', 2)]"#);
    check(map.entry("a"), r#"OccupiedEntry { key: "a", value: 'x', score: 1 }"#);
    check(map.entry("c"), r#"VacantEntry("c")"#);
    let extracted = r#"ExtractIf { map: {"a": ('x', 1), "b": ('y', 2)}, .. }"#;
    check(map.extract_if(|_, _, _| true), extracted);
}

#[test]
fn debug_of_redis_types_escapes_bytes() {
    let mut set = ZSet::from([("b", Score::from(2)), ("a\n", Score::INFINITY)]);
    let (shown, pairs) = (r#"{"b": 2, "a\n": inf}"#, r#"[("b", 2), ("a\n", inf)]"#);
    for _ in 0..2 {
        check(&set, shown);
        check(set.iter(), pairs);
        check(set.clone().into_iter(), pairs);
        check(set.range_by_rank(1..), r#"[("a\n", inf)]"#);
        check(set.extract_if(|_, _| true), r#"ExtractIf { set: {"b": 2, "a\n": inf}, .. }"#);
        let mut rest = set.clone().into_iter();
        rest.next();
        check(rest, r#"[("a\n", inf)]"#);
        set.promote();
    }
    let mut packed = PackedZSet::new();
    packed.try_insert("a\n", Score::from(-17)).unwrap();
    check(&packed, r#"{"a\n": -17}"#);
    check(packed.iter(), r#"[("a\n", -17)]"#);
    check(packed.first(), r#"Some(("a\n", -17))"#);
    check(packed.as_listpack(), r#"["a\n", -17]"#);
    check(packed.as_listpack().iter(), r#"["a\n", -17]"#);
    check(Value::from("\n"), r#""\n""#);
    check(ByteString::from(b"\xFF"), r#""\xff""#);
}

#[test]
fn errors_describe_the_failure() {
    let (full, is_nan) = (TryReserveError::BufferFull, "score is not a number");
    for (error, message) in [
        (&full as &dyn Error, "buffer is full"),
        (&TryReserveError::AllocError, "memory allocation failed"),
        (&TryReserveError::CapacityOverflow, "sorted set is full: its handles have 32 bits"),
        (&FixedSortedSet::<_, _, 0>::new().try_insert(1, 1).unwrap_err(), "buffer is full"),
        (&IncrementError::<NanScore>::Full(full), "buffer is full"),
        (&IncrementError::Score(NanScore), is_nan),
        (&InexactScore, "integer cannot be represented exactly as a score"),
        (&ScoreOverflow, "score is out of range for its type"),
        (&ParseScoreError::Invalid, "score is not a valid float"),
        (&ParseScoreError::Nan, is_nan),
        (&ParseScoreError::OutOfRange, "score is out of range"),
        (&FromSortedError::NotAscending { rank: 1 }, "element 1 is out of order"),
        (
            &FromSortedError::DuplicateMember { rank: 1 },
            "member of element 1 repeats an earlier one",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
}
