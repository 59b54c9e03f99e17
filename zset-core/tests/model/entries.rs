//! Tests the entry API, and changes of a single score.

use std::borrow::Borrow;
use std::cell::Cell;
use zset_core::sorted_set::Entry;
use zset_core::{NanScore, Score, ScoreOverflow, SortedMap, SortedSet, Unordered};

use crate::LEAF;
use crate::labelled::Labelled;

fn sample() -> SortedSet<usize, usize> {
    (0..3 * LEAF).map(|i| (i, 10 * i)).collect()
}

#[test]
fn an_occupied_entry_follows_its_element_across_leaves() {
    let mut set = sample();
    let Entry::Occupied(mut entry) = set.entry(5) else { panic!("5 is in the set") };
    // Moves the element to both ends and into full leaves, over short and long distances.
    let mut old = 50;
    for (score, rank) in [(5000, 191), (1285, 128), (0, 1), (645, 64), (55, 5), (51, 5), (50, 5)] {
        assert_eq!(entry.update(|old| old + score), old);
        assert_eq!(entry.insert(score), old + score);
        assert_eq!((entry.member(), entry.score(), entry.rank()), (&5, &score, rank));
        old = score;
    }
    set.check();
    assert_eq!(set, sample());
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn an_occupied_entry_survives_merges_of_leaves() {
    let mut set = sample();
    set.retain(|member, _| member % 9 == 0);
    let Entry::Occupied(mut entry) = set.entry(9) else { panic!("9 is in the set") };
    for score in [1900, 0, 700, 2000, 1, 1300, 90] {
        entry.insert(score);
        assert_eq!((entry.member(), entry.score()), (&9, &score));
    }
    assert_eq!(entry.remove_entry(), (9, 90));
    set.check();
    assert_eq!(set.score(&9), None);

    // The element moves to the last leaf, whose two elements then move to the first one.
    let mut set: SortedSet<usize, usize> = (0..=LEAF).map(|i| (i, i)).collect();
    set.retain(|&member, _| member < 17 || member == LEAF);
    let Entry::Occupied(mut entry) = set.entry(9) else { panic!("9 is in the set") };
    entry.insert(100);
    assert_eq!((entry.member(), entry.score()), (&9, &100));
}

#[test]
fn a_vacant_entry_inserts_or_returns_its_member() {
    let mut set: SortedSet<String, i32> = SortedSet::new();
    let Entry::Vacant(entry) = set.entry("a".to_string()) else { panic!("the set is empty") };
    assert_eq!(entry.into_member(), "a");
    assert!(set.is_empty());

    let Entry::Vacant(entry) = set.entry("a".to_string()) else { panic!("the set is empty") };
    let mut entry = entry.insert_entry(7);
    assert_eq!((entry.member().as_str(), entry.score(), entry.rank()), ("a", &7, 0));
    assert_eq!(entry.insert(8), 7);
    set.check();

    let Entry::Vacant(entry) = set.entry("b".to_string()) else { panic!("b is not in the set") };
    assert_eq!(entry.insert(9), &9);
    set.check();
    assert!(set.iter().eq([(&"a".to_string(), &8), (&"b".to_string(), &9)]));
}

#[test]
fn insert_entry_returns_an_entry_that_follows_its_element() {
    let mut set = sample();
    // Inserts new members and existing ones, into full leaves and at both ends.
    for (member, score) in [(5, 645), (5, 0), (1000, 641), (1001, 5000), (70, 700), (1000, 1)] {
        let old = set.score(&member).copied();
        let mut entry = set.entry(member).insert_entry(score);
        assert_eq!((entry.member(), entry.score()), (&member, &score));
        assert_eq!(entry.insert(2000), score);
        assert_eq!(entry.insert(score), 2000);
        let rank = entry.rank();
        assert_eq!(entry.into_score(), &score);
        set.check();
        assert_eq!(set.rank(&member), Some(rank));
        assert_eq!(set.get_by_rank(rank), Some((&member, &score)));
        assert_eq!(old.is_none(), member >= 1000 && (member, score) != (1000, 1));
    }
    assert_eq!(set.len(), 3 * LEAF + 2);
}

#[test]
fn entry_closures_run_only_when_needed() {
    let mut set = SortedSet::from([("a", 1)]);
    let entry = set.entry("a").or_insert_with(|| unreachable!("the member is in the set"));
    assert_eq!(entry, &1);
    let entry = set.entry("a").or_insert_with_key(|_| unreachable!("the member is in the set"));
    assert_eq!(entry, &1);
    let absent = set.entry("b").and_modify(|_| unreachable!("the member is not in the set"));
    assert_eq!(absent.member(), &"b");
    assert_eq!(absent.or_insert_with(|| 3), &3);
    assert_eq!(
        set.entry("ccc").or_insert_with_key(|member| i32::try_from(member.len()).unwrap()),
        &3
    );
    assert_eq!(set.entry("a").and_modify(|score| score + 9).or_insert(0), &10);
    assert_eq!(set.remove("a"), Some(10));
    assert_eq!(set, SortedSet::from([("b", 3), ("ccc", 3)]));
}

#[test]
fn a_member_given_by_reference_is_converted_only_if_it_is_absent() {
    thread_local! {
        static CONVERSIONS: Cell<u32> = const { Cell::new(0) };
    }

    #[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct Page(String);

    impl Borrow<str> for Page {
        fn borrow(&self) -> &str {
            &self.0
        }
    }
    impl From<&str> for Page {
        fn from(page: &str) -> Self {
            CONVERSIONS.set(CONVERSIONS.get() + 1);
            Page(page.to_string())
        }
    }

    let (mut set, mut map) = (SortedSet::<Page, u32>::new(), SortedMap::<Page, u32, u32>::new());
    for (time, page) in (1..).zip(["home", "help", "home", "home"]) {
        set.entry_ref(page).and_modify(|visits| visits + 1).or_insert(1);
        *map.entry_ref(page).or_default(time) += time;
    }
    assert_eq!(CONVERSIONS.get(), 4);
    set.check();
    map.check();
    assert_eq!((set.score("home"), set.score("help")), (Some(&3), Some(&1)));
    assert_eq!((map.get("home"), map.score("home")), (Some(&8), Some(&1)));
    let Entry::Occupied(entry) = set.entry_ref("help") else { panic!("it is in the set") };
    assert_eq!(entry.remove(), 1);

    let mut queue = SortedSet::<Unordered<String>, u32>::new();
    assert_eq!(queue.entry_ref("mail").or_default(), &0);
    assert_eq!(queue.entry_ref("mail").insert_entry(2).rank(), 0);
}

#[test]
fn an_equal_member_does_not_replace_the_stored_one() {
    let mut set = SortedSet::from([(Labelled(1, "old"), 1)]);
    set.insert(Labelled(1, "new"), 2);
    set.entry(Labelled(1, "newer")).or_insert(3);
    set.entry(Labelled(1, "newer")).insert_entry(4);
    set.increment(Labelled(1, "newest"), 1).unwrap();
    assert_eq!(set.pop_first().map(|(member, score)| (member.1, score)), Some(("old", 5)));
}

#[test]
fn an_increment_that_overflows_keeps_the_old_score() {
    let mut set: SortedSet<&str, i8> = SortedSet::from([("high", 120), ("low", -120)]);
    assert_eq!(set.increment("high", 8), Err(ScoreOverflow));
    assert_eq!(set.increment("low", -9), Err(ScoreOverflow));
    assert_eq!(set, SortedSet::from([("high", 120), ("low", -120)]));
    assert_eq!(set.increment("high", 7), Ok(127));
    assert_eq!(set.increment("new", -128), Ok(-128));
    set.check();

    let mut set: SortedSet<&str, u64> = SortedSet::new();
    assert_eq!(set.increment("a", u64::MAX), Ok(u64::MAX));
    assert_eq!(set.increment("a", 1), Err(ScoreOverflow));
    assert_eq!(set.score("a"), Some(&u64::MAX));
}

#[test]
fn an_increment_to_nan_keeps_the_old_score() {
    let mut set: SortedSet<&str> = SortedSet::from([("inf", Score::INFINITY)]);
    assert_eq!(set.increment("inf", f64::NEG_INFINITY), Err(NanScore));
    assert_eq!(set.increment("inf", f64::NAN), Err(NanScore));
    assert_eq!(set.score("inf"), Some(&Score::INFINITY));
    assert_eq!(set.increment("absent", f64::NAN), Err(NanScore));
    assert_eq!(set.score("absent"), None, "a failed increment inserts nothing");
    assert_eq!(set.increment("inf", -1e308), Ok(Score::INFINITY));
    assert_eq!(set.increment("absent", -0.0).map(|score| score.get().to_bits()), Ok(0));
    set.check();
}

#[test]
fn lookups_accept_borrowed_forms() {
    let mut set: SortedSet<String, i32> = SortedSet::from([("a".to_string(), 1)]);
    assert_eq!((set.score("a"), set.contains("b")), (Some(&1), false));
    assert_eq!((set.rank("a"), set.rev_rank("a"), set.rank("b")), (Some(0), Some(0), None));
    assert_eq!(set.update("a", |score| score + 1), Some(1));
    assert_eq!(set.remove_entry("a"), Some(("a".to_string(), 2)));
    assert_eq!(set.remove("a"), None);
}
