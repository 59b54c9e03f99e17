//! Strategies that generate the operations of a random sequence.

use proptest::collection::vec;
use proptest::prelude::*;
use test_support::sorted_set::{MEMBERS, Operation, Query, Run};
use test_support::strategy::any_bounds;

pub(crate) fn any_operation() -> impl Strategy<Value = Operation> {
    let member = || 0..MEMBERS;
    let elements = || vec((member(), raw()), 0..200);
    prop_oneof![
        8 => (member(), raw()).prop_map(|(m, s)| Operation::Insert(m, s)),
        2 => (member(), raw()).prop_map(|(m, s)| Operation::TryInsert(m, s)),
        6 => any_run().prop_map(Operation::InsertRun),
        1 => any_run().prop_map(Operation::RemoveRun),
        4 => (member(), raw()).prop_map(|(m, s)| Operation::Update(m, s)),
        4 => (member(), raw()).prop_map(|(m, by)| Operation::Increment(m, by)),
        2 => (member(), raw()).prop_map(|(m, s)| Operation::ModifyEntryOrInsert(m, s)),
        2 => (member(), raw()).prop_map(|(m, s)| Operation::RemoveEntryOrInsert(m, s)),
        4 => member().prop_map(Operation::Remove),
        2 => member().prop_map(Operation::RemoveEntry),
        3 => Just(Operation::PopFirst),
        3 => Just(Operation::PopLast),
        1 => any_bounds(raw()).prop_map(Operation::RemoveRangeByScore),
        1 => any_bounds(rank()).prop_map(Operation::RemoveRangeByRank),
        1 => any_bounds(raw()).prop_map(Operation::DrainByScore),
        1 => any_bounds(rank()).prop_map(Operation::DrainByRank),
        1 => (2..9u16).prop_map(Operation::Retain),
        1 => (1..9u16, rank())
            .prop_map(|(divisor, at_most)| Operation::ExtractSome { divisor, at_most }),
        1 => (rank(), rank())
            .prop_map(|(front, back)| Operation::DrainSome { front, back }),
        1 => (rank(), any::<bool>())
            .prop_map(|(rank, is_upper_kept)| Operation::SplitOff { rank, is_upper_kept }),
        1 => Just(Operation::Clear),
        2 => elements().prop_map(Operation::Append),
        2 => elements().prop_map(Operation::Extend),
        2 => elements().prop_map(Operation::Union),
        1 => elements().prop_map(Operation::Intersection),
        1 => elements().prop_map(Operation::Difference),
        1 => (0..2000usize).prop_map(Operation::Reserve),
        1 => Just(Operation::ShrinkToFit),
        1 => Just(Operation::Clone),
        1 => Just(Operation::BuildFromSorted),
    ]
}

pub(crate) fn any_query() -> impl Strategy<Value = Query> {
    (0..MEMBERS, any_bounds(0..MEMBERS), any_bounds(raw()), any_bounds(rank()), any::<u64>())
        .prop_map(|(member, members, scores, ranks, ends)| Query {
            member,
            members,
            scores,
            ranks,
            ends,
        })
}

fn any_run() -> impl Strategy<Value = Run> {
    (0..MEMBERS, 1..150u16, 1..7u16, raw(), -1..2i32).prop_map(
        |(first, len, member_step, score, score_step)| Run {
            first,
            len,
            member_step,
            score,
            score_step,
        },
    )
}

fn raw() -> impl Strategy<Value = i32> + Clone {
    prop_oneof![-8..8i32, any::<i32>()]
}

fn rank() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![8 => 0..usize::from(MEMBERS), 1 => Just(usize::MAX)]
}
