//! Every public method states its cost and has an example, which runs as a doc test.

// The test reads files.
#![cfg(not(miri))]

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Returns the public functions of a file that are not hidden, each with its documentation.
fn public_functions(text: &str) -> Vec<(&str, String)> {
    let mut functions = Vec::new();
    let mut documentation = String::new();
    let mut is_hidden = false;
    for line in text.lines().map(str::trim).take_while(|line| *line != "mod tests {") {
        if let Some(text) = line.strip_prefix("///") {
            documentation += text;
            documentation += "\n";
            continue;
        }
        if line.starts_with("pub fn ") || line.starts_with("pub const fn ") {
            if !is_hidden {
                functions.push((line, documentation.clone()));
            }
        } else if line == "#[doc(hidden)]" {
            is_hidden = true;
        }
        if line.is_empty() || line.ends_with(['{', '}', ';']) {
            documentation.clear();
            is_hidden = false;
        }
    }
    functions
}

#[test]
fn every_public_method_states_its_cost_and_has_an_example() {
    let mut checked = 0;
    let mut incomplete = Vec::new();
    for file in files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
        let text = fs::read_to_string(&file).unwrap();
        for (function, documentation) in public_functions(&text) {
            checked += 1;
            for (what, is_missing) in [
                ("its cost", !documentation.contains("O(")),
                ("an example", !documentation.contains("```")),
            ] {
                if is_missing {
                    incomplete.push(format!("{}: {function} lacks {what}", file.display()));
                }
            }
        }
    }
    assert!(incomplete.is_empty(), "\n{}", incomplete.join("\n"));
    assert!(checked > 20, "only {checked} methods were found");
}
