//! A drawing of the bytes of a listpack.

use std::fmt::Write as _;

use zset_core::listpack::{RawEntry, Value};
use zset_core::{Listpack, ListpackLimits};

use super::{count, quoted};

/// The default number of members to draw.
const MEMBERS: usize = 24;

/// The maximum number of bytes shown in a cell.
const HEX_BYTES: usize = 6;

const COLUMNS: usize = 7;

const HEADINGS: [&str; COLUMNS] = ["offset", "", "bytes", "bits", "written as", "value", "back"];

/// Draws a listpack: the header, the entries, the end.
pub(super) fn draw(
    list: &Listpack<Vec<u8>>,
    limits: ListpackLimits,
    members: Option<usize>,
    out: &mut String,
) {
    let bytes = list.as_bytes();
    let end = bytes.len() - 1;
    let mut rows = vec![
        HEADINGS.map(str::to_owned),
        row(0, "header", &bytes[..4], &count(bytes.len(), "byte")),
        row(4, "", &bytes[4..6], &count(list.len(), "entry")),
    ];
    let entries: Vec<_> = list.raw_entries().collect();
    let pairs = entries.len() / 2;
    let members = members.unwrap_or(MEMBERS).min(pairs);
    let (front, back) = (members.div_ceil(2), members / 2);
    for (index, entry) in entries.iter().enumerate() {
        if (front..pairs - back).contains(&(index / 2)) {
            if index == 2 * front {
                let left_out = format!("… {}", count(pairs - members, "member"));
                rows.push(row(entry.offset, &left_out, &[], "not shown"));
            }
            continue;
        }
        rows.push(entry_row(entry, if index % 2 == 0 { "member" } else { "score" }));
    }
    rows.push(row(end, "end", &bytes[end..], ""));
    push_table(&rows, out);
    let _ = writeln!(
        out,
        "\n\
         One allocation, sorted by score, then by member. A search reads entry after entry; the first bytes\n\
         of each give its length. With the back-lengths, it can also start at the end.\n\
         It becomes a skip list above {}, or with a member above {}.",
        count(limits.max_listpack_entries, "member"),
        count(limits.max_listpack_value, "byte")
    );
}

/// Appends rows in columns as wide as their longest cell. The first column, of numbers, is
/// right-aligned.
fn push_table(rows: &[[String; COLUMNS]], out: &mut String) {
    let len = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let lens: [usize; COLUMNS] = std::array::from_fn(|column| len(column).unwrap_or(0));
    for row in rows {
        let mut line = format!("{:>1$}", row[0], lens[0]);
        for (cell, len) in row.iter().zip(lens).skip(1) {
            let _ = write!(line, "  {cell:len$}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn row(offset: usize, name: &str, bytes: &[u8], meaning: &str) -> [String; COLUMNS] {
    let none = String::new;
    [offset.to_string(), name.to_owned(), hex(bytes), none(), meaning.to_owned(), none(), none()]
}

fn entry_row(entry: &RawEntry<'_>, name: &str) -> [String; COLUMNS] {
    let value = match entry.value {
        Value::Integer(integer) => integer.to_string(),
        Value::Bytes(text) => quoted(text),
    };
    [
        entry.offset.to_string(),
        name.to_owned(),
        hex(entry.head),
        bits(entry.head[0]),
        entry.encoding.to_string(),
        value,
        hex(entry.back_length),
    ]
}

/// Returns bytes in hexadecimal, truncated if there are many.
fn hex(bytes: &[u8]) -> String {
    let shown = bytes.len().min(HEX_BYTES);
    let digits: Vec<_> = bytes[..shown].iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ") + if shown < bytes.len() { " …" } else { "" }
}

/// Returns the bits of an entry's first byte: those of its encoding, then those of an integer or a
/// length.
fn bits(first: u8) -> String {
    let kind = match first {
        0x00..=0x7F => 1,
        0x80..=0xBF => 2,
        0xC0..=0xDF => 3,
        0xE0..=0xEF => 4,
        _ => 8,
    };
    let bits = format!("{first:08b}");
    format!("{} {}", &bits[..kind], &bits[kind..])
}
