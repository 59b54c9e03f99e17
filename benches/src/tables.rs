//! Tables drawn from [records](Record): the same for a terminal and for the docs.

use crate::member::Kind;
use crate::memory::LABELS;
use crate::record::Record;
use crate::sets;
use crate::table::{Table, grouped, show, show_range, show_ratio};
use crate::tail::QUANTILES;

/// The table of single calls.
pub const CALLS: &str = "calls";

/// The table of keyed limiters.
pub const LIMITERS: &str = "limiters";

/// The tables of collections of fixed capacity.
pub const FIXED: &str = "FixedSortedSet";

/// How the titles of the tables of the sets of programs begin.
const PROGRAM: &str = "Program: ";

/// How the titles of the tables of remote limiters begin.
pub const SERVICES: &str = "services";

/// Returns the tables of all records, separated by empty lines.
pub fn draw_all(records: &[Record]) -> String {
    let groups = records.chunk_by(|a, b| a.group() == b.group());
    groups.map(draw).collect::<Vec<_>>().join("\n")
}

/// Returns the table of records that have the table in common.
pub fn draw(records: &[Record]) -> String {
    let table = records.first().map_or("", |first| first.table.as_str());
    match Kind::from_name(table) {
        Some(kind) => of_sets(kind, records),
        None if table == CALLS => calls(records).to_string(),
        None if table == LIMITERS => {
            let title = format!("{} keys, 100 a minute each", grouped(records[0].n));
            by_contender(records, title, "governor / it").to_string()
        }
        None if table.starts_with(SERVICES) => {
            let title = match records[0].n {
                1 => format!("{table}, one key"),
                n => format!("{table}, {} keys", grouped(n)),
            };
            by_contender(records, title, "it / PING").to_string()
        }
        None if table == FIXED => {
            let capacity = records.first().map_or(0, |first| first.n);
            comparison(&format!("{table}, N = {}", grouped(capacity)), records).to_string()
        }
        None if table.starts_with(PROGRAM) => {
            comparison(&format!("{table}, n = {}", grouped(records[0].n)), records).to_string()
        }
        None => comparison(table, records).to_string(),
    }
}

/// Returns the distinct values of a field, in order.
pub(crate) fn distinct<'a>(
    records: &'a [Record],
    field: impl Fn(&'a Record) -> &'a String,
) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for value in records.iter().map(field) {
        if !all.contains(&value.as_str()) {
            all.push(value);
        }
    }
    all
}

pub(crate) fn find<'a>(records: &'a [Record], contender: &str, what: &str) -> Option<&'a Record> {
    records.iter().find(|it| (it.contender.as_str(), it.what.as_str()) == (contender, what))
}

pub(crate) fn value(record: Option<&Record>) -> String {
    show(record.and_then(|it| it.value))
}

/// Shows how many times longer a peer takes, or how much more memory. Records have the inverse. Of
/// rates both have the multiple that the subject makes, so that above 1 it is always ahead.
pub(crate) fn ratio(record: Option<&Record>) -> String {
    let shown = |it: &Record| if is_rate(it) { it.ratio } else { it.ratio.map(f64::recip) };
    show_ratio(record.and_then(shown))
}

fn is_rate(record: &Record) -> bool {
    record.unit.ends_with("/s") || record.what.ends_with("/s")
}

/// Returns whether a peer is a sorted set: tables with ratios leave heaps out.
pub(crate) fn is_sorted_set(name: &str) -> bool {
    name.ends_with("+ HashMap")
}

/// Returns the first word, for the heading of a narrow column.
fn short(name: &str) -> String {
    name.split(' ').next().unwrap_or(name).to_owned()
}

/// Shows the times and the memory of a sorted set of one size, and how each peer compares.
fn of_sets(kind: Kind, records: &[Record]) -> String {
    let Record { n, rounds, .. } = records[0];
    // The report alone has the other values of memory.
    let hidden = &LABELS[1..3];
    let mut contenders = distinct(records, |it| &it.contender);
    let subject = contenders.remove(0);
    contenders.retain(|name| is_sorted_set(name));
    let mut head = vec![String::new(), subject.to_owned()];
    if rounds > 1 {
        head.push("middle half".into());
    }
    head.extend(contenders.iter().map(|name| short(name)));
    let mut table = Table::new(head);
    for what in distinct(records, |it| &it.what) {
        if hidden.contains(&what) {
            continue;
        }
        let record = find(records, subject, what);
        // The pages of a small set may have been resident before.
        if record.and_then(|it| it.value) == Some(0.0) {
            continue;
        }
        let mut cells = vec![what.to_owned(), value(record)];
        if rounds > 1 {
            cells.push(spread(record));
        }
        cells.extend(contenders.iter().map(|peer| ratio(find(records, peer, what))));
        table.push(cells);
    }
    let times = if rounds == 1 { "1 round" } else { &format!("{rounds} rounds") };
    format!("**{}, n = {}, {times}**\n\n{table}", kind.label(), grouped(n))
}

/// Formats the interquartile range of the rounds.
pub(crate) fn spread(record: Option<&Record>) -> String {
    let range = record.and_then(|it| it.low.zip(it.high));
    range.map_or(String::new(), |(low, high)| show_range(low, high))
}

/// Shows the quantiles of single calls in microseconds.
pub(crate) fn calls(records: &[Record]) -> Table {
    let mut head = vec!["µs".to_owned(), "call".to_owned()];
    head.extend(QUANTILES.map(String::from));
    let mut table = Table::new(head);
    for contender in distinct(records, |it| &it.contender) {
        for call in ["insert", "update"] {
            let nanos =
                QUANTILES.map(|name| find(records, contender, &format!("{call} {name}"))?.value);
            if nanos[0].is_some() {
                let mut cells = vec![contender.to_owned(), call.to_owned()];
                cells.extend(nanos.map(|nanos| show(nanos.map(|it| it / 1e3))));
                table.push(cells);
            }
        }
    }
    table
}

/// Shows a row for each contender, since values of several units are in the same table.
fn by_contender(records: &[Record], title: String, ratio_title: &str) -> Table {
    pivot(records, title, [|it| &it.contender, |it| &it.what], ratio_title)
}

/// Shows a column for each contender, and next to it how it compares with the first one.
fn comparison(title: &str, records: &[Record]) -> Table {
    let first = records.first().cloned().unwrap_or_default();
    let subject = &first.contender;
    let ratio_title =
        if is_rate(&first) { format!("{subject} / it") } else { format!("it / {subject}") };
    let title = format!("{title}, {}", first.unit);
    pivot(records, title, [|it| &it.what, |it| &it.contender], &ratio_title)
}

/// Shows a record in each cell, and the ratios next to each column that has some.
fn pivot(
    records: &[Record],
    title: String,
    [row, column]: [fn(&Record) -> &String; 2],
    ratio_title: &str,
) -> Table {
    let columns: Vec<(&str, bool)> = distinct(records, column)
        .into_iter()
        .map(|name| (name, records.iter().any(|it| column(it) == name && it.ratio.is_some())))
        .collect();
    let mut head = vec![title];
    for &(name, has_ratio) in &columns {
        head.push(name.to_owned());
        head.extend(has_ratio.then(|| ratio_title.to_owned()));
    }
    let mut table = Table::new(head);
    for line in distinct(records, row) {
        let mut cells = vec![line.to_owned()];
        for &(name, has_ratio) in &columns {
            let record = records.iter().find(|it| row(it) == line && column(it) == name);
            cells.push(value(record));
            cells.extend(has_ratio.then(|| ratio(record)));
        }
        table.push(cells);
    }
    table
}

/// Returns a small table of sorted sets, for a README: the values of the subject with their units,
/// and how some peers compare.
pub fn summary(records: &[Record]) -> String {
    let [requested, ..] = LABELS;
    let rows = [
        ("insert", sets::INSERT),
        ("score", sets::SCORE),
        ("rank", sets::RANK),
        ("element by rank", sets::SELECT),
        ("100 by score", sets::HUNDRED_BY_SCORE),
        ("update", sets::UPDATE),
        ("pop first", sets::POP_FIRST),
        ("memory", requested),
    ];
    let peers = ["BTreeSet + HashMap", "indexset + HashMap", "skiplist + HashMap"];
    let mut head = vec![String::new(), "zset".to_owned()];
    head.extend(peers.map(short));
    let mut table = Table::new(head);
    for (label, what) in rows {
        let record = find(records, "zset", what);
        let unit = record.map_or("", |it| it.unit.as_str());
        let mut cells = vec![label.to_owned(), format!("{} {unit}", value(record))];
        cells.extend(peers.map(|peer| ratio(find(records, peer, what))));
        table.push(cells);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(table: &str, contender: &str, what: &str, value: f64) -> Record {
        Record::new((table, 1000), contender, (what, "ns"), Some(value))
    }

    fn peer(table: &str, contender: &str, what: &str, ratio: f64) -> Record {
        Record { ratio: Some(ratio), ..record(table, contender, what, 5.0) }
    }

    #[test]
    fn a_comparison_has_a_ratio_for_each_peer_that_has_one() {
        let records = [
            record("Heap", "zset", "push", 12.0),
            record("Heap", "zset", "pop", 3000.0),
            peer("Heap", "heap", "push", 250.0),
            record("Heap", "list", "pop", 7.0),
        ];
        let expected = "\
| Heap, ns |  zset | heap | it / zset | list |
|----------|------:|-----:|----------:|-----:|
| push     |  12.0 | 5.00 |    0.0040 |    – |
| pop      | 3,000 |    – |         – | 7.00 |
";
        assert_eq!(draw(&records), expected);
    }

    #[test]
    fn of_rates_the_multiple_that_the_subject_makes_is_shown() {
        let rate = |record| Record { unit: "requests/s".into(), ..record };
        let records =
            [rate(record("one", "zset", "ping", 10.0)), rate(peer("one", "redis", "ping", 2.0))];
        let expected = "\
| one, requests/s | zset | redis | zset / it |
|-----------------|-----:|------:|----------:|
| ping            | 10.0 |  5.00 |      2.00 |
";
        assert_eq!(draw(&records), expected);
    }

    #[test]
    fn sets_are_compared_with_sorted_sets_and_have_a_spread_if_there_are_rounds() {
        let heap = peer("u64", "BinaryHeap", "insert", 0.5);
        let mut records = vec![
            record("u64", "zset", "insert", 90.0),
            peer("u64", "BTreeSet + HashMap", "insert", 0.5),
            heap,
            record("u64", "zset", "bytes resident", 40.0),
        ];
        let expected = "\
**u64, n = 1,000, 1 round**

|        | zset | BTreeSet |
|--------|-----:|---------:|
| insert | 90.0 |     2.00 |
";
        assert_eq!(draw(&records), expected);
        records[0] = Record { rounds: 3, low: Some(80.0), high: Some(100.0), ..records[0].clone() };
        assert!(draw(&records).ends_with("| insert | 90.0 |    80.0–100 |     2.00 |\n"));
    }

    #[test]
    fn single_calls_have_a_row_for_each_kind() {
        let quantiles = |contender: &str, call: &str| {
            QUANTILES.map(|name| record(CALLS, contender, &format!("{call} {name}"), 1500.0))
        };
        let records =
            [quantiles("zset", "insert"), quantiles("zset", "update"), quantiles("heap", "insert")];
        let expected = "\
| µs   |   call |  p50 |  p99 | p99.99 | longest |
|------|-------:|-----:|-----:|-------:|--------:|
| zset | insert | 1.50 | 1.50 |   1.50 |    1.50 |
| zset | update | 1.50 | 1.50 |   1.50 |    1.50 |
| heap | insert | 1.50 | 1.50 |   1.50 |    1.50 |
";
        assert_eq!(draw(&records.concat()), expected);
    }

    #[test]
    fn limiters_have_a_row_each() {
        let records = [
            peer(LIMITERS, "Funnels", "ns a call", 0.5),
            record(LIMITERS, "Funnels", "bytes/key", 118.0),
            peer(LIMITERS, "governor", "ns a call", 1.0),
        ];
        let expected = "\
| 1,000 keys, 100 a minute each | ns a call | governor / it | bytes/key |
|-------------------------------|----------:|--------------:|----------:|
| Funnels                       |      5.00 |          2.00 |       118 |
| governor                      |      5.00 |          1.00 |         – |
";
        assert_eq!(draw_all(&records), expected);
    }

    #[test]
    fn a_summary_has_units_and_a_dash_for_what_is_unknown() {
        let records = [
            record("u64", "zset", "insert", 1039.0),
            peer("u64", "skiplist + HashMap", "insert", 0.125),
        ];
        let text = summary(&records);
        let insert = text.lines().nth(2).unwrap_or_default();
        assert_eq!(insert, "| insert          | 1,039 ns |        – |        – |     8.00 |");
    }
}
