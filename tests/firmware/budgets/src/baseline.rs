//! The committed measurements: CSV, in the order of the table.

use std::fs;
use std::path::Path;

use crate::Result;

/// Precedes the [origin](Baseline::origin).
const ORIGIN: &str = "# Measured with ";

const HEAD: &str = "# `cargo budgets --accept` writes this.";

const COLUMNS: &str = "type,figure,value,budget";

/// The permitted increase, in percent.
const LIMIT: u64 = 5;

/// The deepest stack of any operation, in bytes.
const STACK_BUDGET: u64 = 1 << 10;

/// The maxima of other measurements, in bytes.
const BUDGETS: [(&str, &str, u64); 6] = [
    ("FixedSortedSet", "flash", 3 << 10),
    ("PackedZSet", "flash", 6 << 10),
    ("SortedSet", "flash", 12 << 10),
    ("ZSet", "flash", 35 << 10),
    ("SortedSet", "RAM: empty", 200),
    ("SortedSet", "RAM: 10 elements", 600),
];

/// A measurement of a type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    pub(crate) subject: String,
    pub(crate) figure: String,
    pub(crate) value: u64,
}

impl Row {
    pub(crate) fn new(subject: &str, figure: &str, value: u64) -> Self {
        Row { subject: subject.to_owned(), figure: figure.to_owned(), value }
    }

    /// Parses `type,figure,value`, optionally followed by a budget.
    pub(crate) fn parse(line: &str) -> Result<Self> {
        match line.split(',').collect::<Vec<_>>()[..] {
            [subject, figure, value] | [subject, figure, value, _] => {
                Ok(Row::new(subject, figure, value.parse()?))
            }
            _ => Err(format!("this is no figure: {line}").into()),
        }
    }

    /// Returns the maximum permitted value, if there is one.
    pub(crate) fn budget(&self) -> Option<u64> {
        let is_this = |(subject, figure, _): &&(&str, &str, u64)| {
            *subject == self.subject && *figure == self.figure
        };
        let is_stack = self.figure.starts_with("stack: ");
        let named = BUDGETS.iter().find(is_this).map(|(_, _, budget)| *budget);
        named.or(is_stack.then_some(STACK_BUDGET))
    }

    pub(crate) fn is_over_budget(&self) -> bool {
        self.budget().is_some_and(|budget| self.value > budget)
    }

    fn is_of(&self, other: &Row) -> bool {
        (&self.subject, &self.figure) == (&other.subject, &other.figure)
    }
}

/// All measurements.
#[derive(PartialEq, Debug)]
pub(crate) struct Baseline {
    /// The tools that affect the measurements, with their versions.
    pub(crate) origin: String,
    pub(crate) rows: Vec<Row>,
}

impl Baseline {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| {
            format!("{}: {error}; `cargo budgets --accept` writes it", path.display())
        })?;
        Baseline::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let origin = text.lines().find_map(|line| line.strip_prefix(ORIGIN));
        let origin = origin.ok_or("the baseline does not name the tools")?.to_owned();
        let rows = text.lines().filter(|line| !line.starts_with('#') && *line != COLUMNS);
        Ok(Baseline { origin, rows: rows.map(Row::parse).collect::<Result<_>>()? })
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        Ok(fs::write(path, self.text())?)
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n{ORIGIN}{}\n{COLUMNS}\n", self.origin);
        for row in &self.rows {
            let budget = row.budget().map_or_else(String::new, |budget| budget.to_string());
            text += &format!("{},{},{},{budget}\n", row.subject, row.figure, row.value);
        }
        text
    }
}

/// The measurements before and now.
pub(crate) struct Comparison<'a> {
    pub(crate) before: &'a Baseline,
    pub(crate) now: &'a Baseline,
}

impl Comparison<'_> {
    /// Returns the exceeded values, one sentence each.
    pub(crate) fn failures(&self) -> Vec<String> {
        let mut failures: Vec<_> = self
            .over_budget()
            .map(|row| {
                format!("{}, {}: {} is above the budget", row.subject, row.figure, row.value)
            })
            .collect();
        for row in &self.now.rows {
            let name = format!("{}, {}", row.subject, row.figure);
            match self.before.rows.iter().find(|before| before.is_of(row)) {
                None => failures.push(format!("{name} is not in the baseline")),
                Some(before) if row.value * 100 > before.value * (100 + LIMIT) => failures.push(
                    format!("{name}: {} is over {LIMIT} % above {}", row.value, before.value),
                ),
                Some(_) => {}
            }
        }
        let is_measured = |before: &&Row| self.now.rows.iter().any(|row| row.is_of(before));
        let gone = self.before.rows.iter().filter(|before| !is_measured(before));
        failures.extend(
            gone.map(|row| format!("{}, {} is not measured any more", row.subject, row.figure)),
        );
        failures
    }

    /// Returns whether a budget is exceeded that the baseline met.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.over_budget().next().is_some()
    }

    fn over_budget(&self) -> impl Iterator<Item = &Row> {
        let was_over = |row: &Row| {
            self.before.rows.iter().any(|before| before.is_of(row) && before.is_over_budget())
        };
        self.now.rows.iter().filter(move |row| row.is_over_budget() && !was_over(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(rows: &[(&str, &str, u64)]) -> Baseline {
        let rows = rows.iter().map(|&(subject, figure, value)| Row::new(subject, figure, value));
        Baseline { origin: "rustc 1".into(), rows: rows.collect() }
    }

    fn failures(before: &[(&str, &str, u64)], now: &[(&str, &str, u64)]) -> Vec<String> {
        let (before, now) = (baseline(before), baseline(now));
        Comparison { before: &before, now: &now }.failures()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let baseline = baseline(&[("SortedSet", "flash", 7), ("SortedSet", "rank at 100", 9)]);
        assert_eq!(
            baseline.text().lines().skip(1).collect::<Vec<_>>(),
            [
                "# Measured with rustc 1",
                COLUMNS,
                "SortedSet,flash,7,12288",
                "SortedSet,rank at 100,9,"
            ]
        );
        assert_eq!(Baseline::parse(&baseline.text()).unwrap(), baseline);
        assert!(Baseline::parse("").is_err());
        assert!(Row::parse("SortedSet,flash,many").is_err());
    }

    #[test]
    fn five_percent_more_pass_and_anything_above_fails() {
        assert_eq!(failures(&[("ZSet", "flash", 1000)], &[("ZSet", "flash", 1050)]), [""; 0]);
        assert_eq!(failures(&[("ZSet", "flash", 1000)], &[("ZSet", "flash", 1051)]).len(), 1);
    }

    #[test]
    fn figures_that_are_new_or_gone_fail() {
        let failures = failures(&[("ZSet", "old", 1)], &[("ZSet", "new", 1)]);
        assert_eq!(
            failures,
            ["ZSet, new is not in the baseline", "ZSet, old is not measured any more"]
        );
    }

    #[test]
    fn a_budget_that_was_kept_must_be_kept() {
        let now = [("SortedSet", "RAM: empty", 201)];
        assert_eq!(failures(&[("SortedSet", "RAM: empty", 200)], &now).len(), 1);
        // A budget that is already exceeded must not be exceeded by more.
        assert_eq!(failures(&[("SortedSet", "RAM: empty", 201)], &now), [""; 0]);
        assert_eq!(
            failures(&[("ZSet", "stack: insert", 1020)], &[("ZSet", "stack: insert", 1025)]).len(),
            1
        );
    }
}
