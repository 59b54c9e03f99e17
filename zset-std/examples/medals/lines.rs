//! The line numbers of rows.

/// Counts lines, once from the beginning to the end.
///
/// The positions that the `csv` crate gives have line numbers too, but it takes empty lines, and the
/// second half of a CR LF, for a part of the row after them.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    offset: u64,
    line: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Lines { rest: text, offset: 0, line: 1 }
    }

    /// Returns the line, from 1, of the row that is the first one from this offset on.
    pub(crate) fn line_at(&mut self, offset: u64) -> u64 {
        while let [byte, rest @ ..] = self.rest {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => rest.first() != Some(&b'\n'),
                _ => false,
            };
            if self.offset >= offset && !matches!(byte, b'\n' | b'\r') {
                break;
            }
            self.line += u64::from(ends_line);
            self.offset += 1;
            self.rest = rest;
        }
        self.line
    }
}
