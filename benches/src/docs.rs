//! `docs` draws the tables of results in the docs, and the picture in the README, from
//! `benches/results.csv`. It measures nothing.
//!
//! Each table stands between two markers. The first marker contains the name of the table and, if
//! there are tables of several sizes, the number of elements:
//!
//! ```text
//! <!-- zset-bench docs: u64 1000 -->
//! <!-- end -->
//! ```
//!
//! The name `summary u64 1000000` stands for the small table in the README.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::measure::as_f64;
use crate::plot::{Chart, Point, dark, picture};
use crate::record::{self, Record};
use crate::results::draw;
use crate::sets;
use crate::sets::member::Kind;
use crate::sets::memory::LABELS;
use crate::sets::set::{HUNDRED_BY_SCORE, INSERT, RANK, SCORE, UPDATE};
use crate::sets::tables::{SUBJECT, summary};

/// The folder of the repository.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The file of records, as a path in the repository.
const RESULTS: &str = "benches/results.csv";

/// The page that must show every record.
const ALL: &str = "docs/benchmarks.md";

/// The page with a summary.
const README: &str = "README.md";

/// The title of the picture.
const TITLE: &str =
    "Time and memory of sorted sets of u64, as multiples of zset, by number of elements";

const BEGIN: &str = "<!-- zset-bench docs: ";
const BEGIN_ENDS: &str = " -->\n";
const END: &str = "<!-- end -->";

/// Draws and writes all files. If a marker is malformed or names no records, or
/// `docs/benchmarks.md` has no marker for a record, no file changes.
pub fn run(folder: &Path, out: &mut impl Write) -> io::Result<()> {
    for (path, content) in files(folder)? {
        fs::write(folder.join(path), content)?;
        writeln!(out, "{path}")?;
    }
    Ok(())
}

/// Returns the content of each file, with its path in the folder.
pub fn files(folder: &Path) -> io::Result<Vec<(&'static str, String)>> {
    let records = record::read(&folder.join(RESULTS))?;
    let mut files = Vec::new();
    for path in [ALL, README] {
        let text = fs::read_to_string(folder.join(path))?;
        let content = filled(&text, &records, path == ALL).map_err(|message| {
            io::Error::new(ErrorKind::InvalidData, format!("{path}: {message}"))
        })?;
        files.push((path, content));
    }
    files.extend(pictures(&records)?);
    Ok(files)
}

/// Returns a page with all tables drawn. If `is_complete`, each record must be in a table of the
/// page.
fn filled(text: &str, records: &[Record], is_complete: bool) -> Result<String, String> {
    let mut filled = String::new();
    let mut shown = BTreeSet::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) =
            after
                .split_once(BEGIN_ENDS)
                .filter(|(name, _)| !name.contains('\n'))
                .ok_or_else(|| format!("a line with `{BEGIN}` does not end with `-->`"))?;
        let (_, after) = after
            .split_once(END)
            .filter(|(old, _)| !old.contains(BEGIN))
            .ok_or_else(|| format!("`{BEGIN}{name} -->` has no `{END}`"))?;
        let (draw, selected) = select(name, records);
        if selected.is_empty() {
            return Err(format!("{RESULTS} has no records for `{BEGIN}{name} -->`"));
        }
        filled.extend([before, BEGIN, name, BEGIN_ENDS, "\n", &draw(&selected), END]);
        shown.extend(selected.iter().map(|it| (it.table.clone(), it.n)));
        rest = after;
    }
    filled.push_str(rest);
    match records.iter().find(|it| is_complete && !shown.contains(&(it.table.clone(), it.n))) {
        Some(Record { table, n, .. }) => Err(format!("there is no `{BEGIN}{table} {n} -->`")),
        None => Ok(filled),
    }
}

/// Draws a table.
type Draw = fn(&[Record]) -> String;

/// Returns the records that a marker names, and how they are drawn.
fn select(name: &str, records: &[Record]) -> (Draw, Vec<Record>) {
    let (draw, name): (Draw, _) = match name.strip_prefix("summary ") {
        Some(name) => (summary, name),
        None => (draw, name),
    };
    // A number at the end is a size, since no table's name ends with a number.
    let sized = name.rsplit_once(' ').and_then(|(table, n)| Some((table, n.parse().ok()?)));
    let (table, n) = sized.map_or((name, None), |(table, n)| (table, Some(n)));
    let is_selected = |it: &&Record| it.table == table && n.is_none_or(|n: usize| n == it.n);
    (draw, records.iter().filter(is_selected).cloned().collect())
}

/// Returns the picture of how peers compare with zset by size, for dark and for light pages, with
/// the paths of its files.
fn pictures(records: &[Record]) -> io::Result<[(&'static str, String); 2]> {
    let ([requested, ..], names) = (LABELS, sets::names());
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
    name == SUBJECT || name.ends_with("+ HashMap")
}

/// Returns the values of a contender as multiples of zset's, by size.
fn points(records: &[Record], contender: &str, what: &str) -> Vec<Point> {
    let is_drawn = |it: &&Record| {
        it.table == Kind::Integers.name()
            && it.contender == contender
            && it.what == what
            && is_drawn(contender)
    };
    // Records are sorted by size. The subject's records have no ratio, so its points are drawn at
    // 1.
    let point = |it: &Record| Point::of((as_f64(it.n), it.ratio.map_or(1.0, f64::recip)));
    records.iter().filter(is_drawn).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Figures

<!-- zset-bench docs: u64 100 -->
<!-- end -->
In between.
<!-- zset-bench docs: Heap -->
of old
<!-- end -->
The end.
";

    fn records() -> Vec<Record> {
        let record = |table: &str, n| Record::new((table, n), "zset", ("insert", "ns"), Some(5.0));
        vec![record("Heap", 7), record("u64", 100)]
    }

    #[test]
    fn a_marker_that_is_malformed_or_missing_is_an_error() {
        let error = |from: &str, to: &str| {
            filled(&PAGE.replacen(from, to, 1), &records(), true).unwrap_err()
        };
        assert!(error("100 -->", "100").contains("does not end with"));
        assert!(error("<!-- end -->", "").contains("u64 100 -->` has no `<!-- end -->`"));
        assert!(error("u64 100", "u64 200").contains("no records for"));
        assert!(error("Heap", "Pile").contains("no records for"));
        let of_one = PAGE.split_once("In between.").map(|(first, _)| first).unwrap();
        let error = filled(of_one, &records(), true).unwrap_err();
        assert_eq!(error, "there is no `<!-- zset-bench docs: Heap 7 -->`");
        // A page that need not be complete may leave out records.
        assert!(filled(of_one, &records(), false).is_ok());
    }
}
