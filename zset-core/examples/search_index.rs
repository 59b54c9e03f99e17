//! Finds texts by their words, most relevant first, and completes words.
//!
//! This example keeps a `SortedSet` for each word of an index: the member is a text, and the score
//! is the number of times the word occurs in it. A query intersects the sets of its words and adds
//! up the scores. The words themselves are in a `SortedMap`, where the completions of a prefix are
//! a range of keys.
//!
//! ```text
//! cargo run --example search_index
//! ```

use zset_core::{SortedMap, SortedSet};

type TextId = u32;
type Occurrences = u32;

#[derive(Default)]
struct Index {
    /// The texts in which each word occurs. All words have the same score, so they are in
    /// alphabetical order.
    words: SortedMap<String, SortedSet<TextId, Occurrences>, ()>,
}

impl Index {
    fn add(&mut self, id: TextId, text: &str) {
        for word in words(text) {
            let texts = self.words.entry(word).or_default(());
            // A text never has 2^32 words.
            texts.increment(id, 1).expect("the sum fits into 32 bits");
        }
    }

    /// Returns the texts that contain all words of a query, most relevant first.
    fn find(&self, query: &str) -> Vec<(TextId, Occurrences)> {
        let mut found: Option<SortedSet<TextId, Occurrences>> = None;
        for word in words(query) {
            let Some(texts) = self.words.get(&word) else { return Vec::new() };
            found = Some(match found {
                Some(found) => found.intersection_with(texts, |a, b| a + b),
                None => texts.clone(),
            });
        }
        found.iter().flat_map(|texts| texts.iter().rev()).map(|(id, n)| (*id, *n)).collect()
    }

    /// Returns the words that start with a prefix.
    fn complete<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let words = self.words.range_by_key(&(), prefix..);
        words.map(|(word, ..)| word.as_str()).take_while(move |word| word.starts_with(prefix))
    }
}

/// Returns the words of a text in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

const TEXTS: [&str; 5] = [
    "A skip list is a list with levels: a sorted list.",
    "A sorted set maps members to scores.",
    "A set has members. A sorted set has sorted members.",
    "A hash set has no order.",
    "To skip is to leave out.",
];

fn main() {
    let mut index = Index::default();
    for (id, text) in (0..).zip(TEXTS) {
        index.add(id, text);
    }

    for query in ["sorted set", "list", "skip", "sorted hash", "tree"] {
        println!("{query}:");
        let found = index.find(query);
        for (id, occurrences) in &found {
            println!("  {occurrences} x  {}", TEXTS[*id as usize]);
        }
        // Compares the result with a search that uses no index.
        let has_all = |text: &&str| words(query).all(|word| words(text).any(|w| w == word));
        assert_eq!(found.len(), TEXTS.into_iter().filter(has_all).count());
        assert!(found.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    }

    let completions: Vec<&str> = index.complete("s").collect();
    println!("s...: {}", completions.join(", "));
    assert_eq!(completions, ["scores", "set", "skip", "sorted"]);
}
