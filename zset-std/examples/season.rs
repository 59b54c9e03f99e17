//! Keeps the leaderboard of a game in a file, and resets it when a season ends.
//!
//! Demonstrates `Leaderboard` with serde. At the end of a season, the points are archived and
//! cleared, and `map_scores` moves each rating halfway back to the initial rating. Each step
//! replaces a whole file, and the archive is written before the reset game. If the program dies in
//! between, it ends the season again after its restart, with the same result. Loading validates the
//! files, in case someone has edited them.
//!
//! ```text
//! cargo run --package zset-std --features serde --example season
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, process};

use serde::{Deserialize, Serialize};
use zset_std::{Latest, Leaderboard, Sum, Ties, Timestamp};

const DAY: Duration = Duration::from_secs(86_400);

/// The length of a season. A game with thousands of players would keep only the best, using
/// `with_max_len`.
const SEASON: Duration = Duration::from_secs(30 * 86_400);

/// The rating of a new player.
const START: u32 = 1000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Game {
    season: u32,
    ends: Timestamp,
    /// The points of each player in this season.
    points: Leaderboard<String, u64, Sum>,
    /// The rating of each player after the latest match. Ratings outlive the season.
    ratings: Leaderboard<String, u32, Latest>,
}

/// A match: its season, the time of its report, the player, the points, and the new rating.
type Match = (u32, Duration, &'static str, u64, u32);

impl Game {
    fn new() -> Self {
        let ends = Timestamp::ZERO.saturating_add(SEASON);
        let (points, ratings) = (Leaderboard::with_policy(Sum), Leaderboard::with_policy(Latest));
        Game { season: 1, ends, points, ratings }
    }

    /// Counts a match if it belongs to this season; returns whether it does.
    fn report(
        &mut self,
        (season, _, player, points, rating): Match,
    ) -> Result<bool, Box<dyn Error>> {
        if season != self.season {
            return Ok(false);
        }
        self.points.try_submit(player.to_string(), points)?;
        self.ratings.submit(player.to_string(), rating);
        Ok(true)
    }

    /// Ends each season that is over, in order, even if there was no match for months.
    fn advance(&mut self, now: Timestamp, folder: &Path) -> Result<(), Box<dyn Error>> {
        while now >= self.ends {
            save(&self.points, &folder.join(format!("season-{}.json", self.season)))?;
            self.points.clear();
            self.ratings.map_scores(|_, rating| rating.midpoint(START));
            self.season += 1;
            self.ends = self.ends.saturating_add(SEASON);
            save(self, &folder.join("game.json"))?;
        }
        Ok(())
    }
}

/// Writes a file. If the program dies while writing, the old file is still there.
fn save(value: &impl Serialize, path: &Path) -> Result<(), Box<dyn Error>> {
    let new = path.with_extension("new");
    let mut file = BufWriter::new(File::create(&new)?);
    serde_json::to_writer(&mut file, value)?;
    file.flush()?;
    file.get_ref().sync_all()?;
    Ok(fs::rename(new, path)?)
}

fn load<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, Box<dyn Error>> {
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("zset-season-{}", process::id()));
    fs::create_dir_all(&folder)?;
    let result = play(&folder);
    // Removes the files even after an error.
    let removed = fs::remove_dir_all(&folder);
    result?;
    Ok(removed?)
}

fn play(folder: &Path) -> Result<(), Box<dyn Error>> {
    let file: PathBuf = folder.join("game.json");
    save(&Game::new(), &file)?;
    let matches: [Match; 6] = [
        (1, DAY, "ann", 70, 1200),
        (1, 2 * DAY, "bob", 85, 1100),
        (1, 9 * DAY, "cid", 120, 1080),
        (1, 29 * DAY, "ann", 50, 1300),
        // Bob was offline when the season ended, so his report is too late.
        (1, 30 * DAY, "bob", 90, 1180),
        (2, 31 * DAY, "bob", 40, 1090),
    ];
    for game_match in matches {
        // Simulates a process that is restarted before each match.
        let mut game: Game = load(&file)?;
        let (season, at, player, points, _) = game_match;
        let before = game.clone();
        game.advance(Timestamp::ZERO.saturating_add(at), folder)?;
        if game.season > before.season {
            show_end(&before, &game, folder)?;
            // Simulates a crash before the new season is saved. The season then ends again.
            save(&before, &file)?;
            let mut again: Game = load(&file)?;
            again.advance(Timestamp::ZERO.saturating_add(at), folder)?;
            assert_eq!(again, game);
        }
        let counted = if game.report(game_match)? { "counts" } else { "is too late" };
        let day = at.as_secs() / DAY.as_secs();
        println!("day {day:2}: {points} points of {player} in season {season}: {counted}");
        save(&game, &file)?;
    }
    let game: Game = load(&file)?;
    assert_eq!(game.points.standing("bob", Ties::Competition), Some(1));
    assert_eq!((game.season, game.points.len(), game.ratings.len()), (2, 1, 3));

    // Loading rejects a board that lists a player twice.
    let text = fs::read_to_string(folder.join("season-1.json"))?;
    println!("\nseason-1.json: {text}");
    fs::write(&file, text.replace("bob", "ann"))?;
    let error = load::<Leaderboard<String, u64, Sum>>(&file).expect_err("ann is listed twice");
    println!("edited: {error}");
    Ok(())
}

/// Shows the archived standings, and the ratings before and after the reset.
fn show_end(before: &Game, after: &Game, folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("Season {} is over:", before.season);
    let path = folder.join(format!("season-{}.json", before.season));
    let archived: Leaderboard<String, u64, Sum> = load(&path)?;
    assert_eq!(archived, before.points);
    for standing in archived.top(3).ties(Ties::Competition) {
        let player = standing.member;
        let ratings = [before, after].map(|game| *game.ratings.score(player).unwrap_or(&START));
        let (number, points) = (standing.number, standing.score);
        println!("  {number}. {player} {points} points, rating {} -> {}", ratings[0], ratings[1]);
    }
    Ok(())
}
