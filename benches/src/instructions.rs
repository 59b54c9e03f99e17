//! `instructions` compares callgrind's counts for the main operations with a committed baseline.
//! The operations are in a separate crate, which is built as a user's crate would be.
//!
//! Instruction counts do not depend on the load of the machine, so even an increase of a few
//! percent can be detected. Cache misses are shown but not checked, since they also depend on
//! memory addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Error, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Value};

use crate::measure::as_f64;
use crate::record;
use crate::table::{Table, show};

/// The folder of this checkout.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The path of the baseline in a checkout.
const BASELINE: &str = "benches/instructions.csv";

/// The folder of the crate with the benchmarks, in a checkout. The crate is not in this workspace.
const FOLDER: &str = "benches/instructions";

/// The target folder of this workspace, used so that built dependencies can be shared.
const TARGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");

/// The programs, besides the compiler, that affect the counts, each with the argument that prints
/// its version. The C library provides the allocator, and copies and compares bytes.
const PROGRAMS: [(&str, &str); 2] = [("valgrind", "--version"), ("getconf", "GNU_LIBC_VERSION")];

/// The command that writes a new baseline.
const ACCEPT: &str = "cargo run --release -p zset-bench -- instructions --accept";

/// The prefix of the line in the baseline that contains the origin.
const ORIGIN: &str = "# Counted with ";

/// The acceptable increase in instructions, in percent.
const LIMIT: u128 = 3;

/// The counts of one benchmark, over all of its calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Counts {
    benchmark: String,
    instructions: u64,
    /// Data accesses that missed the first-level cache.
    l1_misses: u64,
    /// Data accesses that missed the last-level cache too.
    ll_misses: u64,
}

/// The counts of all benchmarks.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Baseline {
    /// The tools that affect the counts, with their versions.
    origin: String,
    counts: BTreeMap<String, Counts>,
}

/// Counts instructions, prints a table, and checks the counts; the exit code is the result of the
/// check. With `accept`, writes the counts as the new baseline instead of checking them.
///
/// `parent` is a checkout of the code before the change. If the baseline was counted with other
/// tools, the code of `parent` is counted too, and its counts replace the baseline.
pub fn run(accept: bool, parent: Option<&Path>, out: &mut impl Write) -> io::Result<ExitCode> {
    let root = Path::new(ROOT);
    // Reads the baseline first, so that an error is reported before the benchmarks, which take
    // minutes. With `accept`, an unreadable baseline is replaced.
    let accepted = read(root);
    let mut before = if accept { accepted.unwrap_or_default() } else { accepted? };
    let origin = origin()?;
    let parent = parent.filter(|_| before.origin != origin);
    let parent = parent.map(|it| Ok::<_, Error>((read(it)?, bench(it)?))).transpose()?;
    let now = Baseline::new(&origin, bench(root)?);
    if let Some((parent, counts)) = parent {
        writeln!(out, "The baseline was counted with {}: not compared.", before.origin)?;
        before = counted_here(&before, &parent, &Baseline::new(&origin, counts), &now);
    }
    let (was, is, table) = (&before.origin, &now.origin, table(&before, &now));
    writeln!(out, "- baseline: {was}\n- now: {is}\n\n{table}")?;
    if accept {
        fs::write(root.join(BASELINE), text(&now)?)?;
        writeln!(out, "This is the baseline now, to be committed: {BASELINE}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let failures = failures(&before, &now);
    if failures.is_empty() {
        writeln!(out, "No benchmark takes over {LIMIT} % more instructions than before.")?;
        let lower = lower(&before, &now);
        if lower > 0 {
            writeln!(
                out,
                "{lower} take over {LIMIT} % less, and may grow again unseen: `{ACCEPT}`"
            )?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "FAILED: the counts are not as the baseline says.\n{}", failures.join("\n"))?;
    if was != is {
        writeln!(
            out,
            "Other tools may be the cause; `--parent` compares with other code instead."
        )?;
    }
    writeln!(out, "If it shall be so, commit what `{ACCEPT}` writes.")?;
    Ok(ExitCode::FAILURE)
}

/// Reads the accepted counts of a checkout.
fn read(root: &Path) -> io::Result<Baseline> {
    let path = root.join(BASELINE);
    fs::read_to_string(&path).and_then(|text| parse(&text)).map_err(|error| {
        Error::new(error.kind(), format!("{}: {error}; `{ACCEPT}` writes it", path.display()))
    })
}

/// Returns the counts that are expected with the tools of this machine: those of the parent, each
/// with the increase that the change accepts. A new benchmark has no count in the parent, so its
/// current count is expected.
fn counted_here(
    accepted: &Baseline,
    accepted_before: &Baseline,
    parent: &Baseline,
    now: &Baseline,
) -> Baseline {
    let is_comparable = accepted.origin == accepted_before.origin;
    let expected = |name: &String, accepted: &Counts| -> Counts {
        let Some(parent) = parent.counts.get(name) else {
            return now.counts.get(name).unwrap_or(accepted).clone();
        };
        let mut expected = parent.clone();
        let before = accepted_before.counts.get(name).filter(|_| is_comparable);
        // Only accepted increases are applied. An accepted decrease may come from an earlier
        // change, so the parent's count may already include it.
        if let Some(before) = before.filter(|it| it.instructions < accepted.instructions) {
            let [parent, accepted, before] =
                [parent, accepted, before].map(|it| u128::from(it.instructions));
            expected.instructions = u64::try_from(parent * accepted / before).unwrap_or(u64::MAX);
        }
        expected
    };
    let counts = accepted.counts.iter().map(|(name, counts)| expected(name, counts));
    Baseline::new(&parent.origin, counts.collect())
}

/// Parses the file of accepted counts.
fn parse(text: &str) -> io::Result<Baseline> {
    let origin = text.lines().find_map(|line| line.strip_prefix(ORIGIN));
    let origin = origin.ok_or_else(|| Error::other(format!("no line begins with `{ORIGIN}`")))?;
    Ok(Baseline::new(origin, record::parse(text.as_bytes())?))
}

/// Returns the content of the file of accepted counts, sorted by name, so that diffs are readable.
fn text(baseline: &Baseline) -> io::Result<String> {
    let counts: Vec<_> = baseline.counts.values().collect();
    let counts = String::from_utf8(record::csv(&counts)?).map_err(Error::other)?;
    Ok(format!("# `{ACCEPT}` writes this.\n{ORIGIN}{}\n{counts}", baseline.origin))
}

/// Returns the tools that affect the counts, with their versions.
fn origin() -> io::Result<String> {
    let mut origin = vec![env!("ZSET_BENCH_RUSTC").to_owned()];
    for (program, argument) in PROGRAMS {
        let output = Command::new(program).arg(argument).output();
        let output = output.map_err(|error| Error::other(format!("{program}: {error}")))?;
        origin.push(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    origin.push(env::consts::ARCH.to_owned());
    Ok(origin.join(", "))
}

/// Runs all benchmarks of a checkout, built with the default release profile.
fn bench(root: &Path) -> io::Result<Vec<Counts>> {
    // Uses the `cargo` that runs this program, if there is one.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["bench", "--locked", "--target-dir"])
        .arg(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| TARGET.into()))
        // Under valgrind, addresses are the same in every run. So address randomization need not be
        // disabled, which some containers do not allow.
        .args(["--bench", "instructions", "--", "--output-format=json", "--allow-aslr=yes"])
        .current_dir(root.join(FOLDER))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(Error::other(format!("the benchmarks ended with {}", output.status)));
    }
    summaries(&output.stdout)
}

/// Parses gungraun's output: a JSON object per benchmark.
fn summaries(output: &[u8]) -> io::Result<Vec<Counts>> {
    Deserializer::from_slice(output).into_iter::<Value>().map(|it| counts(&it?)).collect()
}

fn counts(summary: &Value) -> io::Result<Counts> {
    let unknown = || Error::other(format!("gungraun says something unknown: {summary}"));
    let word = |key: &str| summary[key].as_str().ok_or_else(unknown);
    let benchmark = format!("{}/{}", word("function_name")?, word("id")?);
    let metrics = &summary["profiles"][0]["data"]["total"]["metrics"];
    // `new` is the value of this run, and `old` is that of the previous run.
    let metric = |key: &str| metrics[key]["values"]["new"].as_u64().ok_or_else(unknown);
    let instructions = metric("Ir")?;
    if instructions == 0 {
        // A count may be zero because the function to be counted has been renamed.
        return Err(Error::other(format!("callgrind has counted nothing in {benchmark}")));
    }
    Ok(Counts {
        benchmark,
        instructions,
        l1_misses: metric("D1mr")? + metric("D1mw")?,
        ll_misses: metric("DLmr")? + metric("DLmw")?,
    })
}

impl Baseline {
    fn new(origin: &str, counts: Vec<Counts>) -> Self {
        let counts = counts.into_iter().map(|it| (it.benchmark.clone(), it)).collect();
        Baseline { origin: origin.to_owned(), counts }
    }
}

/// Returns the names of all benchmarks, with their counts before and now.
fn pairs<'a>(
    before: &'a Baseline,
    now: &'a Baseline,
) -> impl Iterator<Item = (&'a str, Option<&'a Counts>, Option<&'a Counts>)> {
    let names: BTreeSet<_> = before.counts.keys().chain(now.counts.keys()).collect();
    names.into_iter().map(|it| (it.as_str(), before.counts.get(it), now.counts.get(it)))
}

fn table(before: &Baseline, now: &Baseline) -> Table {
    let head = ["benchmark", "instructions", "change"];
    let misses = ["L1 misses", "change", "LL misses", "change"];
    let mut table = Table::new(head.into_iter().chain(misses).map(String::from).collect());
    for (name, before, now) in pairs(before, now) {
        let cells = |count: fn(&Counts) -> u64| {
            let (before, now) = (before.map(count), now.map(count));
            let change = before.zip(now).map_or_else(|| show(None), change);
            [now.map_or_else(|| show(None), |it| it.to_string()), change]
        };
        let mut line = vec![name.to_owned()];
        line.extend(cells(|it| it.instructions));
        line.extend(cells(|it| it.l1_misses).into_iter().chain(cells(|it| it.ll_misses)));
        table.push(line);
    }
    table
}

fn change((before, now): (u64, u64)) -> String {
    match before {
        _ if before == now => "=".into(),
        0 => show(None),
        _ => format!("{:+.2} %", (as_f64(now as usize) / as_f64(before as usize) - 1.0) * 100.0),
    }
}

/// Returns the failures, a line each.
fn failures(before: &Baseline, now: &Baseline) -> Vec<String> {
    let mut failures = Vec::new();
    for (name, before, now) in pairs(before, now) {
        let (Some(before), Some(now)) = (before, now) else {
            let where_not = if now.is_some() { "the baseline" } else { "the benchmarks" };
            failures.push(format!("- {name} is not in {where_not}"));
            continue;
        };
        if is_of_others(name) {
            continue;
        }
        let (before, now) = (before.instructions, now.instructions);
        if is_over(before, now, LIMIT) {
            let change = change((before, now));
            failures.push(format!("- {name} takes {now} instructions, {change} of {before}"));
        }
    }
    failures
}

/// Returns how many benchmarks take fewer instructions by more than the limit.
fn lower(before: &Baseline, now: &Baseline) -> usize {
    let known = pairs(before, now).filter_map(|(_, before, now)| before.zip(now));
    known.filter(|(before, now)| is_over(now.instructions, before.instructions, LIMIT)).count()
}

/// Returns whether a benchmark measures code that is not ours and is shown only for comparison.
fn is_of_others(benchmark: &str) -> bool {
    benchmark.contains("governor") || benchmark == "layer/none"
}

/// Returns whether a count exceeds another by more than this many percent, computed exactly in
/// integers.
fn is_over(before: u64, now: u64, percent: u128) -> bool {
    u128::from(now) * 100 > u128::from(before) * (100 + percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(name: &str, instructions: u64) -> Counts {
        Counts { benchmark: name.into(), instructions, l1_misses: 1, ll_misses: 0 }
    }

    fn baseline(all: &[(&str, u64)]) -> Baseline {
        let counts = all.iter().map(|&(name, instructions)| counts(name, instructions));
        Baseline::new("rustc 1.95.0, glibc", counts.collect())
    }

    fn compare(before: &[(&str, u64)], now: &[(&str, u64)]) -> Vec<String> {
        failures(&baseline(before), &baseline(now))
    }

    #[test]
    fn three_percent_more_pass_and_anything_above_fails() {
        assert_eq!(compare(&[("insert", 10_000)], &[("insert", 10_300)]), [""; 0]);
        let failures = compare(&[("insert", 10_000)], &[("insert", 10_301)]);
        assert_eq!(failures, ["- insert takes 10301 instructions, +3.01 % of 10000"]);
        assert_eq!(
            lower(&baseline(&[("a", 100), ("b", 100)]), &baseline(&[("a", 97), ("b", 98)])),
            1
        );
        // The products in `is_over` do not overflow.
        assert!(is_over(u64::MAX / 2, u64::MAX, LIMIT) && !is_over(u64::MAX, u64::MAX, LIMIT));
    }

    #[test]
    fn caches_and_code_of_others_are_not_checked() {
        for name in ["layer/none", "limiters/governor", "layer/tower_governor"] {
            assert_eq!(compare(&[(name, 100)], &[(name, 200)]), [""; 0]);
        }
        assert_eq!(compare(&[("layer/zset_tower", 100)], &[("layer/zset_tower", 200)]).len(), 1);
        let before = baseline(&[("insert", 100)]);
        let mut now = before.clone();
        now.counts.get_mut("insert").unwrap().l1_misses = 1000;
        assert_eq!(failures(&before, &now), [""; 0]);
    }

    #[test]
    fn benchmarks_that_are_new_or_gone_fail() {
        let failures = compare(&[("a", 5), ("gone", 5)], &[("a", 5), ("new", 5)]);
        assert_eq!(failures, ["- gone is not in the benchmarks", "- new is not in the baseline"]);
    }

    #[test]
    fn the_parent_is_expected_with_the_increase_that_the_change_accepts() {
        let other = |all: &[(&str, u64)]| Baseline { origin: "glibc 3".into(), ..baseline(all) };
        let accepted_before = baseline(&[("same", 100), ("more", 100), ("less", 100), ("gone", 5)]);
        let accepted = baseline(&[("same", 100), ("more", 150), ("less", 50), ("new", 7)]);
        let parent = other(&[("same", 220), ("more", 220), ("less", 220), ("gone", 11)]);
        let now = other(&[("same", 230), ("more", 336), ("less", 110), ("new", 15)]);
        let expected = counted_here(&accepted, &accepted_before, &parent, &now);
        assert_eq!(expected, other(&[("same", 220), ("more", 330), ("less", 220), ("new", 15)]));
        let failures = failures(&expected, &now);
        assert_eq!(failures, ["- same takes 230 instructions, +4.55 % of 220"]);
        // If the two baselines were counted with different tools, the code may not be the cause of
        // an increase, so the increase is not applied.
        let expected = counted_here(&accepted, &other(&[("more", 100)]), &parent, &now);
        assert_eq!(expected.counts["more"].instructions, 220);
    }

    #[test]
    fn the_table_has_all_of_both() {
        let (before, now) = (baseline(&[("a", 200), ("b", 7)]), baseline(&[("a", 199)]));
        let table = table(&before, &now).to_string();
        let cells = |line: usize| -> Vec<_> {
            table.lines().nth(line).unwrap().split('|').map(str::trim).collect()
        };
        assert_eq!(cells(2), ["", "a", "199", "-0.50 %", "1", "=", "0", "=", ""]);
        assert_eq!(cells(3), ["", "b", "–", "–", "–", "–", "–", "–", ""]);
        assert_eq!([(0, 4), (0, 0), (4, 0)].map(change), [&show(None), "=", "-100.00 %"]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let baseline = baseline(&[("b", 7), ("a", u64::MAX)]);
        let text = text(&baseline).unwrap();
        assert_eq!(parse(&text).unwrap(), baseline);
        let expected = [
            "# Counted with rustc 1.95.0, glibc",
            "benchmark,instructions,l1_misses,ll_misses",
            "a,18446744073709551615,1,0",
            "b,7,1,0",
        ];
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), expected);
        let error = |from: &str, to: &str| parse(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error(ORIGIN, "#").contains("no line begins with `# Counted with `"));
        assert!(error("b,7", "b,many").contains("line: 5"));
    }

    /// Output of gungraun, without unused fields; the second benchmark has an earlier run.
    const SUMMARIES: &str = r#"
        {"function_name":"u64","id":"insert","profiles":[{"data":{"total":{"metrics":{
            "D1mr":{"values":{"new":3}},"D1mw":{"values":{"new":20}},"DLmr":{"values":{"new":0}},
            "DLmw":{"values":{"new":1}},"Ir":{"values":{"new":1000}}}}}}]}
        {"function_name":"u64","id":"score","profiles":[{"data":{"total":{"metrics":{
            "D1mr":{"values":{"new":1,"old":3}},"D1mw":{"values":{"new":0,"old":20}},
            "DLmr":{"values":{"new":0,"old":0}},"DLmw":{"values":{"new":0,"old":1}},
            "Ir":{"values":{"new":5,"old":1000}}}}}}]}"#;

    #[test]
    fn what_gungraun_prints_is_read_and_anything_else_is_an_error() {
        let [insert, score] = [counts("u64/insert", 1000), counts("u64/score", 5)];
        let insert = Counts { l1_misses: 23, ll_misses: 1, ..insert };
        assert_eq!(summaries(SUMMARIES.as_bytes()).unwrap(), [insert, score]);
        let error = |from, to| summaries(SUMMARIES.replace(from, to).as_bytes()).unwrap_err();
        let nothing = "callgrind has counted nothing in u64/insert";
        assert_eq!(error("1000}", "0}").to_string(), nothing);
        for (from, to) in [("Ir", "Jr"), ("id", "name"), ("new", "now"), ("}", "")] {
            error(from, to);
        }
    }
}
