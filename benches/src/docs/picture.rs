//! The picture of the README: how peers compare with zset, by size. One file for light pages and
//! one for dark ones.

use std::io;

use crate::contenders;
use crate::member::Kind;
use crate::memory::LABELS;
use crate::plot::{Chart, Point, dark, picture};
use crate::record::Record;
use crate::sets::{HUNDRED_BY_SCORE, INSERT, RANK, SCORE, UPDATE};
use crate::tables::is_sorted_set;
use crate::workload::as_f64;

const TITLE: &str =
    "Time and memory of sorted sets of u64, as multiples of zset, by number of elements";

/// Returns both files, with their paths in the repository.
pub(super) fn files(records: &[Record]) -> io::Result<[(&'static str, String); 2]> {
    let ([requested, ..], names) = (LABELS, contenders::names());
    let charts = [
        (INSERT, "insert"),
        (SCORE, "score of a member"),
        (UPDATE, "update of a score"),
        (RANK, "rank of a member"),
        (HUNDRED_BY_SCORE, "100 elements by score"),
        (requested, "memory"),
    ]
    .map(|(what, caption)| {
        let lines = names.iter().map(|name| points(records, name, what));
        Chart { caption: caption.into(), lines: lines.collect() }
    });
    let legend: Vec<_> = names.into_iter().enumerate().filter(|(_, name)| is_drawn(name)).collect();
    let light = picture(TITLE, &legend, &charts, 3)?;
    Ok([("docs/sets-dark.svg", dark(light.clone())), ("docs/sets-light.svg", light)])
}

/// Returns whether a contender has a line.
fn is_drawn(name: &str) -> bool {
    // The textbook skip list runs close to that of the crate.
    name == "zset" || is_sorted_set(name) && !name.starts_with("textbook")
}

/// Returns the multiples of zset's own values, by size.
fn points(records: &[Record], contender: &str, what: &str) -> Vec<Point> {
    let is_drawn = |it: &&Record| {
        it.table == Kind::Integers.name()
            && it.contender == contender
            && it.what == what
            && is_drawn(contender)
    };
    // Records are sorted by size. Those of the subject have no ratio.
    let point = |it: &Record| Point::of((as_f64(it.n), it.ratio.map_or(1.0, f64::recip)));
    records.iter().filter(is_drawn).map(point).collect()
}
