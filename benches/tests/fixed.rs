//! All contenders must give the same answers and hold the same elements afterwards: one that
//! answers differently does different work.

use zset_bench::fixed::workload::{Operation, Workload};
use zset_bench::fixed::{Options, entrants, run};

/// Calls for several fills of the smaller capacities.
const CALLS: usize = 1_000;

fn agree<const N: usize>() {
    for (operation, label) in Operation::ALL {
        for seed in 0..5 {
            let workload = Workload::<N>::new(CALLS, seed);
            let entrants = entrants::<N>();
            let expected = (entrants[0].outcome)(&workload, operation);
            assert!(expected.calls >= CALLS && expected.calls < CALLS + N, "{label}");
            for it in entrants.iter().filter(|it| (it.offers)(operation)) {
                let outcome = (it.outcome)(&workload, operation);
                assert_eq!(outcome, expected, "{label}: {}, N = {N}, seed {seed}", it.name);
                let measured = (it.measure)(&workload, operation);
                assert_eq!((measured.calls, measured.answer), (expected.calls, expected.answer));
            }
        }
    }
}

#[test]
fn all_contenders_give_the_same_answers_and_hold_the_same_elements() {
    agree::<2>();
    agree::<16>();
    agree::<64>();
    agree::<256>();
    agree::<1024>();
}

#[test]
fn every_operation_does_something() {
    for (operation, label) in Operation::ALL {
        let outcome = |seed| {
            let workload = Workload::<16>::new(CALLS, seed);
            let outcome = (entrants()[0].outcome)(&workload, operation);
            (outcome.answer, outcome.contents)
        };
        assert_ne!(outcome(0), outcome(1), "{label}: other elements, the same answers");
    }
}

#[test]
fn there_is_a_table_for_each_capacity_with_a_line_for_each_operation() {
    let mut out = Vec::new();
    run(&Options { calls: 100, rounds: 2, save: None }, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for capacity in ["16", "64", "256", "1,024"] {
        assert!(text.contains(&format!("\n| FixedSortedSet, N = {capacity}, ns ")), "{text}");
    }
    for label in Operation::ALL.map(|(_, label)| label).into_iter().chain(["size_of, bytes"]) {
        assert_eq!(text.matches(&format!("\n| {label} ")).count(), 4, "{label}: {text}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}
