//! The web page: a single, self-contained file with plots, and with the tables of the Markdown file.

use std::fmt::Write as _;
use std::io;

use pulldown_cmark::{Options, Parser, html};

use super::Report;
use super::markdown::{full, tails_head};
use crate::contenders;
use crate::member::Kind;
use crate::plot::{Chart, Point, mark, picture, variables, with_variables};
use crate::record::Record;
use crate::tables::{distinct, find};
use crate::tail::curve;
use crate::workload::as_f64;

const STYLE: &str = include_str!("style.css");

/// Returns the page.
///
/// # Errors
///
/// Returns an error if a plot cannot be drawn.
pub(super) fn of(report: &Report) -> io::Result<String> {
    let mut text = String::from("# Sorted sets, measured\n\n<p class=\"legend\">");
    for (place, name) in contenders::names().into_iter().enumerate() {
        // Writing to a string cannot fail, here and below.
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
    if !report.tails.is_empty() {
        let head = format!("{}: ns that one call in so many takes longer than", tails_head(report));
        text += &plots(&head, ["insert", "update"].into_iter().map(|call| tails(report, call)))?;
    }
    let _ = write!(text, "\n## All results\n\n{}", full(report));
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
        // Markdown ends at an empty line.
        text += &with_variables(picture(&title, &[], &[chart], 1)?);
    }
    Ok(text + "</div>\n\n")
}

/// Returns the chart of a value by size.
fn by_size(sizes: &[&[Record]], what: &str) -> Chart {
    let point = |it: &Record| {
        // A set smaller than a page may take none.
        let y = it.value.filter(|value| *value > 0.0)?;
        Some(Point { x: as_f64(it.n), y, low: it.low.unwrap_or(y), high: it.high.unwrap_or(y) })
    };
    let line = |name| sizes.iter().filter_map(|of| point(find(of, name, what)?)).collect();
    Chart { caption: what.into(), lines: contenders::names().into_iter().map(line).collect() }
}

/// Returns the chart of the longest ones among single calls.
fn tails(report: &Report, kind_of_call: &str) -> Chart {
    let line = |tail: &crate::tail::Tail| {
        let times = tail.calls().find(|(call, _)| *call == kind_of_call);
        let points = times.map(|(_, times)| curve(times).into_iter().map(Point::of).collect());
        points.unwrap_or_default()
    };
    Chart { caption: kind_of_call.into(), lines: report.tails.iter().map(line).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn the_page_has_all_that_was_measured_and_nothing_from_elsewhere() {
        let report = report();
        let page = of(&report).unwrap();
        // Two operations, four values of memory, and two kinds of calls.
        assert_eq!(page.matches("<svg role=\"img\"").count(), 8);
        // Those of two sizes, those of each value, and one of single calls.
        assert_eq!(page.matches("<table>").count(), 2 + 6 + 1);
        assert!(page.contains("a fast one"), "{page}");
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for what in ["http:", "https:", "src=", "<script", "<link", "NaN", "inf"] {
            assert!(!page.contains(what), "{what}");
        }
    }
}
