//! The web page: a single, self-contained file.

use std::fmt::Write as _;

use super::markdown::{micros, spread, tails_head, tails_note};
use super::{Report, SpeedOf};
use crate::member::Kind;
use crate::memory::{FIGURES, Memory};
use crate::operation::Operation;
use crate::plot::{self, Bar, Line, Point, bars, escape, lines, sample};
use crate::table::{grouped, show, show_ratio};
use crate::tail::{QUANTILES, curve, quantiles};
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
        legend(report)
    );
    for kind in Kind::ALL {
        let speeds = speeds(report, kind);
        if !speeds.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(page, "<h2 id=\"{}\">{}</h2>", kind.name(), escape(kind.label()));
            page.push_str(&plots(report, &speeds));
            page.push_str(&memory(report, &speeds));
            for of in speeds {
                page.push_str(&table(report, of));
            }
        }
    }
    page.push_str(&tails(report));
    page.push_str("</body></html>\n");
    page
}

fn speeds(report: &Report, kind: Kind) -> Vec<&SpeedOf> {
    report.speeds.iter().filter(|of| of.kind == kind).collect()
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
    for kind in Kind::ALL.into_iter().filter(|&kind| !speeds(report, kind).is_empty()) {
        let _ = write!(links, " <a href=\"#{}\">{}</a>;", kind.name(), escape(kind.label()));
    }
    links + " <a href=\"#calls\">single calls</a></nav>"
}

/// Explains which colour and mark belong to which contender.
fn legend(report: &Report) -> String {
    let mut legend = String::from("<p class=\"legend\">");
    for (class, name) in names(report).iter().enumerate() {
        let _ = write!(legend, "<span>{}{}</span> ", sample(class), escape(name));
    }
    legend + "</p>"
}

fn names(report: &Report) -> &[&'static str] {
    report.speeds.first().map_or(&[], |of| &of.speed.names)
}

fn figure(caption: &str, picture: &str) -> String {
    format!("<figure><figcaption>{}</figcaption>{picture}</figure>", escape(caption))
}

/// Draws the time of each operation against the size.
fn plots(report: &Report, speeds: &[&SpeedOf]) -> String {
    let mut plots = String::from(
        "<p>Nanoseconds an operation, over the number of elements.</p><div class=\"plots\">",
    );
    for &operation in &report.operations {
        let line = |class: usize| Line { class, points: points(speeds, class, operation) };
        let all: Vec<_> = (0..names(report).len()).map(line).collect();
        let title = format!("{}: ns over the number of elements", operation.label());
        plots.push_str(&figure(operation.label(), &lines(&title, &all)));
    }
    plots + "</div>"
}

fn points(speeds: &[&SpeedOf], class: usize, operation: Operation) -> Vec<Point> {
    let mut points: Vec<_> = speeds
        .iter()
        .filter_map(|of| {
            let figure = of.speed.nanos(class, operation)?;
            Some(Point { x: as_f64(of.n), y: figure.median, low: figure.low, high: figure.high })
        })
        .collect();
    // The sizes may have been given in any order.
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Draws the memory of sets of each size.
fn memory(report: &Report, speeds: &[&SpeedOf]) -> String {
    let mut plots = format!(
        "<h3>Bytes an element</h3><p>The first figure, and the narrow bar: requested from the allocator \
         after the load. The second one, and the pale bar: resident after {} random updates, in pages of \
         4 KiB, which small sets do not fill.</p><div class=\"plots\">",
        grouped(report.updates)
    );
    for of in speeds {
        let bar = |class: usize| {
            let Memory { loaded, updated } = report.memory(of, class)?.memory;
            let behind = updated.unwrap_or(loaded).resident;
            let label = of.speed.names[class].to_owned();
            Some(Bar { class, label, value: loaded.requested, behind })
        };
        let all: Vec<_> = (0..of.speed.names.len()).filter_map(bar).collect();
        let title = format!("n = {}", grouped(of.n));
        plots.push_str(&figure(&title, &bars(&title, &all)));
    }
    plots + "</div>"
}

/// Shows all results for one size, with how the subject compares.
fn table(report: &Report, of: &SpeedOf) -> String {
    let mut table = format!(
        "<details><summary>n = {}: all figures</summary><p>Nanoseconds: the median of all rounds ({}), \
         and what half of them are within. <b>×</b>: how many times longer the peer takes in the same \
         round; above 1, zset is faster. Memory in bytes an element.</p>\
         <div class=\"table\"><table><tr><th></th>",
        grouped(of.n),
        of.rounds
    );
    for name in &of.speed.names {
        let _ = write!(table, "<th>{}</th>", escape(name));
    }
    table.push_str("</tr>");
    for &operation in &report.operations {
        let _ = write!(table, "<tr><th>{}</th>", escape(operation.label()));
        for place in 0..of.speed.names.len() {
            table.push_str(&time(of, place, operation));
        }
        table.push_str("</tr>");
    }
    for (label, read) in FIGURES {
        let _ = write!(table, "<tr><th>{label}</th>");
        for place in 0..of.speed.names.len() {
            let bytes = report.memory(of, place).and_then(|it| read(it.memory));
            let _ = write!(table, "<td>{}</td>", show(bytes));
        }
        table.push_str("</tr>");
    }
    table + "</table></div></details>"
}

/// Shows a time in a table cell, with its spread and how the subject compares.
fn time(of: &SpeedOf, place: usize, operation: Operation) -> String {
    let figure = of.speed.nanos(place, operation);
    let mut cell = format!("<td>{}", show(figure.map(|it| it.median)));
    if figure.is_some() {
        let _ = write!(cell, "<small>{}</small>", spread(figure));
    }
    if let Some(ratio) = of.speed.ratio(place, operation) {
        let times = ratio.median.recip();
        let class = if times < 1.0 { " class=\"behind\"" } else { "" };
        let _ = write!(cell, "<small{class}>× {}</small>", show_ratio(Some(times)));
    }
    cell + "</td>"
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
    text.push_str("</div><div class=\"table\"><table><tr><th>µs</th><th>call</th>");
    for name in QUANTILES {
        let _ = write!(text, "<th>{name}</th>");
    }
    text.push_str("</tr>");
    for tail in &report.tails {
        for (call, times) in tail.calls() {
            let _ = write!(text, "<tr><th>{}</th><td>{call}</td>", escape(tail.name));
            for nanos in quantiles(times) {
                let _ = write!(text, "<td>{}</td>", micros(nanos));
            }
            text.push_str("</tr>");
        }
    }
    text + "</table></div>"
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
        let cells = [0, 1, 2].map(|place| time(&report.speeds[0], place, Operation::Insert));
        assert!(cells.iter().all(|cell| cell.contains('–')));
        assert_eq!([0, 1, 2].map(|place| cells[place].contains('×')), [false, false, true]);
        // In these results each contender is slower than the one before it.
        assert!(!cells[2].contains("behind"));
        assert_eq!(time(&report.speeds[0], 2, Operation::Rank), "<td>–</td>");
    }

    #[test]
    fn a_report_without_single_calls_says_so() {
        let page = of(&Report { tails: Vec::new(), ..report() });
        assert!(page.contains("were not timed"));
    }
}
