//! The web page: a single, self-contained file with plots, and with the tables of the Markdown
//! file.

use std::fmt::Write as _;
use std::io;

use pulldown_cmark::{Options, Parser, html};

use crate::measure::as_f64;
use crate::plot::{Chart, Point, mark, picture, variables, with_variables};
use crate::record::Record;
use crate::report::markdown::{Report, markdown};
use crate::sets;
use crate::sets::calls::KINDS;
use crate::sets::member::Kind;
use crate::table::{distinct, find};

const STYLE: &str = include_str!("style.css");

/// Returns the page.
pub(super) fn of(report: &Report) -> io::Result<String> {
    let mut text = String::from("# Sorted sets, measured\n\n<p class=\"legend\">");
    for (place, name) in sets::names().into_iter().enumerate() {
        // Writing to a string cannot fail, neither here nor below.
        let _ = write!(text, "<b style=\"color:var(--c{place})\">{}</b> {name} ", mark(place));
    }
    text += "</p>\n\nAll contenders take turns in each round. Lines go through the medians of the \
             rounds; a pale bar behind a point is what half of the rounds are within. A contender has \
             no line where it does not offer an operation, or only in linear time.\n";
    for kind in Kind::ALL {
        let sizes = report.sizes(kind);
        if let Some(of_all) = sizes.first() {
            let charts =
                distinct(of_all, |it| &it.what).into_iter().map(|what| by_size(&sizes, what));
            let head = format!("{}: ns, or bytes, by number of elements", kind.label());
            text += &plots(&head, charts)?;
        }
    }
    if !report.calls.is_empty() {
        let head =
            format!("{}: ns that one call in so many takes longer than", report.calls_head());
        text += &plots(&head, KINDS.into_iter().map(|kind| calls(report, kind)))?;
    }
    let _ = write!(text, "\n## All results\n\n{}", markdown(report));
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sorted sets, measured</title><style>{}{STYLE}</style></head><body>",
        variables()
    );
    html::push_html(&mut page, Parser::new_ext(&text, Options::ENABLE_TABLES));
    Ok(page + "</body></html>\n")
}

/// Returns a heading, and the charts that have points.
fn plots(head: &str, charts: impl Iterator<Item = Chart>) -> io::Result<String> {
    let mut text = format!("\n## {head}\n\n<div class=\"plots\">");
    for chart in charts.filter(|chart| chart.lines.iter().any(|points| !points.is_empty())) {
        let title = format!("{head}: {}", chart.caption);
        // In Markdown, an empty line would end the HTML block, but a picture contains none.
        text += &with_variables(picture(&title, &[], &[chart], 1)?);
    }
    Ok(text + "</div>\n\n")
}

/// Returns the chart of a value by size.
fn by_size(sizes: &[&[Record]], what: &str) -> Chart {
    let point = |it: &Record| {
        // A set smaller than a page may need no resident memory. A logarithmic scale cannot show 0.
        let y = it.value.filter(|value| *value > 0.0)?;
        Some(Point { x: as_f64(it.n), y, low: it.low.unwrap_or(y), high: it.high.unwrap_or(y) })
    };
    let line = |name| sizes.iter().filter_map(|of| point(find(of, name, what)?)).collect();
    Chart { caption: what.into(), lines: sets::names().into_iter().map(line).collect() }
}

/// Returns the chart of the longest single calls.
fn calls(report: &Report, kind: &str) -> Chart {
    let line = |name| {
        let calls = report.calls.iter().find(|it| (it.contender, it.kind) == (name, kind));
        calls.map_or_else(Vec::new, |it| it.curve().into_iter().map(Point::of).collect())
    };
    Chart { caption: kind.into(), lines: sets::names().into_iter().map(line).collect() }
}
