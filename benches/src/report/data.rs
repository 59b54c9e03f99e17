//! All figures as CSV and JSON: a record each.

use std::io;

use serde::Serialize;

use super::Report;

/// One figure.
#[derive(Debug, PartialEq, Serialize)]
struct Record {
    /// What the members are; nothing in records of single calls, whose members are u64.
    members: &'static str,
    n: usize,
    contender: &'static str,
    /// The operation, or which memory, or which calls.
    what: String,
    unit: &'static str,
    /// The median of the rounds.
    value: f64,
    /// A quarter of the rounds is below, where there are several.
    low: Option<f64>,
    /// A quarter of the rounds is above.
    high: Option<f64>,
    /// The subject's time divided by this one, the median of the rounds.
    ratio: Option<f64>,
}

fn records(report: &Report) -> Vec<Record> {
    let mut records = Vec::new();
    for of in &report.speeds {
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
    for of in &report.memories {
        let memory = of.memory;
        for (what, value) in [
            ("memory-requested", memory.requested),
            ("memory-resident", memory.resident),
            ("memory-requested-after-updates", memory.requested_later),
            ("memory-resident-after-updates", memory.resident_later),
        ] {
            records.push(Record {
                members: of.kind.name(),
                n: of.n,
                contender: of.name,
                what: what.to_owned(),
                unit: "bytes",
                value,
                low: None,
                high: None,
                ratio: None,
            });
        }
    }
    for tail in &report.tails {
        let all = [("insert", Some(tail.insertions)), ("update", tail.updates)];
        for (call, quantiles) in all.into_iter().filter_map(|(call, it)| Some((call, it?))) {
            for (quantile, nanos) in [
                ("p50", quantiles.p50),
                ("p99", quantiles.p99),
                ("p99.99", quantiles.p9999),
                ("max", quantiles.max),
            ] {
                records.push(Record {
                    members: "u64",
                    n: report.tail_len,
                    contender: tail.name,
                    what: format!("single-{call}-{quantile}"),
                    unit: "ns",
                    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                    value: nanos as f64,
                    low: None,
                    high: None,
                    ratio: None,
                });
            }
        }
    }
    records
}

pub(super) fn csv(report: &Report) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records(report) {
        writer.serialize(record).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

pub(super) fn json(report: &Report) -> io::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct File<'a> {
        origin: Vec<&'a str>,
        rounds: usize,
        records: Vec<Record>,
    }

    let origin = report.origin.lines().map(|line| line.trim_start_matches("- ")).collect();
    let file = File { origin, rounds: report.rounds, records: records(report) };
    Ok(serde_json::to_vec_pretty(&file)?)
}
