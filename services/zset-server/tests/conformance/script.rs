//! Expands scripts into rows. The syntax of scripts:
//!
//! - `# text` is a comment.
//! - `@name a | b | c` names a list of strings, for the lines below. A string may use other names.
//! - A row with `$name` expands to one row for each string in the list. A row with several such
//!   names expands to one row for each combination.
//! - `<name>` is replaced by a random string of the list. A string that is listed twice, or as
//!   `string ×2`, is twice as likely. `<>` is replaced by nothing.
//! - `%300 row` repeats the row 300 times, each time with new random strings.
//! - ` ; ` separates several rows on one line or in one string, such as the rows of a transaction.

use std::collections::HashMap;
use std::env;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;

type Names = HashMap<String, Vec<String>>;

/// The names defined so far, and a seeded generator for the random choices.
pub(crate) struct Script {
    names: Names,
    rng: Xoshiro256PlusPlus,
}

/// Returns the rows of a script with their line numbers. They are deterministic unless `ZSET_SEED`
/// is set. `words` is a script that runs first, with names that several scripts share.
pub(crate) fn rows(words: &str, script: &str) -> Vec<(usize, String)> {
    let seed = env::var("ZSET_SEED").map_or(1, |seed| seed.parse().expect("a seed is a number"));
    let mut state = Script::new(seed);
    [state.run(words), state.run(script)].concat()
}

impl Script {
    pub(crate) fn new(seed: u64) -> Script {
        Script { names: Names::new(), rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// Returns the rows of a script with their line numbers. Its names stay defined.
    pub(crate) fn run(&mut self, script: &str) -> Vec<(usize, String)> {
        let mut rows = Vec::new();
        for (number, line) in (1..).zip(script.lines().map(str::trim)) {
            if let Some(definition) = line.strip_prefix('@') {
                let (name, texts) = definition.split_once(' ').expect("a name and its texts");
                self.define(name, texts.split(" | "));
            } else if !line.is_empty() && !line.starts_with('#') {
                let (times, template) = times(line);
                for _ in 0..times {
                    self.each(template, &mut |row| {
                        rows.extend(row.split(" ; ").map(|row| (number, row.trim().to_owned())));
                    });
                }
            }
        }
        rows
    }

    /// Defines a name for a list of strings.
    pub(crate) fn define<'a>(&mut self, name: &str, texts: impl IntoIterator<Item = &'a str>) {
        let texts = texts.into_iter().flat_map(|text| match text.rsplit_once(" ×") {
            Some((text, times)) => vec![text; times.parse().expect("a number")],
            None => vec![text],
        });
        let texts = texts.map(|text| text.trim().to_owned()).collect();
        self.names.insert(name.to_owned(), texts);
    }

    /// Calls `found` once for each combination of strings for the `$name`s of a row.
    fn each(&mut self, row: &str, found: &mut impl FnMut(String)) {
        let Some((before, after)) = row.split_once('$') else { return found(self.draw(row)) };
        let end = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        for text in texts(&self.names, name).to_vec() {
            self.each(&format!("{before}{text}{after}"), found);
        }
    }

    /// Returns the row with a random string for each `<name>`.
    pub(crate) fn draw(&mut self, row: &str) -> String {
        let Some((before, after)) = row.split_once('<') else { return row.to_owned() };
        let (name, after) = after.split_once('>').expect("< has a matching >");
        let text = match name {
            "" => String::new(),
            name => texts(&self.names, name).choose(&mut self.rng).expect("a text").clone(),
        };
        [before, &self.draw(&text), &self.draw(after)].concat()
    }
}

fn texts<'n>(names: &'n Names, name: &str) -> &'n [String] {
    names.get(name).unwrap_or_else(|| panic!("no texts have the name {name:?}"))
}

fn times(line: &str) -> (usize, &str) {
    let Some(line) = line.strip_prefix('%') else { return (1, line) };
    let (times, template) = line.split_once(' ').expect("a number and a row");
    (times.parse().expect("a number"), template)
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
    let script = "@key a ×99 | b\n@row GET <key> ; SET <key><> 1\n%1000 <row>";
    let rows = rows("", script);
    assert_eq!(rows.len(), 2000);
    let rare = rows.iter().filter(|(_, row)| row == "GET b").count();
    assert!(rare < 100, "{rare} of 1000");
    for row in ["GET a", "GET b", "SET a 1", "SET b 1"] {
        assert!(rows.iter().any(|(_, other)| other == row), "{row}");
    }
}
