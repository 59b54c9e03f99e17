//! The figures as Markdown tables, for a terminal and for a README.

use std::fmt::Write as _;

use super::Report;
use crate::table::{Table, show, show_ratio};

pub(super) fn of(report: &Report) -> String {
    let mut text = report.origin.clone();
    // A string takes all that is written to it.
    let _ = writeln!(
        text,
        "- rounds: {}; medians, and the medians of the rounds' ratios",
        report.rounds
    );
    for of in &report.speeds {
        let _ = write!(text, "\n### {}, n = {}\n\n", of.kind.label(), grouped(of.n));
        let names = &of.speed.names;
        let mut table = Table::comparing("ns", names);
        for &operation in &report.operations {
            let figure = |place| of.speed.nanos(place, operation).map(|figure| figure.median);
            let ratio = |place| of.speed.ratio(place, operation).map(|figure| figure.median);
            table.push_comparison(operation.label(), names.len(), figure, ratio);
        }
        let memory = |place: usize| {
            let mut memories = report.memories.iter();
            memories.find(|it| (it.kind, it.n, it.name) == (of.kind, of.n, names[place]))
        };
        let requested = |place| memory(place).map(|it| it.memory.requested);
        let ratio = |place| Some(requested(0)? / requested(place)?);
        table.push_comparison("bytes", names.len(), requested, ratio);
        let later = |place| memory(place).map(|it| it.memory.resident_later);
        let ratio = |place| Some(later(0)? / later(place)?);
        table.push_comparison("bytes, resident, later", names.len(), later, ratio);
        let _ = write!(text, "{table}");
    }
    if !report.tails.is_empty() {
        let _ = write!(text, "\n{}", tails(report));
    }
    text
}

/// Returns the table of single calls.
fn tails(report: &Report) -> String {
    let n = grouped(report.tail_len);
    let mut text = format!(
        "### Single calls while growing to n = {n}, and {} random updates then\n\n\
         CPU time in microseconds; each includes a reading of the clock, {:?}.\n\n",
        grouped(crate::tail::UPDATES.min(report.tail_len)),
        report.clock
    );
    let head =
        ["µs", "insert p50", "p99", "p99.99", "longest", "update p50", "p99", "p99.99", "longest"];
    let mut table = Table::new(head.map(String::from).into());
    for tail in &report.tails {
        let mut cells = vec![tail.name.to_owned()];
        for quantiles in [Some(tail.insertions), tail.updates] {
            let quantiles = quantiles.map(|it| [it.p50, it.p99, it.p9999, it.max]);
            for place in 0..4 {
                #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                let micros = quantiles.map(|nanos| nanos[place] as f64 / 1e3);
                cells.push(show(micros));
            }
        }
        table.push(cells);
    }
    let _ = write!(text, "{table}");
    text
}

/// Shows a count with its thousands apart.
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

/// Shows how the subject compares.
pub(super) fn ratio(ratio: Option<f64>) -> String {
    show_ratio(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        for (count, text) in [(7, "7"), (100, "100"), (1_000, "1,000"), (10_000_000, "10,000,000")]
        {
            assert_eq!(grouped(count), text);
        }
    }
}
