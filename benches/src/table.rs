//! Markdown tables of [records](Record), readable as plain text too.

use std::fmt;

use crate::measure::floor;
use crate::record::Record;

/// Shown where a contender has no value.
const NONE: &str = "–";

/// Formats a value with about three significant digits.
pub fn show(value: Option<f64>) -> String {
    match value {
        None => NONE.into(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => grouped(floor(value.round())),
    }
}

/// Formats a count with thousands separators.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats the value of a record.
pub fn value(record: Option<&Record>) -> String {
    show(record.and_then(|it| it.value))
}

/// Formats the range of the middle half of the rounds.
pub fn spread(record: Option<&Record>) -> String {
    let range = record.and_then(|it| it.low.zip(it.high));
    range.map_or(String::new(), |(low, high)| format!("{}–{}", show(Some(low)), show(Some(high))))
}

/// Shows a ratio with at least two significant digits. For times and memory, it is the inverse of
/// the recorded one: how many times longer a peer takes, or how much more memory it needs. For
/// rates, it is the recorded one.
pub fn ratio(record: Option<&Record>) -> String {
    let shown = |it: &Record| if is_rate(it) { it.ratio } else { it.ratio.map(f64::recip) };
    match record.and_then(shown) {
        Some(ratio) if ratio < 0.01 => format!("{ratio:.4}"),
        Some(ratio) if ratio < 0.1 => format!("{ratio:.3}"),
        ratio => show(ratio),
    }
}

fn is_rate(record: &Record) -> bool {
    record.unit.ends_with("/s") || record.what.ends_with("/s")
}

/// Returns the distinct values of a field, in order.
pub fn distinct<'a>(
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

/// Returns the record of a contender.
pub fn find<'a>(records: &'a [Record], contender: &str, what: &str) -> Option<&'a Record> {
    records.iter().find(|it| (it.contender.as_str(), it.what.as_str()) == (contender, what))
}

/// Shows a column for each contender, and next to it how it compares with the first one.
pub fn by_operation(title: &str, records: &[Record]) -> Table {
    let first = records.first().cloned().unwrap_or_default();
    let subject = &first.contender;
    let ratio_title =
        if is_rate(&first) { format!("{subject} / it") } else { format!("it / {subject}") };
    let title = format!("{title}, {}", first.unit);
    pivot(records, title, [|it| &it.what, |it| &it.contender], &ratio_title)
}

/// Shows a row for each contender, since values of several units are in the same table.
pub fn by_contender(title: String, ratio_title: &str, records: &[Record]) -> Table {
    pivot(records, title, [|it| &it.contender, |it| &it.what], ratio_title)
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

/// A table with aligned columns.
pub struct Table {
    lines: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table with a heading and no rows.
    pub fn new(head: Vec<String>) -> Self {
        Table { lines: vec![head] }
    }

    /// Adds a row, which should have as many cells as the heading.
    pub fn push(&mut self, cells: Vec<String>) {
        self.lines.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = |place: usize| self.lines.iter().filter_map(move |cells| cells.get(place));
        let width = |place| cells(place).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.lines[0].len()).map(width).collect();
        for (number, cells) in self.lines.iter().enumerate() {
            for (place, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                if place == 0 {
                    write!(f, "| {cell:<width$} ")?;
                } else {
                    write!(f, "| {cell:>width$} ")?;
                }
            }
            writeln!(f, "|")?;
            if number == 0 {
                for (place, &width) in widths.iter().enumerate() {
                    let end = if place == 0 { '-' } else { ':' };
                    write!(f, "|{:-<width$}{end}", "-", width = width + 1)?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(contender: &str, what: &str, value: f64, ratio: Option<f64>) -> Record {
        let record = Record::new(("table", 1000), contender, (what, "ns"), Some(value));
        Record { ratio, ..record }
    }

    #[test]
    fn values_have_about_three_digits_and_thousands_are_apart() {
        let values = [0.004, 7.0, 99.94, 100.4, 999.6, 16_400.0, 1e7];
        let expected = ["0.00", "7.00", "99.9", "100", "1,000", "16,400", "10,000,000"];
        assert_eq!(values.map(|value| show(Some(value))), expected);
        let ratios = [256.0, 16.0, 0.5];
        let shown = ratios.map(|it| ratio(Some(&record("heap", "push", 1.0, Some(it)))));
        assert_eq!(shown, ["0.0039", "0.062", "2.00"]);
        assert_eq!([show(None), ratio(None)], [NONE, NONE]);
    }

    #[test]
    fn a_table_by_operation_has_a_ratio_for_each_peer_that_has_one() {
        let records = [
            record("zset", "push", 12.0, None),
            record("zset", "pop", 3000.0, None),
            record("heap", "push", 5.0, Some(250.0)),
            record("list", "pop", 7.0, None),
        ];
        let expected = "\
| Heap, ns |  zset | heap | it / zset | list |
|----------|------:|-----:|----------:|-----:|
| push     |  12.0 | 5.00 |    0.0040 |    – |
| pop      | 3,000 |    – |         – | 7.00 |
";
        assert_eq!(by_operation("Heap", &records).to_string(), expected);
    }

    #[test]
    fn of_rates_the_multiple_that_the_subject_makes_is_shown() {
        let rate = |record| Record { unit: "requests/s".into(), ..record };
        let zset = rate(record("zset", "ping", 10.0, None));
        let redis = rate(record("redis", "ping", 5.0, Some(2.0)));
        let expected = "\
| one, requests/s | zset | redis | zset / it |
|-----------------|-----:|------:|----------:|
| ping            | 10.0 |  5.00 |      2.00 |
";
        assert_eq!(by_operation("one", &[zset, redis]).to_string(), expected);
    }

    #[test]
    fn a_table_by_contender_has_a_row_for_each() {
        let records = [
            record("Funnel", "ns a call", 5.0, Some(0.5)),
            record("Funnel", "bytes/key", 118.0, None),
            record("governor", "ns a call", 5.0, Some(1.0)),
        ];
        let expected = "\
| 1,000 keys | ns a call | governor / it | bytes/key |
|------------|----------:|--------------:|----------:|
| Funnel     |      5.00 |          2.00 |       118 |
| governor   |      5.00 |          1.00 |         – |
";
        let table = by_contender("1,000 keys".into(), "governor / it", &records);
        assert_eq!(table.to_string(), expected);
    }
}
