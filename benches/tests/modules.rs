//! Modules do not use each other in circles: the docs of the crate show the arrows between them.

use std::collections::{BTreeMap, BTreeSet};
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

/// Returns the paths after `crate::` in a source, where a group in braces is several.
fn paths(source: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, start) in source.match_indices("crate::") {
        let rest = &source[at + start.len()..];
        let is_path = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
        let (path, rest) = rest.split_at(rest.find(|it| !is_path(it)).unwrap());
        match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            None => paths.push(path.to_owned()),
            Some((group, _)) => {
                assert!(!group.contains('{'), "groups in a group: {group}");
                let names = group.split(',').filter_map(|it| it.split_whitespace().next());
                paths.extend(names.map(|name| format!("{path}{name}")));
            }
        }
    }
    paths
}

#[test]
fn there_are_no_circles_between_modules() {
    let mut modules = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut modules);
    let used = |(module, source): (&String, &String)| {
        assert!(
            !source.replace("use super::*;", "").contains("super::"),
            "{module}: use `crate::`"
        );
        let module_of = |mut path: &str| loop {
            if modules.contains_key(path) {
                return path.to_owned();
            }
            (path, _) = path.rsplit_once("::").unwrap_or_else(|| panic!("{module} uses {path}"));
        };
        let used: BTreeSet<_> = paths(source).iter().map(|path| module_of(path)).collect();
        (module.clone(), used)
    };
    let mut left: BTreeMap<_, BTreeSet<_>> = modules.iter().map(used).collect();
    let arrows: usize = left.values().map(BTreeSet::len).sum();
    assert!(arrows > modules.len(), "the paths are no longer found");
    // Modules that use none of those left are in no circle.
    while let Some(module) = left.iter().find(|(_, used)| used.is_empty()).map(|it| it.0.clone()) {
        left.remove(&module);
        for used in left.values_mut() {
            used.remove(&module);
        }
    }
    assert!(left.is_empty(), "there is a circle in {left:#?}");
}
