//! The file of accepted counts: CSV, sorted by name, so that diffs are readable.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ACCEPT;
use crate::record;

/// Precedes the [origin](Baseline::origin).
const ORIGIN: &str = "# Counted with ";

/// The counts of all benchmarks.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Baseline {
    /// The tools that affect the counts, with their versions.
    pub(super) origin: String,
    /// Sorted by benchmark name; names are distinct.
    pub(super) counts: Vec<Counts>,
}

/// The counts of one benchmark, over all of its calls, as built with the default release profile.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) benchmark: String,
    pub(super) instructions: u64,
    /// Instructions if the same is built with `lto = "fat"` and one codegen unit.
    pub(super) lto_instructions: u64,
    /// Data accesses that missed the first-level cache.
    pub(super) l1_misses: u64,
    /// Data accesses that missed the last-level cache too.
    pub(super) ll_misses: u64,
}

impl Baseline {
    /// Sorts counts; fails if two benchmarks have the same name.
    pub(super) fn new(origin: String, mut counts: Vec<Counts>) -> io::Result<Self> {
        counts.sort_unstable_by(|a, b| a.benchmark.cmp(&b.benchmark));
        match counts.windows(2).find(|pair| pair[0].benchmark == pair[1].benchmark) {
            None => Ok(Baseline { origin, counts }),
            Some(pair) => Err(invalid(format!("{} is there twice", pair[0].benchmark))),
        }
    }

    /// Returns the counts of a benchmark.
    pub(super) fn of(&self, benchmark: &str) -> Option<&Counts> {
        let place = self.counts.binary_search_by(|counts| counts.benchmark.as_str().cmp(benchmark));
        Some(&self.counts[place.ok()?])
    }

    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let path = path.display();
                io::Error::new(error.kind(), format!("no file {path}; `{ACCEPT}` writes it"))
            }
            _ => error,
        })?;
        Baseline::parse(&text).map_err(|error| {
            let path = path.display();
            invalid(format!("{path} is no baseline: {error}; `{ACCEPT}` writes it anew"))
        })
    }

    fn parse(text: &str) -> io::Result<Self> {
        let origin = text
            .lines()
            .find_map(|line| line.strip_prefix(ORIGIN))
            .ok_or_else(|| invalid(format!("no line begins with `{ORIGIN}`")))?;
        Baseline::new(origin.to_owned(), record::parse(text.as_bytes())?)
    }

    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        fs::write(path, self.text()?)
    }

    fn text(&self) -> io::Result<String> {
        let counts = String::from_utf8(record::csv(&self.counts)?).map_err(invalid)?;
        Ok(format!("# `{ACCEPT}` writes this.\n{ORIGIN}{}\n{counts}", self.origin))
    }
}

fn invalid(message: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# Counted with rustc 1.95.0\nbenchmark,instructions,lto_instructions,l1_misses,ll_misses\n";

    fn error(text: &str) -> String {
        Baseline::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let counts = |name: &str, instructions| Counts {
            benchmark: name.into(),
            instructions,
            lto_instructions: 6,
            l1_misses: 5,
            ll_misses: 0,
        };
        let baseline = Baseline::new(
            "rustc 1.95.0, glibc".into(),
            vec![counts("b", 7), counts("a", u64::MAX)],
        );
        let baseline = baseline.unwrap();
        let text = baseline.text().unwrap();
        assert_eq!(Baseline::parse(&text).unwrap(), baseline);
        let lines: Vec<_> = text.lines().skip(1).collect();
        let expected = [
            "# Counted with rustc 1.95.0, glibc",
            "benchmark,instructions,lto_instructions,l1_misses,ll_misses",
            "a,18446744073709551615,6,5,0",
            "b,7,6,5,0",
        ];
        assert_eq!(lines, expected);
        assert_eq!(baseline.of("b"), Some(&counts("b", 7)));
        assert_eq!(baseline.of("c"), None);
    }

    #[test]
    fn a_malformed_file_is_an_error_that_says_where() {
        assert!(
            error("benchmark,instructions\n").contains("no line begins with `# Counted with `")
        );
        let line = error(&format!("{HEAD}insert,many,1,1,2\n"));
        assert!(line.contains("line: 3") && line.contains("field 1"), "{line}");
        assert!(error(&format!("{HEAD}insert,5,5,1\n")).contains("line: 3"));
        assert!(error(&format!("{HEAD}insert,-5,1,1,2\n")).contains("invalid digit"));
        assert!(error(&format!("{HEAD}a,5,5,1,2\na,6,6,1,2\n")).contains("a is there twice"));
        let missing = HEAD.replace(",instructions", ",cycles");
        assert!(error(&format!("{missing}a,5,1,1,2\n")).contains("missing field `instructions`"));
    }

    #[test]
    fn an_error_names_the_file_and_how_to_write_it() {
        let error = Baseline::read(Path::new("no/such.csv")).unwrap_err().to_string();
        assert!(error.contains("no/such.csv") && error.contains("--accept"), "{error}");
        // The file exists but is not a baseline.
        let error = Baseline::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("Cargo.toml is no baseline: "), "{error}");
        assert!(error.contains("--accept"), "{error}");
    }
}
