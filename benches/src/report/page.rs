//! The web page: a single, self-contained file.

use std::fmt::Write as _;

use super::Report;
use super::markdown::{tails_head, tails_note};
use crate::contenders;
use crate::member::Kind;
use crate::memory::LABELS;
use crate::plot::{self, Bar, Line, Point, bars, escape, lines, sample};
use crate::record::Record;
use crate::table::{Table, grouped};
use crate::tables::{calls, distinct, find, ratio, spread, value};
use crate::tail::curve;
use crate::workload::as_f64;

const STYLE: &str = include_str!("style.css");

pub(super) fn of(report: &Report) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sorted sets, measured</title><style>:root {{ color-scheme: light dark; {} }} \
         @media (prefers-color-scheme: dark) {{ :root {{ {} }} }} {}{STYLE}</style></head><body>\
         <h1>Sorted sets, measured</h1>{}{}{}",
        plot::LIGHT,
        plot::DARK,
        plot::STYLE,
        origin(report),
        contents(report),
        legend()
    );
    for kind in Kind::ALL {
        let sizes = report.sizes(kind);
        if !sizes.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(page, "<h2 id=\"{}\">{}</h2>", kind.name(), escape(kind.label()));
            page.push_str(&plots(&sizes));
            page.push_str(&memory(report, &sizes));
            page.extend(sizes.into_iter().map(table));
        }
    }
    page.push_str(&tails(report));
    page.push_str("</body></html>\n");
    page
}

fn origin(report: &Report) -> String {
    let mut list = String::from("<ul>");
    for line in report.origin.lines() {
        let line = escape(line.trim_start_matches("- ")).replace('`', "");
        let _ = write!(list, "<li>{line}</li>");
    }
    list + "</ul><p>All contenders take turns in each round. Lines go through the medians of the rounds; \
            a pale bar behind a point is what half of the rounds are within. A contender has no line \
            where it does not offer an operation, or only in linear time.</p>"
}

fn contents(report: &Report) -> String {
    let mut links = String::from("<nav>Members:");
    for kind in Kind::ALL.into_iter().filter(|&kind| !report.sizes(kind).is_empty()) {
        let _ = write!(links, " <a href=\"#{}\">{}</a>;", kind.name(), escape(kind.label()));
    }
    links + " <a href=\"#calls\">single calls</a></nav>"
}

/// Explains which colour and mark belong to which contender.
fn legend() -> String {
    let mut legend = String::from("<p class=\"legend\">");
    for (class, name) in contenders::names().into_iter().enumerate() {
        let _ = write!(legend, "<span>{}{}</span> ", sample(class), escape(name));
    }
    legend + "</p>"
}

fn figure(caption: &str, picture: &str) -> String {
    format!("<figure><figcaption>{}</figcaption>{picture}</figure>", escape(caption))
}

/// Draws the time of each operation against the size.
fn plots(sizes: &[&[Record]]) -> String {
    let mut plots = String::from(
        "<p>Nanoseconds an operation, over the number of elements.</p><div class=\"plots\">",
    );
    for what in distinct(sizes[0], |it| &it.what) {
        let point = |it: &Record| {
            let y = it.value?;
            let (low, high) = (it.low.unwrap_or(y), it.high.unwrap_or(y));
            (it.unit == "ns").then_some(Point { x: as_f64(it.n), y, low, high })
        };
        let line = |(class, name)| {
            let points = sizes.iter().filter_map(|of| point(find(of, name, what)?)).collect();
            Line { class, points }
        };
        let all: Vec<_> = contenders::names().into_iter().enumerate().map(line).collect();
        if all.iter().any(|line| !line.points.is_empty()) {
            let title = format!("{what}: ns over the number of elements");
            plots.push_str(&figure(what, &lines(&title, &all)));
        }
    }
    plots + "</div>"
}

/// Draws the memory of sets of each size.
fn memory(report: &Report, sizes: &[&[Record]]) -> String {
    let mut plots = format!(
        "<h3>Bytes an element</h3><p>The first figure, and the narrow bar: requested from the allocator \
         after the load. The second one, and the pale bar: resident after {} random updates, in pages of \
         4 KiB, which small sets do not fill.</p><div class=\"plots\">",
        grouped(report.updates)
    );
    let [requested, loaded, _, updated] = LABELS;
    for of in sizes {
        let bar = |(class, name): (usize, &str)| {
            let behind = find(of, name, updated).or_else(|| find(of, name, loaded))?.value?;
            let value = find(of, name, requested)?.value?;
            Some(Bar { class, label: name.to_owned(), value, behind })
        };
        let all: Vec<_> = contenders::names().into_iter().enumerate().filter_map(bar).collect();
        let title = format!("n = {}", grouped(of[0].n));
        plots.push_str(&figure(&title, &bars(&title, &all)));
    }
    plots + "</div>"
}

/// Shows all results for one size, with how the subject compares.
fn table(of: &[Record]) -> String {
    let mut head = vec![String::new()];
    head.extend(contenders::names().map(String::from));
    let mut table = Table::new(head);
    for what in distinct(of, |it| &it.what) {
        let mut cells = vec![what.to_owned()];
        cells.extend(contenders::names().map(|name| cell(find(of, name, what))));
        table.push(cells);
    }
    format!(
        "<details><summary>n = {}: all figures</summary><p>Nanoseconds: the median of all rounds ({}), \
         and what half of them are within. Memory in bytes an element. <b>×</b>: how many times longer \
         the peer takes in the same round, or how many times the memory; above 1, zset is ahead.</p>\
         {}</details>",
        grouped(of[0].n),
        of[0].rounds,
        table.html()
    )
}

/// Shows a value, with its spread and how the subject compares in lines below.
fn cell(record: Option<&Record>) -> String {
    let mut lines = vec![value(record), spread(record)];
    if record.is_some_and(|it| it.ratio.is_some()) {
        lines.push(format!("× {}", ratio(record)));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn tails(report: &Report) -> String {
    if report.tails.is_empty() {
        return "<p id=\"calls\">Single calls were not timed.</p>".into();
    }
    let mut text = format!(
        "<h2 id=\"calls\">{}</h2><p>{}</p><p>Nanoseconds that one call in so many takes longer than.</p>\
         <div class=\"plots\">",
        tails_head(report),
        tails_note(report)
    );
    for kind_of_call in ["insert", "update"] {
        let line = |(class, tail): (usize, &crate::tail::Tail)| {
            let (_, times) = tail.calls().find(|(call, _)| *call == kind_of_call)?;
            Some(Line { class, points: curve(times).into_iter().map(Point::of).collect() })
        };
        let all: Vec<_> = report.tails.iter().enumerate().filter_map(line).collect();
        let title = format!("{kind_of_call}: ns that one call in so many takes longer than");
        text.push_str(&figure(kind_of_call, &lines(&title, &all)));
    }
    let records: Vec<_> =
        report.tails.iter().flat_map(|tail| tail.records(report.tail_len)).collect();
    text + "</div>" + &calls(&records).html()
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn the_page_has_all_that_was_measured_and_nothing_from_elsewhere() {
        let report = report();
        let page = of(&report);
        // Two operations, the memory of two sizes, and two kinds of calls.
        assert_eq!(page.matches("<svg viewBox").count(), 6);
        assert_eq!(page.matches("<table>").count(), 3);
        assert!(page.contains("a &lt;fast&gt; one"));
        for what in ["http:", "https:", "src=", "<script", "<link", "NaN", "inf"] {
            assert!(!page.contains(what), "{what}");
        }
    }

    #[test]
    fn a_cell_has_the_spread_and_only_those_of_peers_have_a_ratio() {
        let report = report();
        let names = contenders::names();
        let of =
            |place: usize, what| cell(find(report.sizes(Kind::Integers)[0], names[place], what));
        let cells = [0, 1, 2].map(|place| of(place, "insert"));
        assert!(cells.iter().all(|cell| cell.contains('–')));
        assert_eq!([0, 1, 2].map(|place| cells[place].contains('×')), [false, false, true]);
        assert_eq!(of(2, "rank"), "–");
    }

    #[test]
    fn a_report_without_single_calls_says_so() {
        let page = of(&Report { tails: Vec::new(), ..report() });
        assert!(page.contains("were not timed"));
    }
}
