//! Ranks the medal table of Paris 2024, and then simulated players.
//!
//! Demonstrates a `Leaderboard` whose scores are tuples, with shared places, a look-up by member,
//! and a range of scores. Also prints the time per operation and the memory of a large `SortedSet`.
//! The argument is the number of players, by default a million:
//!
//! ```text
//! cargo run --release --example medals
//! cargo run --release --example medals -- 10000000
//! ```

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::ops::Bound::{Excluded, Unbounded};
use std::time::{Duration, Instant};

use zset_core::SortedSet;
use zset_std::{Leaderboard, Standing, Ties};

/// The final medal table: a header line, and a line for each of 91 teams.
const PARIS_2024: &str = include_str!("../data/medals-paris-2024.csv");

/// Gold, silver and bronze. Tuples compare in this order, as medal tables do.
type Medals = (u32, u32, u32);

struct Table {
    /// The teams, identified by their codes. Teams with equal medals are ordered by code.
    board: Leaderboard<&'static str, Medals>,
    countries: HashMap<&'static str, &'static str>,
}

impl Table {
    fn read(csv: &'static str) -> Result<Table, Box<dyn Error>> {
        let mut table = Table { board: Leaderboard::new(), countries: HashMap::new() };
        for line in csv.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let &[_, code, country, gold, silver, bronze] = &fields[..] else {
                return Err(format!("not six fields: {line}").into());
            };
            table.board.submit(code, (gold.parse()?, silver.parse()?, bronze.parse()?));
            table.countries.insert(code, country);
        }
        Ok(table)
    }

    fn print<'a>(&self, standings: impl Iterator<Item = Standing<'a, &'static str, Medals>>) {
        println!("  rank  code  {:24}  gold  silver  bronze", "country");
        for Standing { number, member: code, score: (gold, silver, bronze), .. } in standings {
            let country = self.countries[code];
            println!("  {number:4}  {code:4}  {country:24}  {gold:4}  {silver:6}  {bronze:6}");
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let players = env::args().nth(1).map_or(Ok(1_000_000), |players| players.parse())?;
    show_paris()?;
    if players > 0 {
        simulate(players);
    }
    Ok(())
}

fn show_paris() -> Result<(), Box<dyn Error>> {
    let table = Table::read(PARIS_2024)?;
    let board = &table.board;
    println!("Paris 2024: {} teams\n", board.len());
    // Tied teams share a place: 1, 2, 2, 4.
    table.print(board.standings().ties(Ties::Competition));

    println!("\nWhere does Thailand stand?");
    // Each of these queries takes O(log n) time.
    let number = board.standing("THA", Ties::Competition).ok_or("no Thailand")?;
    let &score = board.score("THA").ok_or("no Thailand")?;
    let tied = board.range_by_score(score..=score).len();
    println!("  at number {number}, as one of {tied} teams with {score:?}");

    println!("\nWho is third?");
    table.print(board.page(2, 1).ties(Ties::Competition));

    println!("\nWho has 10 to 15 gold medals?");
    table.print(board.range_by_score((10, 0, 0)..(16, 0, 0)).ties(Ties::Competition));
    Ok(())
}

/// Loads players, makes as many score updates, and prints the times and the top ten.
fn simulate(count: u64) {
    println!("\nA leaderboard of {count} simulated players\n");
    let mut board = SortedSet::new();
    let loading = timed(|| {
        for player in 1..=count {
            board.insert(player, random(player) % 1_000_000);
        }
    });
    // Each game adds points to one player, who often overtakes many others.
    let updating = timed(|| {
        for game in 1..=count {
            let player = 1 + random(count + game) % count;
            board.update(&player, |points| points + 1 + random(game) % 100_000);
        }
    });
    for (operation, time) in [("insert", loading), ("update", updating)] {
        let nanoseconds = time.as_nanos() / u128::from(count);
        println!("  {operation}  {nanoseconds:6} ns each");
    }
    println!("  memory  {:6} bytes per entry", board.allocation_size() / board.len());

    println!("\n  rank      player    points");
    for (player, points) in board.iter().rev().take(10) {
        // Players with equal scores share this rank, whereas `rev_rank` is different for each
        // member.
        let rank = 1 + board.count_by_score((Excluded(points), Unbounded));
        println!("  {rank:4}  {player:10}  {points:8}");
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The mixing function of `SplitMix64`. Every run gets the same numbers.
fn random(index: u64) -> u64 {
    let mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
