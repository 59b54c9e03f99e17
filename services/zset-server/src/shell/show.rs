//! SHOW: a drawing of how a sorted set is stored.

mod listpack;
mod skip_list;

use zset_core::Score;

use super::display::write_escaping;
use crate::error::CommandError;
use crate::keyspace::{Keyspace, Value};
use crate::resp::parse_integer;

/// Draws the value of a key, given the arguments of SHOW: `key [LIMIT count]`. The limit is the
/// number of leaves, or of members of a listpack, to draw: half of them from the start, half from
/// the end.
pub(super) fn show(arguments: &[Vec<u8>], keyspace: &Keyspace) -> Result<String, CommandError> {
    let (key, limit) = match arguments {
        [] => return Err(CommandError::wrong_arity("show")),
        [key] => (key, None),
        [key, option, count] if option.eq_ignore_ascii_case(b"limit") => {
            let count = parse_integer(count).ok_or(CommandError::NOT_AN_INTEGER)?;
            let limit = usize::try_from(count);
            (key, Some(limit.map_err(|_| CommandError::err("LIMIT can't be negative"))?))
        }
        _ => return Err(CommandError::SYNTAX),
    };
    let name = quoted(key);
    match keyspace.value(key) {
        None => Err(CommandError::err("no such key")),
        Some(Value::String(string)) => {
            let bytes = count(string.len(), "byte");
            Ok(format!("{name} is a string of {bytes}: {}\n", quoted(string)))
        }
        Some(Value::Set(set)) => {
            let members = count(set.len(), "member");
            Ok(format!("{name} is a plain set of {members}\n"))
        }
        Some(Value::SortedSet(set)) => {
            let members = count(set.len(), "member");
            let mut out = format!("{name} is a {} of {members}\n\n", set.encoding());
            if let Some(list) = set.as_listpack() {
                listpack::draw(list, set.limits(), limit, &mut out);
            }
            if let Some(sorted) = set.as_sorted_set() {
                skip_list::draw(sorted, set.allocation_size(), limit, &mut out);
            }
            Ok(out)
        }
    }
}

// The strings of all drawings: elements, counts and columns.

/// The maximum length of a member, in characters.
const MEMBER: usize = 23;

/// Returns bytes in quotes, as they could be typed; a long string is truncated with `…`.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::new();
    // A character has at most four bytes.
    write_escaping(&bytes[..bytes.len().min(4 * MEMBER)], "\"\\", &mut text);
    match text.char_indices().nth(MEMBER) {
        None => format!("\"{text}\""),
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
    }
}

/// Returns an element as a string.
fn element(member: &[u8], score: Score) -> String {
    format!("({score}, {})", quoted(member))
}

/// Returns a count with its noun: `1 leaf`, `2 leaves`.
fn count(number: usize, thing: &str) -> String {
    match (number, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "leaf") => format!("{number} leaves"),
        (_, "child") => format!("{number} children"),
        (_, "entry") => format!("{number} entries"),
        _ => format!("{number} {thing}s"),
    }
}

/// Returns `part` in percent of `whole`; 100 only if they are equal.
fn percent(part: usize, whole: usize) -> usize {
    let rounded = (100 * part + whole / 2).checked_div(whole).unwrap_or(0);
    if part < whole { rounded.min(99) } else { rounded }
}
