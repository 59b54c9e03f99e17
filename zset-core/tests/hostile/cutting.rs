//! Tests drains and splits, first with each call of user code panicking in turn, then with
//! inconsistent orders and hashes.

use zset_core::sorted_set::OccupiedEntry;
use zset_core::{SkipList, SortedMap};

use crate::fuse::{Code, at_every_call, burning};
use crate::panics::before_or_after;
use crate::subject::{
    Collection, Colliding, Left, Member, Mixing, Numbered, Points, Set, check, count_members,
    filled, filled_with, verify, while_hashing_at_random, while_lying,
};
use crate::{LEAF, unless_miri};

pub(crate) const LEN: u32 = LEAF * unless_miri(5, 1) + unless_miri(9, 6);

/// The first rank and the end of runs within a leaf, across leaves, at both ends, and of all
/// elements.
pub(crate) const RUNS: [(usize, usize); 6] = {
    let (leaf, len) = (LEAF as usize, LEN as usize);
    [(3, 5), (leaf - 30, leaf), (0, leaf + 4), (leaf - 2, len - 1), (len - 5, len), (0, len)]
};

/// Creates a set of sparse leaves, so that the leaves around a removed run merge.
pub(crate) fn thin<S: Numbered>() -> Set<Mixing, S> {
    let mut set = filled_with(LEN);
    set.retain(|member, _| member.number() % 4 == 0);
    set
}

#[test]
fn a_panic_in_a_drain_leaves_the_set_before_or_after_it() {
    for &(start, end) in unless_miri(&RUNS[..], &RUNS[2..4]) {
        before_or_after(&filled(LEN), |set| set.drain_by_rank(start..end).count());
    }
    let set: Set = thin();
    let len = set.len();
    // The drain and its elements are bound to names. If dropping a temporary panicked, the returned
    // value would leak.
    before_or_after(&set, |set| {
        let mut drain = set.drain_by_rank(len / 4..len - len / 4);
        let ends = (drain.next(), drain.next_back());
        drop(drain);
        ends
    });
    before_or_after(&set, |set| drop(set.drain_by_score(Points(95)..Points(9 * LEN))));
    before_or_after(&set, |set| {
        let key = Member::new(40);
        set.drain_by_member(&Points(400), &key..).len()
    });
    let (low, high) = (Member::new(40), Member::new(LEN));
    before_or_after(&set, |set| {
        drop(set.drain_range((&Points(400), &low)..(&Points(9 * LEN), &high)));
    });
    let colliding: Colliding = filled_with(unless_miri(2, 1) * LEAF + 2);
    before_or_after(&colliding, |set| set.drain_by_rank(9..LEAF as usize).count());
}

#[test]
fn a_panic_in_a_split_leaves_the_set_before_or_after_it() {
    for at in [0, 3, LEAF as usize, LEN as usize - 1, LEN as usize] {
        before_or_after(&filled(LEN), |set| set.split_off_by_rank(at).len());
    }
    before_or_after(&thin(), |set: &mut Set| set.split_off_by_score(&Points(5 * LEN)).len());
}

#[test]
fn a_panic_in_a_removal_leaves_the_set_before_or_after_it() {
    let set: Set = thin();
    let (low, high) = (Member::new(40), Member::new(44));
    before_or_after(&set, |set| set.remove_range((&Points(400), &low)..(&Points(410), &high)));
    before_or_after(&set, |set| set.remove_range_by_member(&Points(440), &high..));
    before_or_after(&set, |set| _ = set.last_entry().map(OccupiedEntry::remove));
}

/// Takes some elements from a drain, then drops the drain. If the drop of another element panics,
/// the rest are still dropped.
#[test]
fn a_panicking_drop_in_a_drain_leaks_no_other_member() {
    let taken = [(0, 0), (3, 0), (0, 3), (70, 5), (LEN as usize, 0)];
    for &(front, back) in unless_miri(&taken[..], &taken[1..2]) {
        // A panic in a hash may come before the removal. A panic in a drop comes after it.
        before_or_after(&filled(LEN), |set| {
            let mut drain = set.drain_by_rank(2..LEN as usize - 2);
            drain.by_ref().take(front).for_each(drop);
            drain.by_ref().rev().take(back).for_each(drop);
        });
    }
}

#[test]
fn a_list_is_valid_after_a_panic_in_a_drain_or_a_split() {
    let list: SkipList<Member, Points> =
        (0..LEN).map(|number| (Member::new(number / 2), Points(10 * (number / 2)))).collect();
    count_members(|| {
        for &(start, end) in unless_miri(&RUNS[..], &RUNS[2..4]) {
            at_every_call(
                || list.clone(),
                |list| drop(list.drain_by_rank(start..end)),
                |list, _| {
                    check(&list);
                    assert_eq!(list.len(), LEN as usize - (end - start));
                },
            );
        }
    });
    verify(&list, &Code::ALL, Left::Halfway, |list| {
        let score = Points(3 * LEN);
        drop(list.split_off_by_score(&score));
        drop(list.drain_by_score(..Points(100)));
        list.pop_first_if(|_, _| burning(true))
    });
}

#[test]
fn a_map_is_valid_after_a_panic_in_a_drain_or_a_split() {
    let elements = (0..LEN).map(|i| (Member::new(i), Member::new(1000 + i), Points(10 * i)));
    let map: SortedMap<Member, Member, Points> = elements.collect();
    verify(&map, &Code::ALL, Left::Valid, |map| {
        map.drain_by_rank(3..LEAF as usize).take(2).for_each(drop);
        let key = Member::new(3);
        map.drain_by_key(&Points(30), &key..).for_each(drop);
        drop(key);
        drop(map.split_off_by_rank(4));
        map.pop_last_if(|_, value, _| {
            *value = Member::new(1000 + value.number() % 1000);
            burning(true)
        })
    });
}

/// With an inconsistent order, the bounds may select any run. The run is removed as a whole, and
/// nothing is dropped twice.
#[test]
fn drains_and_splits_under_an_inconsistent_order() {
    for seed in 1..unless_miri(200, 4) {
        count_members(|| {
            let mut set = filled(LEN);
            let (low, high) = (Points(seed), Points(seed * 17 % (10 * LEN)));
            let drained = while_lying(seed, || {
                let key = Member::new(seed % LEN);
                let in_range = set.range((&low, &key)..(&high, &key)).count();
                assert!(in_range <= LEN as usize);
                set.drain_by_score(low..high).count()
                    + set.drain_by_member(&Points(10 * (seed % LEN)), &key..).count()
                    + set.split_off_by_score(&high).len()
            });
            assert_eq!(set.len() + drained, LEN as usize);
            check(&set);
            set.use_again();
        });
    }
}

#[test]
fn drains_and_splits_under_inconsistent_hashes() {
    for seed in 1..unless_miri(200, 4) {
        count_members(|| {
            let mut set = filled(LEN);
            let drained = while_hashing_at_random(seed, || {
                let start = (seed % LEN) as usize;
                let drained = set.drain_by_rank(start..start + 70).count();
                drained + set.split_off_by_rank(LEN as usize / 2).iter().count()
            });
            assert_eq!(set.iter().count() + drained, LEN as usize);
            set.clear();
            set.use_again();
        });
    }
}
