//! The results as Markdown tables, for a terminal and for a file.

use std::fmt::Write as _;

use super::Report;
use crate::contenders;
use crate::member::Kind;
use crate::record::Record;
use crate::table::{Table, grouped};
use crate::tables::{CALLS, distinct, draw, find, spread, value};

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
    for group in report.records().chunk_by(|a, b| a.group() == b.group()) {
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
        let sizes = report.sizes(kind);
        let Some(of_all) = sizes.first() else { continue };
        for what in distinct(of_all, |it| &it.what) {
            let _ = write!(text, "\n### {}: {what}\n\n{}", kind.label(), by_size(&sizes, what));
        }
    }
    let _ = write!(
        text,
        "\nTimes are in nanoseconds. Memory is in bytes an element: requested from the allocator, and \
         resident in whole pages of 4 KiB; after the load, and after {} random updates.\n",
        grouped(report.updates)
    );
    text
}

/// Returns a value of all contenders for sets of each size.
fn by_size(sizes: &[&[Record]], what: &str) -> Table {
    let mut head = vec![String::new()];
    head.extend(sizes.iter().map(|of| format!("n = {}", grouped(of[0].n))));
    let mut table = Table::new(head);
    for name in contenders::names() {
        let mut cells = vec![name.to_owned()];
        cells.extend(sizes.iter().map(|of| {
            let record = find(of, name, what);
            let spread = spread(record);
            if spread.is_empty() { value(record) } else { format!("{} ({spread})", value(record)) }
        }));
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

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

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
        for name in contenders::names() {
            let row = format!("| {name} ");
            assert!(text.lines().any(|line| line.starts_with(&row)), "{name}");
        }
        let (_, inserts) = text.split_once("### u64: insert\n").expect("a table");
        let zset = inserts.lines().find(|line| line.starts_with("| zset ")).expect("a row");
        assert!(zset.contains("11.0 (10.5–11.5)"), "{zset}");
        let (_, memory) = text.split_once("### u64: bytes resident, updated\n").expect("a table");
        let zset = memory.lines().find(|line| line.starts_with("| zset ")).expect("a row");
        assert!(zset.contains(" 4.00 |"), "{zset}");
    }
}
