//! Rows that stand for many.

use std::collections::HashMap;

/// Returns the rows of a script, with the numbers of their lines.
///
/// `@name a | b | c` gives a name to texts; a row with `$name` in it stands for one with each of them, and
/// with every combination if there are several.
pub(crate) fn rows(script: &str) -> Vec<(usize, String)> {
    let mut names: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(script.lines()) {
        let line = line.trim();
        if let Some(definition) = line.strip_prefix('@') {
            let (name, texts) = definition.split_once(' ').expect("a name and its texts");
            names.insert(name, texts.split('|').map(str::trim).collect());
        } else if !line.is_empty() && !line.starts_with('#') {
            expand(line.to_owned(), &names, &mut |row| rows.push((number, row)));
        }
    }
    rows
}

fn expand(row: String, names: &HashMap<&str, Vec<&str>>, found: &mut impl FnMut(String)) {
    let Some((before, after)) = row.split_once('$') else { return found(row) };
    let end = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
    let (name, after) = after.split_at(end);
    for text in names.get(name).unwrap_or_else(|| panic!("nothing has the name {name:?}")) {
        expand(format!("{before}{text}{after}"), names, found);
    }
}
