//! All contenders must give the same answers: the time of a contender that answers wrongly is
//! meaningless.

use zset_bench::contenders::{self, Performed};
use zset_bench::member::Member;
use zset_bench::names;
use zset_bench::operation::Operation;
use zset_bench::workload::{MIN_N, Workload};

const N: usize = 1_500;

/// Compares the answers of all contenders, and how many elements they have after each operation.
fn compare<M: Member>(n: usize, make_up: fn(u64) -> M) {
    let workload = Workload::new(n, 7, make_up);
    let all = contenders::all().map(|it| (it.name, (it.perform)(&workload, &Operation::ALL)));
    let answer = |(operation, measured, len): &Performed| (*operation, measured.answer, *len);
    let expected: Vec<_> = all[0].1.iter().map(answer).collect();
    assert_eq!(expected.len(), Operation::ALL.len(), "the subject offers all");
    for (name, performed) in &all {
        // A `BinaryHeap` holds duplicate members, so its answers differ; it supports few operations
        // anyway.
        if *name != "BinaryHeap" {
            for answer in performed.iter().map(answer) {
                assert!(expected.contains(&answer), "{name}: {answer:?}");
            }
        }
    }
}

#[test]
fn all_contenders_give_the_same_answers_for_integers() {
    compare(N, names::scramble);
    // Several sets are built and emptied in a measurement.
    compare(MIN_N, names::scramble);
}

#[test]
fn all_contenders_give_the_same_answers_for_strings() {
    compare(N, names::string);
    compare(N, names::name);
}

#[test]
fn a_workload_leaves_half_of_each_set() {
    let workload = Workload::new(N, 1, names::scramble);
    for entrant in contenders::all() {
        let performed = (entrant.perform)(&workload, &[Operation::PopFirst]);
        assert_eq!(performed[0].2, N / 2, "{}", entrant.name);
    }
}
