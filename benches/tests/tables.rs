//! Tests that all contenders give the same answers and end with the same elements. Otherwise they
//! would do different work, and comparing their times would be unfair.

use std::collections::HashSet;

use zset_bench::comparison::{Comparison, Outcome};
use zset_bench::options::Common;
use zset_bench::results::publish;
use zset_bench::sets::member::Kind;
use zset_bench::sets::workload::MIN_N;
use zset_bench::{fixed, lists, sets, uses};

/// The number of elements: so few that linear-time operations are performed as often as the others.
const N: usize = 500;

/// Returns what must not differ between contenders: the number of calls, their answers, and the
/// contents after the operation.
fn seen(outcome: &Outcome) -> (usize, u64, u64) {
    (outcome.measured.calls, outcome.measured.answer, outcome.contents)
}

/// Checks the contenders of an operation; returns what all have in common.
fn check(table: &Comparison, row: &str, n: usize, seed: u64) -> (usize, u64, u64) {
    let perform = table.prepare(n, seed);
    let mut outcomes = table.offering(row).into_iter().map(|(place, name)| {
        let outcome = perform(place, row);
        assert!(outcome.measured.calls > 0, "{}, {row}: {name}", table.title());
        (name, seen(&outcome))
    });
    let (_, subject) = outcomes.next().expect("the subject offers all operations");
    for (name, outcome) in outcomes {
        assert_eq!(outcome, subject, "{}, {row}: {name}, seed {seed}", table.title());
    }
    subject
}

#[test]
fn all_contenders_give_the_same_answers_and_hold_the_same_elements() {
    let tables = uses::tables().into_iter().chain(Kind::ALL.map(|kind| sets::all(kind).times));
    let fixed =
        [fixed::table::<2>(), fixed::table::<16>(), fixed::table::<64>(), fixed::table::<1024>()];
    for table in tables.chain([lists::table()]).chain(fixed) {
        for row in table.rows() {
            // Each seed must give a different result: a different sum of answers for reads, and
            // different contents for writes.
            let all: HashSet<_> = (0..5).map(|seed| check(&table, row, N, seed)).collect();
            assert_eq!(all.len(), 5, "{}, {row}: other elements, same answers", table.title());
        }
    }
}

#[test]
fn several_small_sets_in_a_measurement_give_the_same_answers() {
    let table = sets::all(Kind::Integers).times;
    for row in table.rows() {
        check(&table, row, MIN_N, 0);
    }
}

#[test]
fn there_is_a_table_for_each_type_or_capacity_with_a_line_for_each_row() {
    let common = Common { rounds: Some(2), save: None };
    let mut records = uses::measure(&uses::Options { n: 100, common: common.clone() });
    records.extend(fixed::measure(&fixed::Options { calls: 100, common }));
    let mut out = Vec::new();
    publish(&records, "", None, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for table in uses::tables().into_iter().chain([fixed::table::<16>()]) {
        assert!(text.contains(&format!("\n| {}, ", table.title())), "{}", table.title());
        for label in table.rows() {
            assert!(text.contains(&format!("\n| {label} ")), "{label}: {text}");
        }
    }
    for capacity in ["16", "64", "256", "1,024"] {
        assert!(text.contains(&format!("\n| FixedSortedSet, N = {capacity}, ns ")), "{text}");
    }
    assert_eq!(text.matches("\n| size_of, bytes ").count(), 4, "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}
