//! Tests sets that grow to many leaves and shrink until they are empty, in various orders.

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use zset_core::{SkipList, SortedMap, SortedSet};

use crate::LEAF;

/// Enough elements for an index of several levels and for a dict of many segments.
const MANY: u32 = if cfg!(miri) { 200 } else { 100_000 };

/// The number of calls of `check()`. It is small because each call takes linear time.
const CHECKS: u32 = if cfg!(miri) { 2 } else { 10 };

/// Returns the members `0..MANY` in random order.
fn shuffled(seed: u64) -> Vec<u32> {
    let mut members: Vec<u32> = (0..MANY).collect();
    members.shuffle(&mut SmallRng::seed_from_u64(seed));
    members
}

/// Inserts members, every three of which share a score.
fn grown(members: impl IntoIterator<Item = u32>) -> SortedSet<u32, u32> {
    let mut set = SortedSet::new();
    for (i, member) in (1..).zip(members) {
        assert_eq!(set.insert(member, member / 3), None);
        if i % (MANY / CHECKS) == 0 {
            set.check();
            assert_eq!(set.len(), i as usize);
        }
    }
    let expected = (0..MANY).map(|member| (member, member / 3));
    assert!(set.iter().map(|(&member, &score)| (member, score)).eq(expected));
    set
}

/// Removes elements with `take` until the set is empty.
fn shrink(mut set: SortedSet<u32, u32>, mut take: impl FnMut(&mut SortedSet<u32, u32>)) {
    for left in (0..MANY).rev() {
        take(&mut set);
        assert_eq!(set.len(), left as usize);
        if left % (MANY / CHECKS) == 0 {
            set.check();
        }
    }
    assert_eq!(set.iter().next(), None);
    set.insert(1, 1);
    set.check();
}

#[test]
fn growth_and_removal_in_random_orders() {
    let mut removed = shuffled(2).into_iter();
    shrink(grown(shuffled(1)), |set| {
        let member = removed.next().unwrap();
        assert_eq!(set.remove(&member), Some(member / 3));
    });
}

#[test]
fn growth_in_any_order_and_removal_from_the_ends() {
    // Pairs of an order of insertion and the share of removals from the front.
    let orders = [(shuffled(1), 0.5), ((0..MANY).collect(), 1.0), ((0..MANY).rev().collect(), 0.0)];
    for (members, from_front) in orders.into_iter().take(if cfg!(miri) { 1 } else { 3 }) {
        let mut random = SmallRng::seed_from_u64(3);
        let mut expected = (0..MANY).map(|member| (member, member / 3));
        shrink(grown(members), |set| {
            if random.random_bool(from_front) {
                assert_eq!(set.pop_first(), expected.next());
            } else {
                assert_eq!(set.pop_last(), expected.next_back());
            }
        });
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn removal_of_whole_ranges() {
    let mut set = grown(shuffled(1));
    let third = MANY as usize / 3;
    assert_eq!(set.remove_range_by_rank(third..2 * third), third);
    set.check();
    assert_eq!(set.get_by_rank(third), Some((&(2 * third as u32), &(2 * third as u32 / 3))));
    let low = set.count_by_score(..third as u32 / 6);
    assert_eq!(set.remove_range_by_score(..third as u32 / 6), low);
    set.check();
    assert_eq!(set.len(), MANY as usize - third - low);
    assert_eq!(set.remove_range_by_score(..), MANY as usize - third - low);
    set.check();
    assert!(set.is_empty());
}

/// Creates a set of full leaves. Each score is `scale` times the member.
fn full(leaves: usize, scale: usize) -> SortedSet<usize, usize> {
    SortedSet::from_sorted_iter((0..leaves * LEAF).map(|i| (i, scale * i))).unwrap()
}

/// The index stores the first score of every leaf but the first, and must be updated when that
/// element is removed. The score is on a higher level if the leaf is the first child of its block.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn removal_of_the_first_element_of_every_leaf() {
    let leaves = 80;
    let firsts: Vec<usize> = (0..leaves).map(|leaf| leaf * LEAF).collect();
    for firsts in [firsts.clone(), firsts.into_iter().rev().collect()] {
        let mut set = full(leaves, 1);
        for first in &firsts {
            assert_eq!(set.remove(first), Some(*first));
            set.check();
        }
        assert!(set.iter().all(|(member, _)| member % LEAF != 0));
        for first in firsts {
            assert_eq!(set.count_by_score(..first), first - first / LEAF);
        }
    }
}

/// Empties each leaf from its front, so that it merges with a neighbour or is removed.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn removal_of_leaves_element_by_element() {
    let leaves = 20;
    for leaf in 0..leaves {
        let mut set = full(leaves, 1);
        let members = leaf * LEAF..(leaf + 1) * LEAF;
        for member in members.clone() {
            assert_eq!(set.remove(&member), Some(member));
            set.check();
        }
        assert!(set.iter().all(|(member, _)| !members.contains(member)));
        assert_eq!(set.len(), (leaves - 1) * LEAF);
    }
}

/// Moves elements from each leaf to every other, at the start, in the middle and at the end.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn moves_from_every_leaf_to_every_other() {
    let leaves = 6;
    let set = full(leaves, 10);
    let places = [0, 1, LEAF / 2, LEAF - 1];
    let ranks = || (0..leaves).flat_map(|leaf| places.map(|place| leaf * LEAF + place));
    for (from, to) in ranks().flat_map(|from| ranks().map(move |to| (from, to))) {
        for score in [10 * to - usize::from(to > 0), 10 * to + 1] {
            let mut set = set.clone();
            assert_eq!(set.insert(from, score), Some(10 * from));
            set.check();
            assert_eq!(set.score(&from), Some(&score));
            let before = set.iter().filter(|&(&m, &other)| (other, m) < (score, from)).count();
            assert_eq!(set.rank(&from), Some(before));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn shrinking_frees_memory() {
    let mut set = grown(shuffled(1));
    let grown_size = set.allocation_size();
    let left = MANY as usize / 100;
    set.remove_range_by_rank(left..);
    set.shrink_to_fit();
    set.check();
    assert_eq!(set.len(), left);
    assert!(set.allocation_size() < grown_size / 20, "{} of {grown_size}", set.allocation_size());
    set.clear();
    set.shrink_to_fit();
    assert_eq!(set.allocation_size(), 0);
}

#[test]
fn shrinking_an_empty_set_list_or_map_frees_all_memory() {
    let mut set: SortedSet<u32, u32> = SortedSet::with_capacity(1000);
    assert!(set.allocation_size() > 0);
    set.shrink_to_fit();
    assert_eq!(set.allocation_size(), 0);

    let mut list: SkipList<u32, u32> = SkipList::with_capacity(1000);
    assert!(list.allocation_size() > 0);
    list.shrink_to_fit();
    assert_eq!(list.allocation_size(), 0);

    let mut map: SortedMap<u32, u32, u32> = SortedMap::with_capacity(1000);
    assert!(map.allocation_size() > 0);
    map.shrink_to_fit();
    assert_eq!(map.allocation_size(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_list_shrinks_to_full_leaves() {
    let mut list: SkipList<u32, u32> = shuffled(1).into_iter().map(|i| (i, i)).collect();
    let grown_size = list.allocation_size();
    list.shrink_to_fit();
    list.check();
    assert!(list.allocation_size() < grown_size);
    assert!(list.iter().map(|(_, score)| *score).eq(0..MANY));
    list.retain(|member, _| member % 100 == 0);
    list.shrink_to_fit();
    list.check();
    assert!(list.allocation_size() < grown_size / 20);
    assert!(list.iter().map(|(_, score)| *score).eq((0..MANY).step_by(100)));
}

#[test]
fn a_list_of_one_element_repeated_grows_and_shrinks() {
    let mut list = SkipList::new();
    let len = MANY as usize / 10;
    for _ in 0..len {
        list.insert((), ());
    }
    list.check();
    assert_eq!(list.count_by_score(()..=()), len);
    for left in (0..len).rev() {
        assert_eq!(list.remove(&(), &()), Some(((), ())));
        assert_eq!(list.len(), left);
    }
    list.check();
}
