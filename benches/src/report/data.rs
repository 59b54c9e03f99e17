//! All results as CSV and JSON, one record each.

use std::io;

use serde::Serialize;

use super::{MemoryOf, Report, SpeedOf};
use crate::tail::{QUANTILES, Tail, quantiles};

/// One figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Record {
    members: &'static str,
    n: usize,
    contender: &'static str,
    /// The operation, the memory figure or the kind of calls.
    what: String,
    unit: &'static str,
    /// The median over the rounds, if there are several.
    value: f64,
    /// The lower quartile over the rounds, if there are several.
    low: Option<f64>,
    /// The upper quartile over the rounds, if there are several.
    high: Option<f64>,
    /// The time of zset divided by this one: the median over the rounds.
    ratio: Option<f64>,
}

fn records(report: &Report) -> Vec<Record> {
    let mut records = Vec::new();
    for of in &report.speeds {
        push_speed(&mut records, report, of);
    }
    for of in &report.memories {
        push_memory(&mut records, of);
    }
    for tail in &report.tails {
        push_tail(&mut records, report.tail_len, tail);
    }
    records
}

fn push_speed(records: &mut Vec<Record>, report: &Report, of: &SpeedOf) {
    for (place, contender) in of.speed.names.iter().copied().enumerate() {
        for &operation in &report.operations {
            let Some(figure) = of.speed.nanos(place, operation) else { continue };
            records.push(Record {
                members: of.kind.name(),
                n: of.n,
                contender,
                what: operation.name().to_owned(),
                unit: "ns",
                value: figure.median,
                low: Some(figure.low),
                high: Some(figure.high),
                ratio: of.speed.ratio(place, operation).map(|figure| figure.median),
            });
        }
    }
}

fn push_memory(records: &mut Vec<Record>, of: &MemoryOf) {
    let base = Record {
        members: of.kind.name(),
        n: of.n,
        contender: of.name,
        unit: "bytes",
        ..Record::default()
    };
    for (when, bytes) in [("loaded", Some(of.memory.loaded)), ("updated", of.memory.updated)] {
        let Some(bytes) = bytes else { continue };
        for (which, value) in [("requested", bytes.requested), ("resident", bytes.resident)] {
            let what = format!("memory-{which}-{when}");
            records.push(Record { what, value, ..base.clone() });
        }
    }
}

fn push_tail(records: &mut Vec<Record>, n: usize, tail: &Tail) {
    let base = Record { members: "u64", n, contender: tail.name, unit: "ns", ..Record::default() };
    for (call, times) in tail.calls() {
        for (name, value) in QUANTILES.into_iter().zip(quantiles(times)) {
            let what = format!("single-{call}-{name}");
            records.push(Record { what, value, ..base.clone() });
        }
    }
}

pub(super) fn csv(report: &Report) -> io::Result<Vec<u8>> {
    csv_of(&records(report))
}

fn csv_of(records: &[Record]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.serialize(record).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

pub(super) fn json(report: &Report) -> io::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct File<'a> {
        origin: Vec<&'a str>,
        records: Vec<Record>,
    }

    let origin = report.origin.lines().map(|line| line.trim_start_matches("- ")).collect();
    Ok(serde_json::to_vec_pretty(&File { origin, records: records(report) })?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn records_have_the_spread_and_the_ratio() {
        let records = records(&report());
        let find = |contender: &str, what: &str| {
            records.iter().find(|it| (it.contender, it.what.as_str()) == (contender, what))
        };
        let insert = find("BTreeSet + HashMap", "insert").expect("it is measured");
        assert!(insert.low <= Some(insert.value) && Some(insert.value) <= insert.high);
        assert!(insert.ratio > Some(0.0));
        assert!(find("zset", "insert").is_some_and(|it| it.ratio.is_none()));
        assert_eq!(find("BTreeSet + HashMap", "rank"), None);
        let memory = find("zset", "memory-resident-updated").expect("it is measured");
        assert_eq!((memory.unit, memory.value), ("bytes", 4.0));
        assert_eq!(find("zset", "single-update-longest").map(|it| it.unit), Some("ns"));
    }

    #[test]
    fn a_comma_or_a_quote_stays_in_its_field() {
        let what = "10, \"all\"".to_owned();
        let record = Record { members: "u64", n: 5, value: 1.5, what, ..Record::default() };
        let csv = String::from_utf8(csv_of(&[record]).unwrap()).unwrap();
        let expected = "members,n,contender,what,unit,value,low,high,ratio\n\
                        u64,5,,\"10, \"\"all\"\"\",,1.5,,,\n";
        assert_eq!(csv, expected);
    }

    #[test]
    fn csv_and_json_have_the_same_records() {
        let report = report();
        let json: serde_json::Value = serde_json::from_slice(&json(&report).unwrap()).unwrap();
        let lines = String::from_utf8(csv(&report).unwrap()).unwrap().lines().count();
        assert_eq!(json["records"].as_array().map(Vec::len), Some(lines - 1));
        assert_eq!(json["origin"][0], "machine: a <fast> one");
    }
}
