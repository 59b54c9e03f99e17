//! Command-line arguments.

use std::path::PathBuf;

use lexopt::prelude::*;

/// The number of score columns for which `main.rs` has array types.
pub(crate) const MAX_SCORES: usize = 4;
/// More players would exceed the memory of most machines.
const MAX_PLAYERS: u64 = 100_000_000;

pub(crate) const HELP: &str = "\
Ranks the medal table of Paris 2024, or any CSV file; then simulated players.

Usage: medals [OPTIONS]

Questions:
  --team NAME         Where does NAME stand? In the medal table, a code [JPN]
  --from SCORE        Who has at least SCORE? [10,0,0]
  --to SCORE          Who has at most SCORE? [15,0,0]
                      A SCORE is one number a column: gold,silver,bronze

A table of your own:
  --csv FILE          Rank this file, with a header line, highest score first
  --member COLUMN     Who is ranked
  --score COLUMN,...  By what: up to 4 columns, the later ones decide ties
                      A COLUMN is a name of the header line, or a number from 1

  --top N             Print no more than the first N rows of a table
  --players N         Simulate N players, 0 for none [1000000; with --csv 0]
  -h, --help          Print this help
";

pub(crate) struct Arguments {
    pub(crate) source: Source,
    pub(crate) questions: Questions,
    pub(crate) top: usize,
    pub(crate) players: u64,
}

/// The table to rank.
pub(crate) enum Source {
    Paris,
    Csv(Csv),
}

/// The queries on the table, besides "who is third?", which needs no argument.
#[derive(Clone, Default)]
pub(crate) struct Questions {
    pub(crate) team: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
}

pub(crate) struct Csv {
    pub(crate) path: PathBuf,
    pub(crate) member: String,
    pub(crate) scores: Vec<String>,
}

impl Arguments {
    /// Parses the command line; returns `None` if it asks for help.
    pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Option<Arguments>, lexopt::Error> {
        let (mut csv, mut member, mut scores) = (None, None, Vec::new());
        let mut questions = Questions::default();
        let (mut top, mut players) = (usize::MAX, None);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("csv") => csv = Some(PathBuf::from(parser.value()?)),
                Long("member") => member = Some(parser.value()?.string()?),
                Long("score") => {
                    scores.extend(parser.value()?.string()?.split(',').map(str::to_string));
                }
                Long("team") => questions.team = Some(parser.value()?.string()?),
                Long("from") => questions.from = Some(parser.value()?.string()?),
                Long("to") => questions.to = Some(parser.value()?.string()?),
                Long("top") => top = parser.value()?.parse()?,
                Long("players") => players = Some(parser.value()?.parse()?),
                Short('h') | Long("help") => return Ok(None),
                other => return Err(format!("{} (try --help)", other.unexpected()).into()),
            }
        }
        let source = match (csv, member, scores) {
            (None, None, scores) if scores.is_empty() => Source::Paris,
            (None, ..) => return Err("--member and --score require --csv FILE".into()),
            (Some(path), Some(member), scores) if !scores.is_empty() => {
                Source::Csv(Csv { path, member, scores })
            }
            (Some(_), ..) => return Err("--csv needs --member COLUMN and --score COLUMN".into()),
        };
        let players = players.unwrap_or(match source {
            Source::Paris => 1_000_000,
            Source::Csv(_) => 0,
        });
        if players > MAX_PLAYERS {
            return Err(format!("--players is at most {MAX_PLAYERS}").into());
        }
        Ok(Some(Arguments { source, questions, top, players }))
    }
}
