//! Tests of drawings of arbitrary sets.

use proptest::collection::vec;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;
use zset_core::{ListpackLimits, Score, ZSet};

use super::text::WIDTH;
use super::*;

fn drawn(value: &Value, key: &[u8], limit: Option<usize>, width: usize) -> String {
    let what = Show { key, limit };
    let picture = show(&what, Some(value), Style::Plain, width).expect("it is there");
    for line in picture.lines() {
        assert!(line.width() <= width, "{line}");
        assert!(!line.contains(|sign: char| sign.is_control()), "{line:?}");
    }
    picture
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_set_is_drawn_within_the_width(
        elements in vec((vec(any::<u8>(), 0..80), any::<f64>()), 1..400),
        key in vec(any::<u8>(), 0..80),
        limit in proptest::option::of(0..40usize),
        max_listpack_entries in prop_oneof![Just(0), Just(1000)],
        width in 30..=WIDTH,
    ) {
        let mut set = ZSet::with_limits(ListpackLimits { max_listpack_entries, ..ListpackLimits::default() });
        for (member, score) in &elements {
            if let Ok(score) = Score::new(*score) {
                set.insert(member, score);
            }
        }
        prop_assume!(!set.is_empty());
        let len = set.len();
        let picture = drawn(&Value::SortedSet(set), &key, limit, width);
        let heading = picture.split("\n\n").next().unwrap_or_default().replace("\n ", "");
        prop_assert!(heading.ends_with(&text::count(len, "member")), "{}", heading);
    }

    #[test]
    fn elements_that_are_shown_and_those_that_are_not_add_up(
        len in 65..3000u32,
        limit in 0..50usize,
    ) {
        let mut set = ZSet::new();
        for number in 0..len {
            set.insert(number.to_string(), Score::from(number.reverse_bits()));
        }
        set.promote();
        let picture = drawn(&Value::SortedSet(set), b"k", Some(limit), WIDTH);
        let number = |line: &str, end: &str| -> Option<u32> {
            line.split_once(end)?.0.rsplit(' ').next()?.parse().ok()
        };
        let shown: u32 = picture.lines().filter_map(|line| number(line, " of 64 elements")).sum();
        let hidden = picture.lines().filter(|line| line.contains("not shown"));
        let hidden: u32 = hidden.filter_map(|line| number(line, " element")).sum();
        prop_assert_eq!(shown + hidden, len);
        let leaves = picture.lines().filter(|line| line.contains(" of 64 elements")).count();
        prop_assert!(leaves <= limit);
    }
}
