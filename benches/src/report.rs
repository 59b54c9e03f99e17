//! `report` measures the sorted sets, and shows all results as a web page, as Markdown tables and
//! as data.

mod markdown;
mod page;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::comparison::{Comparison, Plan};
use crate::options::{Common, MAX_CALLS, MAX_N, within};
use crate::record;
use crate::report::markdown::{Report, markdown};
use crate::sets::calls::{self, Calls, calmer};
use crate::sets::member::Kind;
use crate::sets::memory::{self, Memory, Request};
use crate::sets::operations::name;
use crate::sets::workload::{MIN_BATCH, MIN_N};
use crate::sets::{self, SUBJECTS};
use crate::table::grouped;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Takes less than a minute: 1000 and 100000 u64, 3 rounds, single calls up to 100000 elements,
    /// 100000 updates, unless another option says otherwise.
    #[arg(long)]
    quick: bool,
    /// Sizes of the sets, 10 to 100000000.
    #[arg(long = "n", value_name = "N", value_delimiter = ',', value_parser = within(MIN_N, MAX_N),
        default_value = "10,100,1000,10000,100000,1000000,10000000",
        default_value_if("quick", "true", "1000,100000"))]
    sizes: Vec<usize>,
    /// Members of the sets: u64, strings (of 20 bytes).
    #[arg(long = "members", value_name = "KIND", value_delimiter = ',',
        default_values = Kind::ALL.map(Kind::name), default_value_if("quick", "true", "u64"))]
    kinds: Vec<Kind>,
    /// Operations on the sets: the beginnings of names, such as insert,bulk-sorted [default: all].
    #[arg(long = "ops", value_name = "OP", value_delimiter = ',', value_parser = operation)]
    operations: Vec<String>,
    /// Size to which the sets grow whose single calls are timed; 0 times none.
    #[arg(long, value_name = "N", value_parser = within(0, MAX_N), default_value_t = 10_000_000,
        default_value_if("quick", "true", "100000"))]
    tail: usize,
    /// Number of random updates before memory is measured again, and of those timed as single
    /// calls.
    #[arg(long, value_parser = within(0, MAX_CALLS), default_value_t = 1_000_000,
        default_value_if("quick", "true", "100000"))]
    updates: usize,
    /// The folder for the files.
    #[arg(long = "out", value_name = "FOLDER", default_value = "target/zset-report")]
    folder: PathBuf,
    #[command(flatten)]
    common: Common,
}

/// Parses the beginning of the [name] of an operation.
fn operation(start: &str) -> Result<String, String> {
    let names: Vec<_> = sets::all(Kind::Integers).times.rows().into_iter().map(name).collect();
    if names.iter().any(|name| name.starts_with(start)) {
        return Ok(start.to_owned());
    }
    Err(format!("`{start}` begins none of {}", names.join(", ")))
}

impl Options {
    /// Returns how the times of sets of `n` elements are measured.
    fn plan(&self, n: usize, times: &Comparison) -> Plan {
        let is_wanted = |row: &&str| {
            let name = name(row);
            self.operations.is_empty() || self.operations.iter().any(|it| name.starts_with(it))
        };
        let rows: Vec<_> = times.rows().into_iter().filter(is_wanted).collect();
        // Large sets have fewer rounds, since a round with the largest ones takes ten minutes.
        let rounds = self.common.rounds_or(if self.quick || n > 1_000_000 { 3 } else { 5 });
        // Each kind of operation is performed about this many times in a round or more, on several
        // sets if needed, so that the timed calls take milliseconds in total.
        let calls: usize = if self.quick { 1 << 14 } else { 1 << 17 };
        let workloads = (calls / n.max(MIN_BATCH)).max(1);
        Plan { workloads, at_once: rows.len(), rows, ..times.plan(n, rounds) }
    }
}

/// The names of the output files.
const MARKDOWN: &str = "report.md";
const PAGE: &str = "index.html";
const CSV: &str = "report.csv";

/// Measures, writes the files, and prints how the subject compares.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let folder = &options.folder;
    check(folder).map_err(|error| {
        io::Error::new(error.kind(), format!("cannot write to {}: {error}", folder.display()))
    })?;
    let report = measure(options)?;
    write!(out, "{}", markdown(&report))?;
    let files = format!("{PAGE} with plots, {MARKDOWN}, and {CSV} with all results");
    writeln!(out, "\nIn {}: {files}.", folder.display())?;
    record::save(options.common.save.as_deref(), &report.records())
}

/// Creates the folder and checks that it is writable, before hours of measuring.
fn check(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = folder.join("check.tmp");
    fs::write(&file, "")?;
    fs::remove_file(file)
}

fn write_files(report: &Report, folder: &Path) -> io::Result<()> {
    fs::write(folder.join(MARKDOWN), markdown(report))?;
    fs::write(folder.join(PAGE), page::of(report)?)?;
    fs::write(folder.join(CSV), record::csv(&report.records())?)
}

fn measure(options: &Options) -> io::Result<Report> {
    let Options { tail, updates, .. } = *options;
    let mut report = Report {
        origin: record::origin(),
        sets: Vec::new(),
        tail,
        updates,
        clock: calls::clock_cost(),
        calls: Vec::new(),
    };
    for &kind in &options.kinds {
        let sets = sets::all(kind);
        for &n in &options.sizes {
            announce(&format!("{}, n = {}", kind.label(), grouped(n)));
            report.sets.extend(sets.times.measure(&options.plan(n, &sets.times)));
            let memory = |contender| Memory::of(Request { kind, contender, n, updates });
            let memories = (0..sets.others.len()).map(memory).collect::<io::Result<Vec<_>>>()?;
            let (table, names) = ((kind.name(), n), sets.times.names());
            report.sets.extend(memory::records(table, &names, &memories, SUBJECTS));
            // The files are written after each size, so these results survive a later failure.
            write_files(&report, &options.folder)?;
        }
    }
    if tail > 0 {
        announce(&format!("single calls, n = {}", grouped(tail)));
        report.calls = single_calls(calls::Plan { n: tail, updates });
        write_files(&report, &options.folder)?;
    }
    Ok(report)
}

/// Prints what is measured next, on standard error.
fn announce(what: &str) {
    // Unlike `eprintln!`, `writeln!` does not panic if standard error is closed.
    let _ = writeln!(io::stderr(), "measuring {what}");
}

fn single_calls(plan: calls::Plan) -> Vec<Calls> {
    let others = sets::all(Kind::Integers).others;
    let [one, other] =
        [0, 1].map(|round| others.iter().flat_map(|it| (it.calls)(plan, round)).collect());
    calmer(one, other).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::*;
    use crate::measure::{Rounds, to_peers};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(line: &str) -> Options {
        Line::parse_from(std::iter::once("report").chain(line.split_whitespace())).options
    }

    /// Returns a small report with made-up results.
    fn report() -> Report {
        let names = sets::names();
        let times = |n, what: &str| {
            let value = |place: usize, round: u32| {
                let is_offered = what != "rank" || !names[place].starts_with("BTree");
                is_offered.then(|| f64::from(10 + round) + f64::from(u32::try_from(place).unwrap()))
            };
            let of_round = |round| (0..names.len()).map(|place| value(place, round)).collect();
            let rounds = Rounds([0, 1, 2].map(of_round).into());
            rounds.records(("u64", n), (what, "ns"), &names, to_peers(SUBJECTS))
        };
        let memories = vec![Memory([1.0, 2.0, 3.0, 4.0]); names.len()];
        let of_size = |n| {
            let memory = memory::records(("u64", n), &names, &memories, SUBJECTS);
            [times(n, "insert"), times(n, "rank"), memory].concat()
        };
        Report {
            origin: "- machine: a fast one\n".into(),
            sets: [100, 1_000].map(of_size).concat(),
            tail: 100,
            updates: 50,
            clock: Duration::from_nanos(200),
            calls: single_calls(calls::Plan { n: 100, updates: 50 }),
        }
    }

    #[test]
    fn options_replace_the_defaults_and_those_of_quick() {
        let all = options("");
        assert_eq!((all.sizes[0], all.sizes.len(), all.kinds.as_slice()), (10, 7, &Kind::ALL[..]));
        assert_eq!(all.operations.len(), 0);
        let quick = options("--tail 0 --quick --ops=pop,rank");
        assert_eq!((quick.sizes, quick.kinds), (vec![1_000, 100_000], vec![Kind::Integers]));
        assert_eq!((quick.tail, quick.updates), (0, 100_000));
        assert_eq!(quick.operations, ["pop", "rank"]);
    }

    #[test]
    fn large_sets_have_fewer_rounds_unless_it_is_said() {
        let times = sets::all(Kind::Integers).times;
        let rounds = |line, n| options(line).plan(n, &times).rounds;
        assert_eq!([100, 1_000_000, 10_000_000].map(|n| rounds("", n)), [5, 5, 3]);
        assert_eq!((rounds("--quick", 100), rounds("--quick --rounds 7", 10_000_000)), (3, 7));
        let plan = options("--ops bulk").plan(10_000_000, &times);
        assert_eq!(plan.workloads, 1);
        assert_eq!(plan.rows, ["bulk, unsorted, an element", "bulk, sorted, an element"]);
    }

    #[test]
    fn what_is_offered_and_wanted_is_measured() {
        let times = sets::all(Kind::Integers).times;
        let records = times.measure(&options("--quick --ops pop,rank").plan(100, &times));
        let measured = |row| -> Vec<_> {
            let records = records.iter().filter(|it| it.what == row && it.rounds == 3);
            records.filter(|it| it.value > Some(0.0)).map(|it| it.contender.as_str()).collect()
        };
        assert_eq!(measured("pop first"), times.names());
        let with_ranks = ["zset", "ZSet", "indexset", "wabi_tree", "skiplist"];
        let ranks = measured("rank").into_iter().map(|name| name.split(' ').next().unwrap());
        assert_eq!(ranks.collect::<Vec<_>>(), with_ranks);
        assert!(measured("insert").is_empty());
    }

    #[test]
    fn tables_compare_all_peers() {
        let text = markdown(&report());
        let cells = |start: &str| -> Vec<&str> {
            let line = text.lines().find(|line| line.starts_with(start)).expect("a row");
            line.split('|').map(str::trim).collect()
        };
        let peers = ["BTreeSet", "indexset", "wabi_tree", "skiplist", "priority-queue"];
        assert_eq!(cells("|                         | zset")[4..9], peers);
        assert_eq!(cells("| insert")[2..4], ["11.0", "10.5–11.5"]);
        assert_eq!(cells("| rank")[4], "–", "std's B-tree has no ranks");
        assert_eq!(cells("| bytes requested ")[2], "1.00");
        assert_eq!(cells("| bytes resident, updated ")[2], "4.00");
    }

    #[test]
    fn the_page_has_all_that_was_measured_and_nothing_from_elsewhere() {
        let page = page::of(&report()).unwrap();
        // There is a picture for each of two operations, four values of memory, and two kinds of
        // calls.
        assert_eq!(page.matches("<svg role=\"img\"").count(), 8);
        // There is a table for each of two sizes, and one for single calls.
        assert_eq!(page.matches("<table>").count(), 2 + 1);
        assert!(page.contains("a fast one"), "{page}");
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for what in ["http:", "https:", "src=", "<script", "<link", "NaN", "inf"] {
            assert!(!page.contains(what), "{what}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named_at_once() {
        let error = run(&options("--out /proc/none"), &mut Vec::new());
        let error = error.expect_err("it is not writable");
        assert!(error.to_string().contains("/proc/none"), "{error}");
    }
}
