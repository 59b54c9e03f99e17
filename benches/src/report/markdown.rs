//! The results as Markdown tables, for a terminal and for a file.

use std::fmt::Write as _;
use std::time::Duration;

use crate::record::Record;
use crate::sets::calls::Calls;
use crate::sets::member::Kind;
use crate::sets::tables::{calls, compared};
use crate::table::grouped;

/// The legend of the tables with ratios.
const LEGEND: &str = "\
Nanoseconds an operation: the median of the rounds, and the range of their middle half. Under the name of
each peer: how many times longer it takes than zset in the same round, the median of the rounds, or how
many times more memory; above 1, zset is ahead. BTreeSet, indexset, wabi_tree and skiplist are each paired
with a HashMap. A dash stands where a peer does not offer it, or only in linear time. The rows from append
to union, and iterate, show the time of one element. Memory is in bytes an element: requested from the
allocator, and resident in whole pages of 4 KiB, after random updates.
";

/// All results.
#[derive(Debug)]
pub(super) struct Report {
    /// The machine, the compiler and the command, one line of Markdown each.
    pub(super) origin: String,
    /// All results except for single calls, those for sets of one size together.
    pub(super) sets: Vec<Record>,
    /// The size to which the sets grow whose single calls are timed.
    pub(super) tail: usize,
    pub(super) updates: usize,
    pub(super) clock: Duration,
    pub(super) calls: Vec<Calls>,
}

impl Report {
    /// Returns all results.
    pub(super) fn records(&self) -> Vec<Record> {
        let calls = self.calls.iter().flat_map(|calls| calls.records(self.tail));
        self.sets.iter().cloned().chain(calls).collect()
    }

    /// Returns the results for one kind of members, by size.
    pub(super) fn sizes(&self, kind: Kind) -> Vec<&[Record]> {
        let groups = self.sets.chunk_by(|a, b| a.group() == b.group());
        let mut sizes: Vec<_> = groups.filter(|group| group[0].table == kind.name()).collect();
        // The sizes may have been given in any order.
        sizes.sort_by_key(|group| group[0].n);
        sizes
    }

    /// Returns the heading of single calls.
    pub(super) fn calls_head(&self) -> String {
        let (n, updates) = (grouped(self.tail), grouped(self.updates));
        format!(
            "Single calls while a set grows to {n} u64, and takes {updates} random updates then"
        )
    }
}

/// Returns the origin of the results, and tables.
pub(super) fn markdown(report: &Report) -> String {
    let mut text = format!("{}\n{LEGEND}", report.origin);
    for group in report.records().chunk_by(|a, b| a.group() == b.group()) {
        // Writing to a string cannot fail.
        let _ = match group[0].table.parse() {
            Ok(kind) => write!(text, "\n{}", compared(kind, group)),
            Err(_) => write!(
                text,
                "\n### {}\n\nCPU time in microseconds, the calmer of two rounds; each includes a \
                 reading of the clock, {:?}.\n\n{}",
                report.calls_head(),
                report.clock,
                calls(group)
            ),
        };
    }
    text
}
