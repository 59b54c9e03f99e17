//! Tests scores that own memory, equal scores that differ in a label, and optional scores. The
//! module `types` runs random sequences of operations with strings as scores.

use std::cell::Cell;
use std::cmp::Reverse;
use std::ops::Bound::{Excluded, Included, Unbounded};
use zset_core::{FixedSortedSet, SkipList, SortedMap, SortedSet};

use crate::labelled::Labelled;

#[test]
fn ranges_of_strings_take_strs() {
    let score = |member: u16| format!("{:04}", member / 2);
    let set: SortedSet<u16, String> = (0..300).map(|member| (member, score(member))).collect();
    let map: SortedMap<u16, u16, String> = set.iter().map(|(&m, s)| (m, m, s.clone())).collect();
    let list: SkipList<u16, String> = set.clone().into_iter().collect();
    let mut fixed = FixedSortedSet::<u16, String, 9>::new();
    for member in 0..9 {
        fixed.try_insert(member, score(member)).unwrap();
    }
    let range = (Excluded("0003"), Included("0100"));
    assert!(set.range_by_score::<str>(range).map(|(member, _)| *member).eq(8..202));
    assert!(map.range_by_score::<str>(range).map(|(key, ..)| *key).eq(8..202));
    assert!(list.range_by_score::<str>(range).map(|(member, _)| *member).eq(8..202));
    assert!(fixed.range_by_score::<str>(range).map(|(member, _)| *member).eq([8]));
    assert_eq!(set.count_by_score::<str>((Included("0149"), Unbounded)), 2);
    assert_eq!(set.range(("0001", &3)..("0002", &5)).map(|(m, _)| *m).collect::<Vec<_>>(), [3, 4]);
    assert!(set.range_by_member("0070", &141..).map(|(m, _)| *m).eq([141]));
    assert!(list.contains(&140, "0070") && !list.contains(&139, "0070"));
    let (mut lower, mut list) = (set.clone(), list);
    let upper = lower.split_off_by_score("0100");
    assert_eq!((lower.len(), upper.len()), (200, 100));
    assert_eq!(lower.drain_by_score::<str>((Unbounded, Excluded("0010"))).len(), 20);
    assert_eq!(lower.remove_range_by_score::<str>((Included("0090"), Unbounded)), 20);
    assert_eq!(list.remove(&140, "0070"), Some((140, score(140))));
    for set in [lower, upper] {
        set.check();
    }
    list.check();
}

/// A method that sets a score stores the given one, even if the old one is equal. Conditional
/// insertions keep an equal score, as it is neither lower nor higher.
#[test]
fn an_equal_score_is_replaced_by_the_given_one() {
    let label = Cell::new(0);
    let next = |number: u32| {
        label.set(label.get() + 1);
        Labelled(number, label.get())
    };
    let elements = (0..200).map(|i| (i, Labelled(i / 3, 0)));
    let mut set: SortedSet<u32, Labelled<u32, u32>> = elements.clone().collect();
    let mut map: SortedMap<u32, (), Labelled<u32, u32>> =
        elements.map(|(m, s)| (m, (), s)).collect();
    let mut fixed = FixedSortedSet::<u32, Labelled<u32, u32>, 200>::new();
    for member in 0..200 {
        fixed.try_insert(member, Labelled(member / 3, 0)).unwrap();
        let number = member / 3;
        let is = |found: Option<&Labelled<u32, u32>>| assert_eq!(found.unwrap().1, label.get());

        assert_eq!(set.insert(member, next(number)).unwrap().1, 0);
        is(set.score(&member));
        let old = set.set_score(&member, next(number)).unwrap();
        assert_eq!(old.1, label.get() - 1);
        is(set.score(&member));
        set.update(&member, |_| next(number));
        is(set.score(&member));
        set.replace(member, next(number));
        is(set.score(&member));
        set.entry(member).insert_entry(next(number));
        is(set.score(&member));
        assert!(!set.insert_max(member, Labelled(number, 0)).is_changed());
        assert!(!set.insert_min(member, Labelled(number, 0)).is_changed());
        is(set.score(&member));

        map.insert(member, (), next(number));
        is(map.score(&member));
        map.update(&member, |(), _| next(number));
        is(map.score(&member));
        fixed.update(&member, |_| next(number));
        is(fixed.score(&member));
        fixed.try_insert(member, next(number)).unwrap();
        is(fixed.score(&member));
    }
    set.check();
    map.check();
    fixed.check();
    assert!(set.iter().map(|(member, _)| *member).eq(0..200));
}

/// The docs recommend `Reverse<Option<Reverse<T>>>` for optional scores if `None` must sort last.
#[test]
fn none_sorts_last_in_reverse_of_an_option_of_reverse() {
    let last_if_none = |time: Option<u32>| Reverse(time.map(Reverse));
    let mut set = SortedSet::new();
    for member in 0..200u32 {
        set.insert(member, last_if_none((member % 4 != 3).then_some(1_000 - member)));
    }
    set.check();
    let mut expected: Vec<u32> = (0..200).rev().filter(|member| member % 4 != 3).collect();
    expected.extend((0..200).filter(|member| member % 4 == 3));
    assert!(set.iter().map(|(member, _)| *member).eq(expected));
    assert_eq!(set.count_by_score(..=last_if_none(Some(900))), 75);
    assert_eq!(set.count_by_score(last_if_none(None)..), 50);
    set.set_score(&3, last_if_none(Some(0)));
    assert_eq!(set.first(), Some((&3, &Reverse(Some(Reverse(0))))));
}
