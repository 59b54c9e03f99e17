//! Tests scores that own memory and are cloned into the index. Each clone and each drop of a score
//! panics in turn. The module `whole` tests most changes of a single element.
//!
//! An operation clones scores before it changes anything, so a panicking clone leaves the
//! collection unchanged. It drops scores of the index last, so a panicking drop leaves the
//! collection as it was before or after the operation. Either way, the index has exactly one copy
//! of the first score of each leaf, except the first leaf.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::{SkipList, SortedMap};

use crate::cutting::{LEN, RUNS, thin};
use crate::fuse::{Code, at_every_call_of, calls, run};
use crate::panics::before_or_after;
use crate::subject::{
    self, Collection, Left, Member, Mixing, Numbered, Weight, check, contents, count_members,
    filled_with, live_scores, verify,
};
use crate::{LEAF, unless_miri};

type Set = subject::Set<Mixing, Weight>;

fn weight(number: u32) -> Weight {
    Weight::of(number)
}

/// Creates a set of full leaves.
fn filled(len: u32) -> Set {
    filled_with(len)
}

/// Verifies the invariants of a set, and that scores are neither leaked nor dropped twice. `others`
/// is the number of live scores outside the set.
fn check_scores(set: &Set, others: i64) {
    check(set);
    assert_eq!(Some(live_scores() - others), set.held_scores(), "of {} elements", set.len());
}

/// Verifies that a panicking clone leaves a collection unchanged, and that a panicking drop leaves
/// it in the state before or after the operation.
///
/// If dropping a temporary panics, the returned value leaks. The closures therefore drop returned
/// scores before their temporaries.
#[track_caller]
fn all_or_nothing<C: Collection, R>(original: &C, operation: impl Fn(&mut C) -> R) {
    let codes = [Code::ScoreClone, Code::ScoreDrop, Code::Drop];
    verify(original, &codes, Left::AllOrNothing, operation);
}

/// Verifies an operation that may stop halfway, between two elements.
#[track_caller]
fn halfway<C: Collection, R>(original: &C, operation: impl Fn(&mut C) -> R) {
    verify(original, &[Code::ScoreClone, Code::ScoreDrop], Left::Halfway, operation);
}

/// Scores before, at the start of, inside, and after the leaves of a set.
fn places() -> impl Iterator<Item = u32> {
    let leaf = 10 * LEAF;
    let all = [0, 5, 305, leaf - 5, leaf, leaf + 5, leaf + 305, 2 * leaf - 5, 99_999];
    all.into_iter().step_by(unless_miri(1, 4))
}

/// Numbers of members at the start, inside and at the end of leaves.
fn numbers() -> impl Iterator<Item = u32> {
    let all = [0, 1, 30, LEAF - 1, LEAF, LEAF + 1, LEAF + 30, 2 * LEAF - 1, LEN - 1];
    all.into_iter().step_by(unless_miri(1, 4))
}

#[test]
fn insertions_in_order_that_add_a_leaf() {
    for leaves in 1..unless_miri(4, 2) {
        let set = filled(LEAF * leaves);
        all_or_nothing(&set, |set| drop(set.insert(Member::new(5000), weight(99_999))));
        let mut set = Set::default();
        for number in (1..=LEAF * leaves).rev() {
            set.insert(Member::new(number), weight(10 * number));
        }
        all_or_nothing(&set, |set| drop(set.insert(Member::new(5000), weight(0))));
    }
}

#[test]
fn insertions_into_a_full_leaf_that_shares_with_its_neighbour() {
    for thin in [0, 2] {
        let mut set = filled(3 * LEAF);
        set.remove_range_by_rank((thin * LEAF + 20) as usize..(thin * LEAF + 50) as usize);
        let full = 10 * LEAF + 305;
        all_or_nothing(&set, |set| drop(set.insert(Member::new(5000), weight(full))));
        // Moves elements to the middle of the second leaf, which is full: from the other full leaf,
        // from the leaf that was thinned out, and from within the second leaf.
        for number in [(2 - thin) * LEAF, thin * LEAF, thin * LEAF + 3, LEAF, LEAF + 3] {
            all_or_nothing(&set, |set| {
                drop(set.update(&Member::new(number), |_| weight(full)));
            });
        }
    }
}

/// Thins out full leaves in order, so that they merge until one is left.
#[test]
fn removals_and_moves_at_every_stage_of_a_shrinking_set() {
    let leaves = unless_miri(4, 2);
    let mut set = filled(leaves * LEAF);
    let step = unless_miri(7, 60);
    for (stage, number) in (0..leaves * LEAF).filter(|number| number % 9 != 0).enumerate() {
        if stage % step == 0 || set.len() < 40 {
            all_or_nothing(&set, |set| drop(set.remove(&Member::new(number))));
            all_or_nothing(&set, |set| {
                drop(set.update(&Member::new(number), |_| weight(99_999)));
            });
            all_or_nothing(&set, Set::pop_first);
            all_or_nothing(&set, Set::pop_last);
        }
        set.remove(&Member::new(number));
    }
}

/// Empties the leaves of several blocks one by one. A leaf that becomes small cannot merge, since
/// its neighbours have too many elements.
#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn removals_that_empty_leaves_and_merge_blocks() {
    let leaves = 80;
    let mut set = filled(leaves * LEAF);
    set.retain(|member, _| member.number() % LEAF < 41);
    let held = set.len() + leaves as usize - 1;
    assert_eq!(set.held_scores(), i64::try_from(held).ok());
    for leaf in (0..leaves - 1).map(|i| i * 37 % leaves) {
        let first = Member::new(LEAF * leaf);
        let rank = set.rank(&first).unwrap();
        set.remove_range_by_rank(rank + 1..rank + 41);
        all_or_nothing(&set, |set| drop(set.remove(&first)));
        all_or_nothing(&set, |set| drop(set.update(&first, |_| weight(999_999))));
        if leaf % 32 == 0 {
            let len = set.len();
            all_or_nothing(&set, |set| set.drain_by_rank(len / 5..len - 20).count());
        }
        set.remove(&first);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn removals_that_free_memory() {
    let mut set = Set::default();
    for number in 0..4_000 {
        set.insert(Member::new(number), weight(10 * number));
    }
    loop {
        let mut popped = set.clone();
        popped.pop_first();
        if popped.allocation_size() < set.allocation_size() / 4 {
            break;
        }
        set.pop_first().expect("memory is freed before the set is empty");
    }
    // Memory is freed after the removal, so a panic leaves the set either unchanged or without the
    // removed elements.
    before_or_after(&set, Set::pop_first);
    before_or_after(&set, |set| set.remove_by_rank(40));
    let first = Member::new(4_000 - set.len() as u32);
    before_or_after(&set, |set| _ = set.remove(&first));
    before_or_after(&set, |set| set.drain_by_rank(20..40).count());
}

#[test]
fn drains_and_splits() {
    for set in [filled(LEN), thin(), filled(20)] {
        let len = set.len();
        let leaf = LEAF as usize;
        for (start, end) in [(0, 1), (leaf, leaf + 1), (10, leaf)].into_iter().chain(RUNS) {
            let (start, end) = (start.min(len), end.min(len));
            all_or_nothing(&set, |set| set.drain_by_rank(start..end).count());
            all_or_nothing(&set, |set| {
                let mut drain = set.drain_by_rank(start..end);
                let ends = (drain.next(), drain.next_back());
                drop(drain);
                ends
            });
            all_or_nothing(&set, |set| drop(set.split_off_by_rank(start)));
        }
        let (low, high, key) = (weight(95), weight(9 * LEAF), Member::new(40));
        all_or_nothing(&set, |set| set.drain_by_score::<Weight>(&low..&high).count());
        all_or_nothing(&set, |set| set.drain_range((&low, &key)..(&high, &key)).count());
        all_or_nothing(&set, |set| set.drain_by_member(&weight(400), &key..).count());
        all_or_nothing(&set, |set| drop(set.split_off_by_score(&high)));
        all_or_nothing(&set, |set| drop(set.drain().nth(7)));
    }
}

#[test]
fn rebuilds() {
    for set in [thin(), filled(LEN), filled(20), filled(0)] {
        all_or_nothing(&set, Set::shrink_to_fit);
        all_or_nothing(&set, |set| set.reserve(500));
        all_or_nothing(&set, |set| set.clone());
        all_or_nothing(&set, |set| *set = set.clone());
        all_or_nothing(&set, |set| {
            drop(set.union_with(set, |a, b| weight(a.number() + b.number())));
        });
        all_or_nothing(&set, |set| drop(set.intersection_with(set, |a, _| a.clone())));
        all_or_nothing(&set, |set| drop(&*set | &filled(30)));
        all_or_nothing(&set, |set| drop(&*set ^ &filled(30)));
        all_or_nothing(&set, |set| {
            _ = Set::from_sorted_iter(set.iter().map(|(m, s)| (m.clone(), s.clone())));
        });
        all_or_nothing(&set, |set| {
            set.iter().rev().map(|(m, s)| (m.clone(), s.clone())).collect::<Set>()
        });
    }
}

#[test]
fn ranges_removed_one_by_one() {
    for set in [filled(LEN), thin()] {
        let leaf = LEAF as usize;
        halfway(&set, |set| set.remove_range_by_rank(leaf - 3..leaf + 40));
        let (low, high, key) = (weight(95), weight(9 * LEAF), Member::new(40));
        halfway(&set, |set| set.remove_range_by_score::<Weight>(&low..&high));
        halfway(&set, |set| set.remove_range((&low, &key)..(&high, &key)));
        halfway(&set, |set| set.remove_range_by_member(&weight(400), &key..));
        halfway(&set, |set| set.retain(|member, _| member.number() % 3 == 0));
        halfway(&set, |set| set.extract_if(|member, _| member.number() % 5 != 0).count());
        halfway(&set, |set| drop(set.extract_if(|member, _| member.number() % 5 != 0).nth(20)));
        halfway(&set, Set::clear);
        halfway(&set, |set| *set = Set::default());
    }
}

#[test]
fn extract_if_continues_after_a_panicking_drop() {
    count_members(|| {
        let len = LEAF * unless_miri(6, 2);
        let mut original = filled(len);
        original.retain(|member, _| member.number() % 2 == 0);
        let outside = live_scores();
        let is_extracted = |member: &Member, _: &Weight| member.number() % 7 != 0;
        for calls in 0.. {
            let mut set = original.clone();
            let mut extracted = set.extract_if(is_extracted);
            let stopped = run(Code::ScoreDrop, calls, || extracted.by_ref().for_each(drop));
            extracted.for_each(drop);
            check_scores(&set, outside);
            assert!(subject::numbers(&set).eq((0..len).step_by(14)));
            set.use_again();
            if stopped.is_some() {
                break;
            }
        }
    });
}

#[test]
fn elements_of_another_set() {
    count_members(|| {
        let set = filled(LEN);
        // Many elements are merged with those of the set. A few are inserted one by one.
        for len in [LEN, 20] {
            let others = || {
                let numbers = (LEN - 10..LEN + len).map(|number| (number, 7 * number));
                numbers.map(|(number, score)| (Member::new(number), weight(score)))
            };
            halfway(&set, |set| set.extend(others()));
            let outside = live_scores();
            at_every_call_of(
                &[Code::ScoreClone, Code::ScoreDrop],
                || (set.clone(), others().collect::<Set>()),
                |(set, other)| set.append(other),
                |(mut set, mut other), appended| {
                    check(&set);
                    check(&other);
                    let held =
                        [&set, &other].map(Collection::held_scores).iter().flatten().sum::<i64>();
                    assert_eq!(live_scores() - outside, held);
                    assert!(appended.is_err() || other.is_empty());
                    set.use_again();
                    other.use_again();
                },
            );
        }
    });
}

#[test]
fn owning_iterators() {
    count_members(|| {
        let set = filled(LEN);
        let outside = live_scores();
        at_every_call_of(
            &[Code::ScoreClone, Code::ScoreDrop],
            || Some(set.clone().into_iter()),
            |elements| {
                let iter = elements.as_mut().unwrap();
                iter.nth(70);
                iter.nth_back(5);
                drop(iter.clone());
                *elements = None;
            },
            |elements, _| {
                drop(elements);
                assert_eq!(live_scores(), outside);
            },
        );
    });
}

/// If a call of other user code panics while scores are in use, no score leaks.
#[test]
fn panics_elsewhere() {
    for set in [filled(LEAF * unless_miri(3, 2)), thin()] {
        before_or_after(&set, |set| set.drain_by_rank(5..90).count());
        before_or_after(&set, |set| drop(set.split_off_by_rank(70)));
        before_or_after(&set, Set::shrink_to_fit);
    }
}

/// In each of many random operations, a fuse for clones or for drops may blow.
#[test]
fn random_sequences_with_panicking_clones_and_drops() {
    for seed in 0..unless_miri(12, 1) {
        count_members(|| {
            let mut random = SmallRng::seed_from_u64(seed);
            let mut set = Set::default();
            for _ in 0..unless_miri(1_500, 30) {
                let code = if random.random() { Code::ScoreClone } else { Code::ScoreDrop };
                let calls = random.random_range(0..4);
                if random.random_ratio(5, 6) {
                    let before = contents(&set);
                    let done = run(code, calls, || step(&mut set, &mut random));
                    if done.is_none() && code == Code::ScoreClone {
                        assert_eq!(contents(&set), before);
                    }
                } else {
                    run(code, calls, || step_halfway(&mut set, &mut random));
                }
                check_scores(&set, 0);
            }
        });
    }
}

/// Applies a random operation that changes all or nothing.
fn step(set: &mut Set, random: &mut SmallRng) {
    let numbers = unless_miri(900, 100);
    let (number, score) = (random.random_range(0..numbers), random.random_range(0..300));
    let rank = random.random_range(0..=set.len());
    match random.random_range(0..20) {
        0..10 => drop(set.insert(Member::new(number), weight(score))),
        10 => drop(set.insert_max(Member::new(number), weight(score))),
        11 => drop(set.update(&Member::new(number), |old| weight(old.number() + 50))),
        12 => drop(set.remove(&Member::new(number))),
        13 => drop(set.remove_by_rank(rank)),
        14 => drop(set.pop_first()),
        15 => drop(set.pop_last()),
        16 => drop(set.drain_by_rank(rank..rank + 9)),
        17 if score < 40 => drop(set.split_off_by_rank(rank)),
        18 if score < 40 => set.shrink_to_fit(),
        19 if score < 40 => *set = set.clone(),
        _ => drop(set.insert_min(Member::new(number), weight(score))),
    }
}

/// Applies a random operation that may stop halfway.
fn step_halfway(set: &mut Set, random: &mut SmallRng) {
    let start = random.random_range(0..unless_miri(900, 100));
    let others = || (start..start + 100).map(|i| (Member::new(i), weight(i * 7 % 300)));
    match random.random_range(0..7) {
        0 => drop(set.remove_range_by_score(weight(start / 3)..weight(start / 3 + 5))),
        1 => set.retain(|member, _| member.number() % 11 != start % 11),
        2 => drop(set.extract_if(|_, score| score.number() % 2 == 0).nth(20)),
        3 => set.append(&mut others().collect::<Set>()),
        4 | 5 => set.extend(others()),
        _ => set.clear(),
    }
}

#[test]
fn lists() {
    type List = SkipList<Member, Weight>;
    let elements = (0..LEN).map(|number| (Member::new(number / 3), weight(number / 5)));
    let original: List = elements.collect();
    for score in [0, 1, LEN / 10, LEN / 5, LEN] {
        all_or_nothing(&original, |list| list.insert(Member::new(33), weight(score)));
    }
    for number in numbers() {
        let (member, score) = (Member::new(number / 3), weight(number / 5));
        all_or_nothing(&original, |list| assert!(list.remove(&member, &score).is_some()));
    }
    let ranks = LEAF as usize - 9..LEAF as usize + 9;
    all_or_nothing(&original, |list| drop(list.pop_first()));
    all_or_nothing(&original, |list| drop(list.pop_last()));
    all_or_nothing(&original, |list| drop(list.drain_by_rank(ranks.clone())));
    all_or_nothing(&original, |list| drop(list.split_off_by_score(&weight(LEN / 10))));
    all_or_nothing(&original, List::shrink_to_fit);
    all_or_nothing(&original, |list| *list = list.clone());
    all_or_nothing(&original, List::clear);
}

#[test]
fn rebuilds_of_maps() {
    let elements = (0..LEN).map(|i| (Member::new(i), Member::new(1000 + i), weight(10 * i)));
    let map: SortedMap<Member, Member, Weight> = elements.collect();
    all_or_nothing(&map, SortedMap::shrink_to_fit);
}

/// Returns how many scores an operation clones.
fn clones<R>(operation: impl FnOnce() -> R) -> usize {
    calls(Code::ScoreClone, || drop(operation()))
}

/// README says that reading clones no score, and that a write may clone a few.
#[test]
fn few_scores_are_cloned() {
    let leaves = unless_miri(5, 2);
    let (low, high) = (weight(95), weight(9 * LEAF));
    let mut set = filled(LEN);
    let reads = clones(|| {
        assert_eq!((set.len(), set.iter().count()), (LEN as usize, LEN as usize));
        assert!(set.first() < set.last() && set.score(&Member::new(3)).is_some());
        assert!(set.rank(&Member::new(3)) == Some(3) && set.get_by_rank(70).is_some());
        assert!(set.range_by_score::<Weight>(&low..&high).len() > 9);
        assert!(set.range((&low, &Member::new(1))..).count() > 9);
    });
    assert_eq!(reads, 0);

    // A change in a leaf with room clones no score, unless it affects the first element of the
    // leaf.
    let mut thin: Set = thin();
    assert_eq!(clones(|| thin.insert(Member::new(5000), weight(305))), 0);
    assert_eq!(clones(|| thin.update(&Member::new(8), |_| weight(81))), 0);
    assert_eq!(clones(|| thin.remove(&Member::new(8))), 0);
    // An insertion clones at most one score, whether it splits a full leaf or appends to the last
    // one.
    for place in places() {
        let mut set = filled(LEAF * leaves);
        assert!(clones(|| set.insert(Member::new(5000), weight(place))) <= 1, "at {place}");
    }
    for number in numbers() {
        let mut removed = set.clone();
        assert!(clones(|| removed.remove(&Member::new(number))) <= 1, "{number}");
        let mut moved = set.clone();
        // An update consists of a removal, which may be prepared twice, and an insertion. Each of
        // the three steps clones at most one score.
        let changed = clones(|| moved.update(&Member::new(number), |_| weight(705)));
        assert!(changed <= 3, "{changed} for {number}");
    }
    assert_eq!(clones(|| set.insert_max(Member::new(3), weight(0))), 0);

    // Bulk construction clones one score for each leaf but the first.
    assert_eq!(clones(|| filled(LEAF * leaves)), leaves as usize - 1);
    let mut others: Set = filled(LEAF * leaves);
    let appended = clones(|| Set::default().append(&mut others));
    assert!(appended < leaves as usize, "{appended}");
    assert_eq!(clones(|| thin.shrink_to_fit()), thin.len().div_ceil(LEAF as usize) - 1);
    assert_eq!(i64::try_from(clones(|| set.clone())).ok(), set.held_scores());
    assert_eq!(clones(|| set.clear()), 0);

    let mut set = filled(LEN);
    while !set.is_empty() {
        assert_eq!(clones(|| set.pop_first()) + clones(|| set.pop_last()), 0);
    }
}
