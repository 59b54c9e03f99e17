//! How the results of sorted sets are shown.

use crate::record::Record;
use crate::sets::calls::{KINDS, QUANTILES};
use crate::sets::member::Kind;
use crate::sets::memory::LABELS;
use crate::sets::set::{HUNDRED_BY_SCORE, INSERT, POP_FIRST, RANK, SCORE, SELECT, UPDATE};
use crate::table::{Table, distinct, find, grouped, ratio, show, spread, value};

/// The name of the subject.
pub(crate) const SUBJECT: &str = "zset";

/// Returns the first word, for the heading of a narrow column.
fn short(name: &str) -> String {
    name.split(' ').next().unwrap_or(name).to_owned()
}

/// Shows the times and the memory of sets of one size, and how each peer compares.
pub(crate) fn compared(kind: Kind, records: &[Record]) -> String {
    let Record { n, rounds, .. } = records[0];
    // Of the four values of memory, tables show only the first and the last.
    let hidden = &LABELS[1..3];
    let mut peers = distinct(records, |it| &it.contender);
    // zset's own contenders have no ratios, and are no peers.
    peers.retain(|name| records.iter().any(|it| it.contender == *name && it.ratio.is_some()));
    let mut head = vec![String::new(), SUBJECT.to_owned()];
    if rounds > 1 {
        head.push("middle half".into());
    }
    head.extend(peers.iter().map(|name| short(name)));
    let mut table = Table::new(head);
    for what in distinct(records, |it| &it.what) {
        let record = find(records, SUBJECT, what);
        // A small set may need no additional resident memory, if its pages were resident before.
        if hidden.contains(&what) || record.and_then(|it| it.value) == Some(0.0) {
            continue;
        }
        let mut cells = vec![what.to_owned(), value(record)];
        if rounds > 1 {
            cells.push(spread(record));
        }
        cells.extend(peers.iter().map(|peer| ratio(find(records, peer, what))));
        table.push(cells);
    }
    let times = if rounds == 1 { "1 round" } else { &format!("{rounds} rounds") };
    format!("**{}, n = {}, {times}**\n\n{table}", kind.label(), grouped(n))
}

/// Shows the quantiles of single calls in microseconds.
pub(crate) fn calls(records: &[Record]) -> Table {
    let mut head = vec!["µs".to_owned(), "call".to_owned()];
    head.extend(QUANTILES.map(String::from));
    let mut table = Table::new(head);
    for contender in distinct(records, |it| &it.contender) {
        for kind in KINDS {
            let nanos =
                QUANTILES.map(|name| find(records, contender, &format!("{kind} {name}"))?.value);
            let mut cells = vec![contender.to_owned(), kind.to_owned()];
            cells.extend(nanos.map(|nanos| show(nanos.map(|it| it / 1e3))));
            table.push(cells);
        }
    }
    table
}

/// Returns a small table, for a README: the values of the subject with their units, and how some
/// peers compare.
pub(crate) fn summary(records: &[Record]) -> String {
    let [requested, ..] = LABELS;
    let rows = [
        ("insert", INSERT),
        ("score", SCORE),
        ("rank", RANK),
        ("element by rank", SELECT),
        ("100 by score", HUNDRED_BY_SCORE),
        ("update", UPDATE),
        ("pop first", POP_FIRST),
        ("memory", requested),
    ];
    let peers = ["BTreeSet + HashMap", "indexset + HashMap", "skiplist + HashMap"];
    let mut head = vec![String::new(), SUBJECT.to_owned()];
    head.extend(peers.map(short));
    let mut table = Table::new(head);
    for (label, what) in rows {
        let record = find(records, SUBJECT, what);
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

    fn record(contender: &str, what: &str, value: f64) -> Record {
        Record::new(("u64", 1000), contender, (what, "ns"), Some(value))
    }

    fn peer(contender: &str, what: &str, ratio: f64) -> Record {
        Record { ratio: Some(ratio), ..record(contender, what, 5.0) }
    }

    #[test]
    fn sets_are_compared_and_have_a_spread_if_there_are_rounds() {
        let mut records = vec![
            record("zset", "insert", 90.0),
            peer("BTreeSet + HashMap", "insert", 0.5),
            peer("priority-queue", "insert", 4.0),
            record("zset", "bytes resident", 40.0),
        ];
        let expected = "\
**u64, n = 1,000, 1 round**

|        | zset | BTreeSet | priority-queue |
|--------|-----:|---------:|---------------:|
| insert | 90.0 |     2.00 |           0.25 |
";
        assert_eq!(compared(Kind::Integers, &records), expected);
        records[0] = Record { rounds: 3, low: Some(80.0), high: Some(100.0), ..records[0].clone() };
        let table = compared(Kind::Integers, &records);
        assert!(table.ends_with("| insert | 90.0 |    80.0–100 |     2.00 |           0.25 |\n"));
    }

    #[test]
    fn single_calls_have_a_row_for_each_kind() {
        let quantiles =
            |kind: &str| QUANTILES.map(|name| record("zset", &format!("{kind} {name}"), 1500.0));
        let expected = "\
| µs   |   call |  p50 |  p99 | p99.99 | longest |
|------|-------:|-----:|-----:|-------:|--------:|
| zset | insert | 1.50 | 1.50 |   1.50 |    1.50 |
| zset | update | 1.50 | 1.50 |   1.50 |    1.50 |
";
        assert_eq!(calls(&KINDS.map(quantiles).concat()).to_string(), expected);
    }

    #[test]
    fn a_summary_has_units_and_a_dash_for_what_is_unknown() {
        let records =
            [record("zset", "insert", 1039.0), peer("skiplist + HashMap", "insert", 0.125)];
        let text = summary(&records);
        let insert = text.lines().nth(2).unwrap_or_default();
        assert_eq!(insert, "| insert          | 1,039 ns |        – |        – |     8.00 |");
    }
}
