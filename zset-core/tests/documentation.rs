//! Tests that important items have an example, which runs as a doc test, and that each module of
//! the core uses only modules that the core's docs list below it.

// The tests read files, so they do not run under Miri.
#![cfg(not(miri))]

use std::fs;
use std::path::Path;

use test_support::documentation::assert_have_examples;

/// The names of types and functions that need an example, by file. Other items have one only if it
/// is instructive.
const EXAMPLES: &[(&str, &str)] = &[
    ("redis/byte_string.rs", "ByteString"),
    ("inner/insert.rs", "Insertion"),
    ("fixed_sorted_set.rs", "FixedSortedSet new with_hasher"),
    ("fixed_sorted_set.rs", "try_insert insert_or_evict_first try_increment"),
    ("increment.rs", "Increment"),
    ("redis/listpack.rs", "Listpack with_array with_storage get iter try_push_back"),
    ("redis/listpack/validate.rs", "from_bytes"),
    ("redis/packed_zset.rs", "PackedZSet with_array with_storage from_listpack try_insert try_add"),
    ("redis/packed_zset.rs", "range_by_lex pop_first_with"),
    ("redis/rdb.rs", "dump restore restore_with_limits"),
    ("redis/commands.rs", "AddOptions from_flags gt ch incr Added count"),
    ("redis/commands.rs", "ScoreRange new LexRange parse rank_range"),
    ("score.rs", "Score new parse checked_add"),
    ("sorted_set/serde_map.rs", "serialize"),
    ("skiplist.rs", "SkipList new insert append remove rank range"),
    ("sorted_map.rs", "SortedMap insert insert_max update increment get_disjoint_mut"),
    ("sorted_map.rs", "iter iter_mut range_by_score_mut extract_if"),
    ("sorted_map/entry.rs", "entry entry_ref first_entry Entry or_insert or_default"),
    ("sorted_map/entry.rs", "or_insert_with_key update"),
    ("sorted_set.rs", "SortedSet with_hasher from_sorted_iter"),
    ("sorted_set.rs", "scores insert replace insert_max update increment rev_rank"),
    ("sorted_set.rs", "iter range range_by_score range_by_member"),
    ("sorted_set.rs", "pop_first_if drain_by_rank extract_if"),
    ("sorted_set/entry.rs", "entry entry_ref first_entry Entry insert or_default update"),
    ("sorted_set/iter.rs", "Iter"),
    ("sorted_set/ops.rs", "union intersection difference symmetric_difference"),
    ("sorted_set/ops.rs", "union_with intersection_with append"),
    ("redis/zset.rs", "ZSet with_limits encoding range_by_rank range_by_score range_by_lex"),
    ("redis/zset.rs", "scan sample"),
    ("redis/zset/edit.rs", "add insert increment"),
];

#[test]
fn what_a_newcomer_needs_has_an_example() {
    assert_have_examples(env!("CARGO_MANIFEST_DIR"), EXAMPLES);
}

#[test]
fn modules_of_the_core_use_only_those_below_them_in_its_docs() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |file: &str| fs::read_to_string(source.join(file)).expect("a source");
    // The numbered lines of the list, such as "//! 1. `bulk`, `cut`: many elements at once".
    let docs = read("inner.rs");
    let lines = docs.lines().filter_map(|line| line.strip_prefix("//! "));
    let rows: Vec<Vec<&str>> = lines
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .map(|line| line.split('`').skip(1).step_by(2).collect())
        .collect();
    let row_of = |module: &str| rows.iter().position(|row| row.contains(&module));
    assert_eq!(row_of("arena"), Some(12), "{rows:?}");
    for module in rows.iter().flatten() {
        let code = read(&format!("inner/{module}.rs"));
        for used in code.lines().filter_map(|line| line.strip_prefix("use super::")) {
            let used = used.split(':').next().unwrap_or_default();
            let is_below = row_of(used).is_none_or(|used| Some(used) > row_of(module));
            assert!(is_below, "{module} uses {used}");
        }
    }
}
