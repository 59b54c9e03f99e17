//! Sets made at once: of sorted input, of other collections, of serialized text.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use proptest::collection::vec;
use proptest::prelude::*;
use zset_core::{FromSortedError, SortedSet};

use crate::LEAF;

#[test]
fn sorted_input_is_taken_as_it_is() {
    let lens: &[usize] = if cfg!(miri) { &[LEAF + 1] } else { &[0, 1, 63, 64, 65, 128, 5000] };
    for &len in lens {
        let elements = || (0..len).map(|i| (len - i, i / 3 * 3)).collect::<Vec<_>>();
        let mut sorted = elements();
        sorted.sort_unstable_by_key(|&(member, score)| (score, member));
        let set = SortedSet::<usize, usize>::from_sorted_iter(sorted.iter().copied()).unwrap();
        set.check();
        assert_eq!(set, elements().into_iter().collect::<SortedSet<_, _>>());
        assert!(set.into_iter().eq(sorted));
    }
}

#[test]
fn sorted_input_that_is_not_sorted_is_refused_at_the_first_such_element() {
    let build = |elements: &[(u32, u32)]| {
        SortedSet::<u32, u32>::from_sorted_iter(elements.iter().copied()).map(|set| set.len())
    };
    assert_eq!(build(&[(1, 5), (2, 4)]), Err(FromSortedError::NotAscending { index: 1 }));
    assert_eq!(build(&[(2, 5), (1, 5)]), Err(FromSortedError::NotAscending { index: 1 }));
    assert_eq!(build(&[(1, 5), (1, 5)]), Err(FromSortedError::NotAscending { index: 1 }));
    assert_eq!(build(&[(1, 5), (1, 6)]), Err(FromSortedError::DuplicateMember { index: 1 }));
    assert_eq!(
        build(&[(1, 1), (2, 2), (3, 3), (1, 4), (0, 0)]),
        Err(FromSortedError::DuplicateMember { index: 3 })
    );

    let mut elements: Vec<_> = (0..LEAF as u32 + 9).map(|i| (i, i)).collect();
    elements[LEAF].1 = 0;
    assert_eq!(build(&elements), Err(FromSortedError::NotAscending { index: LEAF }));
    elements[LEAF] = (7, LEAF as u32);
    assert_eq!(build(&elements), Err(FromSortedError::DuplicateMember { index: LEAF }));
    // Another fault behind it changes nothing.
    elements[LEAF + 2].1 = 0;
    assert_eq!(build(&elements), Err(FromSortedError::DuplicateMember { index: LEAF }));
}

#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn few_large_members_fit_where_they_are_inserted_one_by_one() {
    // On the stack, 64 of them would be a megabyte, several times over.
    let elements = (0..10_u8).map(|i| ([i; 16 << 10], i));
    let sorted = SortedSet::<_, _>::from_sorted_iter(elements.clone()).unwrap();
    let mut collected: SortedSet<_, _> = elements.collect();
    assert!(collected == sorted);
    collected.shrink_to_fit();
    collected.check();
    assert!(collected == sorted);
}

#[test]
fn of_equal_members_the_last_score_counts() {
    let elements = [("a", 1), ("b", 2), ("a", 3)];
    let expected = SortedSet::from([("b", 2), ("a", 3)]);
    assert_eq!(SortedSet::from(elements), expected);
    assert_eq!(SortedSet::<_, _>::from_iter(elements), expected);
    let mut extended = SortedSet::from([("b", 9)]);
    extended.extend(elements);
    assert_eq!(extended, expected);
}

/// Names that differ in case only are equal.
#[derive(Clone, Debug)]
struct Caseless(String);

impl PartialEq for Caseless {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Caseless {}

impl PartialOrd for Caseless {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Caseless {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.to_lowercase().cmp(&other.0.to_lowercase())
    }
}

impl Hash for Caseless {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_lowercase().hash(state);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 64,
        ..ProptestConfig::default()
    })]

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn elements_collected_are_those_inserted_one_by_one(
        elements in vec(("[a-cA-C]{1,4}", 0..50u32), 0..800),
    ) {
        let elements = elements.into_iter().map(|(name, score)| (Caseless(name), score));
        let mut inserted = SortedSet::<_, _>::new();
        for (name, score) in elements.clone() {
            inserted.insert(name, score);
        }
        let collected: SortedSet<_, _> = elements.collect();
        collected.check();
        // Not only equal: of equal names, the first one stays.
        let text = |set: &SortedSet<Caseless, u32>| {
            set.iter().map(|(name, score)| (name.0.clone(), score)).collect::<Vec<_>>()
        };
        prop_assert_eq!(text(&collected), text(&inserted));
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn append_moves_everything_over() {
    // Those of similar size are merged, others inserted one by one.
    let merged = [(0, 65), (40, 80), (64, 100), (200, 300), (2000, 2980), (2000, 5000)];
    let inserted =
        [(0, 64), (40, 24), (200, 0), (200, 30), (200, 200), (0, 0), (2000, 499), (2000, 2979)];
    for (own, others) in merged.into_iter().chain(inserted) {
        // Made one by one: unlike those of a merged set, its leaves are not full.
        let mut set: SortedSet<u32, u32> = SortedSet::new();
        (0..own).for_each(|i| _ = set.insert(i * 7 % own.max(1), i % 50));
        let mut expected: BTreeMap<_, _> =
            set.iter().map(|(member, score)| (*member, score)).collect();
        let added = (20..20 + others).map(|i| (i, i * 5 % 60));
        let mut other: SortedSet<u32, u32> = added.clone().collect();
        expected.extend(added);
        set.append(&mut other);
        set.check();
        other.check();
        assert!(other.is_empty());
        assert_eq!(set, expected.into_iter().collect::<SortedSet<_, _>>());
        let mut whole = set.clone();
        whole.shrink_to_fit();
        if merged.contains(&(own, others)) {
            assert_eq!(set.allocation_size(), whole.allocation_size(), "{own} and {others}");
        }
        other.insert(1, 1);
        other.check();
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn append_keeps_the_member_that_was_there_of_two_that_are_equal() {
    let named = |names: std::ops::Range<u32>, letter: char| {
        names.map(move |i| (Caseless(format!("{letter}{i}")), i / 3))
    };
    for others in [4, 100, 2000] {
        let mut set: SortedSet<Caseless, u32> = named(0..400, 'a').collect();
        set.append(&mut named(390..390 + others, 'A').collect::<SortedSet<_, _>>());
        set.check();
        assert_eq!(set.len() as u32, 390 + others.max(10));
        let small = set.iter().filter(|(name, _)| name.0.starts_with('a')).count();
        assert_eq!(small, 400, "{others} others");
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn capacity_changes_no_answer() {
    for capacity in [0, 1, LEAF, LEAF + 1, 1000, 100_000] {
        let mut set: SortedSet<u32, u32> = SortedSet::with_capacity(capacity);
        set.check();
        assert!(set.is_empty());
        assert_eq!(set.allocation_size() == 0, capacity == 0);
        set.extend((0..300).map(|i| (i, i)));
        set.check();
        assert!(set.iter().map(|(member, _)| *member).eq(0..300));
    }
}

#[test]
fn a_new_set_allocates_nothing() {
    assert_eq!(SortedSet::<u32>::new().allocation_size(), 0);
    assert_eq!(SortedSet::<u32>::default().allocation_size(), 0);
    assert_eq!(SortedSet::<u32>::from([]).allocation_size(), 0);
    assert_eq!(SortedSet::<u32>::from_iter([]).allocation_size(), 0);
}

#[cfg(feature = "serde")]
mod serialized {
    use zset_core::{Score, SortedMap, SortedSet};

    #[test]
    fn a_set_is_a_map_in_order_and_reads_back_the_same() {
        let elements = [("b", 1.5), ("a", 1.5), ("c", -2.0)];
        let set: SortedSet<String> =
            elements.map(|(member, score)| (member.to_string(), Score::new(score).unwrap())).into();
        let text = serde_json::to_string(&set).unwrap();
        assert_eq!(text, r#"{"c":-2.0,"a":1.5,"b":1.5}"#);
        let back: SortedSet<String> = serde_json::from_str(&text).unwrap();
        back.check();
        assert_eq!(back, set);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn a_set_of_several_leaves_reads_back_the_same() {
        let set: SortedSet<u32, i64> = (0..300).map(|i| (i, -i64::from(i) / 2)).collect();
        let text = serde_json::to_string(&set).unwrap();
        let back: SortedSet<u32, i64> = serde_json::from_str(&text).unwrap();
        back.check();
        assert_eq!(back, set);
    }

    #[test]
    fn of_equal_members_in_the_text_the_last_score_counts() {
        let text = r#"{"a": 1, "b": 2, "a": 3}"#;
        let set: SortedSet<String, i32> = serde_json::from_str(text).unwrap();
        set.check();
        assert_eq!(set, SortedSet::from([("b".to_string(), 2), ("a".to_string(), 3)]));
    }

    #[test]
    fn a_sorted_map_is_a_sequence_in_order_and_reads_back_the_same() {
        let map: SortedMap<(u8, u8), char, i32> = [((2, 1), 'y', 7), ((1, 1), 'x', -3)].into();
        let text = serde_json::to_string(&map).unwrap();
        assert_eq!(text, r#"[[[1,1],"x",-3],[[2,1],"y",7]]"#);
        let back: SortedMap<(u8, u8), char, i32> = serde_json::from_str(&text).unwrap();
        back.check();
        assert_eq!(back, map);
    }

    #[test]
    fn a_sorted_map_with_a_key_twice_is_refused() {
        let text = r#"[["a", 1, 1], ["b", 2, 2], ["a", 3, 3]]"#;
        let error = serde_json::from_str::<SortedMap<String, u8, i32>>(text).unwrap_err();
        assert!(error.to_string().starts_with("repeated key"), "{error}");
        for text in ["{}", "1", r#"[["a", 1]]"#, r#"[["a", 1, "x"]]"#, r#"[["a", 1, 1]"#] {
            assert!(serde_json::from_str::<SortedMap<String, u8, i32>>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_map_of_scores_is_refused() {
        for text in ["[]", "1", r#"{"a": "1"}"#, r#"{"a": null}"#, r#"{"a": 1"#, r#"{"a": []}"#] {
            assert!(serde_json::from_str::<SortedSet<String>>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_nan_is_refused() {
        use serde::Deserialize as _;
        use serde::de::value::{Error, F64Deserializer, MapDeserializer};

        // JSON has no NaN, so it comes from a format that has.
        let nan = [("a", F64Deserializer::<Error>::new(f64::NAN))];
        let map = MapDeserializer::<_, Error>::new(nan.into_iter());
        let error = SortedSet::<String>::deserialize(map).unwrap_err();
        assert_eq!(error.to_string(), "score is not a number");
    }
}
