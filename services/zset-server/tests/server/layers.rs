//! Tests the order of the modules. A module uses only modules in its own row of the table in
//! `docs/design.md` or in the rows below it.

use std::fs;
use std::path::Path;

use test_support::documentation::{files, has_extension};

const DOCS: &str = include_str!("../../../../docs/design.md");

/// Returns the modules of each row of the table, from top to bottom.
fn rows() -> Vec<Vec<&'static str>> {
    let (_, table) = DOCS.split_once("| modules of the server |").expect("there is a table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let names = |row: &'static str| row.split('|').nth(1).expect("a column").split('`');
    rows.map(|row| names(row).skip(1).step_by(2).collect()).collect()
}

/// Returns the code of a file, without comments and unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("it can be read");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect()
}

#[test]
fn modules_use_only_those_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rows = rows();
    let row_of = |module: &str| rows.iter().position(|row| row.contains(&module));
    let mut wrong = Vec::new();
    for path in files(&source).into_iter().filter(|path| has_extension(path, "rs")) {
        let short = path.strip_prefix(&source).expect("it is a source");
        let file = short.file_stem().and_then(|stem| stem.to_str()).expect("names are UTF-8");
        let is_test = short.components().any(|part| part.as_os_str() == "tests") || file == "tests";
        if is_test || ["lib", "main", "testing"].contains(&file) {
            continue;
        }
        let module = short.iter().next().and_then(|first| first.to_str()).expect("a name");
        let module = module.trim_end_matches(".rs");
        let code = code(&path);
        for used in code.split("crate::").skip(1) {
            let used = used.split(|byte: char| !byte.is_ascii_alphanumeric() && byte != '_').next();
            let used = used.unwrap_or_default();
            if row_of(module).is_none() || row_of(used) < row_of(module) {
                wrong.push(format!("{}: {used}", short.display()));
            }
        }
    }
    assert!(rows.len() > 5, "{rows:?}");
    assert!(wrong.is_empty(), "modules that use a higher row, or are in no row: {wrong:#?}");
}
