//! A ranked table and its output.

use std::io::{self, Write};
use std::iter;
use std::ops::Bound::{self, Unbounded};

use zset_std::{Leaderboard, Standing, Ties};

use crate::fields::{Member, Scores};
use crate::read::Columns;
use crate::text;

/// A terminal width that can be assumed everywhere.
const TERMINAL: usize = 80;
/// Names are never cut shorter than this, even if the line becomes too long.
const SHORTEST_NAME: usize = 12;

/// A table and its ranking.
pub(crate) struct Table<M, S> {
    pub(crate) title: String,
    pub(crate) headings: Columns,
    pub(crate) board: Leaderboard<M, S>,
    /// The number of rows skipped.
    pub(crate) bad_rows: usize,
}

impl<M: Member, S: Scores> Table<M, S> {
    /// Prints the first `top` rows of the table.
    pub(crate) fn print(&self, out: &mut impl Write, top: usize) -> io::Result<()> {
        let ranked = text::thousands(self.board.len() as u128);
        write!(out, "{}: {ranked} ranked", self.title)?;
        match self.bad_rows {
            0 => writeln!(out)?,
            1 => writeln!(out, ", 1 row skipped")?,
            rows => writeln!(out, ", {} rows skipped", text::thousands(rows as u128))?,
        }
        if self.board.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        self.print_range(out, Unbounded, Unbounded, top)
    }

    /// Prints the first `top` rows with scores between two bounds.
    pub(crate) fn print_range(
        &self,
        out: &mut impl Write,
        from: Bound<S>,
        to: Bound<S>,
        top: usize,
    ) -> io::Result<()> {
        // Competition numbering: 1, 2, 2, 4.
        let lines = self.board.range_by_score((from, to)).ties(Ties::Competition);
        let rows = lines.take(top).map(|Standing { number, member, score }| {
            let rank = text::thousands(number as u128);
            [vec![rank], member.cells(), score.cells()].concat()
        });
        let Columns { member, scores } = &self.headings;
        print_rows(out, member, scores, rows)
    }

    /// Returns a score in words: `40 gold, 44 silver, 42 bronze`.
    pub(crate) fn in_words(&self, score: &S) -> String {
        let cells = score.cells();
        let words = cells.iter().zip(&self.headings.scores);
        words.map(|(cell, heading)| format!("{cell} {heading}")).collect::<Vec<_>>().join(", ")
    }
}

/// Prints aligned columns: the rank, names, and scores.
pub(crate) fn print_rows(
    out: &mut impl Write,
    names: &[String],
    scores: &[String],
    rows: impl Iterator<Item = Vec<String>>,
) -> io::Result<()> {
    let heading = [&["rank".to_string()], names, scores].concat();
    let mut widths = vec![0; heading.len()];
    let lines: Vec<_> = iter::once(heading).chain(rows).collect();
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = text::width(cell).max(*width);
        }
    }
    // If a line is too long, the last name column is cut.
    let line_width: usize = widths.iter().map(|width| width + 2).sum();
    if let Some(name) = widths.get_mut(names.len()) {
        *name -= line_width.saturating_sub(TERMINAL).min(name.saturating_sub(SHORTEST_NAME));
    }
    for line in &lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let cell = text::fit(cell, width);
            let is_name = (1..=names.len()).contains(&column);
            let cell = if is_name { text::left(&cell, width) } else { text::right(&cell, width) };
            write!(out, "  {cell}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
