//! What all pictures are made of: texts that are cut, and columns.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use zset_core::Score;

use crate::shell::units;

/// The columns of a picture.
pub(super) const WIDTH: usize = 100;

/// The columns of a member.
const MEMBER: usize = 26;

/// Returns bytes between quotes, as they could be typed; what is too long ends in `…`.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let (mut text, mut end) = ("\"".to_owned(), 1);
    for unit in units(bytes) {
        unit.write(&mut text);
        if text.width() + 1 > MEMBER {
            text.truncate(end);
            text.push('…');
            break;
        }
        // The last place where a sign can follow that says that there is more.
        if text.width() + 2 <= MEMBER {
            end = text.len();
        }
    }
    text.push('"');
    text
}

/// Returns an element as text.
pub(super) fn element(member: &[u8], score: Score) -> String {
    format!("({score}, {})", quoted(member))
}

/// Returns a number of things: `1 leaf`, `2 leaves`.
pub(super) fn count(number: usize, thing: &str) -> String {
    match (number, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "leaf") => format!("{number} leaves"),
        (_, "child") => format!("{number} children"),
        (_, "entry") => format!("{number} entries"),
        _ => format!("{number} {thing}s"),
    }
}

/// Adds a line; what is too long ends in `…`.
pub(super) fn push_line(line: &str, out: &mut String) {
    let line = line.trim_end();
    if line.width() <= WIDTH {
        out.push_str(line);
    } else {
        let mut columns = 0;
        out.extend(line.chars().take_while(|letter| {
            columns += letter.width().unwrap_or(0);
            columns < WIDTH
        }));
        out.push('…');
    }
    out.push('\n');
}

/// Adds rows in columns that are as wide as what is in them. The first one, of numbers, stands to the
/// right.
pub(super) fn push_table<const N: usize>(rows: &[[String; N]], out: &mut String) {
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for row in rows {
        let mut line = String::new();
        for (column, (text, width)) in row.iter().zip(widths).enumerate() {
            let blanks = width - text.width();
            let (before, behind) = if column == 0 { (blanks, 0) } else { (0, blanks) };
            line.extend([&*" ".repeat(before), text, &*" ".repeat(behind + 2)]);
        }
        push_line(&line, out);
    }
}

/// Returns what part one number is of another, in percent: 100 are all, and nothing less.
pub(super) fn percent(part: usize, whole: usize) -> usize {
    let rounded = (100 * part + whole / 2).checked_div(whole).unwrap_or(0);
    if part < whole { rounded.min(99) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_and_no_escape_in_the_middle() {
        assert_eq!(quoted(b"a\n"), "\"a\\n\"");
        let longest = [b'x'; MEMBER - 2];
        assert_eq!(quoted(&longest).len(), MEMBER);
        for bytes in [&[b'x'; MEMBER - 1][..], &[0xFF; MEMBER], &[b'x'; 1000]] {
            let text = quoted(bytes);
            assert!(text.chars().count() <= MEMBER && text.ends_with("…\""), "{text}");
        }
        assert_eq!(quoted(&[0xFF; 9]), "\"\\xff\\xff\\xff\\xff\\xff…\"");
        assert_eq!(quoted(&[0xFF; 6]), "\"\\xff\\xff\\xff\\xff\\xff\\xff\"");
        assert_eq!(quoted("日本 é\u{1b}".as_bytes()), "\"日本 é\\x1b\"");
        assert_eq!(quoted("日".repeat(20).as_bytes()), format!("\"{}…\"", "日".repeat(11)));
        let mut out = String::new();
        push_line(&"é".repeat(WIDTH + 1), &mut out);
        assert_eq!(out, "é".repeat(WIDTH - 1) + "…\n");
    }

    #[test]
    fn only_all_are_100_percent() {
        assert_eq!(
            [(999, 1000), (2, 2), (1, 3), (0, 0)].map(|(part, whole)| percent(part, whole)),
            [99, 100, 33, 0]
        );
    }
}
