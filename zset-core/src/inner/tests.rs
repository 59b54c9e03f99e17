//! Tests of internals: the number of nodes that an operation visits, the limit on leaves, the
//! reporting of moves, positions among equal scores, and cuts.

use core::cell::Cell;
use core::cmp::Ordering;
use core::ops::RangeBounds;
use rand_core::Rng;
use std::collections::BTreeSet;
use std::vec::Vec;

use super::arena::visits;
use super::find::Path;
use super::index::Heights;
use super::leaf::{End, Handle, LEAF_CAPACITY, Leaves};
use super::{Clear, Core, Lookup, Nodes, Unhashed};
use crate::{SkipList, SortedMap, SortedSet, TryReserveError};

const MANY: u32 = if cfg!(miri) { 150 } else { 100_000 };

/// Returns the numbers below `n`, each once, in scattered order.
fn shuffled(n: u32) -> impl Iterator<Item = u32> {
    // 7,919 is coprime to the `n` of these tests, so each number occurs once.
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

fn with_heights<M, S>(heights: Heights) -> SkipList<M, S> {
    SkipList { core: Core { nodes: Nodes::with_heights(heights), dict: Unhashed } }
}

/// The maximum number of nodes that one operation may visit. On the way down, it visits one block
/// on each level and, where scores are equal, the first members of some of the block's children. On
/// the way up, it visits one block on each level and the block's neighbours.
fn bound(list: &SkipList<u32, u32>) -> usize {
    // A block has at least 8 = 2^3 children, which limits the number of levels.
    let levels = (list.core.nodes.leaves.count().max(1).ilog2() / 3 + 2) as usize;
    assert!(list.core.nodes.levels as usize <= levels, "{} levels", list.core.nodes.levels);
    // Splitting or merging a block updates the parent pointer of each of its children.
    40 + levels * (24 + 2 * 64)
}

/// Verifies that an operation visits at most this many nodes, and returns its result.
#[track_caller]
fn visiting<T>(most: usize, operation: impl FnOnce() -> T) -> T {
    let mut result = None;
    let visited = visits::during(|| result = Some(operation()));
    assert!(visited <= most, "{visited} nodes, not {most}");
    result.unwrap()
}

fn operations_stay_logarithmic(heights: Heights, score: fn(u32) -> u32) {
    let mut list = with_heights(heights);
    for (i, member) in shuffled(MANY).enumerate() {
        let visited = visits::during(|| list.insert(member, score(member)));
        assert!(visited <= bound(&list), "insert looks at {visited} nodes");
        if i % 10_000 == 0 {
            list.check();
        }
    }
    list.check();
    let (most, levels) = (bound(&list), list.core.nodes.levels as usize);
    for member in shuffled(MANY).step_by(17) {
        let score = score(member);
        let rank = visiting(most, || list.rank(&member, &score)).unwrap();
        assert!(visiting(levels + 2, || list.get_by_rank(rank)).is_some());
        visiting(most, || _ = list.range_by_score(score..).next());
        visiting(levels + 5, || _ = list.iter().nth(rank));
        visiting(levels + 5, || _ = list.iter().nth_back(rank));
    }
    let mut shrunk = 0;
    for (i, member) in shuffled(MANY).enumerate() {
        let shrink_bits = list.core.nodes.shrink_bits;
        let visited = visits::during(|| assert!(list.remove(&member, &score(member)).is_some()));
        // A few removals also shrink the list, which visits all remaining elements.
        let shrinks = list.core.nodes.shrink_bits != shrink_bits;
        let most = bound(&list) + if shrinks { 3 * list.len() } else { 0 };
        assert!(visited <= most, "remove looks at {visited} nodes");
        shrunk += usize::from(shrinks);
        if i % 10_000 == 0 {
            list.check();
        }
    }
    list.check();
    assert!(list.is_empty() && shrunk <= 3, "{shrunk} times");
}

#[test]
fn operations_stay_logarithmic_with_random_heights() {
    operations_stay_logarithmic(Heights::DEFAULT, |member| member);
}

#[test]
fn operations_stay_logarithmic_if_every_height_is_maximal_or_minimal() {
    operations_stay_logarithmic(Heights::constant(0), |member| member);
    if !cfg!(miri) {
        operations_stay_logarithmic(Heights::constant(u32::MAX), |member| member);
    }
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
        for heights in heights() {
            let mut list = with_heights(heights);
            for i in 0..MANY {
                let score = if ascending { i } else { MANY - i };
                let visited = visits::during(|| list.insert(i, score));
                assert!(visited <= bound(&list), "insert looks at {visited} nodes");
            }
            list.check();
            assert_eq!(list.core.nodes.leaves.count(), (MANY as usize).div_ceil(LEAF_CAPACITY));
        }
    }
}

#[test]
fn memory_reserved_for_full_leaves_is_sufficient_and_little_more() {
    let heights = [Heights::DEFAULT, Heights::constant(0), Heights::constant(u32::MAX)];
    let counts = if cfg!(miri) { 2..4 } else { 2..130 };
    let counts = counts.chain((!cfg!(miri)).then_some(4_000));
    for (leaves, heights) in counts.flat_map(|leaves| heights.clone().map(|it| (leaves, it))) {
        let mut nodes = Nodes::with_heights(heights);
        nodes.try_reserve_full_leaves(leaves * LEAF_CAPACITY).unwrap();
        let (capacity, blocks) = (leaves * LEAF_CAPACITY, nodes.blocks.capacity());
        assert!(blocks <= leaves / 32 + 5, "{blocks} blocks for {leaves} leaves");
        for leaf in 0..leaves as u32 {
            let elements = (0..LEAF).map(|member| ((member, ()), leaf));
            nodes.try_push_leaf((leaf > 0).then_some(leaf), elements).unwrap();
        }
        assert_eq!((nodes.capacity(), nodes.blocks.capacity()), (capacity, blocks));
    }
}

std::thread_local! {
    static COMPARISONS: Cell<u32> = const { Cell::new(0) };
}

/// A number that counts how often it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Scores that are known to be equal are not compared, and others only once.
#[test]
#[cfg_attr(miri, ignore = "small sets have no leaf that lies between other blocks")]
fn a_search_compares_few_scores() {
    let counted = |search: &dyn Fn()| {
        COMPARISONS.set(0);
        search();
        COMPARISONS.get() as usize
    };
    let mut list = SkipList::new();
    (0..MANY).for_each(|member| list.insert(member, Compared(1)));
    let firsts = list.core.nodes.blocks.get(list.core.nodes.top).firsts.len();
    for member in (MANY / 3..MANY - MANY / 3).step_by(997) {
        assert_eq!(counted(&|| _ = list.rank(&member, &Compared(1))), firsts);
        let range = || list.range_by_member(&Compared(1), &member..&(member + 100));
        assert!(counted(&|| _ = range()) <= firsts + 4);
    }
    let leaf: SkipList<u32, Compared> = (0..LEAF).map(|i| (i, Compared(2 * i))).collect();
    assert_eq!(counted(&|| _ = leaf.rank(&0, &Compared(7))), LEAF_CAPACITY);
}

#[test]
fn a_score_that_stays_in_its_leaf_is_compared_with_few_others() {
    let elements = (0..MANY).map(|member| (member, Compared(10 * member)));
    let mut set = SortedSet::<_, _>::from_sorted_iter(elements).unwrap();
    // The members 64 to 127 are in one leaf. The first three of these changes keep the order, and
    // the others need two or more comparisons and a search of the leaf.
    let changes = [(65, 655, 2), (70, 695, 2), (126, 1265, 2), (80, 1005, 69), (127, 1262, 67)];
    for (member, score, most) in changes {
        COMPARISONS.set(0);
        set.insert(member, Compared(score));
        assert!(COMPARISONS.get() <= most, "{} for {member}", COMPARISONS.get());
    }
    set.check();
}

#[test]
fn an_insertion_beyond_the_handle_limit_is_an_error() {
    let mut list = SkipList::new();
    let mut score = 0;
    // The limit is lowered to 4 leaves, since reaching 2^26 would take too long.
    while list.core.nodes.leaves.count() < 3 {
        list.insert((), score);
        score += 1;
    }
    let Leaves::Blocks(arena) = &mut list.core.nodes.leaves else { unreachable!("3 leaves") };
    arena.set_limit(4);
    while list.try_insert((), score).is_ok() {
        score += 1;
    }
    list.check();
    assert_eq!(list.len(), 4 * LEAF_CAPACITY);
    let error = list.try_insert((), 7).unwrap_err();
    assert_eq!((error.element, error.error), (((), 7), TryReserveError::CapacityOverflow));
    assert_eq!(list.len(), 4 * LEAF_CAPACITY);
    assert!(list.iter().map(|((), score)| *score).eq(0..256));
    list.pop_first();
    list.try_insert((), 0).unwrap();
    list.check();
}

#[test]
#[should_panic(expected = "sorted set is full: its handles have 32 bits")]
fn insert_panics_with_a_clear_message_at_the_limit() {
    let mut list: SkipList<(), u32> = (0..65).map(|score| ((), score)).collect();
    let Leaves::Blocks(arena) = &mut list.core.nodes.leaves else { unreachable!("2 leaves") };
    arena.set_limit(2);
    list.extend((65..).map(|score| ((), score)));
}

/// A dict that is a plain list of handles.
struct Handles {
    /// The handle of each member.
    of: Vec<Handle>,
    moves: Cell<usize>,
}

impl Clear for Handles {
    fn clear(&mut self) {
        self.of.fill(Handle::NONE);
    }
}

impl Lookup<u32> for Handles {
    type Token = u32;

    fn has_room(&self, _: u32) -> bool {
        true
    }

    fn try_grow<V, S>(&mut self, _: u32, _: &Nodes<u32, V, S>) -> Result<(), TryReserveError> {
        Ok(())
    }

    fn try_reserve<V, S>(&mut self, _: usize, _: &Nodes<u32, V, S>) -> Result<(), TryReserveError> {
        Ok(())
    }

    fn try_refill(&mut self, members: &[u32]) -> Result<(), TryReserveError> {
        self.clear();
        for (rank, &member) in members.iter().enumerate() {
            let (leaf, slot) = (rank / LEAF_CAPACITY, rank % LEAF_CAPACITY);
            self.of[member as usize] = Handle::new(leaf as u32, slot as u8);
        }
        Ok(())
    }

    fn token(&self, _: Handle, member: &u32) -> u32 {
        *member
    }

    fn insert(&mut self, member: u32, handle: Handle) {
        self.of[member as usize] = handle;
    }

    fn relocate(&mut self, member: u32, from: Handle, to: Handle) {
        assert_eq!(self.of[member as usize], from, "a move does not start where the member is");
        assert!(!self.of.contains(&to), "a member moves to where another is");
        self.of[member as usize] = to;
        self.moves.set(self.moves.get() + 1);
    }

    fn forget(&mut self, member: u32, handle: Handle) {
        assert_eq!(self.of[member as usize], handle, "another element is removed");
        self.of[member as usize] = Handle::NONE;
    }

    fn prepare_pop<V>(&mut self, _: usize, _: End, _: u32, _: &[(u32, V)]) {}
}

/// A core in which every member is its own score.
struct Followed {
    core: Core<u32, (), u32, Handles>,
}

impl Followed {
    fn new(bound: u32) -> Followed {
        let of = std::vec![Handle::NONE; bound as usize];
        Followed { core: Core::new(Handles { of, moves: Cell::new(0) }) }
    }

    fn insert(&mut self, member: u32) {
        let target = self.core.nodes.search_to_insert(&member, |other: &u32| *other < member);
        self.core.insert_at(target, member, ((member, ()), member)).unwrap();
    }

    fn remove(&mut self, member: u32) {
        let handle = self.core.dict.of[member as usize];
        assert_eq!(self.core.nodes.element_at(handle), (&(member, ()), &member));
        let mut position = self.core.nodes.position_of(handle);
        let element = self.core.take_at(&mut position, member);
        assert_eq!(element, ((member, ()), member));
    }

    /// Returns the number of moves reported since the last call.
    fn moves(&self) -> usize {
        self.core.dict.moves.take()
    }

    fn check(&self) {
        self.core.nodes.check();
        let members = (0..).zip(&self.core.dict.of).filter(|(_, handle)| **handle != Handle::NONE);
        let scores = self.core.nodes.iter().map(|(_, score)| *score);
        assert!(scores.eq(members.clone().map(|(member, _)| member)));
        for (member, &handle) in members {
            assert_eq!(self.core.nodes.element_at(handle), (&(member, ()), &member));
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
    assert_eq!(followed.core.nodes.len(), 0);
    assert!(followed.moves() > 0);
}

const LEAF: u32 = LEAF_CAPACITY as u32;

/// Returns a list of three leaves. The middle one is full, and contains the even numbers from `2 *
/// LEAF` on. The other two have the given lengths.
fn around_a_full_leaf(before: u32, behind: u32) -> Followed {
    let mut followed = Followed::new(6 * LEAF);
    (0..3 * LEAF).for_each(|i| followed.insert(2 * i));
    (before..LEAF).for_each(|i| followed.remove(2 * i));
    (behind..LEAF).for_each(|i| followed.remove(2 * (2 * LEAF + i)));
    assert_eq!(followed.core.nodes.leaves.count(), 3);
    followed.moves();
    followed
}

/// Returns the lengths of the leaves, in order.
fn lens(nodes: &Nodes<u32, (), u32>) -> Vec<usize> {
    let forward = |&id: &u32| Some(nodes.leaf(id).forward).filter(|&id| id != super::NONE);
    core::iter::successors(Some(nodes.head), forward).map(|id| nodes.leaf(id).len()).collect()
}

#[test]
fn a_full_leaf_shares_with_its_emptier_neighbour() {
    // Each case lists the lengths of the leaves before and after the full one, the position of the
    // insertion in the full leaf, and the expected lengths of all leaves.
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
        assert_eq!(lens(&followed.core.nodes), expected, "{before} before, {behind} behind");
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests access memory in the same ways")]
fn sharing_returns_the_right_position_wherever_the_insertion_is() {
    for (before, behind) in [(40, 64), (64, 40), (33, 64), (64, 17)] {
        for position in 1..=LEAF {
            let mut followed = around_a_full_leaf(before, behind);
            followed.insert(2 * (LEAF + position) - 1);
            followed.check();
            assert_eq!(followed.core.nodes.leaves.count(), 3);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests access memory in the same ways")]
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
        // Each removal may move one element into the vacated slot.
        assert!(followed.moves() <= 10);
        followed.check();
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests access memory in the same ways")]
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
    // Splits alone would fill leaves to an average of ln 2 = 69 %.
    let leaves = list.core.nodes.leaves.count();
    assert!(list.len() * 100 > leaves * LEAF_CAPACITY * 75, "{leaves} leaves");
}

/// Returns the leaf to which a path leads.
fn leaf_on(nodes: &Nodes<u32, (), u32>, path: Path) -> u32 {
    let top = if nodes.levels == 0 { nodes.head } else { nodes.top };
    (1..=nodes.levels.into())
        .rev()
        .fold(top, |id, level| nodes.blocks.get(id).children[path.index_on(level)])
}

/// Creates a list with `run` members for each score except the first and the last, inserted in
/// scattered order.
fn with_runs(len: u32, run: u32) -> (SkipList<u32, u32>, Vec<(u32, u32)>) {
    let score = |member: u32| (member + run / 2) / run;
    let mut list = SkipList::new();
    shuffled(len).for_each(|member| list.insert(2 * member, score(member)));
    list.check();
    (list, (0..len).map(|member| (score(member), 2 * member)).collect())
}

/// Searches for the positions before and after elements, with runs of equal scores that start and
/// end anywhere in leaves and blocks.
#[test]
fn positions_among_equal_scores() {
    let (lens, runs): (&[u32], &[u32]) = if cfg!(miri) {
        (&[130], &[1, 50])
    } else {
        (&[1, 60, 200, 5_000, 40_000], &[1, 2, 50, 64, 700, 10_000, 100_000])
    };
    for &len in lens {
        for &run in runs {
            let (list, elements) = with_runs(len, run);
            let list = &list.core.nodes;
            for (rank, &(score, member)) in elements.iter().enumerate().step_by(37) {
                let rank_of = |(position, _)| list.rank_of(position);
                let before = list.search(&score, |&other| other < member);
                assert_eq!(rank_of(before), rank, "{len} by {run}");
                let after = list.search(&score, |&other| other <= member);
                assert_eq!(rank_of(after), rank + 1, "{len} by {run}");
                assert!((before.1, before.0.index) < (after.1, after.0.index));
                assert_eq!(leaf_on(list, after.1), after.0.leaf);
                // The ranks at which the elements of this score start and end.
                let first = elements.partition_point(|&(other, _)| other < score);
                let end = elements.partition_point(|&(other, _)| other <= score);
                assert_eq!(rank_of(list.search(&score, |_| false)), first);
                assert_eq!(rank_of(list.search(&score, |_| true)), end);
                for is_after in [false, true] {
                    let mut path = Path::FIRST;
                    let found = list.search_score(&score, is_after, |_, index| path.push(index));
                    assert_eq!((found, path), list.search(&score, |_| is_after));
                }
            }
        }
    }
}

#[test]
fn the_end_of_a_range_near_and_far_from_its_start() {
    let (len, runs): (_, &[u32]) =
        if cfg!(miri) { (200, &[64]) } else { (3_000, &[1, 40, 64, 700, 3_000]) };
    for &run in runs {
        let (list, elements) = with_runs(len, run);
        let list = &list.core.nodes;
        for (rank, &(score, member)) in elements.iter().enumerate().step_by(97) {
            let start = list.search(&score, |&other| other < member);
            for ahead in [0, 1, 2, 30, 64, 65, 130, 200, 260, 400, 2_000] {
                let Some(&(end_score, end)) = elements.get(rank + ahead) else { break };
                let found = list.search_from(start, &end_score, |&other| other <= end);
                let found_rank = list.rank_of(found.0);
                assert_eq!(found_rank, rank + ahead + 1, "{ahead} after {rank}, runs of {run}");
                assert!((start.1, start.0.index) < (found.1, found.0.index));
            }
            // In an inverted range, the position found for the end must not be after the start.
            let (score, before) = elements[rank / 2];
            let found = list.search_from(start, &score, |&other| other < before);
            assert!(list.rank_of(found.0) <= rank);
            assert!((found.1, found.0.index) <= (start.1, start.0.index));
        }
    }
}

/// Creates a list of the members `0..len`, each with itself as its score. The leaves are full or,
/// if members are inserted in scattered order, partly filled.
fn filled(heights: &Heights, len: u32, is_scattered: bool) -> SkipList<u32, u32> {
    let mut list = with_heights(heights.clone());
    let insert = |member| list.insert(member, member);
    if is_scattered {
        shuffled(len).for_each(insert);
    } else {
        (0..len).for_each(insert);
    }
    list
}

fn heights() -> [Heights; 3] {
    [Heights::DEFAULT, Heights::constant(0), Heights::constant(u32::MAX)]
}

fn members(list: &SkipList<u32, u32>) -> impl Iterator<Item = u32> {
    list.iter().map(|(member, _)| *member)
}

fn try_cut(list: &mut SkipList<u32, u32>, ranks: impl RangeBounds<usize>) -> SkipList<u32, u32> {
    let nodes = list.core.try_cut(list.core.nodes.resolve_ranks(&ranks)).unwrap();
    SkipList { core: Core { nodes, dict: Unhashed } }
}

/// Cuts the elements at these ranks, and verifies both lists.
fn cut(list: &mut SkipList<u32, u32>, start: usize, end: usize) -> SkipList<u32, u32> {
    let mut expected: Vec<u32> = members(list).collect();
    let cut = try_cut(list, start..end);
    list.check();
    cut.check();
    assert!(members(&cut).eq(expected.drain(start..end)), "cut {start}..{end}");
    assert!(members(list).eq(expected), "left after {start}..{end}");
    cut
}

#[test]
fn cuts_at_leaf_and_block_boundaries() {
    let lens: &[u32] = if cfg!(miri) { &[66] } else { &[1, 2, 64, 65, 129, 1_000, 4_500] };
    for &len in lens {
        let end = len as usize;
        // Ranks at the boundaries of leaves, at those of blocks with 8 or 64 leaves, and elsewhere.
        let ranks = match len {
            4_500 => [0, 64, 4_096, end].to_vec(),
            _ => [0, 64, 512, end / 3, end - end / 5, end].to_vec(),
        };
        let near = |rank: usize| rank.saturating_sub(1)..=end.min(rank + 1);
        let ranks: BTreeSet<usize> = ranks.into_iter().flat_map(near).collect();
        for heights in heights() {
            for is_scattered in [false, true] {
                let list = filled(&heights, len, is_scattered);
                for &start in ranks.iter().step_by(if cfg!(miri) { 8 } else { 1 }) {
                    for &end in ranks.range(start..).step_by(if cfg!(miri) { 8 } else { 1 }) {
                        cut(&mut list.clone(), start, end);
                    }
                }
            }
        }
    }
}

#[test]
fn repeated_cuts() {
    let (len, rounds) = if cfg!(miri) { (100, 2) } else { (20_000, 300) };
    for heights in heights() {
        let mut random = Heights::DEFAULT;
        let mut below = |n: usize| random.next_u32() as usize % (n + 1);
        let mut list = filled(&heights, len, true);
        for round in 0..rounds {
            let start = below(list.len());
            // Most cuts are small, which leaves blocks with few children next to each other.
            let most = if round % 8 == 0 { list.len() / 3 } else { 400 };
            let end = (start + below(most)).min(list.len());
            let cut = cut(&mut list, start, end);
            if round % 3 == 0 {
                list.extend(cut);
                list.check();
            }
        }
        while !list.is_empty() {
            let len = list.len();
            cut(&mut list, len / 7, len - len / 9);
        }
        list.insert(1, 1);
        list.check();
    }
}

/// Some cuts leave one element in a leaf, below a block with one child on every level.
#[test]
#[cfg_attr(miri, ignore = "takes minutes there")]
fn a_large_list_cut_to_few_elements_has_few_levels() {
    for heights in heights() {
        let list = filled(&heights, 60_000, true);
        for (start, end) in [(1, 59_999), (0, 59_999), (1, 60_000), (30_000, 59_990), (5, 30_000)] {
            let mut list = list.clone();
            cut(&mut list, start, end);
            let (levels, leaves) = (list.core.nodes.levels, list.core.nodes.leaves.count());
            assert!(u32::from(levels) <= leaves.ilog2() / 3 + 1, "{levels} levels");
        }
    }
}

#[test]
fn small_leaves_around_a_gap_merge() {
    let mut list = filled(&Heights::DEFAULT, 256, false);
    cut(&mut list, 10, 246);
    assert_eq!((list.len(), list.core.nodes.leaves.count(), list.core.nodes.levels), (20, 1, 0));
    // Here the gap is within a single leaf, which then merges with its neighbour.
    let mut list = filled(&Heights::DEFAULT, 80, false);
    cut(&mut list, 3, 60);
    assert_eq!((list.len(), list.core.nodes.leaves.count()), (23, 1));
}

#[test]
fn a_small_leaf_merges_with_either_neighbour() {
    // Neither 17 and 20 nor 16 and 25 elements merge, but one fewer do.
    for (len, other_len) in [(17, 20), (16, 25)] {
        for (small, other) in [(0, 64), (64, 0)] {
            let mut followed = Followed::new(128);
            (0..128).for_each(|member| followed.insert(member));
            (other + other_len..other + 64).for_each(|member| followed.remove(member));
            (small + len..small + 64).for_each(|member| followed.remove(member));
            assert_eq!(lens(&followed.core.nodes).len(), 2);
            followed.moves();
            followed.remove(small + len - 1);
            let (moved, merged) = (len - 1, len - 1 + other_len);
            assert_eq!(lens(&followed.core.nodes), [merged as usize]);
            assert_eq!(followed.moves(), moved as usize);
            followed.check();
        }
    }
}

/// Returns the numbers of children of the level-1 blocks, in order.
fn block_lens(nodes: &Nodes<u32, (), u32>) -> Vec<usize> {
    let leaves = nodes.leaf_ids(nodes.head, nodes.tail);
    let mut parents: Vec<u32> = leaves.map(|id| nodes.leaf(id).parent).collect();
    parents.dedup();
    parents.into_iter().map(|id| nodes.blocks.get(id).len()).collect()
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests access memory in the same ways")]
fn a_high_leaf_starts_a_block_if_both_blocks_are_large_enough() {
    let mut list = filled(&Heights::constant(0), 16 * LEAF, false);
    assert_eq!(list.core.nodes.blocks.capacity(), 1, "a block of 15 children does not split");
    list.insert(0, 7 * LEAF + 40);
    list.check();
    assert_eq!(block_lens(&list.core.nodes), [8, 9]);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests access memory in the same ways")]
fn a_small_block_merges_with_its_sibling_or_shares_evenly() {
    // Each case lists the number of leaves removed from the larger block and the expected numbers
    // of children. The other block loses two leaves.
    for (removed, expected) in [(0, &[31, 32][..]), (14, &[24, 25]), (15, &[48])] {
        for (is_ascending, is_cut) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut list = with_heights(Heights::constant(u32::MAX));
            for i in 0..65 * LEAF {
                let blocks = &list.core.nodes.blocks;
                assert!(i > 64 * LEAF || blocks.capacity() == blocks.len(), "a spare block");
                list.insert(i, if is_ascending { i } else { 65 * LEAF - i });
            }
            let mut remove_leaf = |is_last| {
                let start = if is_last { list.len() - LEAF_CAPACITY } else { 0 };
                if is_cut {
                    try_cut(&mut list, start..start + LEAF_CAPACITY);
                } else {
                    (0..LEAF).for_each(|_| _ = list.remove_by_rank(start));
                }
                list.check();
                block_lens(&list.core.nodes)
            };
            (0..removed).for_each(|_| _ = remove_leaf(!is_ascending));
            let large = 56 - removed;
            let lens = remove_leaf(is_ascending);
            assert_eq!(lens, if is_ascending { [large, 8] } else { [8, large] });
            assert_eq!(remove_leaf(is_ascending), expected);
        }
    }
}

/// A cut visits a few nodes per element, and one path down and up for each end.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests access memory in the same ways")]
fn a_cut_visits_few_nodes() {
    let len = 100_000;
    for heights in heights() {
        for is_scattered in [false, true] {
            let list = filled(&heights, len, is_scattered);
            for cut_len in [1, 10, 64, 100, 1_000, 50_000] {
                let start = len as usize / 3;
                let end = (start + cut_len).min(len as usize - 1);
                let mut list = list.clone();
                let visited = visits::during(|| drop(try_cut(&mut list, start..end)));
                // Repairing a block updates the parent pointer of each of its children. Leaves
                // around the gap may merge.
                let levels = list.core.nodes.levels as usize + 1;
                let bound = 200 + levels * 500 + 12 * (end - start);
                assert!(visited <= bound, "{visited} nodes for {cut_len}, at most {bound}");
            }
        }
    }
}

#[test]
fn cutting_all_or_nothing_moves_no_element() {
    let mut list = filled(&Heights::DEFAULT, 10, false);
    assert!(try_cut(&mut list, 4..4).is_empty());
    let address = list.first().map(|(member, _)| core::ptr::from_ref(member));
    let all = try_cut(&mut list, ..);
    assert_eq!(all.first().map(|(member, _)| core::ptr::from_ref(member)), address);
    assert!(list.is_empty());
    list.check();
    assert_eq!(list.allocation_size(), SkipList::<u32, u32>::new().allocation_size());
}

#[test]
fn a_given_generator_seeds_the_heights() {
    let generator = || Heights::constant(7);
    let draw = |mut heights: Heights| [(); 3].map(|()| heights.next_u32());
    let expected = draw(Heights::from_rng(&mut generator()));
    assert_ne!(draw(Heights::DEFAULT), expected);
    let set = SortedSet::<u32, u32>::from_rng(&mut generator());
    let map = SortedMap::<u32, u32, u32>::from_rng(&mut generator());
    let list = SkipList::<u32, u32>::from_rng(&mut generator());
    let heights = [set.core.nodes.heights, map.core.nodes.heights, list.core.nodes.heights];
    assert_eq!(heights.map(draw), [expected; 3]);
}
