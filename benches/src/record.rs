//! Records of measured values, and the CSV files that store them.
//!
//! `benches/results.csv` has the records shown in the docs, so that the tables there can be drawn
//! without measuring.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::{env, fs, thread};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A measured value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The table that shows it.
    pub table: String,
    /// The number of elements.
    pub n: usize,
    /// The name of the contender; the subject of a table comes first.
    pub contender: String,
    /// The label of what was measured, such as an operation.
    pub what: String,
    /// The unit of `value`.
    pub unit: String,
    /// The number of rounds.
    pub rounds: usize,
    /// The median over the rounds; `None` if only the ratio was kept.
    pub value: Option<f64>,
    /// The lower quartile over the rounds.
    pub low: Option<f64>,
    /// The upper quartile over the rounds.
    pub high: Option<f64>,
    /// The subject's value divided by this one, or the inverse in some tables: the median over the
    /// rounds.
    pub ratio: Option<f64>,
}

impl Record {
    /// Returns the record of one round, without a ratio.
    pub fn new(
        (table, n): (&str, usize),
        contender: &str,
        (what, unit): (&str, &str),
        value: Option<f64>,
    ) -> Self {
        let [table, contender, what, unit] = [table, contender, what, unit].map(String::from);
        let (low, high, ratio) = Default::default();
        Record { table, n, contender, what, unit, rounds: 1, value, low, high, ratio }
    }

    /// Returns the table and the number of elements.
    pub fn group(&self) -> (&str, usize) {
        (&self.table, self.n)
    }
}

/// Returns the context of the results, one line each: the machine, the compiler, the versions of
/// the contenders, and the command.
pub fn origin() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let command: Vec<_> = env::args_os().map(|part| part.display().to_string()).collect();
    format!(
        "- machine: {}, {cores} cores\n- compiler: {}\n- versions: {}\n- command: `{}`\n",
        processor(),
        env!("ZSET_BENCH_RUSTC"),
        env!("ZSET_BENCH_VERSIONS"),
        command.join(" ")
    )
}

/// Returns the processor model, as reported by Linux.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    match model {
        Some((_, model)) => model.to_owned(),
        None => format!("an unknown {} processor", env::consts::ARCH),
    }
}

/// The first line of a CSV file.
const NOTE: &str = "# Written by the option --save of zset-bench.\n";

/// Reads a file.
pub fn read(path: &Path) -> io::Result<Vec<Record>> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    parse(&fs::read(path).map_err(named)?).map_err(named)
}

/// Parses CSV; lines that begin with `#` are comments.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8]) -> io::Result<Vec<T>> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text);
    let records = reader.deserialize().collect::<Result<_, _>>();
    records.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Saves records in a file, unless `path` is `None`. In each table they replace all records of the
/// same contenders, and the other records of the file stay.
pub fn save(path: Option<&Path>, records: &[Record]) -> io::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let before = match read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        before => before?,
    };
    let mut text = NOTE.as_bytes().to_vec();
    text.extend(csv(&merged(before, records))?);
    fs::write(path, text)
}

/// Returns the new records and the old ones that stay, in order of their tables, so that diffs are
/// readable.
fn merged(before: Vec<Record>, records: &[Record]) -> Vec<Record> {
    let is_kept = |old: &Record| {
        !records.iter().any(|it| (it.group(), &it.contender) == (old.group(), &old.contender))
    };
    let mut all = records.to_vec();
    all.extend(before.into_iter().filter(is_kept));
    // The sort is stable, so the rows and columns of a table stay in order, the subject's first.
    all.sort_by(|a, b| a.group().cmp(&b.group()));
    all
}

/// Returns records as CSV.
pub(crate) fn csv<T: Serialize>(records: &[T]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.serialize(record).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(table: &str, n: usize, contender: &str, value: f64) -> Record {
        Record::new((table, n), contender, ("", ""), Some(value))
    }

    #[test]
    fn a_comma_or_a_quote_stays_in_its_field() {
        let record = Record { what: "10, \"all\"".into(), ..record("u64", 5, "zset", 1.5) };
        let text = String::from_utf8(csv(std::slice::from_ref(&record)).unwrap()).unwrap();
        let expected = "table,n,contender,what,unit,rounds,value,low,high,ratio\n\
                        u64,5,zset,\"10, \"\"all\"\"\",,1,1.5,,,\n";
        assert_eq!(text, expected);
        assert_eq!(parse::<Record>(text.as_bytes()).unwrap(), [record]);
    }

    #[test]
    fn new_records_replace_those_of_the_same_table_and_contender() {
        let before = vec![
            record("bytes", 1, "zset", 1.0),
            record("bytes", 1, "redis", 2.0),
            record("u64", 100, "zset", 3.0),
            record("u64", 200, "zset", 4.0),
        ];
        let new = [record("u64", 100, "zset", 5.0), record("bytes", 1, "zset", 6.0)];
        let values: Vec<_> = merged(before, &new).iter().filter_map(|it| it.value).collect();
        assert_eq!(values, [6.0, 2.0, 5.0, 4.0]);
    }

    #[test]
    fn a_malformed_file_is_an_error_that_names_it() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        for error in [read(path).unwrap_err(), save(Some(path), &[]).unwrap_err()] {
            assert!(error.to_string().contains("Cargo.toml: "), "{error}");
        }
    }
}
