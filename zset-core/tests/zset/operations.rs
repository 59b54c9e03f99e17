//! Strategies that generate the operations of a random sequence.

use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::Bound;
use test_support::strategy::any_bounds;
use test_support::zset::{Operation, Query, run_member};
use zset_core::redis::AddFlags;

pub(crate) fn any_operation() -> impl Strategy<Value = Operation> {
    let element = || (any_member(), any_score());
    let elements = || vec(element(), 0..if cfg!(miri) { 4 } else { 20 });
    let increment = (any_member(), any_increment());
    let extraction = (1..5_u8, 0..20_usize)
        .prop_map(|(divisor, at_most)| Operation::Extract { divisor, at_most });
    let drain = (0..9_usize, 0..9_usize).prop_map(|(front, back)| Operation::Drain { front, back });
    let some = [
        (8, element().prop_map(|(m, s)| Operation::Insert(m, s)).boxed()),
        (6, (element(), any_flags()).prop_map(|((m, s), f)| Operation::Add(m, s, f)).boxed()),
        (4, any_run().boxed()),
        (4, increment.prop_map(|(m, by)| Operation::Increment(m, by)).boxed()),
        (4, element().prop_map(|(m, s)| Operation::Update(m, s)).boxed()),
        (2, any_score().prop_map(Operation::Level).boxed()),
        (4, any_member().prop_map(Operation::Remove).boxed()),
        (2, Just(Operation::PopFirst).boxed()),
        (2, Just(Operation::PopLast).boxed()),
        (1, any_bounds(any_rank()).prop_map(Operation::RemoveRangeByRank).boxed()),
        (1, any_bounds(any_score()).prop_map(Operation::RemoveRangeByScore).boxed()),
        (2, any_bounds(any_member()).prop_map(Operation::RemoveRangeByLex).boxed()),
        (1, any_bounds(any_rank()).prop_map(Operation::DrainByRank).boxed()),
        (1, any_rank().prop_map(Operation::SplitOff).boxed()),
        (1, (2..7_u8).prop_map(Operation::Retain).boxed()),
        (1, Just(Operation::Clear).boxed()),
        (1, extraction.boxed()),
        (1, drain.boxed()),
        (2, elements().prop_map(Operation::Append).boxed()),
        (2, elements().prop_map(Operation::Extend).boxed()),
        (1, Just(Operation::Promote).boxed()),
        (1, Just(Operation::DumpAndRestore).boxed()),
        (1, Just(Operation::ShrinkToFit).boxed()),
        (1, Just(Operation::Clone).boxed()),
    ];
    prop::strategy::Union::new_weighted(some.to_vec())
}

fn any_run() -> impl Strategy<Value = Operation> {
    let len = 1..if cfg!(miri) { 8 } else { 50_u8 };
    (0..100_u8, len, any_score(), -1..2_i8).prop_map(|(first, len, score, step)| {
        Operation::InsertRun { first, len, score, step: step.into() }
    })
}

pub(crate) fn any_query() -> impl Strategy<Value = Query> {
    let ranges =
        (any_bounds(any_rank()), any_bounds(any_score()), any_bounds(any_member().boxed()));
    let count = prop_oneof![-9..9_i64, -200..200_i64, Just(i64::MAX)];
    (any_member(), ranges, any::<u64>(), count).prop_map(|(member, ranges, ends, count)| {
        let (ranks, scores, members) = ranges;
        Query { member, ranks, scores, members, ends, count }
    })
}

/// Returns a simple query for a handwritten sequence.
pub(crate) fn simple_query() -> Query {
    Query {
        member: b"9".to_vec(),
        ranks: (Bound::Included(1), Bound::Excluded(3)),
        scores: (Bound::Excluded(0.0), Bound::Included(2.0)),
        members: (Bound::Excluded(b"1".to_vec()), Bound::Included(b"a".to_vec())),
        ends: 0b0110_1001,
        count: 2,
    }
}

/// Members that are integers or almost integers, or that sort in an unusual place.
const WORDS: &str = "0 -0 00 007 7 -7 +7 9 10 99 127 128 -1 4095 4096 -4097 70000 -9000000 \
    3000000000 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 \
    1.5 1e3 inf a B aa ab b";

/// Members that are binary, empty, or longer than the limit of Redis.
const SPECIAL: [&[u8]; 9] =
    [b"", b" 1", b"\0", b"\xFF", b"\xFF\xFF", b"\x80", b"a\0", &[b'x'; 64], &[b'x'; 65]];

pub(crate) fn any_member() -> impl Strategy<Value = Vec<u8>> + Clone {
    let members: Vec<&[u8]> = WORDS.split(' ').map(str::as_bytes).chain(SPECIAL).collect();
    prop_oneof![
        6 => prop::sample::select(members).prop_map(<[u8]>::to_vec),
        6 => (0..100_u8).prop_map(run_member),
        2 => vec(b'a'..b'd', 0..6),
        1 => vec(any::<u8>(), 0..70),
    ]
}

/// Generates scores in every stored form. A few values are drawn often.
pub(crate) fn any_score() -> impl Strategy<Value = f64> + Clone {
    const POWER: f64 = 4_611_686_018_427_387_904.0;
    let short = [0.1, -0.0, 1.5, -2.25, 127.0, 128.0, 4096.0, -4097.0, 1e7, -1e10, 1e22, 5e-324];
    let long = [POWER, -POWER, 2.0 * POWER, POWER + 1024.0, -599_999_999_999_999_950_000_000.0];
    let extreme = [-1.7e308, f64::INFINITY, f64::NEG_INFINITY];
    let special = [&short[..], &long, &extreme].concat();
    prop_oneof![
        8 => (-4..5_i8).prop_map(f64::from),
        4 => prop::sample::select(special),
        1 => any::<f64>().prop_map(|number| if number.is_nan() { 0.0 } else { number }),
    ]
}

fn any_increment() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![20 => any_score(), 1 => Just(f64::NAN)]
}

fn any_rank() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![8 => 0..20_usize, 4 => 0..150_usize, 1 => Just(usize::MAX)]
}

fn any_flags() -> impl Strategy<Value = AddFlags> {
    (any::<[bool; 2]>(), prop::sample::select(vec![0, 0, 0, 1, 2, 4, 8, 6, 10, 3, 5, 9, 12, 15]))
        .prop_map(|([ch, incr], bits)| AddFlags {
            nx: bits & 1 != 0,
            xx: bits & 2 != 0,
            gt: bits & 4 != 0,
            lt: bits & 8 != 0,
            ch,
            incr,
        })
}
