//! All results as records, and as JSON.

use std::io;

use serde::Serialize;

use super::{MemoryOf, Report, SpeedOf};
use crate::contenders::SUBJECTS;
use crate::memory::FIGURES;
use crate::record::Record;
use crate::tables::CALLS;
use crate::tail::{QUANTILES, ROUNDS, Tail, quantiles};

/// Returns all results, those of a set of one size together.
pub(super) fn records(report: &Report) -> Vec<Record> {
    let mut records = Vec::new();
    for of in &report.speeds {
        push_speed(&mut records, report, of);
        let memories: Vec<_> =
            report.memories.iter().filter(|it| (it.kind, it.n) == (of.kind, of.n)).collect();
        push_memory(&mut records, &memories);
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
                table: of.kind.name().into(),
                n: of.n,
                contender: contender.into(),
                what: operation.label().into(),
                unit: "ns".into(),
                rounds: of.rounds,
                value: Some(figure.median),
                low: Some(figure.low),
                high: Some(figure.high),
                ratio: of.speed.ratio(place, operation).map(|figure| figure.median),
            });
        }
    }
}

/// Adds the memory of all contenders for one size, the subject first.
fn push_memory(records: &mut Vec<Record>, all: &[&MemoryOf]) {
    for (place, of) in all.iter().enumerate() {
        for (label, read) in FIGURES {
            let Some(value) = read(of.memory) else { continue };
            let ratio = || Some(read(all[0].memory)? / value);
            records.push(Record {
                table: of.kind.name().into(),
                n: of.n,
                contender: of.name.into(),
                what: label.into(),
                unit: "bytes".into(),
                rounds: 1,
                value: Some(value),
                ratio: if place < SUBJECTS { None } else { ratio() },
                ..Record::default()
            });
        }
    }
}

fn push_tail(records: &mut Vec<Record>, n: usize, tail: &Tail) {
    for (call, times) in tail.calls() {
        for (name, value) in QUANTILES.into_iter().zip(quantiles(times)) {
            records.push(Record {
                table: CALLS.into(),
                n,
                contender: tail.name.into(),
                what: format!("{call} {name}"),
                unit: "ns".into(),
                rounds: ROUNDS,
                value: Some(value),
                ..Record::default()
            });
        }
    }
}

pub(super) fn json(origin: &str, records: &[Record]) -> io::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct File<'a> {
        origin: Vec<&'a str>,
        records: &'a [Record],
    }

    let origin = origin.lines().map(|line| line.trim_start_matches("- ")).collect();
    Ok(serde_json::to_vec_pretty(&File { origin, records })?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn records_have_the_spread_and_the_ratio() {
        let records = records(&report());
        let find = |contender: &str, what: &str| {
            records.iter().find(|it| (it.contender.as_str(), it.what.as_str()) == (contender, what))
        };
        let insert = find("BTreeSet + HashMap", "insert").expect("it is measured");
        assert!(insert.low <= insert.value && insert.value <= insert.high);
        assert!(insert.ratio > Some(0.0));
        assert!(find("zset", "insert").is_some_and(|it| it.ratio.is_none()));
        assert_eq!(find("BTreeSet + HashMap", "rank"), None);
        let memory = find("zset", "bytes resident, updated").expect("it is measured");
        assert_eq!((memory.unit.as_str(), memory.value), ("bytes", Some(4.0)));
        let longest = find("zset", "update longest").expect("it is measured");
        assert_eq!((longest.unit.as_str(), longest.table.as_str()), ("ns", CALLS));
    }

    #[test]
    fn records_of_one_size_are_together() {
        let records = records(&report());
        let groups: Vec<_> =
            records.chunk_by(|a, b| a.group() == b.group()).map(|it| it[0].group()).collect();
        assert_eq!(groups, [("u64", 100), ("u64", 1_000), (CALLS, 100)]);
    }

    #[test]
    fn json_has_the_origin_and_all_records() {
        let report = report();
        let records = records(&report);
        let json = json(&report.origin, &records).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["records"].as_array().map(Vec::len), Some(records.len()));
        assert_eq!(json["origin"][0], "machine: a <fast> one");
    }
}
