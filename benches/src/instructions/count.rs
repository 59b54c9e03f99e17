//! Runs the benchmarks of the crate in `instructions/` and reads gungraun's output.

use std::env;
use std::io;
use std::process::{Command, Stdio};

use serde_json::{Deserializer, Value};

use super::baseline::{Baseline, Counts};

/// The programs, besides the compiler, that affect the counts, each with the argument that prints
/// its version.
///
/// The C library provides the allocator, and copies and compares bytes.
const PROGRAMS: [(&str, &str); 2] = [("valgrind", "--version"), ("getconf", "GNU_LIBC_VERSION")];

/// The folder of the crate that has the benchmarks. It is not in this workspace.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions");

/// This workspace's target folder, which has the same dependencies.
const TARGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");

/// Runs all benchmarks, built with the default release profile and with link-time optimization.
pub(super) fn count() -> io::Result<Baseline> {
    let origin = origin()?;
    let mut counts = run("bench")?;
    let with_lto = Baseline::new(origin.clone(), run("lto")?)?;
    for counts in &mut counts {
        let benchmark = &counts.benchmark;
        let with_lto = with_lto.of(benchmark).ok_or_else(|| {
            io::Error::other(format!("{benchmark} ran with one of the profiles only"))
        })?;
        counts.lto_instructions = with_lto.instructions;
    }
    Baseline::new(origin, counts)
}

/// Runs all benchmarks, built with a profile of Cargo.
fn run(profile: &str) -> io::Result<Vec<Counts>> {
    // The `cargo` that runs this program, if any.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["bench", "--locked", "--profile", profile, "--target-dir"])
        .arg(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| TARGET.into()))
        // Under valgrind addresses are always the same, so there is no need to turn their
        // randomization off, which not every container allows.
        .args(["--bench", "instructions", "--", "--output-format=json", "--allow-aslr=yes"])
        .current_dir(FOLDER)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("the benchmarks ended with {}", output.status)));
    }
    parse(&output.stdout)
}

/// Returns the versions of the compiler and the programs, and the processor architecture.
fn origin() -> io::Result<String> {
    let mut parts = vec![env!("ZSET_BENCH_RUSTC").to_owned()];
    for (program, argument) in PROGRAMS {
        let output = Command::new(program).arg(argument).output();
        let output =
            output.map_err(|error| io::Error::new(error.kind(), format!("{program}: {error}")))?;
        parts.push(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    parts.push(env::consts::ARCH.to_owned());
    Ok(parts.join(", "))
}

/// Parses gungraun's output: an object per benchmark.
fn parse(text: &[u8]) -> io::Result<Vec<Counts>> {
    let summaries = Deserializer::from_slice(text).into_iter::<Value>();
    summaries.map(|summary| counts(&summary?)).collect()
}

fn counts(summary: &Value) -> io::Result<Counts> {
    let unknown = || io::Error::other(format!("gungraun says something unknown: {summary}"));
    let word = |key: &str| summary[key].as_str().ok_or_else(unknown);
    let benchmark = format!("{}/{}", word("function_name")?, word("id")?);
    let metrics = &summary["profiles"][0]["data"]["total"]["metrics"];
    // `old`, next to it, holds the previous run.
    let metric = |key: &str| metrics[key]["values"]["new"].as_u64().ok_or_else(unknown);
    let instructions = metric("Ir")?;
    if instructions == 0 {
        // Counts are also zero if the counted function has been renamed.
        return Err(io::Error::other(format!("callgrind has counted nothing in {benchmark}")));
    }
    Ok(Counts {
        benchmark,
        instructions,
        lto_instructions: 0,
        l1_misses: metric("D1mr")? + metric("D1mw")?,
        ll_misses: metric("DLmr")? + metric("DLmw")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of gungraun, without unused fields; the second benchmark has an earlier run.
    const SUMMARIES: &str = r#"
        {"function_name":"u64","id":"insert","profiles":[{"data":{"total":{"metrics":{
            "D1mr":{"values":{"new":3}},"D1mw":{"values":{"new":20}},"DLmr":{"values":{"new":0}},
            "DLmw":{"values":{"new":1}},"Ir":{"values":{"new":1000}}}}}}]}
        {"function_name":"u64","id":"score","profiles":[{"data":{"total":{"metrics":{
            "D1mr":{"values":{"new":0,"old":3}},"D1mw":{"values":{"new":0,"old":20}},
            "DLmr":{"values":{"new":0,"old":0}},"DLmw":{"values":{"new":0,"old":1}},
            "Ir":{"values":{"new":5,"old":1000}}}}}}]}"#;

    #[test]
    fn what_gungraun_prints_is_read() {
        let counts = |benchmark: &str, instructions, l1_misses, ll_misses| Counts {
            benchmark: benchmark.into(),
            instructions,
            lto_instructions: 0,
            l1_misses,
            ll_misses,
        };
        let expected = [counts("u64/insert", 1000, 23, 1), counts("u64/score", 5, 0, 0)];
        assert_eq!(parse(SUMMARIES.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn a_benchmark_in_which_nothing_is_counted_is_an_error() {
        let error = parse(SUMMARIES.replace("1000}", "0}").as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "callgrind has counted nothing in u64/insert");
    }

    #[test]
    fn anything_else_is_an_error() {
        for (from, to) in [("Ir", "Jr"), ("id", "name"), ("new", "now"), ("}", "")] {
            assert!(parse(SUMMARIES.replace(from, to).as_bytes()).is_err(), "{from:?}, {to:?}");
        }
    }
}
