//! Checks the tables of `zset_core::_guide::methods`. The table of types must name exactly the
//! public methods that `docs/public-api` lists. The methods of other collections must exist, so
//! each of them is called here.

// The tests read files and check names only, so Miri would find nothing.
#![cfg(all(feature = "alloc", not(miri)))]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

mod peers;

/// The types in the columns of the table.
const TYPES: [&str; 6] =
    ["SkipList", "SortedSet", "SortedMap", "ZSet", "PackedZSet", "FixedSortedSet"];

/// Method names by type name.
type Names = BTreeMap<String, BTreeSet<String>>;

/// Reads a file of the repository.
fn read(path: &str) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the rows of the tables under a heading of the guide, without their headers.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let text = read("zset-core/src/_guide/methods.md");
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
    let lines: Vec<_> = section.lines().collect();
    let is_table = |line: &str| line.starts_with('|');
    let mut rows = Vec::new();
    for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
        if is_table(line) && !line.starts_with("|-") && !next.starts_with("|-") {
            let cells = line.trim_matches('|').split('|');
            rows.push(cells.map(|cell| cell.trim().to_string()).collect());
        }
    }
    assert!(!rows.is_empty(), "no rows under {heading}");
    rows
}

/// Returns the strings in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn the_table_of_types_lists_each_method_once() {
    let mut named = Names::new();
    let mut reasons = BTreeSet::new();
    for row in rows("The types") {
        let [name, cells @ ..] = &row[..] else { unreachable!("a row has cells") };
        let name = quoted(name).next().unwrap_or_else(|| panic!("{row:?} has no name"));
        assert_eq!(cells.len(), TYPES.len(), "{row:?}");
        for (type_name, cell) in TYPES.iter().zip(cells) {
            let methods = named.entry((*type_name).to_string()).or_default();
            let mut insert = |method: &str| {
                let is_new = methods.insert(method.to_string());
                assert!(is_new, "{type_name}::{method} is listed twice");
            };
            match cell.as_str() {
                "" => panic!("{type_name}::{name} is missing without a reason"),
                "yes" => insert(name),
                cell if cell.contains('`') => quoted(cell).for_each(insert),
                reason => {
                    assert_eq!(reason.len(), 1, "{type_name}::{name}: {reason:?} is not a reason");
                    reasons.insert(reason.to_string());
                }
            }
        }
    }

    let explained = rows("Why a method is missing").into_iter().map(|row| row[0].clone());
    let explained: BTreeSet<_> = explained.collect();
    assert_eq!(explained, reasons, "the reasons differ from their explanations");
    assert_eq!(public(), named, "the public methods differ from the table");
}

#[test]
fn the_docs_of_a_fixed_sorted_set_name_each_missing_method() {
    let source = read("zset-core/src/fixed_sorted_set.rs");
    let docs = source.split("/// # ").find(|section| section.starts_with("Methods")).unwrap();
    let (own, list) = docs.split_once("also has methods").unwrap();
    let methods = public();
    let (sorted, fixed) = (&methods["SortedSet"], &methods["FixedSortedSet"]);
    let named: BTreeSet<_> = quoted(list).map(str::to_string).collect();
    assert_eq!(named, sorted.difference(fixed).cloned().collect());
    for method in quoted(own).filter(|name| *name != "SortedSet") {
        assert!(fixed.contains(method), "{method}");
    }
}

/// Returns the inherent methods of the types in the listing of the public API.
fn public() -> Names {
    let mut public = Names::new();
    let mut is_inherent = false;
    for line in read("docs/public-api/zset-core.txt").lines() {
        if line.starts_with("impl") {
            is_inherent = !line.contains(" for ");
        } else if let Some((_, path)) = line.split_once(" fn ").filter(|_| is_inherent) {
            let path = without_generics(path);
            let mut names = path.rsplit("::");
            let (Some(method), Some(type_name)) = (names.next(), names.next()) else { continue };
            if TYPES.contains(&type_name) {
                public.entry(type_name.to_string()).or_default().insert(method.to_string());
            }
        }
    }
    public
}

/// Returns the path of a function without its arguments and generics.
fn without_generics(function: &str) -> String {
    let mut path = String::new();
    let (mut depth, mut before) = (0, ' ');
    for c in function.chars() {
        match c {
            '(' if depth == 0 => break,
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            c if depth == 0 => path.push(c),
            _ => {}
        }
        before = c;
    }
    path
}

#[test]
fn the_table_of_peers_names_existing_methods() {
    let own = public();
    let columns = ["", "BTreeMap", "IndexMap", "PriorityQueue"];
    let mut named = Names::new();
    let mut commands = BTreeSet::new();
    for row in rows("Other collections") {
        assert_eq!(row.len(), columns.len() + 2, "{row:?}");
        for method in quoted(&row[1]) {
            // A method named without a type belongs to `SortedSet`, and usually to other types as
            // well.
            let (type_name, method) = method.split_once("::").unwrap_or(("SortedSet", method));
            assert!(own[type_name].contains(method), "{type_name}::{method} does not exist");
        }
        for (column, cell) in columns.iter().zip(&row[1..]).skip(1) {
            assert!(!cell.is_empty(), "an empty cell in {row:?}");
            for method in quoted(cell) {
                let (type_name, method) = method.split_once("::").unwrap_or((column, method));
                named.entry(type_name.to_string()).or_default().insert(method.to_string());
            }
        }
        let name = |command: &str| command.split(' ').next().unwrap().to_string();
        commands.extend(quoted(&row[5]).map(name));
    }
    assert_eq!(peers::called(), named, "the methods called here differ from the table");

    // The table must cover all Redis commands for sorted sets.
    let redis = read("docs/redis.md");
    let all = redis.lines().find(|line| line.starts_with("| sorted sets |")).unwrap();
    let all: BTreeSet<_> = quoted(all).map(str::to_string).collect();
    assert_eq!(commands, all, "the commands differ from docs/redis.md");
}
