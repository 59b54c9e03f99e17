//! Scripts: rows, and templates for several rows.
//!
//! - `# text` is a comment.
//! - `@name a | b | c` names a list of strings, from that line on. A string may use other names.
//! - `$name` in a row expands to each of the strings: to one row each, or with several names to one
//!   row for each combination.
//! - `<name>` is one of the strings at random. A string that is listed twice is twice as likely.
//!   `<>` is empty.
//! - `%300 row` repeats the row 300 times, each with its own random strings.
//! - ` ; ` separates rows within a string, such as those of a transaction.

use std::collections::HashMap;
use std::env;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

type Names<'a> = HashMap<&'a str, Vec<&'a str>>;

/// Returns the rows of a script with their line numbers. They are deterministic unless `ZSET_SEED`
/// is set. `words` is a script that runs first, with names that several scripts share.
pub(crate) fn rows(words: &str, script: &str) -> Vec<(usize, String)> {
    let seed = env::var("ZSET_SEED").map_or(1, |seed| seed.parse().expect("a seed is a number"));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut names = Names::new();
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(words.lines()).chain((1..).zip(script.lines())) {
        let line = line.trim();
        if let Some(definition) = line.strip_prefix('@') {
            let (name, texts) = definition.split_once(' ').expect("a name and its texts");
            names.insert(name, texts.split(" | ").map(str::trim).collect());
        } else if !line.is_empty() && !line.starts_with('#') {
            let (times, template) = times(line);
            for _ in 0..times {
                each(template.to_owned(), &names, &mut |row| {
                    let row = drawn(&row, &names, &mut rng);
                    rows.extend(row.split(" ; ").map(|row| (number, row.trim().to_owned())));
                });
            }
        }
    }
    rows
}

fn times(line: &str) -> (usize, &str) {
    let Some(line) = line.strip_prefix('%') else { return (1, line) };
    let (times, template) = line.split_once(' ').expect("a number and a row");
    (times.parse().expect("a number"), template)
}

fn texts<'n>(names: &'n Names<'_>, name: &str) -> &'n [&'n str] {
    names.get(name).unwrap_or_else(|| panic!("no texts have the name {name:?}"))
}

/// Calls `found` with each combination of the strings for each `$name`.
fn each(row: String, names: &Names<'_>, found: &mut impl FnMut(String)) {
    let Some((before, after)) = row.split_once('$') else { return found(row) };
    let end = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
    let (name, after) = after.split_at(end);
    for text in texts(names, name) {
        each(format!("{before}{text}{after}"), names, found);
    }
}

/// Returns the row with a random string for each `<name>`.
fn drawn(row: &str, names: &Names<'_>, rng: &mut impl Rng) -> String {
    let Some((before, after)) = row.split_once('<') else { return row.to_owned() };
    let (name, after) = after.split_once('>').expect("< has a matching >");
    let text = match name {
        "" => "",
        name => texts(names, name).choose(rng).expect("a name has texts"),
    };
    [before, &drawn(text, names, rng), &drawn(after, names, rng)].concat()
}

#[test]
fn names_expand_to_every_combination() {
    let script = "@a x | y\n# comment\n\nGET $a-$a\n@a z\nSET $a";
    let expected = ["GET x-x", "GET x-y", "GET y-x", "GET y-y", "SET z"];
    let rows = rows("", script);
    assert!(rows.iter().map(|(_, row)| row).eq(&expected), "{rows:?}");
    assert!(rows.iter().map(|(number, _)| *number).eq([4, 4, 4, 4, 6]));
}

#[test]
fn random_texts_are_those_of_the_list() {
    let script = "@key a | b\n@row GET <key> ; SET <key><> 1\n%100 <row>";
    let rows = rows("", script);
    assert_eq!(rows.len(), 200);
    for row in ["GET a", "GET b", "SET a 1", "SET b 1"] {
        assert!(rows.iter().any(|(_, other)| other == row), "{row}");
    }
}
