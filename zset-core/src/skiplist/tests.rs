//! Tests of internals: how many nodes an operation visits, and the limit on leaves.

use core::cell::Cell;
use core::cmp::Ordering;
use rand_core::Rng;
use std::vec::Vec;

use super::height::Heights;
use super::leaves::Leaves;
use super::{Relocate, SkipList};
use crate::handle::{Handle, LEAF_CAPACITY};
use crate::{TryReserveError, visits};

const MANY: u32 = if cfg!(miri) { 150 } else { 100_000 };

/// Returns the numbers below `n`, each once, in scattered order.
fn shuffled(n: u32) -> impl Iterator<Item = u32> {
    // A step coprime to n.
    (0..n).map(move |i| (u64::from(i) * 7_919 % u64::from(n)) as u32)
}

/// Returns the numbers below `n`, each once, in random order.
///
/// The order of `shuffled` fills all leaves at the same rate, unlike a random load.
fn scattered(n: u32) -> impl Iterator<Item = u32> {
    let mut generator = Heights::DEFAULT;
    let mut numbers: Vec<u32> = (0..n).collect();
    numbers.sort_by_cached_key(|_| generator.next_u32());
    numbers.into_iter()
}

/// The maximum number of nodes that one operation may visit: on the way down, a block and, where scores
/// are equal, the first members of some of its children; on the way up, a block and its neighbours.
fn bound(list: &SkipList<u32, u32>) -> usize {
    // A block has at least 8 children, and a leaf that is not merged holds few elements.
    let levels = (list.leaves.count().max(1).ilog2() / 3 + 2) as usize;
    assert!(list.levels as usize <= levels, "{} levels", list.levels);
    // Splitting or merging a block updates the parent of all its children.
    40 + levels * (24 + 2 * 64)
}

fn operations_stay_logarithmic(heights: Heights, score: impl Fn(u32) -> u32) {
    let mut list = SkipList::with_heights(heights);
    for (i, member) in shuffled(MANY).enumerate() {
        let visited = visits::during(|| list.insert(member, score(member)));
        assert!(visited <= bound(&list), "insert looks at {visited} nodes");
        if i % 10_000 == 0 {
            list.check();
        }
    }
    list.check();
    for member in shuffled(MANY).step_by(17) {
        let score = score(member);
        let mut rank = None;
        let visited = visits::during(|| rank = list.rank(&member, score));
        assert!(visited <= bound(&list), "rank looks at {visited} nodes");
        let visited = visits::during(|| assert!(list.get_by_rank(rank.unwrap()).is_some()));
        assert!(visited <= list.levels as usize + 2, "get_by_rank looks at {visited} nodes");
        let visited = visits::during(|| _ = list.range_by_score(score..).next());
        assert!(visited <= bound(&list), "range_by_score looks at {visited} nodes");
        let visited = visits::during(|| _ = list.iter().nth(rank.unwrap()));
        assert!(visited <= list.levels as usize + 5, "nth looks at {visited} nodes");
        let visited = visits::during(|| _ = list.iter().nth_back(rank.unwrap()));
        assert!(visited <= list.levels as usize + 5, "nth_back looks at {visited} nodes");
    }
    for (i, member) in shuffled(MANY).enumerate() {
        let visited = visits::during(|| assert!(list.remove(&member, score(member)).is_some()));
        assert!(visited <= bound(&list), "remove looks at {visited} nodes");
        if i % 10_000 == 0 {
            list.check();
        }
    }
    list.check();
    assert!(list.is_empty());
}

#[test]
fn operations_stay_logarithmic_with_random_heights() {
    operations_stay_logarithmic(Heights::DEFAULT, |member| member);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes there")]
fn operations_stay_logarithmic_if_every_height_is_minimal() {
    operations_stay_logarithmic(Heights::constant(u32::MAX), |member| member);
}

#[test]
fn operations_stay_logarithmic_if_every_height_is_maximal() {
    operations_stay_logarithmic(Heights::constant(0), |member| member);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes there")]
fn operations_stay_logarithmic_if_all_scores_are_equal() {
    operations_stay_logarithmic(Heights::DEFAULT, |_| 7);
    operations_stay_logarithmic(Heights::constant(0), |_| 7);
}

#[test]
fn ascending_and_descending_loads_leave_full_leaves() {
    for ascending in [true, false] {
        for heights in [Heights::DEFAULT, Heights::constant(0), Heights::constant(u32::MAX)] {
            let mut list = SkipList::with_heights(heights);
            for i in 0..MANY {
                let score = if ascending { i } else { MANY - i };
                let visited = visits::during(|| list.insert(i, score));
                assert!(visited <= bound(&list), "insert looks at {visited} nodes");
            }
            list.check();
            assert_eq!(list.leaves.count(), (MANY as usize).div_ceil(LEAF_CAPACITY));
        }
    }
}

std::thread_local! {
    static COMPARISONS: Cell<u32> = const { Cell::new(0) };
}

/// A number that counts how often it is compared.
#[derive(PartialEq, Eq)]
struct Compared(u32);

impl PartialOrd for Compared {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Compared {
    fn cmp(&self, other: &Self) -> Ordering {
        COMPARISONS.set(COMPARISONS.get() + 1);
        self.0.cmp(&other.0)
    }
}

#[test]
fn an_append_is_compared_with_the_last_element_only() {
    let mut list = SkipList::new();
    list.insert(Compared(0), ());
    for i in 1..MANY {
        COMPARISONS.set(0);
        list.insert(Compared(i), ());
        assert_eq!(COMPARISONS.get(), 1, "at {i}");
    }
    list.check();
}

#[test]
fn an_insertion_beyond_the_handle_limit_is_an_error() {
    let mut list = SkipList::new();
    let mut score = 0;
    // The limit is lowered to 4 leaves, since reaching 2^26 would take too long.
    while list.leaves.count() < 3 {
        list.insert((), score);
        score += 1;
    }
    let Leaves::Blocks(arena) = &mut list.leaves else { unreachable!("3 leaves") };
    arena.set_limit(4);
    while list.try_insert((), score).is_ok() {
        score += 1;
    }
    list.check();
    assert_eq!(list.len(), 4 * LEAF_CAPACITY);
    assert_eq!(list.try_insert((), 0), Err(TryReserveError::CapacityOverflow));
    assert_eq!(list.len(), 4 * LEAF_CAPACITY);
    assert!(list.iter().map(|((), score)| score).eq(0..256));
    list.pop_first();
    assert_eq!(list.try_insert((), 0), Ok(()));
    list.check();
}

#[test]
#[should_panic(expected = "sorted set is full: its handles have 32 bits")]
fn insert_panics_with_a_clear_message_at_the_limit() {
    let mut list: SkipList<(), u32> = (0..65).map(|score| ((), score)).collect();
    let Leaves::Blocks(arena) = &mut list.leaves else { unreachable!("2 leaves") };
    arena.set_limit(2);
    list.extend((65..).map(|score| ((), score)));
}

/// A dict that is a plain table of handles.
struct Table {
    /// The handle of each member.
    handles: Vec<Handle>,
    moves: Cell<usize>,
}

impl Relocate<u32> for Table {
    type Token = u32;

    fn token(&self, member: &u32) -> u32 {
        *member
    }

    fn relocate(&mut self, member: u32, from: Handle, to: Handle) {
        assert_eq!(
            self.handles[member as usize], from,
            "a move does not start where the member is"
        );
        assert!(!self.handles.contains(&to), "a member moves to where another is");
        self.handles[member as usize] = to;
        self.moves.set(self.moves.get() + 1);
    }

    fn forget(&mut self, member: u32, handle: Handle) {
        assert_eq!(self.handles[member as usize], handle, "another element is removed");
        self.handles[member as usize] = Handle::NONE;
    }
}

/// A list with its dict. Every member is its own score.
struct Followed {
    list: SkipList<u32, u32>,
    table: Table,
}

impl Followed {
    fn new(bound: u32) -> Followed {
        let handles = std::vec![Handle::NONE; bound as usize];
        Followed { list: SkipList::new(), table: Table { handles, moves: Cell::new(0) } }
    }

    fn insert(&mut self, member: u32) {
        let Followed { list, table } = self;
        let target = list.search(member, |other: &u32| *other < member);
        let vacancy = list.make_room(target, table).unwrap();
        table.handles[member as usize] = list.put(vacancy, member);
    }

    fn remove(&mut self, member: u32) {
        let Followed { list, table } = self;
        let handle = table.handles[member as usize];
        assert_eq!(list.element_at(handle), (&member, member));
        let (element, _) = list.take_at(list.position_of(handle), member, table);
        assert_eq!(element, (member, member));
    }

    /// Returns the number of moves reported since the last call.
    fn moves(&self) -> usize {
        self.table.moves.take()
    }

    fn check(&self) {
        self.list.check();
        let members = (0..).zip(&self.table.handles).filter(|(_, handle)| **handle != Handle::NONE);
        assert!(self.list.iter().map(|(_, score)| score).eq(members.clone().map(|(m, _)| m)));
        for (member, &handle) in members {
            assert_eq!(self.list.element_at(handle), (&member, member));
        }
    }
}

#[test]
fn every_move_is_reported_and_handles_stay_unique() {
    let n = if cfg!(miri) { 150 } else { 2_000 };
    let mut followed = Followed::new(n);
    shuffled(n).for_each(|member| followed.insert(member));
    followed.check();
    shuffled(n).for_each(|member| followed.remove(member));
    assert!(followed.list.is_empty());
    assert!(followed.moves() > 0);
}

const LEAF: u32 = LEAF_CAPACITY as u32;

/// Returns a list of three leaves: the middle one is full and holds the even numbers from `2 * LEAF`
/// on; the other two have the given lengths.
fn around_a_full_leaf(before: u32, behind: u32) -> Followed {
    let mut followed = Followed::new(6 * LEAF);
    (0..3 * LEAF).for_each(|i| followed.insert(2 * i));
    (before..LEAF).for_each(|i| followed.remove(2 * i));
    (behind..LEAF).for_each(|i| followed.remove(2 * (2 * LEAF + i)));
    assert_eq!(followed.list.leaves.count(), 3);
    followed.moves();
    followed
}

/// Returns the lengths of the leaves, in order.
fn lens(list: &SkipList<u32, u32>) -> Vec<usize> {
    let first = (list.head != super::NONE).then_some(list.head);
    let forward = |&id: &u32| Some(list.leaf(id).forward).filter(|&id| id != super::NONE);
    core::iter::successors(first, forward).map(|id| list.leaf(id).len()).collect()
}

#[test]
fn a_full_leaf_shares_with_its_emptier_neighbour() {
    // Lengths before, position of the insertion in the full leaf, lengths afterwards.
    for (before, behind, position, expected) in [
        (40, 64, 1, &[53, 52, 64][..]),
        (40, 64, 64, &[52, 53, 64]),
        (64, 40, 1, &[64, 53, 52]),
        (64, 40, 64, &[64, 52, 53]),
        (30, 29, 20, &[30, 48, 46]),
        (29, 30, 20, &[46, 48, 30]),
        (20, 1, 64, &[20, 33, 33]),
        // Neither neighbour has enough room, so the leaf splits.
        (41, 41, 1, &[41, 33, 32, 41]),
    ]
    .into_iter()
    .take(if cfg!(miri) { 1 } else { usize::MAX })
    {
        let mut followed = around_a_full_leaf(before, behind);
        followed.insert(2 * (LEAF + position) - 1);
        followed.check();
        assert_eq!(lens(&followed.list), expected, "{before} before, {behind} behind");
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn sharing_returns_the_right_position_wherever_the_insertion_is() {
    for (before, behind) in [(40, 64), (64, 40), (33, 64), (64, 17)] {
        for position in 1..=LEAF {
            let mut followed = around_a_full_leaf(before, behind);
            followed.insert(2 * (LEAF + position) - 1);
            followed.check();
            assert_eq!(followed.list.leaves.count(), 3);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn alternating_insertions_and_removals_share_once() {
    for (before, behind) in [(40, 64), (64, 40), (16, 64), (64, 16)] {
        let mut followed = around_a_full_leaf(before, behind);
        let number = 2 * LEAF + 33;
        followed.insert(number);
        assert!(followed.moves() >= 12, "nothing was shared");
        for _ in 0..10 {
            followed.remove(number);
            followed.insert(number);
        }
        // Each removal may move one element, into the vacated slot.
        assert!(followed.moves() <= 10);
        followed.check();
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn a_queue_moves_no_more_than_fills_slots() {
    for window in [1, 40, 3 * LEAF] {
        let mut followed = Followed::new(8 * LEAF);
        for member in 0..8 * LEAF {
            followed.insert(member);
            assert_eq!(followed.moves(), 0);
            if let Some(first) = member.checked_sub(window) {
                followed.remove(first);
                assert!(followed.moves() <= 1);
            }
        }
        followed.check();
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes there")]
fn random_loads_fill_leaves_better_than_splits_alone() {
    let mut list = SkipList::new();
    scattered(20_000).for_each(|member| list.insert(member, member));
    list.check();
    // Splits alone fill leaves to ln 2 = 0.69.
    let leaves = list.leaves.count();
    assert!(list.len() * 100 > leaves * LEAF_CAPACITY * 75, "{leaves} leaves");
}
