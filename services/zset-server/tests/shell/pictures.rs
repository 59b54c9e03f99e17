//! Tests the pictures that SHOW draws.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::running::{answer, assert_golden};

/// A member that does not fit in a listpack.
const LONG: &str = "a-member-of-69-bytes-that-makes-the-set-a-skip-list-whatever-its-size";

/// Returns a script that adds members in a pseudorandom order, which is the same in each run.
fn additions(key: &str, members: u64) -> String {
    let mut script = String::new();
    let mut state = 42u64;
    for _ in 0..members {
        // Knuth's linear congruential generator: "The Art of Computer Programming", volume 2,
        // 3.3.4.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = state >> 40;
        writeln!(script, "ZADD {key} {} player:{number}", number % 1000)
            .expect("writing to a string succeeds");
    }
    script
}

/// Returns the drawing of a SHOW command that runs after a script.
fn drawn(script: &str, show: &str) -> String {
    let marker = "start of the picture";
    let all = answer(&format!("{script}ECHO '{marker}'\n{show}\n"));
    let (_, picture) = all.split_once(&format!("\"{marker}\"\n")).expect("the marker is printed");
    picture.to_owned()
}

/// Like [`drawn`], but also checks the lengths and the ends of the lines.
fn picture(script: &str, show: &str) -> String {
    let picture = drawn(script, show);
    for line in picture.lines() {
        assert!(line.chars().count() <= 100, "{line}");
        assert_eq!(line.trim_end(), line);
    }
    picture
}

/// Hides the statistics of the dict, which depend on the random seed of the hasher.
fn without_figures_of_the_dict(picture: &str) -> String {
    let hide = |line: &str| match line.split_once(' ') {
        Some((name @ ("dict" | "bytes"), _)) => format!("{name} ...\n"),
        _ => format!("{line}\n"),
    };
    picture.lines().map(hide).collect()
}

#[test]
fn listpacks_are_shown_byte_by_byte_and_skip_lists_as_trees() {
    let encodings = r#"ZADD k 0 a 5000 b 9000000 c 3000000000 d 1e300 "\xff\"" -1"#;
    let fruit = "ZADD fruit 1 apple 2.5 banana 300 cherry -7 42 \
                 70000 'a tab\\t and a long name indeed'";
    for (file, script, show) in [
        ("listpack.txt", format!("{fruit}\n"), "SHOW fruit"),
        ("encodings.txt", format!("{encodings} {}\n", "x".repeat(64)), "SHOW k"),
        ("long-listpack.txt", additions("k", 128), "SHOW k LIMIT 5"),
        // A set with a single leaf has no index.
        ("one-leaf.txt", format!("{}ZADD k 7.5 {LONG}\n", additions("k", 40)), "show k"),
        ("one-level.txt", additions("k", 300), "SHOW k"),
    ] {
        assert_golden(file, &picture(&script, show));
    }
    let picture = picture(&additions("board", 5000), "SHOW board");
    assert_golden("two-levels.txt", &without_figures_of_the_dict(&picture));
}

#[test]
fn a_limit_is_the_number_of_elements_shown() {
    let script = additions("k", 128);
    assert!(!picture(&script, "SHOW k LIMIT 128").contains('…'));
    assert!(!picture(&script, "SHOW k LIMIT 0").contains("player"));
}

#[test]
fn spans_of_children_add_up_to_the_span_of_their_block() {
    let script = additions("k", 2000);
    let picture = picture(&script, "SHOW k LIMIT 1000");
    assert!(!picture.contains("not shown"));
    let number = |line: &str, before: &str| -> usize {
        let rest = line.split(before).nth(1).expect("the line has the number");
        rest.split([' ', ',']).next().expect("text follows").parse().expect("a number")
    };
    let mut elements = 0;
    for line in picture.lines().filter(|line| line.contains(" of 64 elements")) {
        elements += number(&line[line.find("leaf").expect("the line is a leaf")..], ": ");
    }
    let tree = picture.lines().nth(2).expect("the top block");
    assert_eq!(number(tree, "span "), elements);
    assert!(picture.starts_with(&format!("\"k\" is a skiplist of {elements} members")));
}

#[test]
fn long_members_are_truncated() {
    for (member, shown) in [
        ("\"a\\n\\\"\"", "\"a\\n\\\"\"".to_owned()),
        ("日本é\u{1b}", "\"日本é\\x1b\"".to_owned()),
        (&"x".repeat(23), format!("\"{}\"", "x".repeat(23))),
        (&"x".repeat(64), format!("\"{}…\"", "x".repeat(23))),
        (&"日".repeat(30), format!("\"{}…\"", "日".repeat(23))),
        (&"😀".repeat(24), format!("\"{}…\"", "😀".repeat(23))),
    ] {
        let picture = answer(&format!("ZADD k 1 {member}\nSHOW k\n"));
        assert!(picture.contains(&shown), "{shown}: {picture}");
    }
}

#[test]
fn other_types_and_missing_keys_are_errors() {
    let script = "SET s abc\nSADD t 1 2\nSHOW s\nSHOW t\nSHOW none\nSHOW\nSHOW t 1\n\
                  SHOW t LIMIT x\nSHOW t LIMIT -1\n";
    assert_golden("other-types.txt", &answer(script));
}

/// Returns bytes as a quoted argument.
fn typed(bytes: &[u8]) -> String {
    let escaped: Vec<_> = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("\"{}\"", escaped.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_set_is_drawn_without_control_characters(
        elements in vec((vec(any::<u8>(), 0..80), any::<i32>()), 1..400),
        key in vec(any::<u8>(), 0..80),
        limit in 0..40usize,
        max_listpack_entries in prop_oneof![Just(0), Just(1000)],
    ) {
        let key = typed(&key);
        let mut script = format!("CONFIG SET zset-max-listpack-entries {max_listpack_entries}\n");
        for (member, score) in &elements {
            writeln!(script, "ZADD {key} {score} {}", typed(member))
                .expect("writing to a string succeeds");
        }
        let picture = drawn(&script, &format!("SHOW {key} LIMIT {limit}"));
        prop_assert!(!picture.contains(|sign: char| sign.is_control() && sign != '\n'));
        let members = elements.iter().map(|(member, _)| member).collect::<BTreeSet<_>>().len();
        let members = if members == 1 { "1 member".to_owned() } else { format!("{members} members") };
        prop_assert!(picture.lines().next().unwrap_or_default().ends_with(&members));
    }

    #[test]
    fn shown_and_hidden_elements_add_up(len in 65..3000u32, limit in 0..50usize) {
        let mut script = "CONFIG SET zset-max-listpack-entries 0\nZADD k".to_owned();
        for number in 0..len {
            write!(script, " {} {number}", number.reverse_bits())
                .expect("writing to a string succeeds");
        }
        script.push('\n');
        let picture = drawn(&script, &format!("SHOW k LIMIT {limit}"));
        let number = |line: &str, end: &str| -> Option<u32> {
            line.split_once(end)?.0.rsplit(' ').next()?.parse().ok()
        };
        let shown: Vec<_> =
            picture.lines().filter_map(|line| number(line, " of 64 elements")).collect();
        let hidden = picture.lines().filter(|line| line.contains("not shown"));
        let hidden: u32 = hidden.filter_map(|line| number(line, " element")).sum();
        prop_assert_eq!(shown.iter().sum::<u32>() + hidden, len);
        prop_assert!(shown.len() <= limit);
    }
}
