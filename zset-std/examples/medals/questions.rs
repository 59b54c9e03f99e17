//! Queries on a ranked table.

use std::error::Error;
use std::io::{self, Write};
use std::ops::Bound::{Included, Unbounded};

use zset_std::{Standing, Ties};

use crate::fields::{Member, Scores};
use crate::table::Table;
use crate::text;

/// The maximum number of names in an answer.
const MOST_NAMES: usize = 5;

/// Answers "where does X stand?": a lookup by name, then a count, both in O(log n).
pub(crate) fn where_is<M: Member, S: Scores>(
    out: &mut impl Write,
    table: &Table<M, S>,
    name: &str,
) -> Result<(), Box<dyn Error>> {
    let board = &table.board;
    // The line of the member alone, without neighbours.
    let line = board.around(name, 0).and_then(|lines| lines.ties(Ties::Competition).next());
    let Some(Standing { number, member, score }) = line else {
        return Err(format!("{} has no {name:?}", table.title).into());
    };
    let name = text::printable(&member.to_string());
    let place = text::ordinal(number);
    let others = board.range_by_score(*score..=*score).len() - 1;
    writeln!(out, "\nWhere does {name} stand?")?;
    write!(out, "  {place} of {}", text::thousands(board.len() as u128))?;
    match others {
        0 => write!(out, ", ")?,
        1 => write!(out, ", tied with 1 other, ")?,
        others => write!(out, ", tied with {} others, ", text::thousands(others as u128))?,
    }
    Ok(writeln!(out, "with {}", table.in_words(score))?)
}

/// Answers "who is third?": the line at a rank in O(log n), and the members with the same score.
pub(crate) fn who_is_third<M: Member, S: Scores>(
    out: &mut impl Write,
    table: &Table<M, S>,
) -> io::Result<()> {
    let board = &table.board;
    writeln!(out, "\nWho is third?")?;
    let Some(Standing { number, score, .. }) = board.page(2, 1).ties(Ties::Competition).next()
    else {
        return writeln!(out, "  Nobody: the table is too short");
    };
    // If the third member is tied with the one above it, both rank higher than third.
    match number {
        3 => {}
        rank => writeln!(out, "  Nobody: several are tied for {}:", text::ordinal(rank))?,
    }
    let mut tied = board.range_by_score(*score..=*score);
    for Standing { member, .. } in tied.by_ref().take(MOST_NAMES) {
        let name = text::printable(&member.to_string());
        writeln!(out, "  {name}, with {}", table.in_words(score))?;
    }
    match tied.len() {
        0 => Ok(()),
        others => writeln!(out, "  and {} more", text::thousands(others as u128)),
    }
}

/// Answers "who lies between these scores?": a score range, found in O(log n).
pub(crate) fn who_lies_between<M: Member, S: Scores>(
    out: &mut impl Write,
    table: &Table<M, S>,
    from: Option<&str>,
    to: Option<&str>,
    top: usize,
) -> Result<(), Box<dyn Error>> {
    let read = |option: &str, text: Option<&str>| {
        let fields = text.map(|text| text.split(',').map(str::trim).collect::<Vec<_>>());
        let score = fields.map(|fields| S::read(&fields)).transpose();
        score.map_err(|error| format!("{option}: {error}"))
    };
    let (from, to) = (read("--from", from)?, read("--to", to)?);
    let in_words = |score: S| table.in_words(&score);
    match (from.map(in_words), to.map(in_words)) {
        (Some(from), Some(to)) => writeln!(out, "\nWho lies between {from} and {to}?")?,
        (Some(from), None) => writeln!(out, "\nWho has at least {from}?")?,
        (None, to) => writeln!(out, "\nWho has at most {}?", to.unwrap_or_default())?,
    }
    let bound = |score: Option<S>| score.map_or(Unbounded, Included);
    let (from, to) = (bound(from), bound(to));
    if table.board.range_by_score((from, to)).len() == 0 {
        return Ok(writeln!(out, "  Nobody")?);
    }
    Ok(table.print_range(out, from, to, top)?)
}
