//! The page: one file, without anything from elsewhere.

use std::fmt::Write as _;

use super::markdown::{grouped, ratio};
use super::plot::{Bar, Line, bars, escape, lines};
use super::{Report, SpeedOf};
use crate::member::Kind;
use crate::operation::Operation;
use crate::table::show;
use crate::workload::as_f64;

const STYLE: &str = include_str!("style.css");

pub(super) fn of(report: &Report) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sorted sets, measured</title><style>{STYLE}</style></head><body>\
         <h1>Sorted sets, measured</h1>{}{}",
        origin(report),
        legend(report)
    );
    for kind in Kind::ALL {
        let speeds: Vec<_> = report.speeds.iter().filter(|of| of.kind == kind).collect();
        if !speeds.is_empty() {
            // A string takes all that is written to it.
            let _ = write!(page, "<h2>Members: {}</h2>", escape(kind.label()));
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

fn origin(report: &Report) -> String {
    let mut list = String::from("<ul>");
    for line in report.origin.lines() {
        let _ = write!(list, "<li>{}</li>", escape(line.trim_start_matches("- ")).replace('`', ""));
    }
    let _ = write!(
        list,
        "<li>{} rounds, in which all take turns: medians, and the medians of the rounds’ ratios. \
         A dash stands where a contender does not offer it, or only in linear time.</li></ul>",
        report.rounds
    );
    list
}

/// Says which colour is whose.
fn legend(report: &Report) -> String {
    let mut legend = String::from("<p class=\"legend\">");
    for (class, name) in names(report).iter().enumerate() {
        let _ = write!(legend, "<span><i class=\"c{class}\"></i>{}</span> ", escape(name));
    }
    legend + "</p>"
}

fn names(report: &Report) -> &[&'static str] {
    report.speeds.first().map_or(&[], |of| &of.speed.names)
}

/// Draws the time of each operation over the size.
fn plots(report: &Report, speeds: &[&SpeedOf]) -> String {
    let mut plots = String::from("<div class=\"plots\">");
    for &operation in &report.operations {
        let line = |class: usize| Line { class, points: points(speeds, class, operation) };
        let all: Vec<_> = (0..names(report).len()).map(line).collect();
        let title = format!("{}: ns over the number of elements", operation.label());
        let _ = write!(
            plots,
            "<figure><figcaption>{}, ns</figcaption>{}</figure>",
            escape(operation.label()),
            lines(&title, &all)
        );
    }
    plots + "</div>"
}

fn points(speeds: &[&SpeedOf], class: usize, operation: Operation) -> Vec<(f64, f64)> {
    let points = speeds.iter().map(|of| (of.n, of.speed.nanos(class, operation)));
    points.filter_map(|(n, figure)| Some((as_f64(n), figure?.median))).collect()
}

/// Draws the memory of sets of each size.
fn memory(report: &Report, speeds: &[&SpeedOf]) -> String {
    let mut plots = String::from(
        "<h3>Bytes an element</h3><p>What is requested; paler, what is resident after the updates.</p>\
         <div class=\"plots\">",
    );
    for of in speeds {
        let here = report.memories.iter().filter(|it| (it.kind, it.n) == (of.kind, of.n));
        let all: Vec<_> = here
            .enumerate()
            .map(|(class, it)| Bar {
                class,
                label: it.name.to_owned(),
                value: it.memory.requested,
                behind: it.memory.resident_later,
            })
            .collect();
        let title = format!("n = {}", grouped(of.n));
        let _ = write!(
            plots,
            "<figure><figcaption>{title}</figcaption>{}</figure>",
            bars(&title, &all)
        );
    }
    plots + "</div>"
}

/// Shows all figures for one size, with how the subject compares.
fn table(report: &Report, of: &SpeedOf) -> String {
    let mut table = format!(
        "<details><summary>n = {}: all figures</summary><div class=\"table\"><table><tr><th>ns</th>",
        grouped(of.n)
    );
    for name in &of.speed.names {
        let _ = write!(table, "<th>{}</th>", escape(name));
    }
    table.push_str("</tr>");
    for &operation in &report.operations {
        let _ = write!(table, "<tr><th>{}</th>", escape(operation.label()));
        for place in 0..of.speed.names.len() {
            let Some(figure) = of.speed.nanos(place, operation) else {
                table.push_str("<td>–</td>");
                continue;
            };
            let compared = of.speed.ratio(place, operation).map(|figure| figure.median);
            let better = compared.is_some_and(|ratio| ratio > 1.0);
            let _ = write!(
                table,
                "<td title=\"the middle half of the rounds: {} to {}\">{}<small{}>{}</small></td>",
                show(Some(figure.low)),
                show(Some(figure.high)),
                show(Some(figure.median)),
                if better { " class=\"behind\"" } else { "" },
                if place == 0 { String::new() } else { ratio(compared) },
            );
        }
        table.push_str("</tr>");
    }
    table
        + "</table></div><p>Small: the time of the first contender, divided by this one.</p></details>"
}

fn tails(report: &Report) -> String {
    if report.tails.is_empty() {
        return String::new();
    }
    let mut table = format!(
        "<h2>Single calls</h2><p>CPU time of one call in microseconds, while a set of u64 grows to {} \
         elements, and of random updates then. Each includes a reading of the clock, {:?}.</p>\
         <div class=\"table\"><table><tr><th>µs</th><th>insert p50</th><th>p99</th><th>p99.99</th>\
         <th>longest</th><th>update p50</th><th>p99</th><th>p99.99</th><th>longest</th></tr>",
        grouped(report.tail_len),
        report.clock
    );
    for tail in &report.tails {
        let _ = write!(table, "<tr><th>{}</th>", escape(tail.name));
        for quantiles in [Some(tail.insertions), tail.updates] {
            let quantiles = quantiles.map(|it| [it.p50, it.p99, it.p9999, it.max]);
            for place in 0..4 {
                #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                let micros = quantiles.map(|nanos| nanos[place] as f64 / 1e3);
                let _ = write!(table, "<td>{}</td>", show(micros));
            }
        }
        table.push_str("</tr>");
    }
    table + "</table></div>"
}
