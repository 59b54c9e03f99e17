//! Verifies that the names in the documentation exist.
//!
//! A name is an identifier in backticks in a Markdown file. It must occur as a word in some source
//! file. If the listings of the public API have a `Type`, they must also have each `Type::method`
//! that is named. Words in capitals are skipped, since they are server commands or placeholders.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use test_support::documentation::{files, has_extension};

/// Names of other projects.
const FOREIGN: &[&str] = &["HipByt", "SmallVec", "maybe", "tmin"];

/// Pages that are not read: their rows are commands of servers, which other tests run.
const SKIPPED: &[&str] = &["docs/redis.md"];

fn is_source(path: &Path) -> bool {
    let extensions = ["rs", "toml", "lock", "lua", "csv", "txt", "yml"];
    extensions.iter().any(|it| has_extension(path, it))
        || path.ends_with("justfile")
        || path.ends_with("run")
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c| !is_word(c));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// Returns the inline code spans of a page, without code blocks.
fn spans(page: &str) -> Vec<&str> {
    let mut spans = Vec::new();
    for (place, outside) in page.split("\n```").enumerate() {
        // Parts with an odd number are inside code blocks.
        if place % 2 == 0 {
            spans.extend(outside.split('`').skip(1).step_by(2));
        }
    }
    spans
}

/// Returns a listing of the public API without generic arguments.
fn without_generics(listing: &str) -> String {
    let (mut kept, mut depth) = (String::new(), 0);
    let mut previous = ' ';
    for c in listing.chars() {
        match c {
            '<' => depth += 1,
            '>' if previous != '-' && depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
        previous = c;
    }
    kept
}

/// The names that the documentation may use.
struct Names {
    words: BTreeSet<String>,
    /// The items of each type of the public API.
    items: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    fn of(sources: &[PathBuf]) -> Names {
        let mut names = Names { words: BTreeSet::new(), items: BTreeMap::new() };
        for path in sources.iter().filter(|path| is_source(path)) {
            // The list of foreign names is in this file, so the file does not count as a source.
            if path.ends_with("tests/support/tests/names.rs") {
                continue;
            }
            let text = fs::read_to_string(path).unwrap_or_default();
            names.words.extend(words(&text).map(str::to_owned));
            if path.parent().is_some_and(|folder| folder.ends_with("docs/public-api")) {
                names.add_listing(&without_generics(&text));
            }
        }
        names
    }

    fn add_listing(&mut self, listing: &str) {
        let paths = listing.split(|c| !(is_word(c) || c == ':')).map(|it| it.trim_matches(':'));
        for path in paths.filter(|path| path.starts_with("zset_")) {
            let parts: Vec<_> = path.split("::").collect();
            for pair in parts.windows(2) {
                let items = self.items.entry(pair[0].to_owned()).or_default();
                items.insert(pair[1].to_owned());
            }
        }
    }

    /// Returns whether an identifier exists. The word may be a prefix or suffix, as in `with_*`.
    fn has_word(&self, word: &str, before: Option<char>, after: Option<char>) -> bool {
        if self.words.contains(word) || FOREIGN.contains(&word) {
            return true;
        }
        let (is_start, is_end) = (after == Some('*'), before == Some('*') || word.starts_with('_'));
        self.words.iter().any(|it| is_start && it.starts_with(word) || is_end && it.ends_with(word))
    }

    /// Returns the names of a span that do not exist.
    fn missing(&self, span: &str) -> Vec<String> {
        let mut missing = Vec::new();
        for word in words(span) {
            let is_name = word.len() > 2 && word.contains(|c: char| c.is_ascii_lowercase());
            let start = word.as_ptr() as usize - span.as_ptr() as usize;
            let before = span[..start].chars().next_back();
            let after = span[start + word.len()..].chars().next();
            // Whether the word is part of a number, an escape sequence or a command-line option.
            let is_part = before.is_some_and(|c| c.is_ascii_digit() || matches!(c, '\\' | '-'));
            if is_name && !is_part && !self.has_word(word, before, after) {
                missing.push(word.to_owned());
            }
        }
        for path in span.split(|c| !(is_word(c) || c == ':')) {
            let parts: Vec<_> = path.split("::").collect();
            for pair in parts.windows(2) {
                let is_type = pair[0].starts_with(|c: char| c.is_ascii_uppercase());
                let items = self.items.get(pair[0]).filter(|_| is_type && !pair[1].is_empty());
                if items.is_some_and(|items| !items.contains(pair[1])) {
                    missing.push(pair.join("::"));
                }
            }
        }
        missing
    }
}

#[test]
fn names_in_the_documentation_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let all = files(&root);
    let names = Names::of(&all);
    let mut missing = Vec::new();
    let mut used = BTreeSet::new();
    for path in all.iter().filter(|path| has_extension(path, "md")) {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        if SKIPPED.contains(&name) {
            continue;
        }
        let page = fs::read_to_string(path).unwrap();
        for span in spans(&page) {
            used.extend(words(span).map(str::to_owned));
            missing
                .extend(names.missing(span).iter().map(|it| format!("{name}: {it} in `{span}`")));
        }
    }
    assert!(missing.is_empty(), "names that do not exist:\n{}", missing.join("\n"));
    let unused: Vec<_> = FOREIGN.iter().filter(|name| !used.contains(**name)).collect();
    assert!(unused.is_empty(), "foreign names that are in no page: {unused:?}");
}

#[test]
fn names_that_do_not_exist_are_found() {
    let mut names = Names { words: BTreeSet::new(), items: BTreeMap::new() };
    names.words.extend(words("fn pop_first(), Keyed, check, len").map(str::to_owned));
    names.add_listing(&without_generics(
        "pub fn zset_a::Keyed<K, Option<L>>::check<Q>(&self) -> Result<(), zset_a::Error>\n\
         pub zset_a::Keyed::len: usize\n\
         impl<F: Fn(u8) -> u8> core::Other<F> for zset_a::Keyed<F>\n",
    ));
    for (span, expected) in [
        ("Keyed", vec![]),
        ("pop_first", vec![]),
        ("pop_*", vec![]),
        ("*_first", vec![]),
        ("ZADD 1 a", vec![]),
        ("pop_last", vec!["pop_last"]),
        ("push_*", vec!["push_"]),
        ("Keyed::check(key)", vec!["key"]),
        ("Keyed::len", vec![]),
        ("Keyed::pop_first", vec!["Keyed::pop_first"]),
        ("Other::pop_first", vec!["Other"]),
    ] {
        assert_eq!(names.missing(span), expected, "{span}");
    }
    assert_eq!(spans("`a` b `c`\n```text\n`d`\n```\n`e`"), ["a", "c", "e"]);
}
