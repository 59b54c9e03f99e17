//! Tests that the tables and the picture in the docs are those that are drawn from the saved
//! results.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use zset_bench::docs::{FOLDER, files};
use zset_bench::record;

/// The files that a copy of the repository needs.
const COPIED: [&str; 3] = ["README.md", "docs/benchmarks.md", "benches/results.csv"];

/// Returns an empty folder with this name under the target folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns a folder with a copy of the docs and the results.
fn copy(name: &str) -> PathBuf {
    let folder = folder(name);
    for path in COPIED {
        let to = folder.join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(Path::new(FOLDER).join(path), to).unwrap();
    }
    folder
}

fn run(arguments: &[&str], path: &Path) -> Output {
    let program = env!("CARGO_BIN_EXE_zset-bench");
    Command::new(program).args(arguments).arg(path).output().expect("it starts")
}

#[test]
fn the_docs_show_the_saved_results() {
    for (path, content) in files(Path::new(FOLDER)).unwrap() {
        let committed = fs::read_to_string(Path::new(FOLDER).join(path)).unwrap_or_default();
        assert!(committed == content, "{path}: run `cargo run -p zset-bench -- docs`");
    }
}

#[test]
fn pictures_are_small_and_need_no_other_file() {
    let files = files(Path::new(FOLDER)).unwrap();
    let pictures: Vec<_> = files.iter().filter(|(path, _)| path.contains("svg")).collect();
    assert_eq!(pictures.len(), 2);
    for (path, svg) in pictures {
        assert!(svg.len() < 80_000, "{path}: {} bytes", svg.len());
        for what in ["href", "url(", "<script", "NaN", "inf"] {
            assert!(!svg.contains(what), "{path}: {what}");
        }
    }
}

#[test]
fn the_command_writes_the_same_twice() {
    let folder = copy("docs-twice");
    let read_all = || {
        let files = files(&folder).unwrap();
        files
            .iter()
            .map(|(path, _)| fs::read_to_string(folder.join(path)).unwrap())
            .collect::<Vec<_>>()
    };
    assert!(run(&["docs"], &folder).status.success());
    let once = read_all();
    assert!(run(&["docs"], &folder).status.success());
    assert_eq!(read_all(), once);
}

#[test]
fn nothing_is_written_if_a_marker_is_missing() {
    let folder = copy("docs-missing");
    let page = folder.join("docs/benchmarks.md");
    let text = fs::read_to_string(&page).unwrap();
    let text = text.replacen("<!-- zset-bench docs: DelayQueue -->", "", 1);
    fs::write(&page, &text).unwrap();
    let output = run(&["docs"], &folder);
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("docs/benchmarks.md: there is no `<!-- zset-bench docs: DelayQueue"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&page).unwrap(), text);
    assert!(!folder.join("docs/sets-light.svg").exists());
}

#[test]
fn a_measurement_is_saved_and_drawn() {
    let folder = folder("docs-saved");
    let results = folder.join("results.csv");
    let measure = |arguments: &[&str]| {
        let output = run(&[arguments, &["--save"]].concat(), &results);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let limiters = ["limiters", "--n", "50", "--calls", "1000", "--rounds", "1"];
    let printed = measure(&limiters);
    assert!(printed.contains("\n| one key, ns ") && printed.contains("\n| 50 keys, "), "{printed}");
    measure(&["uses", "--n", "100", "--rounds", "1"]);
    let first = record::read(&results).unwrap();
    // The results of the second run replace those of the first.
    measure(&limiters);
    let second = record::read(&results).unwrap();
    let rows = |records: &[record::Record]| {
        let row = |it: &record::Record| (it.table.clone(), it.contender.clone(), it.what.clone());
        records.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(rows(&first), rows(&second));
    assert_ne!(first, second);
}

#[test]
fn the_results_are_as_they_are_saved() {
    let results = Path::new(FOLDER).join("benches/results.csv");
    let copy = folder("docs-results").join("results.csv");
    fs::copy(&results, &copy).unwrap();
    record::save(Some(&copy), &[]).unwrap();
    assert_eq!(fs::read_to_string(copy).unwrap(), fs::read_to_string(results).unwrap());
}
