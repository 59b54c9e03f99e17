//! Saves the leaderboards of a game to a file and loads them again.
//!
//! Demonstrates `Leaderboard` with serde: each board serializes as a list of members and scores, in
//! any format that serde supports, here JSON. Loading validates the file, in case someone has
//! edited it.
//!
//! ```text
//! cargo run --package zset-std --features serde --example save_and_load
//! ```

use std::cmp::Reverse;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::{env, process};

use serde::{Deserialize, Serialize};
use zset_std::{Leaderboard, Ties};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Boards {
    /// The best score of each player, for the best 100 players.
    points: Leaderboard<String, u32>,
    /// The fastest lap of each player in milliseconds.
    laps: Leaderboard<String, Reverse<u32>>,
}

impl Boards {
    fn new() -> Self {
        Boards { points: Leaderboard::new().with_max_len(100), laps: Leaderboard::new() }
    }

    /// Writes the boards to a file. If the program dies while writing, the file still has the old
    /// ones.
    fn save(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let new = path.with_extension("new");
        let mut file = BufWriter::new(File::create(&new)?);
        serde_json::to_writer(&mut file, self)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        fs::rename(new, path)?;
        Ok(())
    }

    fn load(path: &Path) -> Result<Boards, Box<dyn Error>> {
        Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
    }

    fn show(&self) {
        for standing in self.points.top(3).ties(Ties::Competition) {
            println!("  {}. {} {}", standing.number, standing.member, standing.score);
        }
        if let Some((player, Reverse(milliseconds))) = self.laps.first() {
            println!("  fastest lap: {player}, {milliseconds} ms");
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::temp_dir().join(format!("zset-boards-{}.json", process::id()));
    let result = play(&path);
    // Remove the file after an error, too.
    let removed = fs::remove_file(&path);
    result?;
    Ok(removed?)
}

fn play(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut boards = Boards::new();
    for (player, points, lap) in
        [("ann", 120, 83_250), ("bob", 85, 84_010), ("cid", 120, 82_990), ("ann", 90, 82_500)]
    {
        boards.points.submit(player.to_string(), points);
        boards.laps.submit(player.to_string(), Reverse(lap));
    }
    println!("Saved:");
    boards.show();
    boards.save(path)?;
    let text = fs::read_to_string(path)?;
    println!("{text}");

    let mut loaded = Boards::load(path)?;
    assert_eq!(loaded, boards);
    loaded.points.submit("bob".to_string(), 130);
    println!("Loaded, and played once more:");
    loaded.show();
    loaded.save(path)?;
    assert_eq!(Boards::load(path)?.points.standing("bob", Ties::Competition), Some(1));

    // A player can be on a board only once.
    fs::write(path, text.replace("bob", "ann"))?;
    let error = Boards::load(path).expect_err("ann is listed twice");
    println!("Edited: {error}");
    Ok(())
}
