//! The table of docs/firmware.md: a row for each measurement, a column for each type.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::baseline::Baseline;

const START: &str = "<!-- `cargo budgets --accept` writes the table. -->\n";
const END: &str = "<!-- end of the table -->";

/// Returns the table in Markdown.
pub(crate) fn of(figures: &Baseline) -> String {
    let rows = &figures.rows;
    let subjects = distinct(rows.iter().map(|row| &row.subject));
    let mut table = String::from("|");
    for subject in &subjects {
        table += &format!(" | `{subject}`");
    }
    table += &format!(" |\n|---|{}\n", "---:|".repeat(subjects.len()));
    for figure in distinct(rows.iter().map(|row| &row.figure)) {
        table += &format!("| {figure}");
        for subject in &subjects {
            let row = rows.iter().find(|row| (&row.subject, &row.figure) == (subject, figure));
            let cell = row.map_or_else(
                || "–".to_owned(),
                |row| {
                    let value = grouped(row.value);
                    let value = if row.is_over_budget() { format!("**{value}**") } else { value };
                    row.budget().map_or_else(
                        || value.clone(),
                        |budget| format!("{value} ({})", grouped(budget)),
                    )
                },
            );
            table += &format!(" | {cell}");
        }
        table += " |\n";
    }
    table
}

/// Writes the table to a page, between the markers.
pub(crate) fn write(page: &Path, figures: &Baseline) -> Result<()> {
    let text = fs::read_to_string(page)?;
    Ok(fs::write(page, replaced(&text, figures)?)?)
}

/// Returns whether the page contains this table.
pub(crate) fn is_written(page: &Path, figures: &Baseline) -> Result<bool> {
    let text = fs::read_to_string(page)?;
    Ok(replaced(&text, figures)? == text)
}

fn replaced(page: &str, figures: &Baseline) -> Result<String> {
    let (before, rest) = page.split_once(START).ok_or("the page has no place for the table")?;
    let (_, after) = rest.split_once(END).ok_or("the table has no end")?;
    let origin = &figures.origin;
    Ok(format!("{before}{START}\nMeasured with {origin}.\n\n{}\n{END}{after}", of(figures)))
}

/// Returns each value once, in the order of first occurrence.
fn distinct<'a>(values: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut distinct = Vec::new();
    values.for_each(|value| {
        if !distinct.contains(&value) {
            distinct.push(value)
        }
    });
    distinct
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
    use crate::baseline::Row;

    #[test]
    fn a_table_has_a_row_for_each_figure() {
        let rows = vec![
            Row::new("SortedSet", "flash", 12_289),
            Row::new("ZSet", "flash", 1_000),
            Row::new("ZSet", "rank", 99),
        ];
        let figures = Baseline { origin: "rustc 1".into(), rows };
        let table = "| | `SortedSet` | `ZSet` |\n|---|---:|---:|\n\
                     | flash | **12,289** (12,288) | 1,000 (35,840) |\n| rank | – | 99 |\n";
        assert_eq!(of(&figures), table);
        let page = format!("a\n{START}old{END}\nb\n");
        let written = replaced(&page, &figures).unwrap();
        assert_eq!(written, format!("a\n{START}\nMeasured with rustc 1.\n\n{table}\n{END}\nb\n"));
        assert_eq!(replaced(&written, &figures).unwrap(), written);
    }
}
