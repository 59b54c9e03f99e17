//! The texts of all drawings: elements, counts and columns.

use zset_core::Score;

use crate::shell::escape::write_escaping;

/// The maximum length of a member, in characters.
const MEMBER: usize = 23;

/// Returns bytes in quotes, as they could be typed; a long text is truncated with `…`.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::new();
    // A character has at most four bytes.
    write_escaping(&bytes[..bytes.len().min(4 * MEMBER)], "\"\\", &mut text);
    match text.char_indices().nth(MEMBER) {
        None => format!("\"{text}\""),
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
    }
}

/// Returns an element as text.
pub(super) fn element(member: &[u8], score: Score) -> String {
    format!("({score}, {})", quoted(member))
}

/// Returns a count with its noun: `1 leaf`, `2 leaves`.
pub(super) fn count(number: usize, thing: &str) -> String {
    match (number, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "leaf") => format!("{number} leaves"),
        (_, "child") => format!("{number} children"),
        (_, "entry") => format!("{number} entries"),
        _ => format!("{number} {thing}s"),
    }
}

/// Returns `part` in percent of `whole`; 100 only if they are equal.
pub(super) fn percent(part: usize, whole: usize) -> usize {
    let rounded = (100 * part + whole / 2).checked_div(whole).unwrap_or(0);
    if part < whole { rounded.min(99) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_truncated() {
        assert_eq!(quoted(b"a\n\""), "\"a\\n\\\"\"");
        assert_eq!(quoted("日本 é\u{1b}".as_bytes()), "\"日本 é\\x1b\"");
        assert_eq!(quoted(&[b'x'; MEMBER]), format!("\"{}\"", "x".repeat(MEMBER)));
        assert_eq!(quoted(&[b'x'; 1000]), format!("\"{}…\"", "x".repeat(MEMBER)));
        assert_eq!(quoted("日".repeat(30).as_bytes()), format!("\"{}…\"", "日".repeat(MEMBER)));
    }

    #[test]
    fn only_the_whole_is_100_percent() {
        assert_eq!(
            [(999, 1000), (2, 2), (1, 3), (0, 0)].map(|(part, whole)| percent(part, whole)),
            [99, 100, 33, 0]
        );
    }
}
