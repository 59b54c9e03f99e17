//! `report`: everything measured for the sorted sets, as a web page, as Markdown tables and as
//! data.

mod markdown;
mod page;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{MAX_CALLS, MAX_N, MAX_ROUNDS, kind, operation, within};
use crate::comparison::{Plan, Sheet};
use crate::contenders;
use crate::member::Kind;
use crate::memory::{self, Memory, Request};
use crate::record::{self, Record};
use crate::sets;
use crate::table::write_header;
use crate::tail::{self, Tail};
use crate::workload::{MIN_BATCH, MIN_N};

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// What takes less than a minute: 1000 and 100000 u64, 3 rounds, calls to 100000, 100000
    /// updates, unless another option says otherwise.
    #[arg(long)]
    pub quick: bool,
    /// Sizes of the sets, 10 to 100000000.
    #[arg(long = "n", value_name = "N", value_delimiter = ',', value_parser = within(MIN_N, MAX_N),
        default_value = "10,100,1000,10000,100000,1000000,10000000",
        default_value_if("quick", "true", "1000,100000"))]
    pub sizes: Vec<usize>,
    /// What they hold: u64, strings (of 20 bytes).
    #[arg(long = "members", value_name = "KIND", value_delimiter = ',', value_parser = kind,
        default_values = Kind::ALL.map(Kind::name), default_value_if("quick", "true", "u64"))]
    pub kinds: Vec<Kind>,
    /// What to do to them: the beginnings of names, such as insert,bulk-sorted [default: all].
    #[arg(long = "ops", value_name = "OP", value_delimiter = ',', value_parser = operation)]
    pub operations: Vec<String>,
    /// Rounds to take the medians of, 1 to 1000 [default: 5; 3 beyond 1000000 elements].
    #[arg(long, value_parser = within(1, MAX_ROUNDS), default_value_if("quick", "true", "3"))]
    pub rounds: Option<usize>,
    /// How far sets grow whose single calls are timed; 0 is none.
    #[arg(long, value_name = "N", value_parser = within(0, MAX_N), default_value_t = 10_000_000,
        default_value_if("quick", "true", "100000"))]
    pub tail: usize,
    /// Random updates before the second look at memory, and of single calls.
    #[arg(long, value_parser = within(0, MAX_CALLS), default_value_t = 1_000_000,
        default_value_if("quick", "true", "100000"))]
    pub updates: usize,
    /// Where the files go.
    #[arg(long = "out", value_name = "FOLDER", default_value = "target/zset-report")]
    pub folder: PathBuf,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

impl Options {
    fn rounds(&self, n: usize) -> usize {
        // A round with the largest sets takes ten minutes.
        self.rounds.unwrap_or(if n > 1_000_000 { 3 } else { 5 })
    }

    /// Returns the minimum number of operations of each kind per round, spread over as many sets as
    /// needed: the timed calls take milliseconds in all.
    fn calls(&self) -> usize {
        if self.quick { 1 << 14 } else { 1 << 17 }
    }

    /// Returns how the times of sets of `n` elements are measured.
    fn plan(&self, n: usize, times: &dyn Sheet) -> Plan {
        let is_wanted = |row: &&str| {
            let name = sets::name(row);
            self.operations.is_empty() || self.operations.iter().any(|it| name.starts_with(it))
        };
        let rows = times.rows().into_iter().filter(is_wanted).collect();
        let workloads = (self.calls() / n.max(MIN_BATCH)).max(1);
        Plan { n, rows, rounds: self.rounds(n), workloads }
    }
}

/// All results.
#[derive(Debug)]
struct Report {
    /// The machine, the compiler and the command, one line of Markdown each.
    origin: String,
    /// All results but single calls, those for sets of one size together.
    sets: Vec<Record>,
    tail_len: usize,
    updates: usize,
    clock: Duration,
    tails: Vec<Tail>,
}

impl Report {
    /// Returns all results.
    fn records(&self) -> Vec<Record> {
        let calls = self.tails.iter().flat_map(|tail| tail.records(self.tail_len));
        self.sets.iter().cloned().chain(calls).collect()
    }

    /// Returns the results for one kind of members, by size.
    fn sizes(&self, kind: Kind) -> Vec<&[Record]> {
        let groups = self.sets.chunk_by(|a, b| a.group() == b.group());
        let mut sizes: Vec<_> = groups.filter(|group| group[0].table == kind.name()).collect();
        // They may have been given in any order.
        sizes.sort_by_key(|group| group[0].n);
        sizes
    }
}

/// The names of the output files.
const MARKDOWN: &str = "report.md";
const PAGE: &str = "index.html";
const CSV: &str = "report.csv";

/// Measures, writes the files, and prints how the subject compares.
///
/// # Errors
///
/// Returns an error if writing fails, if a child process that measures memory fails, or if the
/// results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let folder = &options.folder;
    check(folder).map_err(|error| {
        io::Error::new(error.kind(), format!("cannot write to {}: {error}", folder.display()))
    })?;
    let report = measure(options)?;
    write!(out, "{}", markdown::brief(&report))?;
    writeln!(
        out,
        "\nIn {}: {PAGE}, {MARKDOWN} with all tables, and {CSV} with the same as data.",
        folder.display()
    )?;
    record::save(options.save.as_deref(), &report.records())
}

/// Creates the folder and checks that it is writable, before hours of measuring.
fn check(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = folder.join("check.tmp");
    fs::write(&file, "")?;
    fs::remove_file(file)
}

fn write_files(report: &Report, folder: &Path) -> io::Result<()> {
    fs::write(folder.join(MARKDOWN), markdown::full(report))?;
    fs::write(folder.join(PAGE), page::of(report)?)?;
    let records = report.records();
    fs::write(folder.join(CSV), record::csv(&records)?)
}

fn measure(options: &Options) -> io::Result<Report> {
    let contenders = contenders::names().len();
    let of_sizes = options.sizes.iter().map(|&n| options.rounds(n) + contenders);
    let tails = if options.tail == 0 { 0 } else { tail::steps() };
    let bar = progress(options.kinds.len() * of_sizes.sum::<usize>() + tails);
    let mut report = Report {
        origin: origin()?,
        sets: Vec::new(),
        tail_len: options.tail,
        updates: options.updates,
        clock: tail::clock_cost(),
        tails: Vec::new(),
    };
    for &kind in &options.kinds {
        let sets = contenders::all(kind);
        for &n in &options.sizes {
            bar.set_message(format!("{}, n = {n}", kind.label()));
            let plan = options.plan(n, &*sets.times);
            report.sets.extend(sets.times.measure_together(&plan, &mut || bar.inc(1)));
            let mut memories = Vec::new();
            for (place, contender) in sets.contenders.iter().enumerate() {
                let request = Request { contender: place, n, kind, updates: options.updates };
                memories.push((contender.name, Memory::of(request)?));
                bar.inc(1);
            }
            report.sets.extend(memory::records(kind.name(), n, &memories));
            // If the rest fails, these results are saved.
            write_files(&report, &options.folder)?;
        }
    }
    if options.tail > 0 {
        bar.set_message(format!("single calls, n = {}", options.tail));
        let (n, updates) = (options.tail, options.updates);
        report.tails = tail::measure(tail::Plan { n, updates }, || bar.inc(1));
        write_files(&report, &options.folder)?;
    }
    bar.finish_and_clear();
    Ok(report)
}

fn origin() -> io::Result<String> {
    let mut origin = Vec::new();
    write_header(&mut origin)?;
    writeln!(origin, "- versions: {}", env!("ZSET_BENCH_VERSIONS"))?;
    Ok(String::from_utf8_lossy(&origin).into_owned())
}

/// Returns a progress bar on standard error, hidden if that is not a terminal.
fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} % {elapsed} {msg}");
    let bar = ProgressBar::new(steps as u64);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments;
    use crate::contenders::SUBJECTS;
    use crate::rounds::tests::rounds as rounds_of;
    use crate::sets::{BULK_SORTED, BULK_UNSORTED, INSERT, RANK};

    /// Returns a small report with made-up results.
    pub(super) fn report() -> Report {
        let names = contenders::names();
        let times = |n, what: &'static str| {
            let is_offered = |name: &str| what != RANK || !name.starts_with("BTree");
            let of = |place: usize, round: u64| {
                if is_offered(names[place]) { 10 + round + place as u64 } else { 0 }
            };
            let of_round = |round| (0..names.len()).map(|place| of(place, round)).collect();
            let rounds: Vec<Vec<u64>> = [0, 1, 2].map(of_round).into();
            rounds_of(&rounds).records(&names, SUBJECTS, "u64", n, what)
        };
        let memory = Memory(vec![1.0, 2.0, 3.0, 4.0]);
        let memories: Vec<_> = names.iter().map(|name| (*name, memory.clone())).collect();
        let of_size =
            |n| [times(n, INSERT), times(n, RANK), memory::records("u64", n, &memories)].concat();
        Report {
            origin: "- machine: a fast one\n".into(),
            sets: [100, 1_000].map(of_size).concat(),
            tail_len: 100,
            updates: 50,
            clock: Duration::from_nanos(200),
            tails: tail::measure(tail::Plan { n: 100, updates: 50 }, || ()),
        }
    }

    #[test]
    fn records_have_the_spread_and_the_ratio_and_those_of_one_size_are_together() {
        let records = report().records();
        let find = |contender: &str, what: &str| {
            records.iter().find(|it| (it.contender.as_str(), it.what.as_str()) == (contender, what))
        };
        let insert = find("BTreeSet + HashMap", "insert").expect("it is measured");
        assert!(insert.low < insert.value && insert.value < insert.high);
        assert!(insert.ratio > Some(0.0));
        assert!(find("zset", "insert").is_some_and(|it| it.ratio.is_none()));
        assert_eq!(find("BTreeSet + HashMap", "rank"), None);
        let memory = find("zset", "bytes resident, updated").expect("it is measured");
        assert_eq!((memory.unit.as_str(), memory.value), ("bytes", Some(4.0)));
        assert!(find("zset", "update longest").is_some_and(|it| it.unit == "ns"));
        let groups: Vec<_> =
            records.chunk_by(|a, b| a.group() == b.group()).map(|it| it[0].group()).collect();
        assert_eq!(groups, [("u64", 100), ("u64", 1_000), ("calls", 100)]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named_at_once() {
        let options = arguments::tests::report("report --out /proc/none");
        let error = run(&options, &mut Vec::new()).expect_err("nobody can write there");
        assert!(error.to_string().contains("/proc/none"), "{error}");
    }

    #[test]
    fn large_sets_have_fewer_rounds_unless_it_is_said() {
        let options = arguments::tests::report("report");
        assert_eq!([100, 1_000_000, 10_000_000].map(|n| options.rounds(n)), [5, 5, 3]);
        let options = Options { rounds: Some(7), operations: vec!["bulk".into()], ..options };
        let plan = options.plan(10_000_000, &*contenders::all(Kind::Integers).times);
        assert_eq!((plan.rounds, plan.workloads), (7, 1));
        assert_eq!(plan.rows, [BULK_UNSORTED, BULK_SORTED]);
    }
}
