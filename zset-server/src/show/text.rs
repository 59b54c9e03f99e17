//! The elements of all drawings: truncated texts, wrapped lines and columns.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use zset_core::Score;

use crate::shell::units;

/// The maximum width of a drawing, in columns.
pub(super) const WIDTH: usize = 100;

/// The minimum width, which leaves room for a word after the deepest indent.
const MIN_WIDTH: usize = 30;

/// The maximum width of a member, in columns.
const MEMBER: usize = 26;

/// Returns bytes in quotes, as they could be typed; a long text is truncated with `…`.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let (mut text, mut end) = ("\"".to_owned(), 1);
    for unit in units(bytes) {
        unit.write(&mut text);
        if text.width() + 1 > MEMBER {
            text.truncate(end);
            text.push('…');
            break;
        }
        // The last position at which another character would still fit is the place for the ellipsis.
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

/// A text whose lines fit the width of a terminal.
#[derive(Debug)]
pub(super) struct Picture {
    text: String,
    /// The maximum width of a line, in columns.
    width: usize,
}

impl Picture {
    pub(super) fn new(width: usize) -> Self {
        Picture { text: String::new(), width: width.clamp(MIN_WIDTH, WIDTH) }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Appends a line, wrapping what does not fit.
    pub(super) fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let indent = &line[..line.len() - text.len()];
        self.wrapped(indent, &format!("{indent}  "), text);
    }

    /// Appends a text after `first`, wrapping what does not fit onto lines that start with `next`. Lines
    /// break between words; a word longer than a line is truncated with `…`.
    pub(super) fn wrapped(&mut self, first: &str, next: &str, text: &str) {
        self.parts(first, next, text.split(' '), " ");
    }

    /// Appends parts with a separator; lines break between parts.
    fn parts<'a>(
        &mut self,
        first: &str,
        next: &str,
        parts: impl Iterator<Item = &'a str>,
        separator: &str,
    ) {
        let (mut line, mut has_part) = (first.to_owned(), false);
        for (index, part) in parts.enumerate() {
            let columns = separator.width() + part.trim_end().width();
            if has_part && line.width() + columns > self.width {
                self.end_line(&line);
                next.clone_into(&mut line);
                has_part = false;
            }
            // Blanks at the end of a line are not carried over to the next line.
            if !has_part && index > 0 && part.trim_end().is_empty() {
                continue;
            }
            if has_part {
                line.push_str(separator);
            }
            line.push_str(part);
            has_part = true;
        }
        if has_part {
            self.end_line(&line);
        }
    }

    fn end_line(&mut self, line: &str) {
        let line = line.trim_end();
        if line.width() <= self.width {
            self.text.push_str(line);
        } else {
            let mut columns = 0;
            self.text.extend(line.chars().take_while(|letter| {
                columns += letter.width().unwrap_or(0);
                columns < self.width
            }));
            self.text.push('…');
        }
        self.text.push('\n');
    }

    /// Appends rows in columns as wide as their widest cell. The first column, of numbers, is
    /// right-aligned.
    pub(super) fn table<const N: usize>(&mut self, rows: &[[String; N]]) {
        let width = |column: usize| rows.iter().map(|row| row[column].width()).max();
        let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
        let next = " ".repeat(widths.first().map_or(0, |first| first + 2));
        for row in rows {
            let cells = row.iter().zip(widths).enumerate().map(|(column, (text, width))| {
                let blanks = " ".repeat(width - text.width());
                if column == 0 { blanks + text } else { text.clone() + &blanks }
            });
            let cells: Vec<_> = cells.collect();
            self.parts("", &next, cells.iter().map(String::as_str), "  ");
        }
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
        let mut picture = Picture::new(WIDTH);
        picture.line(&"é".repeat(WIDTH + 1));
        assert_eq!(picture.into_text(), "é".repeat(WIDTH - 1) + "…\n");
    }

    #[test]
    fn lines_end_between_words() {
        let mut picture = Picture::new(MIN_WIDTH);
        picture.line("  one two three four five six  seven");
        picture.wrapped("├─ ", "│  ", "one two three four five six seven");
        picture.table(&[
            ["7", "one two three", "four five six"].map(str::to_owned),
            ["8", "one", ""].map(str::to_owned),
        ]);
        let expected = "  one two three four five six\n    seven\n\
                        ├─ one two three four five six\n│  seven\n\
                        7  one two three\n   four five six\n8  one\n";
        assert_eq!(picture.into_text(), expected);
    }

    #[test]
    fn only_all_are_100_percent() {
        assert_eq!(
            [(999, 1000), (2, 2), (1, 3), (0, 0)].map(|(part, whole)| percent(part, whole)),
            [99, 100, 33, 0]
        );
    }
}
