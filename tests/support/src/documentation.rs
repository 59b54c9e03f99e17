//! Checks that public items have an example, and lists files for other checks.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files of a folder and of its subfolders, except build output.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("it can be read").path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_symlink() || matches!(name, ".git" | "target" | "corpus" | "artifacts") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Returns whether a file has an extension, given without the dot.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|it| it == extension)
}

/// Returns the name of the public type or function that a line declares, if any.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim().strip_prefix("pub ")?;
    let line = line.strip_prefix("const ").unwrap_or(line);
    let kinds = ["fn ", "struct ", "enum ", "trait ", "type "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Returns the names of the public items of a file whose documentation has an example.
fn shown(text: &str) -> Vec<&str> {
    let mut shown = Vec::new();
    let mut has_example = false;
    for line in text.lines() {
        if line.trim().starts_with("/// ```") {
            has_example = true;
        } else if let Some(name) = declared(line) {
            if has_example {
                shown.push(name);
            }
            has_example = false;
        } else if line.trim().is_empty() {
            has_example = false;
        }
    }
    shown
}

/// Panics unless each item has an example. `expected` lists the names of types and functions by
/// file in a crate's folder `src`; a file may have several lines.
#[track_caller]
pub fn assert_have_examples(crate_folder: &str, expected: &[(&str, &str)]) {
    let mut missing = Vec::new();
    for (file, names) in expected {
        let path = Path::new(crate_folder).join("src").join(file);
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let shown = shown(&text);
        let absent = names.split(' ').filter(|name| !shown.contains(name));
        missing.extend(absent.map(|name| format!("{file}: {name}")));
    }
    assert!(missing.is_empty(), "items without an example:\n{}", missing.join("\n"));
}

#[test]
fn an_example_belongs_to_the_item_after_it() {
    let text =
        "/// ```\n/// a();\n/// ```\n#[inline]\npub const fn a() {}\n\n/// No.\npub struct B;\n";
    assert_eq!(shown(text), ["a"]);
    assert_eq!(declared("    pub(crate) fn a()"), None);
}
