//! Ranks the medal table of Paris 2024, or any CSV file, and then a million simulated players.
//!
//! Demonstrates a `Leaderboard`: tuples and arrays as scores, shared ranks, lookups by name, score
//! ranges; and the speed and size of a large `SortedSet`. From anywhere in the repository:
//!
//! ```text
//! cargo run --release --example medals
//! cargo run --release --example medals -- --team FRA --from 5,0,0 --players 0
//! cargo run --release --example medals -- --csv results.csv --member name --score points,wins
//! cargo run --release --example medals -- --help
//! ```
//!
//! The library is used in `read.rs` (filling a board), `table.rs` (ranks and ties), `questions.rs`
//! (queries) and `players.rs` (updates). `fields.rs` has the types of the members and scores.

mod arguments;
mod fields;
mod lines;
mod players;
mod questions;
mod read;
mod table;
mod text;

use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use zset_core::Score;

use arguments::{Arguments, Csv, MAX_SCORES, Questions, Source};
use fields::{Medals, Member, Scores, Team};
use read::{Columns, read};
use table::Table;

/// The final medal table, which ranks 91 teams.
const PARIS_2024: &str = include_str!("../../data/medals-paris-2024.csv");

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    match run(&mut out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader, such as `head`, has closed the pipe.
        Err(error) if is_broken_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => {
            // Flush the results first, so that the message comes last.
            let _ = out.flush();
            warn(&format!("medals: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let Some(arguments) = Arguments::parse(lexopt::Parser::from_env())? else {
        return Ok(out.write_all(arguments::HELP.as_bytes())?);
    };
    match &arguments.source {
        Source::Paris => show_paris(out, &arguments)?,
        // Each number of columns has an array type of exactly that size.
        Source::Csv(csv) => match csv.scores.len() {
            1 => show_csv::<[Score; 1]>(out, &arguments, csv)?,
            2 => show_csv::<[Score; 2]>(out, &arguments, csv)?,
            3 => show_csv::<[Score; 3]>(out, &arguments, csv)?,
            4 => show_csv::<[Score; 4]>(out, &arguments, csv)?,
            count => {
                return Err(format!(
                    "--score names {count} columns; this example supports 1 to {MAX_SCORES}"
                )
                .into());
            }
        },
    }
    if arguments.players > 0 {
        players::simulate(out, arguments.players)?;
    }
    Ok(())
}

/// Ranks the medal table, with default questions if the user asks none.
fn show_paris(out: &mut impl Write, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let columns = Columns::new(&["code", "country"], &["gold", "silver", "bronze"]);
    let table = load::<Team, Medals>("Paris 2024", PARIS_2024.as_bytes(), &columns)?;
    let mut questions = arguments.questions.clone();
    questions.team.get_or_insert_with(|| "JPN".to_string());
    if (&questions.from, &questions.to) == (&None, &None) {
        questions.from = Some("10,0,0".to_string());
        questions.to = Some("15,0,0".to_string());
    }
    show(out, &table, arguments.top, &questions)
}

fn show_csv<S: Scores>(
    out: &mut impl Write,
    arguments: &Arguments,
    csv: &Csv,
) -> Result<(), Box<dyn Error>> {
    let title = text::printable(&csv.path.display().to_string());
    let file = fs::read(&csv.path).map_err(|error| format!("{title}: {error}"))?;
    let columns = Columns { member: vec![csv.member.clone()], scores: csv.scores.clone() };
    let table = load::<String, S>(&title, &file, &columns)?;
    show(out, &table, arguments.top, &arguments.questions)
}

/// Reads a table and reports its bad rows.
fn load<M: Member, S: Scores>(
    title: &str,
    input: &[u8],
    columns: &Columns,
) -> Result<Table<M, S>, Box<dyn Error>> {
    let mut bad_rows = 0;
    let (headings, board) = read(input, columns, |line, reason| {
        bad_rows += 1;
        warn(&format!("{title}: line {line}: {reason}"));
    })
    .map_err(|error| format!("{title}: {error}"))?;
    Ok(Table { title: title.to_string(), headings, board, bad_rows })
}

fn show<M: Member, S: Scores>(
    out: &mut impl Write,
    table: &Table<M, S>,
    top: usize,
    questions: &Questions,
) -> Result<(), Box<dyn Error>> {
    table.print(out, top)?;
    let Questions { team, from, to } = questions;
    if let Some(team) = team {
        questions::where_is(out, table, team)?;
    }
    questions::who_is_third(out, table)?;
    if from.is_some() || to.is_some() {
        questions::who_lies_between(out, table, from.as_deref(), to.as_deref(), top)?;
    }
    Ok(())
}

/// Writes a line to standard error. `eprintln!` would panic if it is closed.
fn warn(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let io_error = error.downcast_ref::<io::Error>();
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
