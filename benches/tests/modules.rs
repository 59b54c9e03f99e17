//! Tests that each module uses only modules that come after it in the diagram in the crate's docs,
//! so that there are no cycles.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Adds the source of all modules in a folder, by their paths in the crate.
fn read(folder: &Path, parent: &str, modules: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let module = format!("{parent}{}", path.file_stem().unwrap().to_str().unwrap());
        if path.is_dir() {
            read(&path, &format!("{module}::"), modules);
        } else if path.extension().is_some_and(|it| it == "rs") {
            modules.insert(module, fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns the paths at the start of a string: for `a::{b, c}`, these are `a::b` and `a::c`.
fn expanded(text: &str) -> Vec<String> {
    let is_path = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
    let (path, rest) = text.split_at(text.find(|it| !is_path(it)).unwrap_or(text.len()));
    let Some((group, _)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
        return vec![path.to_owned()];
    };
    assert!(!group.contains('{'), "a group in a group: {group}");
    let names = group.split(',').filter_map(|it| it.split_whitespace().next());
    names.map(|name| format!("{path}{name}")).collect()
}

#[test]
fn modules_use_only_modules_that_follow_in_the_diagram() {
    let mut modules = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut modules);
    let main = modules.remove("main").unwrap();
    assert!(!main.contains("crate::"), "the program uses the library");
    let lib = modules.remove("lib").unwrap();
    let (_, diagram) = lib.split_once("```text\n").unwrap();
    let (diagram, _) = diagram.split_once("```").unwrap();

    // In the diagram, columns are separated by two spaces or more, and the last one is a
    // description.
    let columns = diagram.lines().flat_map(|line| line.trim_start_matches("//!").split("  "));
    let mut order: Vec<String> = Vec::new();
    for name in columns.flat_map(|column| expanded(column.trim())) {
        let parent = name.rsplit_once("::").map(|(parent, _)| parent.to_owned());
        for module in parent.into_iter().chain([name]) {
            if modules.contains_key(&module) && !order.contains(&module) {
                order.push(module);
            }
        }
    }

    let place = |module: &str| order.iter().position(|it| it == module);
    for (module, source) in &modules {
        let from = place(module).unwrap_or_else(|| panic!("{module} is not in the diagram"));
        assert!(
            !source.replace("use super::*;", "").contains("super::"),
            "{module}: use `crate::`"
        );
        for used in source.split("crate::").skip(1).flat_map(expanded) {
            let mut used = used.as_str();
            while !modules.contains_key(used) {
                used = used.rsplit_once("::").unwrap_or_else(|| panic!("no module {used}")).0;
            }
            assert!(place(used) > Some(from), "{module} uses {used}, which does not follow");
        }
    }
}
