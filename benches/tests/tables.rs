//! All contenders must give the same answers and hold the same elements afterwards: one that
//! answers differently does different work.

use std::collections::HashSet;

use zset_bench::comparison::Sheet;
use zset_bench::member::Kind;
use zset_bench::workload::MIN_N;
use zset_bench::{contenders, fixed, uses};

/// So few that linear-time operations are performed as often as the others.
const N: usize = 500;

/// Calls `check` for each row of each table.
fn for_each_row(check: impl Fn(&dyn Sheet, &str, &str)) {
    let sets = Kind::ALL.map(|kind| contenders::all(kind).times);
    let sheets = uses::sheets().into_iter().chain(fixed::sheets()).chain([fixed::sheet::<2>()]);
    for sheet in sheets.chain(sets) {
        for row in sheet.rows() {
            check(&*sheet, row, &format!("{}, {row}", sheet.title()));
        }
    }
}

#[test]
fn all_contenders_give_the_same_answers_and_hold_the_same_elements() {
    for_each_row(|sheet, row, label| {
        for seed in 0..5 {
            let outcomes = sheet.outcomes(row, N, seed);
            for (name, outcome) in sheet.names(row).into_iter().zip(&outcomes) {
                assert_eq!(*outcome, outcomes[0], "{label}: {name}, seed {seed}");
            }
        }
    });
}

#[test]
fn several_small_sets_in_a_measurement_give_the_same_answers() {
    let sheet = contenders::all(Kind::Integers).times;
    for row in sheet.rows() {
        let outcomes = sheet.outcomes(row, MIN_N, 0);
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{row}: {outcomes:?}");
    }
}

#[test]
fn every_row_does_something() {
    for_each_row(|sheet, row, label| {
        let outcome = sheet.outcomes(row, N, 0)[0];
        assert!(outcome.calls > 0, "{label}");
        // Writes without an answer show in the final contents, and reads in the sum of the answers.
        let answers: HashSet<_> = (0..5)
            .map(|seed| sheet.outcomes(row, N, seed)[0])
            .map(|outcome| (outcome.answer, outcome.contents))
            .collect();
        assert_eq!(answers.len(), 5, "{label}: other elements, the same answers");
    });
}

#[test]
fn timing_makes_the_same_calls() {
    for_each_row(|sheet, row, label| {
        let time = sheet.timer(row, N, 3);
        for (place, outcome) in sheet.outcomes(row, N, 3).into_iter().enumerate() {
            let measured = time(place);
            assert_eq!(
                (measured.calls, measured.answer),
                (outcome.calls, outcome.answer),
                "{label}"
            );
        }
    });
}

#[test]
fn there_is_a_table_for_each_type_or_capacity_with_a_line_for_each_row() {
    let mut out = Vec::new();
    uses::run(&uses::Options { n: 100, rounds: 2, save: None }, &mut out).unwrap();
    fixed::run(&fixed::Options { calls: 100, rounds: 2, save: None }, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for sheet in uses::sheets().into_iter().chain(fixed::sheets()) {
        assert!(text.contains(&format!("\n| {}, ", sheet.title())), "{}", sheet.title());
        for label in sheet.rows() {
            assert!(text.contains(&format!("\n| {label} ")), "{label}: {text}");
        }
    }
    for capacity in ["16", "64", "256", "1,024"] {
        assert!(text.contains(&format!("\n| FixedSortedSet, N = {capacity}, ns ")), "{text}");
    }
    assert_eq!(text.matches("\n| size_of, bytes ").count(), 4, "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}
