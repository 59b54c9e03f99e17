//! Reading a leaderboard from CSV.

use std::error::Error;
use std::fmt;

use csv::{ByteRecord, ReaderBuilder, StringRecord};
use zset_std::Leaderboard;

use crate::fields::{BadScore, Member, Scores};
use crate::lines::Lines;
use crate::text;

/// The columns of members and of scores, by name or by number starting from 1.
pub(crate) struct Columns {
    pub(crate) member: Vec<String>,
    pub(crate) scores: Vec<String>,
}

impl Columns {
    pub(crate) fn new(member: &[&str], scores: &[&str]) -> Columns {
        let own = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Columns { member: own(member), scores: own(scores) }
    }
}

/// Reads a table with a header line and returns its column names and the board of its rows.
///
/// Invalid rows are skipped and reported with their line numbers. If a member repeats, its later
/// rows are invalid.
pub(crate) fn read<M: Member, S: Scores>(
    input: &[u8],
    columns: &Columns,
    mut report: impl FnMut(u64, BadRow),
) -> Result<(Columns, Leaderboard<M, S>), ReadError> {
    // Flexible, so that a row of another length is reported below instead of ending the read.
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(input);
    let mut header = StringRecord::from_byte_record_lossy(reader.byte_headers()?.clone());
    header.trim();
    if header.is_empty() {
        return Err(ReadError::Empty);
    }
    let member_columns = find_all(&header, &columns.member)?;
    let score_columns = find_all(&header, &columns.scores)?;

    let mut board = Leaderboard::new();
    let mut lines = Lines::new(input);
    // Bytes, so that a row that is not UTF-8 does not end the read either.
    for bytes in reader.byte_records() {
        let bytes = bytes?;
        let start = bytes.position().map_or(0, csv::Position::byte);
        let row = read_row(bytes, header.len(), &member_columns, &score_columns);
        match row.and_then(|(member, score)| add(&mut board, member, score)) {
            Ok(()) => {}
            Err(reason) => report(lines.line_at(start), reason),
        }
    }
    let names =
        |columns: &[usize]| columns.iter().map(|&at| text::printable(&header[at])).collect();
    Ok((Columns { member: names(&member_columns), scores: names(&score_columns) }, board))
}

fn read_row<M: Member, S: Scores>(
    bytes: ByteRecord,
    expected: usize,
    member_columns: &[usize],
    score_columns: &[usize],
) -> Result<(M, S), BadRow> {
    if bytes.len() != expected {
        return Err(BadRow::FieldCount { found: bytes.len(), expected });
    }
    let mut record = StringRecord::from_byte_record(bytes)
        .map_err(|error| BadRow::NotUtf8 { field: error.utf8_error().field() + 1 })?;
    record.trim();
    let fields = |columns: &[usize]| columns.iter().map(|&at| &record[at]).collect::<Vec<_>>();
    let member = fields(member_columns);
    if member.iter().any(|field| field.is_empty()) {
        return Err(BadRow::EmptyMember);
    }
    if member.iter().any(|field| field.contains(['\n', '\r'])) {
        return Err(BadRow::ManyLines);
    }
    let score = S::read(&fields(score_columns)).map_err(BadRow::Score)?;
    Ok((M::read(&member), score))
}

/// Submits the score of a member unless it already has one.
fn add<M: Member, S: Scores>(
    board: &mut Leaderboard<M, S>,
    member: M,
    score: S,
) -> Result<(), BadRow> {
    if let Some((member, score)) = board.get(&member) {
        let name = text::shorten(&member.to_string());
        return Err(BadRow::Duplicate { name, scores: score.cells().join(", ") });
    }
    board.submit(member, score);
    Ok(())
}

fn find_all(header: &StringRecord, names: &[String]) -> Result<Vec<usize>, ReadError> {
    names.iter().map(|name| find(header, name)).collect()
}

/// Finds a column by name, or else by number.
fn find(header: &StringRecord, wanted: &str) -> Result<usize, ReadError> {
    let mut named = (0..header.len()).filter(|&at| &header[at] == wanted.trim());
    match (named.next(), named.next()) {
        (Some(at), None) => Ok(at),
        (Some(_), Some(_)) => Err(ReadError::TwoColumns { wanted: wanted.to_string() }),
        (None, _) => {
            let number = wanted.trim().parse::<usize>().ok();
            let at = number.and_then(|number| number.checked_sub(1));
            at.filter(|&at| at < header.len()).ok_or_else(|| ReadError::NoColumn {
                wanted: wanted.to_string(),
                header: header.iter().map(text::shorten).collect(),
            })
        }
    }
}

/// The error of a table that cannot be read at all.
#[derive(Debug)]
pub(crate) enum ReadError {
    Csv(csv::Error),
    Empty,
    NoColumn { wanted: String, header: Vec<String> },
    TwoColumns { wanted: String },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Csv(error) => error.fmt(f),
            ReadError::Empty => f.write_str("the file is empty: it has no header line"),
            ReadError::NoColumn { wanted, header } => {
                write!(f, "there is no column {wanted:?}; the columns are {}", header.join(", "))
            }
            ReadError::TwoColumns { wanted } => {
                write!(f, "several columns are named {wanted:?}; choose one by its number")
            }
        }
    }
}

impl Error for ReadError {}

impl From<csv::Error> for ReadError {
    fn from(error: csv::Error) -> ReadError {
        ReadError::Csv(error)
    }
}

/// The reason a row is skipped.
#[derive(Debug)]
pub(crate) enum BadRow {
    FieldCount { found: usize, expected: usize },
    NotUtf8 { field: usize },
    EmptyMember,
    ManyLines,
    Score(BadScore),
    Duplicate { name: String, scores: String },
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRow::FieldCount { found, expected } => {
                write!(f, "wrong number of fields: {found} instead of {expected}")
            }
            BadRow::NotUtf8 { field } => write!(f, "field {field} is not valid UTF-8"),
            BadRow::EmptyMember => f.write_str("the member is empty"),
            // Everything after an unclosed quote ends up in one field.
            BadRow::ManyLines => f.write_str("the member spans many lines; is a quote unclosed?"),
            BadRow::Score(error) => error.fmt(f),
            BadRow::Duplicate { name, scores } => {
                write!(f, "member {name:?} repeats an earlier row, which has {scores}")
            }
        }
    }
}
