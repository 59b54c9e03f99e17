//! Tests operations on one element. Each call of user code panics in turn.

use std::hash::{BuildHasher, BuildHasherDefault};
use zset_core::sorted_set::Entry;

use crate::fuse::{Code, burning, calls, run};
use crate::subject::{
    Collection, Colliding, Constant, Left, Member, Mixing, Points, Set, check, filled, filled_with,
    verify,
};
use crate::{LEAF, unless_miri};

/// Verifies that a panic anywhere in an operation leaves a collection as before or after it.
#[track_caller]
pub(crate) fn before_or_after<C: Collection, R>(original: &C, operation: impl Fn(&mut C) -> R) {
    verify(original, &Code::ALL, Left::BeforeOrAfter, operation);
}

/// Creates a set by insertion, so that its capacities are those of ordinary growth.
fn grown<H: BuildHasher + Default>(len: u32) -> Set<H> {
    let mut set = Set::default();
    for number in 0..len {
        set.insert(Member::new(number), Points(10 * number));
    }
    set
}

/// Creates several leaves, or two under Miri. All but the last are full.
fn several_leaves() -> Set {
    filled(unless_miri(5 * LEAF, LEAF + 8))
}

/// Creates full leaves, which must split to make room.
fn full_leaves() -> Set {
    filled(LEAF * unless_miri(5, 2))
}

/// A score in the middle of the second leaf.
const MIDDLE: Points = Points(10 * LEAF + 305);

/// A member outside the first leaf of the sets that `about_to_merge` returns.
const LATER: u32 = LEAF * unless_miri(2, 1);

/// Returns sets in which the operation merges leaves, found by thinning out full leaves. The number
/// of hashes reveals a merge, since it hashes each member that moves.
fn about_to_merge(operation: impl Fn(&mut Set)) -> Vec<Set> {
    let merges = |set: &Set| {
        let mut trial = set.clone();
        calls(Code::Hash, || operation(&mut trial)) > 8
    };
    let mut found = Vec::new();
    if cfg!(miri) {
        // Under Miri, builds only one set: two leaves that merge when either loses an element.
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
    // Keeps the first four and the last four sets. In the first ones, the hashes may have another
    // cause: moving half of a leaf, or visiting elements to pop. In the last ones, the operation
    // merges leaves.
    if found.len() > 8 {
        found.drain(4..found.len() - 4);
    }
    found
}

/// Verifies an operation that merges leaves.
#[track_caller]
fn before_or_after_a_merge(operation: impl Fn(&mut Set)) {
    for set in about_to_merge(&operation) {
        before_or_after(&set, &operation);
    }
}

/// Returns the sizes at which the next insertion allocates: to grow the columns of the only leaf,
/// to add the first blocks, or to grow the dict.
fn sizes_at_which_something_grows<H: BuildHasher + Default>(up_to: u32) -> Vec<u32> {
    let mut set: Set<H> = Set::default();
    let mut grows = |len| {
        let before = set.allocation_size();
        set.insert(Member::new(len), Points(10 * len));
        set.allocation_size() > before
    };
    (0..up_to).filter(|&len| grows(len)).collect()
}

/// Verifies insertions into sets of these sizes.
fn insert_at<H: BuildHasher + Default + Clone>(sizes: Vec<u32>) {
    for len in sizes {
        before_or_after(&grown::<H>(len), |set| set.insert(Member::new(5000), Points(15)));
    }
}

#[test]
fn insert_at_sizes_that_allocate() {
    let all = || sizes_at_which_something_grows::<Mixing>(1000);
    insert_at::<Mixing>(if cfg!(miri) { vec![0, 14, LEAF] } else { all() });
}

#[test]
fn insert_that_grows_a_dict_of_colliding_members() {
    type Hasher = BuildHasherDefault<Constant>;
    insert_at::<Hasher>(sizes_at_which_something_grows::<Hasher>(unless_miri(200, 15)));
}

/// hashbrown rehashes a table full of tombstones in place. If the hash panics, the remaining
/// entries are lost. A dict must not lose them.
#[test]
fn insert_into_a_dict_whose_only_room_is_from_removals() {
    let mut set: Colliding = filled_with(28);
    for number in (0..28).filter(|number| number % 3 != 0) {
        set.remove(&Member::new(number));
    }
    before_or_after(&set, |set| set.insert(Member::new(5000), Points(15)));
    before_or_after(&set, |set| set.try_reserve(10));
}

#[test]
fn insert_that_splits_a_leaf_or_changes_a_score() {
    let (full, several) = (full_leaves(), several_leaves());
    for (set, number, score) in [
        (&full, 5000, MIDDLE),
        // In order: a move within a leaf, a move to the middle of a full leaf, and a move to near
        // the start of another full leaf.
        (&several, 66, Points(695)),
        (&full, 3, MIDDLE),
        (&full, LATER, Points(5)),
    ] {
        before_or_after(set, |set| set.insert(Member::new(number), score));
    }
}

#[test]
fn insert_and_update_where_a_full_leaf_shares_with_its_neighbour() {
    // Thins out the first leaf in one round and the third leaf in the other. Under Miri, there is
    // only the first round, and the third leaf has eight elements.
    for &thin in unless_miri(&[0, 2][..], &[0]) {
        let mut set = filled(unless_miri(3 * LEAF, 2 * LEAF + 8));
        set.remove_range_by_rank((thin * LEAF + 20) as usize..(thin * LEAF + 50) as usize);
        let mut trial = set.clone();
        let bytes = trial.allocation_size();
        trial.insert(Member::new(5000), MIDDLE);
        assert_eq!(trial.allocation_size(), bytes, "the leaf was split");
        before_or_after(&set, |set| set.insert(Member::new(5000), MIDDLE));
        // Moves an element into the full leaf, first from the leaf at the other end, then from the
        // neighbour that was thinned out.
        for number in [(2 - thin) * LEAF, thin * LEAF + 3] {
            before_or_after(&set, |set| set.update(&Member::new(number), |_| MIDDLE));
        }
    }
}

#[test]
fn insert_among_equal_scores() {
    let members = 0..unless_miri(2 * LEAF, LEAF + 8);
    let set: Set = members.map(|i| (Member::new(2 * i), Points(1))).collect();
    before_or_after(&set, |set| set.insert(Member::new(LEAF + 1), Points(1)));
}

#[test]
fn update_that_merges_leaves() {
    // In the last case, the element moves to the neighbour with which its leaf then merges.
    for (number, score) in [(0, 99_999), (LATER, 0), (0, 10 * LEAF + 315)] {
        before_or_after_a_merge(|set| _ = set.update(&Member::new(number), |_| Points(score)));
    }
}

#[test]
fn update_that_empties_a_leaf() {
    let mut set = filled(unless_miri(3 * LEAF, LEAF + 1));
    // Leaves one element in the second leaf. Under Miri, that leaf has only one from the start.
    set.remove_range_by_rank(LEAF as usize + 1..2 * LEAF as usize);
    before_or_after(&set, |set| set.update(&Member::new(LEAF), |_| Points(0)));
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
    let set = filled(LATER + 1);
    before_or_after(&set, |set| set.remove(&Member::new(LATER)));
    before_or_after(&set, |set| set.pop_last().map(drop));
    before_or_after(&filled(1), |set| set.pop_first().map(drop));
}

#[test]
fn entry_that_inserts_changes_or_removes() {
    let set = several_leaves();
    before_or_after(&set, |set| _ = set.entry(Member::new(900)).or_insert(Points(77)));
    before_or_after(&set, |set| {
        let score = |member: &Member| burning(Points(member.number()));
        _ = set.entry(Member::new(900)).or_insert_with_key(score);
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
}

/// An entry stays valid after a panic in one of its methods, if the caller catches the panic.
#[test]
fn an_entry_whose_insert_panicked_still_has_its_member() {
    // Under Miri, only a call in the middle of a merge and one near its end panic.
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
}
