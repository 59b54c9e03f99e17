//! Line numbers of rows.

/// Counts lines in a single pass.
///
/// The positions reported by the `csv` crate have line numbers too, but the crate treats empty
/// lines, and the LF of a CR LF, as part of the next row.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    offset: u64,
    line: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Lines { rest: text, offset: 0, line: 1 }
    }

    /// Returns the line number, starting from 1, of the first row at or after this offset.
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
