//! Tests bulk construction from sorted input and from other collections.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use zset_core::SortedSet;
use zset_core::sorted_set::FromSortedError;

use crate::LEAF;
use crate::labelled::Labelled;

#[test]
fn sorted_input_is_accepted() {
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
fn unsorted_input_is_rejected_at_the_first_misplaced_element() {
    let build = |elements: &[(u32, u32)]| {
        SortedSet::<u32, u32>::from_sorted_iter(elements.iter().copied()).map(|set| set.len())
    };
    assert_eq!(build(&[(1, 5), (2, 4)]), Err(FromSortedError::NotAscending { rank: 1 }));
    let [order, repeat] = [(1, 4), (1, 6)].map(|other| build(&[(1, 5), other]).unwrap_err());
    assert_eq!(order.to_string(), "element 1 is out of order");
    assert_eq!(repeat.to_string(), "member of element 1 repeats an earlier one");
    assert_eq!(build(&[(2, 5), (1, 5)]), Err(FromSortedError::NotAscending { rank: 1 }));
    assert_eq!(build(&[(1, 5), (1, 5)]), Err(FromSortedError::NotAscending { rank: 1 }));
    assert_eq!(build(&[(1, 5), (1, 6)]), Err(FromSortedError::DuplicateMember { rank: 1 }));
    assert_eq!(
        build(&[(1, 1), (2, 2), (3, 3), (1, 4), (0, 0)]),
        Err(FromSortedError::DuplicateMember { rank: 3 })
    );

    let mut elements: Vec<_> = (0..LEAF as u32 + 9).map(|i| (i, i)).collect();
    elements[LEAF].1 = 0;
    assert_eq!(build(&elements), Err(FromSortedError::NotAscending { rank: LEAF }));
    elements[LEAF] = (7, LEAF as u32);
    assert_eq!(build(&elements), Err(FromSortedError::DuplicateMember { rank: LEAF }));
    // A second error later in the input does not change the result.
    elements[LEAF + 2].1 = 0;
    assert_eq!(build(&elements), Err(FromSortedError::DuplicateMember { rank: LEAF }));
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn building_from_few_large_members_does_not_overflow_the_stack() {
    // A full leaf of these members occupies 1 MB, so it must not be built on the stack.
    let elements = (0..10_u8).map(|i| ([i; 16 << 10], i));
    let sorted = SortedSet::<_, _>::from_sorted_iter(elements.clone()).unwrap();
    let mut collected: SortedSet<_, _> = elements.collect();
    assert!(collected == sorted);
    collected.shrink_to_fit();
    collected.check();
    assert!(collected == sorted);
}

proptest! {
    #![proptest_config(crate::config(64, 1))]

    #[test]
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn collecting_equals_inserting_one_by_one(
        elements in vec((0..120_u16, 0..50_u32), 0..800),
    ) {
        let labelled = |(label, (number, score))| (Labelled(number, label), score);
        let elements = elements.into_iter().enumerate().map(labelled);
        let mut inserted = SortedSet::<_, _>::new();
        for (member, score) in elements.clone() {
            inserted.insert(member, score);
        }
        let collected: SortedSet<_, _> = elements.collect();
        collected.check();
        // Compares the labels as well: of several equal members, the first one is kept.
        let exact = |(member, score): (&Labelled<u16, usize>, &u32)| (member.0, member.1, *score);
        prop_assert!(collected.iter().map(exact).eq(inserted.iter().map(exact)));
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn append_moves_all_elements() {
    // The sets are merged if both together fill more than a leaf, and `other` has at least half as
    // many new members as `set` has elements. Otherwise, the new elements are inserted one by one.
    let merged = [(0, 65), (40, 80), (64, 100), (200, 300), (2000, 2980), (2000, 5000)];
    let inserted =
        [(0, 64), (40, 24), (200, 0), (200, 30), (200, 200), (0, 0), (2000, 499), (2000, 2979)];
    for (own, others) in merged.into_iter().chain(inserted) {
        // This set is built by single insertions, which leave room in its leaves, unlike a merge.
        let mut set: SortedSet<u32, u32> = SortedSet::new();
        (0..own).for_each(|i| _ = set.insert(i * 7 % own.max(1), i % 50));
        let mut expected: BTreeMap<_, _> =
            set.iter().map(|(member, score)| (*member, *score)).collect();
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
        let is_full = set.allocation_size() == whole.allocation_size();
        let is_merged = merged.contains(&(own, others));
        assert!(is_full == is_merged || set.len() <= LEAF, "{own} and {others}");
        other.insert(1, 1);
        other.check();
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn capacity_does_not_affect_results() {
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
