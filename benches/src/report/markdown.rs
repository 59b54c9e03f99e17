//! The results as Markdown tables, for a terminal and for the docs.

use std::fmt::Write as _;

use super::{MemoryOf, Report, SpeedOf};
use crate::contenders::SUBJECTS;
use crate::member::Kind;
use crate::memory::FIGURES;
use crate::operation::Operation;
use crate::speed::Figure;
use crate::table::{Table, show, show_ratio};
use crate::tail::{QUANTILES, quantiles};

/// The legend of the tables with ratios.
const LEGEND: &str = "\
Nanoseconds an operation: the median of the rounds, and the range of their middle half. Under the name of
each peer: the time of zset divided by that of the peer in the same round, the median of the rounds; below
1, zset is faster, or takes less memory. BTreeSet, indexset, wabi_tree, skiplist and textbook are
each paired with a HashMap; textbook is a plain skip list with one element a node. A dash stands where a
peer does not offer it, or only in linear time. The rows from append to union, and iterate, show the time
of one element.
";

/// Returns whether a peer appears in tables with ratios: only sorted sets do, not heaps.
fn is_compared(name: &str) -> bool {
    name.ends_with("+ HashMap")
}

/// Returns the first word, for the heading of a narrow column.
fn short(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

/// Returns the origin of the results and how the subject compares, in tables that fit on a screen.
pub(super) fn brief(report: &Report) -> String {
    let mut text = format!("{}\n{LEGEND}", report.origin);
    for of in &report.speeds {
        // Writing to a string cannot fail, here and below.
        let _ = write!(text, "\n### {}\n\n{}", head(of), compared(report, of));
    }
    if !report.tails.is_empty() {
        let _ = write!(text, "\n{}", tails(report));
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

fn head(of: &SpeedOf) -> String {
    let rounds = if of.rounds == 1 { "1 round" } else { &format!("{} rounds", of.rounds) };
    format!("{}, n = {}, {rounds}", of.kind.label(), grouped(of.n))
}

/// Returns the results of the subject and how each peer compares.
fn compared(report: &Report, of: &SpeedOf) -> Table {
    let names = &of.speed.names;
    let peers: Vec<_> = (SUBJECTS..names.len()).filter(|&it| is_compared(names[it])).collect();
    let mut cells = vec![String::new(), "zset".into(), "middle half".into()];
    cells.extend(peers.iter().map(|&peer| short(names[peer]).to_owned()));
    let mut table = Table::new(cells);
    for &operation in &report.operations {
        let figure = of.speed.nanos(0, operation);
        let ratio = |peer: &usize| of.speed.ratio(*peer, operation).map(|figure| figure.median);
        let mut cells = vec![operation.label().to_owned()];
        cells.extend([show(figure.map(|it| it.median)), spread(figure)]);
        cells.extend(peers.iter().map(|peer| show_ratio(ratio(peer))));
        table.push(cells);
    }
    let memory = |place: usize| report.memory(of, place).map(|it| it.memory);
    // Requested bytes after the load, and resident bytes after the updates.
    for (label, read) in [FIGURES[0], FIGURES[3]] {
        let bytes = |place| memory(place).and_then(read);
        let mut cells = vec![format!("bytes {label}"), show(bytes(0)), String::new()];
        let ratio = |peer: &usize| Some(bytes(0)? / bytes(*peer)?);
        cells.extend(peers.iter().map(|peer| show_ratio(ratio(peer))));
        table.push(cells);
    }
    table
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

/// Returns the table of single calls.
fn tails(report: &Report) -> String {
    let mut text = format!("### {}\n\n{}\n\n", tails_head(report), tails_note(report));
    let mut head = vec!["µs".to_owned(), "call".to_owned()];
    head.extend(QUANTILES.map(String::from));
    let mut table = Table::new(head);
    for tail in &report.tails {
        for (call, times) in tail.calls() {
            let mut cells = vec![tail.name.to_owned(), call.to_owned()];
            cells.extend(quantiles(times).map(micros));
            table.push(cells);
        }
    }
    let _ = write!(text, "{table}");
    text
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
    figure.map_or(String::new(), |it| format!("{}–{}", show(Some(it.low)), show(Some(it.high))))
}

/// Formats a count with thousands separators.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn thousands_are_apart() {
        for (count, text) in [(7, "7"), (100, "100"), (1_000, "1,000"), (10_000_000, "10,000,000")]
        {
            assert_eq!(grouped(count), text);
        }
    }

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
        assert!(
            memory.ends_with("|      1.00 |     2.00 |               3.00 |              4.00 |")
        );
    }
}
