//! `report`: everything that is measured of the sorted sets, as a page, as Markdown tables and as data.

mod data;
mod markdown;
mod page;
mod plot;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::member::{Kind, Member};
use crate::memory::{Memory, Request};
use crate::names;
use crate::operation::Operation;
use crate::speed::{self, Plan, Speed};
use crate::table::write_header;
use crate::tail::{self, Tail};

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The sizes of the sets.
    pub sizes: Vec<usize>,
    /// Their members.
    pub kinds: Vec<Kind>,
    /// What to do to them.
    pub operations: Vec<Operation>,
    /// How often, at least once.
    pub rounds: usize,
    /// The size to which sets grow whose single calls are timed; none are if it is 0.
    pub tail: usize,
    /// The folder for the files; without one, only the Markdown is printed.
    pub folder: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            sizes: vec![100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000],
            kinds: Kind::ALL.to_vec(),
            operations: Operation::ALL.to_vec(),
            rounds: 5,
            tail: 10_000_000,
            folder: Some("target/zset-report".into()),
        }
    }
}

impl Options {
    /// Returns what takes less than a minute.
    pub fn quick() -> Self {
        Options {
            sizes: vec![1_000, 100_000],
            kinds: vec![Kind::Integers],
            rounds: 3,
            tail: 100_000,
            ..Options::default()
        }
    }
}

/// All figures.
#[derive(Debug)]
struct Report {
    /// The machine, the compiler and the command, a line of Markdown each.
    origin: String,
    operations: Vec<Operation>,
    rounds: usize,
    speeds: Vec<SpeedOf>,
    memories: Vec<MemoryOf>,
    tail_len: usize,
    clock: Duration,
    tails: Vec<Tail>,
}

/// The times for sets of one size.
#[derive(Debug)]
struct SpeedOf {
    kind: Kind,
    n: usize,
    speed: Speed,
}

/// The memory of one set.
#[derive(Debug)]
struct MemoryOf {
    kind: Kind,
    n: usize,
    name: &'static str,
    memory: Memory,
}

/// Measures, writes the files, and prints the Markdown.
///
/// # Errors
///
/// Those of writing, and of starting this program again for the memory.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let report = measure(options)?;
    let markdown = markdown::of(&report);
    if let Some(folder) = &options.folder {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("report.md"), &markdown)?;
        fs::write(folder.join("index.html"), page::of(&report))?;
        fs::write(folder.join("report.csv"), data::csv(&report)?)?;
        fs::write(folder.join("report.json"), data::json(&report)?)?;
    }
    out.write_all(markdown.as_bytes())?;
    match &options.folder {
        Some(folder) => writeln!(out, "\nThe page is {}.", folder.join("index.html").display()),
        None => Ok(()),
    }
}

fn measure(options: &Options) -> io::Result<Report> {
    let contenders = tail::contenders();
    let sets = options.kinds.len() * options.sizes.len();
    let tails = if options.tail == 0 { 0 } else { contenders };
    let bar = progress(sets * (options.rounds + contenders) + tails);
    let mut origin = Vec::new();
    write_header(&mut origin)?;
    let mut report = Report {
        origin: String::from_utf8_lossy(&origin).into_owned(),
        operations: options.operations.clone(),
        rounds: options.rounds,
        speeds: Vec::new(),
        memories: Vec::new(),
        tail_len: options.tail,
        clock: tail::clock_cost(),
        tails: Vec::new(),
    };
    for &kind in &options.kinds {
        for &n in &options.sizes {
            bar.set_message(format!("{}, n = {n}", kind.label()));
            let speed = match kind {
                Kind::Integers => measure_speed(options, n, names::scramble, &bar),
                Kind::Strings => measure_speed(options, n, names::string, &bar),
                Kind::Names => measure_speed(options, n, names::name, &bar),
            };
            for (contender, name) in speed.names.iter().copied().enumerate() {
                let memory = Memory::of(Request { contender, n, kind })?;
                report.memories.push(MemoryOf { kind, n, name, memory });
                bar.inc(1);
            }
            report.speeds.push(SpeedOf { kind, n, speed });
        }
    }
    if options.tail > 0 {
        bar.set_message(format!("single calls, n = {}", options.tail));
        report.tails = tail::measure(options.tail, 1, || bar.inc(1));
    }
    bar.finish_and_clear();
    Ok(report)
}

fn measure_speed<M: Member>(
    options: &Options,
    n: usize,
    make_up: fn(u64) -> M,
    bar: &ProgressBar,
) -> Speed {
    let plan = Plan { n, operations: options.operations.clone(), rounds: options.rounds, make_up };
    speed::measure(&plan, || bar.inc(1))
}

/// Returns a bar on the standard error, which nobody sees if that is no terminal.
fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} % {elapsed} {msg}");
    let bar = ProgressBar::new(steps as u64);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
