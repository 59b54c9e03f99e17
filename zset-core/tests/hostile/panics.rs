//! Operations on one element, with a panic at every call of user code in turn.

use std::hash::{BuildHasher, BuildHasherDefault};
use zset_core::sorted_set::Entry;

use crate::fuse::{Code, at_every_call, burn, calls, run};
use crate::subject::{
    Colliding, Constant, Member, Mixed, Numbered, Points, Set, check, contents, count_members,
    filled, filled_with, use_again,
};
use crate::{LEAF, unless_miri};

/// Verifies that a panic anywhere in an operation leaves a set as before or after it.
pub(crate) fn before_or_after<H: BuildHasher + Clone, S: Numbered, R>(
    original: &Set<H, S>,
    operation: impl Fn(&mut Set<H, S>) -> R,
) {
    let before = contents(original);
    let mut after = None;
    at_every_call(
        || original.clone(),
        |set| drop(operation(set)),
        |mut set, _| {
            check(&set);
            let now = contents(&set);
            // The first run does not panic.
            let after = after.get_or_insert_with(|| now.clone());
            assert!(now == before || now == *after, "neither the state before nor the one after");
            use_again(&mut set);
        },
    );
}

/// Creates a set by insertion, so that capacities are those of ordinary growth.
fn grown<H: BuildHasher + Default>(len: u32) -> Set<H> {
    let mut set = Set::default();
    for number in 0..len {
        set.insert(Member::new(number), Points(10 * number));
    }
    set
}

/// Creates leaves that are full except for the last, and enough of them for ranges across several;
/// two under Miri.
fn several_leaves() -> Set {
    filled(unless_miri(5 * LEAF, LEAF + 8))
}

/// Creates full leaves, which must split to make room.
fn full_leaves() -> Set {
    filled(LEAF * unless_miri(5, 2))
}

/// A member in a leaf other than the first of the sets that `about_to_merge` returns.
const LATER: u32 = LEAF * unless_miri(2, 1);

/// Returns sets in which the operation merges leaves, found by thinning out full leaves. A merge is
/// detected by its calls of the hash, one for each member of a leaf.
fn about_to_merge(operation: impl Fn(&mut Set)) -> Vec<Set> {
    let merges = |set: &Set| {
        let mut trial = set.clone();
        calls(Code::Hash, || operation(&mut trial)) > 8
    };
    let mut found = Vec::new();
    if cfg!(miri) {
        // Starts with the final state: two leaves that merge when either loses an element.
        let mut set = filled(LEAF + 17);
        set.remove_range_by_rank(17..LEAF as usize);
        found.extend(merges(&set).then_some(set));
    } else {
        let mut set = filled(4 * LEAF);
        for removed in (0..4 * LEAF).filter(|number| number % 4 != 0) {
            set.remove(&Member::new(removed));
            found.extend(merges(&set).then(|| set.clone()));
        }
    }
    assert!(!found.is_empty(), "no merge was found");
    // In some of the first sets, the operation may hash a leaf for another reason: to move half of
    // it, or to visit elements to pop. In the last ones it does merge.
    if found.len() > 8 {
        found.drain(4..found.len() - 4);
    }
    found
}

/// Verifies an operation that merges leaves.
fn before_or_after_a_merge(operation: impl Fn(&mut Set)) {
    count_members(|| {
        for set in about_to_merge(&operation) {
            before_or_after(&set, &operation);
        }
    });
}

/// Returns the sizes at which the next insertion allocates: columns of the only leaf, the first
/// blocks, segments of the dict.
fn sizes_at_which_something_grows<H: BuildHasher + Default>(up_to: u32) -> Vec<u32> {
    let mut set: Set<H> = Set::default();
    let mut grows = |len| {
        let before = set.allocation_size();
        set.insert(Member::new(len), Points(10 * len));
        set.allocation_size() > before
    };
    (0..up_to).filter(|&len| grows(len)).collect()
}

#[test]
fn insert_at_sizes_that_allocate() {
    let sizes = if cfg!(miri) {
        vec![0, 14, LEAF]
    } else {
        sizes_at_which_something_grows::<BuildHasherDefault<Mixed>>(1000)
    };
    for len in sizes {
        count_members(|| {
            let set: Set = grown(len);
            before_or_after(&set, |set| set.insert(Member::new(5000), Points(15)));
        });
    }
}

#[test]
fn insert_that_grows_a_dict_of_colliding_members() {
    let up_to = unless_miri(200, 15);
    for len in sizes_at_which_something_grows::<BuildHasherDefault<Constant>>(up_to) {
        count_members(|| {
            let set: Colliding = grown(len);
            before_or_after(&set, |set| set.insert(Member::new(5000), Points(15)));
        });
    }
}

/// hashbrown rehashes a table full of tombstones in place, and loses the remaining entries if the
/// hash panics. A dict must not.
#[test]
fn insert_into_a_dict_whose_only_room_is_from_removals() {
    count_members(|| {
        let mut set: Colliding = filled_with(28);
        for number in (0..28).filter(|number| number % 3 != 0) {
            set.remove(&Member::new(number));
        }
        before_or_after(&set, |set| set.insert(Member::new(5000), Points(15)));
        before_or_after(&set, |set| set.try_reserve(10));
    });
}

#[test]
fn insert_that_splits_a_leaf() {
    count_members(|| {
        let set = full_leaves();
        before_or_after(&set, |set| set.insert(Member::new(5000), Points(10 * LEAF + 305)));
    });
}

#[test]
fn insert_and_update_where_a_full_leaf_shares_with_its_neighbour() {
    count_members(|| {
        // Under Miri, the third leaf also has few elements.
        for &thin in unless_miri(&[0, 2][..], &[0]) {
            let mut set = filled(unless_miri(3 * LEAF, 2 * LEAF + 8));
            set.remove_range_by_rank((thin * LEAF + 20) as usize..(thin * LEAF + 50) as usize);
            let full = Points(10 * LEAF + 305);
            let mut trial = set.clone();
            let bytes = trial.allocation_size();
            trial.insert(Member::new(5000), full);
            assert_eq!(trial.allocation_size(), bytes, "the leaf was split");
            before_or_after(&set, |set| set.insert(Member::new(5000), full));
            // Moves from the third leaf, and from the neighbour that would share.
            for number in [(2 - thin) * LEAF, thin * LEAF + 3] {
                before_or_after(&set, |set| set.update(&Member::new(number), |_| full));
            }
        }
    });
}

#[test]
fn insert_among_equal_scores() {
    count_members(|| {
        let set: Set =
            (0..unless_miri(2 * LEAF, LEAF + 8)).map(|i| (Member::new(2 * i), Points(1))).collect();
        before_or_after(&set, |set| set.insert(Member::new(LEAF + 1), Points(1)));
    });
}

#[test]
fn insert_that_changes_a_score_within_its_leaf() {
    count_members(|| {
        let set = several_leaves();
        before_or_after(&set, |set| set.insert(Member::new(66), Points(695)));
    });
}

#[test]
fn insert_that_changes_a_score_to_a_full_leaf() {
    count_members(|| {
        let set = full_leaves();
        before_or_after(&set, |set| set.insert(Member::new(3), Points(10 * LEAF + 305)));
        before_or_after(&set, |set| set.insert(Member::new(LATER), Points(5)));
    });
}

#[test]
fn update_that_merges_leaves() {
    before_or_after_a_merge(|set| _ = set.update(&Member::new(0), |_| Points(99_999)));
    before_or_after_a_merge(|set| _ = set.update(&Member::new(LATER), |_| Points(0)));
    // Moves to the neighbour with which the first leaf then merges.
    before_or_after_a_merge(|set| _ = set.update(&Member::new(0), |_| Points(10 * LEAF + 315)));
}

#[test]
fn update_that_empties_a_leaf() {
    count_members(|| {
        let mut set = filled(unless_miri(3 * LEAF, LEAF + 1));
        // Leaves one element in the second leaf; under Miri it starts with one.
        set.remove_range_by_rank(LEAF as usize + 1..2 * LEAF as usize);
        before_or_after(&set, |set| set.update(&Member::new(LEAF), |_| Points(0)));
    });
}

#[test]
fn increment_of_an_existing_and_a_new_member() {
    count_members(|| {
        let set = several_leaves();
        before_or_after(&set, |set| set.increment(Member::new(70), 500));
        before_or_after(&set, |set| set.increment(Member::new(7000), 500));
    });
}

#[test]
fn remove_and_pop_that_merge_leaves() {
    before_or_after_a_merge(|set| _ = set.remove(&Member::new(0)));
    before_or_after_a_merge(|set| _ = set.remove_entry(&Member::new(LATER)));
    before_or_after_a_merge(|set| _ = set.pop_first());
    before_or_after_a_merge(|set| _ = set.pop_last());
}

#[test]
fn remove_and_pop_of_the_last_element_of_a_leaf() {
    count_members(|| {
        let set = filled(LATER + 1);
        before_or_after(&set, |set| set.remove(&Member::new(LATER)));
        before_or_after(&set, |set| set.pop_last().map(drop));
        before_or_after(&filled(1), |set| set.pop_first().map(drop));
    });
}

#[test]
fn entry_that_inserts_changes_or_removes() {
    count_members(|| {
        let set = several_leaves();
        before_or_after(&set, |set| _ = set.entry(Member::new(900)).or_insert(Points(77)));
        before_or_after(&set, |set| {
            _ = set.entry(Member::new(900)).or_insert_with_key(|member| {
                burn(Code::Closure);
                Points(member.number())
            });
        });
        for number in [66, 900] {
            before_or_after(&set, |set| {
                _ = set.entry(Member::new(number)).insert_entry(Points(77)).into_score();
            });
        }
        before_or_after(&set, |set| {
            _ = set.entry(Member::new(70)).and_modify(|Points(score)| Points(score + 900));
        });
        before_or_after(&set, |set| match set.entry(Member::new(66)) {
            Entry::Occupied(entry) => _ = entry.remove_entry(),
            Entry::Vacant(_) => unreachable!("66 is in the set"),
        });
    });
}

/// An entry survives a panic in one of its methods if the caller catches it.
#[test]
fn an_entry_whose_insert_panicked_still_has_its_member() {
    // Under Miri, the calls are in the middle of a merge and near its end.
    let (first, end, step) = unless_miri((0, 80, 1), (8, 24, 8));
    for score in [10 * LEAF + 315, 99_999] {
        for original in about_to_merge(|set| _ = set.update(&Member::new(0), |_| Points(score))) {
            for (code, calls) in [Code::Hash, Code::Ord, Code::ScoreOrd]
                .into_iter()
                .flat_map(|code| (first..end).step_by(step).map(move |calls| (code, calls)))
            {
                let mut set = original.clone();
                let Entry::Occupied(mut entry) = set.entry(Member::new(0)) else {
                    unreachable!("0 is in the set")
                };
                run(code, calls, || entry.insert(Points(score)));
                assert_eq!(entry.member().number(), 0, "after call {calls} of {code:?}");
                entry.remove();
                check(&set);
                assert_eq!(set.len(), original.len() - 1);
            }
        }
    }
}

#[test]
fn reading_changes_nothing() {
    count_members(|| {
        before_or_after(&several_leaves(), |set| {
            let member = Member::new(70);
            let found = (set.score(&member).copied(), set.contains(&member), set.rank(&member));
            let ranges = set.range_by_score(Points(35)..Points(905)).len()
                + set.range_by_member(&Points(700), &member..).len()
                + set.count_by_score(Points(3)..)
                + set.difference(&*set).count()
                + set.intersection(&*set).count();
            (found, ranges, *set == *set)
        });
    });
}

/// Returns a set whose memory the next pop frees.
fn about_to_shrink() -> Set {
    let mut set = grown::<BuildHasherDefault<Mixed>>(4_000);
    loop {
        let mut popped = set.clone();
        popped.pop_first();
        if popped.allocation_size() < set.allocation_size() / 4 {
            return set;
        }
        set.pop_first().expect("memory is freed before the set is empty");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn freeing_memory() {
    let set = about_to_shrink();
    before_or_after(&set, |set| _ = set.pop_first());
    let first = Member::new(4_000 - set.len() as u32);
    before_or_after(&set, |set| _ = set.remove(&first));
}
