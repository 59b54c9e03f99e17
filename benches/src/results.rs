//! The results of all commands: the layouts of their tables, and how results are printed and saved.

use std::io::{self, Write};
use std::path::Path;

use crate::record::{self, Record};
use crate::sets::{calls, tables};
use crate::table::{by_contender, by_operation, grouped};
use crate::{fixed, limiters, services};

/// Returns the table of records that belong to the same table.
pub fn draw(records: &[Record]) -> String {
    let Some((table, n)) = records.first().map(Record::group) else { return String::new() };
    if let Ok(kind) = table.parse() {
        return tables::compared(kind, records);
    }
    let drawn = match table {
        calls::TABLE => tables::calls(records),
        limiters::KEYED => {
            let title = format!("{} keys, 100 a minute each", grouped(n));
            by_contender(title, "governor / it", records)
        }
        fixed::TABLE => by_operation(&format!("{table}, N = {}", grouped(n)), records),
        _ if table.starts_with(services::TABLES) => {
            let keys = if n == 1 { "one key".into() } else { format!("{} keys", grouped(n)) };
            by_contender(format!("{table}, {keys}"), "it / PING", records)
        }
        _ => by_operation(table, records),
    };
    drawn.to_string()
}

/// Prints the origin of records, their tables and a legend, and [saves](record::save) them.
pub fn publish(
    records: &[Record],
    legend: &str,
    save: Option<&Path>,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "{}", record::origin())?;
    for group in records.chunk_by(|a, b| a.group() == b.group()) {
        write!(out, "\n{}", draw(group))?;
    }
    write!(out, "\n{legend}")?;
    record::save(save, records)
}
