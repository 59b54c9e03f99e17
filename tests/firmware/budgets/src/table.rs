//! Reads and writes the CSV file of measurements and budgets. Also writes them as the table in
//! docs/firmware.md, which has a row for each measurement and a column for each type.

use std::collections::HashSet;

use crate::Result;

const COMPILER: &str = "# Measured with ";
const COLUMNS: &str = "type,measurement,value,budget";

/// The permitted increase over the last measurement, in percent.
const LIMIT: u64 = 5;

const START: &str = "<!-- `cargo budgets --accept` writes the table. -->\n";
const END: &str = "<!-- end of the table -->";

/// A measurement of a type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    pub(crate) subject: String,
    pub(crate) measurement: String,
    pub(crate) value: u64,
    /// The maximum permitted value, if there is one.
    pub(crate) budget: Option<u64>,
}

impl Row {
    /// Parses `type,measurement,value`, optionally followed by a budget.
    pub(crate) fn parse(line: &str) -> Result<Self> {
        let (subject, measurement, value, budget) = match line.split(',').collect::<Vec<_>>()[..] {
            [subject, measurement, value] => (subject, measurement, value, ""),
            [subject, measurement, value, budget] => (subject, measurement, value, budget),
            _ => return Err(format!("not a measurement: {line}").into()),
        };
        let budget = if budget.is_empty() { None } else { Some(budget.parse()?) };
        let (subject, measurement) = (subject.to_owned(), measurement.to_owned());
        Ok(Row { subject, measurement, value: value.parse()?, budget })
    }
}

/// The measurements of one run.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Table {
    /// The version of the compiler, which affects the measurements. The version of QEMU does not:
    /// QEMU counts the program's instructions.
    pub(crate) compiler: String,
    pub(crate) rows: Vec<Row>,
}

impl Table {
    pub(crate) fn parse(csv: &str) -> Result<Self> {
        let compiler = csv.lines().find_map(|line| line.strip_prefix(COMPILER));
        let compiler = compiler.ok_or("budgets.csv does not name the compiler")?.to_owned();
        let rows = csv.lines().filter(|line| !line.starts_with('#') && *line != COLUMNS);
        Ok(Table { compiler, rows: rows.map(Row::parse).collect::<Result<_>>()? })
    }

    pub(crate) fn to_csv(&self) -> String {
        let mut csv = format!("{COMPILER}{}\n{COLUMNS}\n", self.compiler);
        for Row { subject, measurement, value, budget } in &self.rows {
            let budget = budget.map_or_else(String::new, |budget| budget.to_string());
            csv += &format!("{subject},{measurement},{value},{budget}\n");
        }
        csv
    }

    pub(crate) fn find(&self, subject: &str, measurement: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.subject == subject && row.measurement == measurement)
    }

    /// Compares the measurements with the last ones and with the budgets; returns a sentence for
    /// each value that is too high, new or missing.
    pub(crate) fn failures(&self, before: &Table) -> Vec<String> {
        let mut failures = Vec::new();
        for Row { subject, measurement, value, budget } in &self.rows {
            let why = match (before.find(subject, measurement), budget) {
                (None, _) => "is new".to_owned(),
                (_, Some(budget)) if value > budget => format!("is above the budget of {budget}"),
                (Some(last), _) if value * 100 > last.value * (100 + LIMIT) => {
                    format!("is over {LIMIT} % above {}", last.value)
                }
                _ => continue,
            };
            failures.push(format!("{subject}, {measurement}: {value} {why}"));
        }
        for Row { subject, measurement, .. } in &before.rows {
            if self.find(subject, measurement).is_none() {
                failures.push(format!("{subject}, {measurement} is missing"));
            }
        }
        failures
    }

    pub(crate) fn to_markdown(&self) -> String {
        let subjects = distinct(self.rows.iter().map(|row| &row.subject));
        let mut table = String::from("|");
        subjects.iter().for_each(|subject| table += &format!(" | `{subject}`"));
        table += &format!(" |\n|---|{}\n", "---:|".repeat(subjects.len()));
        for measurement in distinct(self.rows.iter().map(|row| &row.measurement)) {
            table += &format!("| {measurement}");
            for subject in &subjects {
                table += &match self.find(subject, measurement) {
                    None => " | –".to_owned(),
                    Some(Row { value, budget: None, .. }) => format!(" | {}", grouped(*value)),
                    Some(Row { value, budget: Some(budget), .. }) => {
                        format!(" | {} ({})", grouped(*value), grouped(*budget))
                    }
                };
            }
            table += " |\n";
        }
        table
    }

    /// Returns a page with this table between the markers.
    pub(crate) fn replace_in(&self, page: &str) -> Result<String> {
        let (before, rest) = page.split_once(START).ok_or("the page has no place for the table")?;
        let (_, after) = rest.split_once(END).ok_or("the table has no end")?;
        let (compiler, table) = (&self.compiler, self.to_markdown());
        Ok(format!("{before}{START}\nMeasured with {compiler}.\n\n{table}\n{END}{after}"))
    }
}

/// Returns each value once, in the order of first occurrence.
fn distinct<'a>(values: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(*value)).collect()
}

/// Returns a number with thousands separated by commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: &str = "# Measured with rustc 1\ntype,measurement,value,budget\n\
                       SortedSet,flash,12288,12288\nZSet,rank,1000,\n";

    /// Returns the failures when these rows are compared with `CSV`.
    fn failures(rows: &str) -> Vec<String> {
        let before = Table::parse(CSV).unwrap();
        let now = Table {
            compiler: "rustc 2".into(),
            rows: rows.lines().map(|row| Row::parse(row).unwrap()).collect(),
        };
        now.failures(&before)
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(Table::parse(CSV).unwrap().to_csv(), CSV);
        assert!(Table::parse("").is_err());
        assert!(Row::parse("SortedSet,flash,many").is_err());
    }

    #[test]
    fn five_percent_more_pass_within_the_budget() {
        assert_eq!(failures("SortedSet,flash,12288,12288\nZSet,rank,1050,"), [""; 0]);
        assert_eq!(
            failures("SortedSet,flash,12289,12288\nZSet,rank,1051,"),
            [
                "SortedSet, flash: 12289 is above the budget of 12288",
                "ZSet, rank: 1051 is over 5 % above 1000"
            ]
        );
    }

    #[test]
    fn measurements_that_are_new_or_missing_fail() {
        assert_eq!(
            failures("SortedSet,flash,1,12288\nZSet,new,1,"),
            ["ZSet, new: 1 is new", "ZSet, rank is missing"]
        );
    }

    #[test]
    fn a_page_has_a_row_for_each_measurement() {
        let table = "| | `SortedSet` | `ZSet` |\n|---|---:|---:|\n\
                     | flash | 12,288 (12,288) | – |\n| rank | – | 1,000 |\n";
        let written =
            Table::parse(CSV).unwrap().replace_in(&format!("a\n{START}old{END}\nb\n")).unwrap();
        assert_eq!(written, format!("a\n{START}\nMeasured with rustc 1.\n\n{table}\n{END}\nb\n"));
    }
}
