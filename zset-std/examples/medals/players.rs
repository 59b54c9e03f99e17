//! A simulated leaderboard: the speed of filling and updating a large set, and its size.

use std::io::{self, Write};
use std::ops::Bound::{Excluded, Unbounded};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::SortedSet;

use crate::table::print_rows;
use crate::text;

/// A fixed seed, for the same players every time.
const SEED: u64 = 2024;
/// The interval of progress updates; a shorter one would distort the measurement.
const STEP: u64 = 10_000;

/// Loads `count` players, updates as many scores, and prints the times and the top ten.
pub(crate) fn simulate(out: &mut impl Write, count: u64) -> io::Result<()> {
    writeln!(out, "\nA leaderboard of {} simulated players\n", text::thousands(count.into()))?;
    // Show the output so far while the players load.
    out.flush()?;
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut board: SortedSet<u64, u64> = SortedSet::from_rng(&mut random);

    let loading = timed("loading ", count, |player| {
        board.insert(player, random.random_range(0..1_000_000));
    });
    // A player wins a game and overtakes many others.
    let updating = timed("updating", count, |_| {
        let gained = random.random_range(1..=100_000);
        board.update(&random.random_range(1..=count), |score| score + gained);
    });

    print_speed(out, "insert", count, loading)?;
    print_speed(out, "update", count, updating)?;
    let bytes = board.allocation_size();
    let tenths = bytes * 10 / board.len().max(1);
    let per_entry = format!("{}.{}", tenths / 10, tenths % 10);
    writeln!(out, "  memory {per_entry:>15} bytes per entry\n")?;

    let top = board.iter().rev().take(10).map(|(player, score)| {
        // Equal scores share this rank, while `rev_rank` is unique to each member.
        let rank = 1 + board.count_by_score((Excluded(score), Unbounded));
        vec![rank.to_string(), player.to_string(), text::thousands((*score).into())]
    });
    print_rows(out, &["player".to_string()], &["score".to_string()], top)
}

/// Runs an operation for each number from 1 to `count` and returns the elapsed time.
fn timed(label: &'static str, count: u64, mut operation: impl FnMut(u64)) -> Duration {
    // The bar is drawn on standard error, and only if that is a terminal.
    let bar = ProgressBar::new(count).with_message(label);
    if let Ok(style) = ProgressStyle::with_template("  {msg} [{bar:40}] {percent:>3} %") {
        bar.set_style(style.progress_chars("=> "));
    }
    let start = Instant::now();
    for number in 1..=count {
        operation(number);
        if number % STEP == 0 {
            bar.inc(STEP);
        }
    }
    let duration = start.elapsed();
    bar.finish_and_clear();
    duration
}

fn print_speed(out: &mut impl Write, name: &str, count: u64, time: Duration) -> io::Result<()> {
    let per_second = u128::from(count) * 1_000_000_000 / time.as_nanos().max(1);
    let per_second = text::thousands(per_second);
    let seconds = time.as_secs_f64();
    writeln!(out, "  {name} {per_second:>15} per second  ({seconds:.2} s)")
}
