//! The results as Markdown tables, for a terminal and for a file.

use std::fmt::Write as _;

use super::data::records;
use super::{MemoryOf, Report, SpeedOf};
use crate::member::Kind;
use crate::memory::FIGURES;
use crate::operation::Operation;
use crate::speed::Figure;
use crate::table::{Table, grouped, show, show_range};
use crate::tables::{CALLS, draw};

/// The legend of the tables with ratios.
const LEGEND: &str = "\
Nanoseconds an operation: the median of the rounds, and the range of their middle half. Under the name of
each peer: how many times longer it takes than zset in the same round, the median of the rounds, or how
many times more memory; above 1, zset is ahead. BTreeSet, indexset, wabi_tree, skiplist and textbook are
each paired with a HashMap; textbook is a plain skip list with one element a node. A dash stands where a
peer does not offer it, or only in linear time. The rows from append to union, and iterate, show the time
of one element.
";

/// Returns the origin of the results and how the subject compares, in tables that fit on a screen.
pub(super) fn brief(report: &Report) -> String {
    let mut text = format!("{}\n{LEGEND}", report.origin);
    for group in records(report).chunk_by(|a, b| a.group() == b.group()) {
        // Writing to a string cannot fail, here and below.
        if group[0].table == CALLS {
            let _ = write!(text, "\n### {}\n\n{}\n", tails_head(report), tails_note(report));
        }
        let _ = write!(text, "\n{}", draw(group));
    }
    text
}

/// Returns all results.
pub(super) fn full(report: &Report) -> String {
    let mut text = brief(report);
    for kind in Kind::ALL {
        let sizes: Vec<_> = report.speeds.iter().filter(|of| of.kind == kind).collect();
        for &operation in report.operations.iter().filter(|_| !sizes.is_empty()) {
            let _ = write!(
                text,
                "\n### {}: {}, ns\n\n{}",
                kind.label(),
                operation.label(),
                times(&sizes, operation)
            );
        }
    }
    let _ = write!(
        text,
        "\n### Memory, bytes an element\n\n\
         Requested from the allocator, and resident in whole pages of 4 KiB; after the load, and after {} \
         random updates.\n\n{}",
        grouped(report.updates),
        memories(report)
    );
    text
}

/// Returns the times of all contenders for sets of each size.
fn times(sizes: &[&SpeedOf], operation: Operation) -> Table {
    let mut head = vec![String::new()];
    head.extend(sizes.iter().map(|of| format!("n = {}", grouped(of.n))));
    let mut table = Table::new(head);
    for (place, name) in sizes[0].speed.names.iter().enumerate() {
        let mut cells = vec![(*name).to_owned()];
        cells.extend(sizes.iter().map(|of| {
            let figure = of.speed.nanos(place, operation);
            let median = show(figure.map(|it| it.median));
            if figure.is_some() { format!("{median} ({})", spread(figure)) } else { median }
        }));
        table.push(cells);
    }
    table
}

/// Returns the memory of all sets.
fn memories(report: &Report) -> Table {
    let mut head = ["members", "n", "contender"].map(String::from).to_vec();
    head.extend(FIGURES.map(|(label, _)| label.to_owned()));
    let mut table = Table::new(head);
    for MemoryOf { kind, n, name, memory } in &report.memories {
        let mut cells = vec![kind.name().to_owned(), grouped(*n), (*name).to_owned()];
        cells.extend(FIGURES.map(|(_, read)| show(read(*memory))));
        table.push(cells);
    }
    table
}

pub(super) fn tails_head(report: &Report) -> String {
    let (n, updates) = (grouped(report.tail_len), grouped(report.updates));
    format!("Single calls while a set grows to {n} u64, and takes {updates} random updates then")
}

pub(super) fn tails_note(report: &Report) -> String {
    format!(
        "CPU time in microseconds, the calmer of two rounds; each includes a reading of the clock, {:?}.",
        report.clock
    )
}

/// Formats nanoseconds as microseconds.
pub(super) fn micros(nanos: f64) -> String {
    show(Some(nanos / 1e3))
}

/// Formats the interquartile range of the rounds.
pub(super) fn spread(figure: Option<Figure>) -> String {
    figure.map_or(String::new(), |it| show_range(it.low, it.high))
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn spread_is_what_half_of_the_rounds_are_within() {
        let figure = Figure { median: 150.0, low: 99.5, high: 210.0 };
        assert_eq!(spread(Some(figure)), "99.5–210");
        assert_eq!(spread(None), "");
    }

    #[test]
    fn brief_tables_are_narrow_and_compare_sorted_sets() {
        let text = brief(&report());
        for line in text.lines().filter(|line| line.starts_with('|')) {
            assert!(line.chars().count() <= 110, "{line}");
        }
        let head = text.lines().find(|line| line.contains("middle half |")).expect("a table");
        let cells: Vec<_> = head.split('|').map(str::trim).collect();
        let expected = ["zset", "middle half", "BTreeSet", "indexset", "wabi_tree", "skiplist"];
        assert_eq!(cells[2..8], expected, "{head}");
        let rank = text.lines().find(|line| line.starts_with("| rank")).expect("a row");
        assert_eq!(rank.split('|').nth(4).map(str::trim), Some("–"), "std's B-tree has no ranks");
        let bytes = text.lines().find(|line| line.starts_with("| bytes requested")).expect("a row");
        assert_eq!(bytes.split('|').nth(2).map(str::trim), Some("1.00"), "{bytes}");
    }

    #[test]
    fn all_contenders_have_their_times_with_the_spread() {
        let report = report();
        let text = full(&report);
        let names = &report.speeds[0].speed.names;
        for name in names {
            let row = format!("| {name} ");
            assert!(text.lines().any(|line| line.starts_with(&row)), "{name}");
        }
        let (_, inserts) = text.split_once("### u64: insert, ns").expect("a table");
        let zset = inserts.lines().find(|line| line.starts_with("| zset ")).expect("a row");
        assert!(zset.contains("11.0 (10.5–11.5)"), "{zset}");
        let memory = text.lines().find(|line| line.starts_with("| u64 ")).expect("a row");
        let cells: Vec<_> = memory.split('|').map(str::trim).collect();
        assert_eq!(cells[4..], ["1.00", "2.00", "3.00", "4.00", ""]);
    }
}
