//! The picture of the README: how peers compare with zset, by size. One file for light pages and
//! one for dark ones.

use std::fmt::Write as _;

use crate::contenders;
use crate::member::Kind;
use crate::memory::LABELS;
use crate::operation::Operation;
use crate::plot::{self, HEIGHT, Line, Point, WIDTH, escape, lines, sample};
use crate::record::Record;
use crate::tables::is_sorted_set;
use crate::workload::as_f64;

/// The number of panels in a row.
const COLUMNS: usize = 3;

/// The height of the title and the legend, and of the caption of a panel.
const TOP: f64 = 66.0;
const CAPTION: f64 = 34.0;

/// The space between panels.
const GAP: f64 = 14.0;

/// A file and its colours.
const THEMES: [(&str, &str); 2] =
    [("docs/sets-light.svg", plot::LIGHT), ("docs/sets-dark.svg", plot::DARK)];

const TITLE: &str =
    "Time and memory of sorted sets of u64, as multiples of zset, by number of elements";

/// Returns both files, with their paths in the repository.
pub(super) fn files(records: &[Record]) -> impl Iterator<Item = (&'static str, String)> {
    THEMES.into_iter().map(|(path, palette)| (path, draw(records, palette)))
}

/// Returns the labels of the panels with their captions.
fn panels() -> [(&'static str, &'static str); 6] {
    let [requested, ..] = LABELS;
    [
        (Operation::Insert.label(), "insert"),
        (Operation::Score.label(), "score of a member"),
        (Operation::Update.label(), "update of a score"),
        (Operation::Rank.label(), "rank of a member"),
        (Operation::HundredByScore.label(), "100 elements by score"),
        (requested, "memory"),
    ]
}

/// Returns the contenders that are drawn, with the class of each.
fn drawn() -> impl Iterator<Item = (usize, &'static str)> {
    let all = contenders::names().into_iter().enumerate();
    // The textbook skip list runs close to that of the crate.
    all.filter(|(class, name)| *class == 0 || is_sorted_set(name) && !name.starts_with("textbook"))
}

fn draw(records: &[Record], palette: &str) -> String {
    let rows = panels().len().div_ceil(COLUMNS);
    let width = as_f64(COLUMNS) * (WIDTH + GAP) + GAP;
    let height = TOP + as_f64(rows) * (CAPTION + HEIGHT + GAP);
    // Writing to a string cannot fail.
    let mut svg = plot::open(TITLE, width, height).replacen(
        "<svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"",
        1,
    );
    let _ = write!(
        svg,
        "<style>svg{{{palette}}}{}text{{font:14px system-ui,sans-serif}}.b{{font-weight:600;fill:var(--text)}}</style>\
         <text class=\"b\" x=\"{GAP}\" y=\"22\">{}</text>",
        plot::STYLE,
        escape(TITLE),
    );
    let mut x = GAP;
    for (class, name) in drawn() {
        let _ = write!(
            svg,
            "<g transform=\"translate({x} 36)\">{}<text x=\"34\" y=\"12\">{}</text></g>",
            sample(class),
            escape(name)
        );
        x += 210.0;
    }
    for (place, (what, caption)) in panels().into_iter().enumerate() {
        let (row, column) = (place / COLUMNS, place % COLUMNS);
        let x = GAP + as_f64(column) * (WIDTH + GAP);
        let y = TOP + as_f64(row) * (CAPTION + HEIGHT + GAP);
        let all: Vec<_> = drawn()
            .map(|(class, name)| Line { class, points: points(records, name, what) })
            .collect();
        let _ = write!(
            svg,
            "<g transform=\"translate({x} {y})\"><text class=\"b\" x=\"40\" y=\"24\">{caption}</text>\
             <g transform=\"translate(0 {CAPTION})\">{}</g></g>",
            lines(caption, &all)
        );
    }
    svg + "</svg>\n"
}

/// Returns the multiples of zset's own figures, by size.
fn points(records: &[Record], contender: &str, what: &str) -> Vec<Point> {
    let is_drawn = |it: &&Record| {
        it.table == Kind::Integers.name() && it.contender == contender && it.what == what
    };
    // Records are sorted by size. Those of the subject have no ratio.
    let point = |it: &Record| Point::of((as_f64(it.n), it.ratio.map_or(1.0, f64::recip)));
    records.iter().filter(is_drawn).map(point).collect()
}
