//! Tests operations on maps. Each call of a key, value, score or closure panics in turn. The module
//! `whole` tests changes of a single element.

use zset_core::SortedMap;

use crate::fuse::{Code, burning};
use crate::subject::{self, Left, Member, Points, while_lying};
use crate::unless_miri;

/// Both keys and values own memory and call the fuse.
type Map = SortedMap<Member, Member, Points>;

/// More elements than a leaf can store, so that elements move between leaves.
const LEN: u32 = unless_miri(70, 66);

/// Verifies an operation with a panic at each call of user code. A change that a closure makes to a
/// value is not undone.
#[track_caller]
fn verify<R>(operation: impl Fn(&mut Map) -> R) {
    let elements = (0..LEN).map(|i| (Member::new(i), Member::new(1000 + i), Points(10 * i)));
    let map: Map = elements.collect();
    subject::verify(&map, &Code::ALL, Left::Valid, operation);
}

/// Returns a new value for a key.
fn renewed(key: &Member) -> Member {
    Member::new(2000 + key.number() % 1000)
}

#[test]
fn changes_of_values_in_a_range() {
    fn renew((key, value, _): (&Member, &mut Member, &Points)) {
        *value = burning(renewed(key));
    }
    verify(|map| map.iter_mut().rev().for_each(renew));
    verify(|map| map.range_by_rank_mut(3..68).for_each(renew));
    verify(|map| map.range_by_score_mut(Points(25)..Points(640)).for_each(renew));
    verify(|map| {
        let (low, high) = (Member::new(5), Member::new(60));
        map.range_mut((&Points(20), &low)..(&Points(600), &high)).for_each(renew);
    });
}

#[test]
fn changes_of_several_values() {
    verify(|map| {
        let keys = [3, 700, 64, 30].map(Member::new);
        for value in map.get_disjoint_mut(keys.each_ref()).into_iter().flatten() {
            *value = burning(renewed(value));
        }
    });
}

#[test]
fn ranges_to_change_of_an_inconsistent_order() {
    for seed in 1..unless_miri(300, 4) {
        let mut map = Map::new();
        while_lying(seed, || {
            (0..LEN).for_each(|i| _ = map.insert(Member::new(i), Member::new(i), Points(10 * i)));
        });
        let visited = while_lying(seed + 7, || {
            [
                map.range_by_score_mut(Points(25)..Points(640)).count(),
                map.range_by_score_mut(Points(640)..Points(25)).rev().count(),
                map.range_mut((&Points(20), &Member::new(5))..(&Points(600), &Member::new(6)))
                    .count(),
            ]
        });
        assert!(visited.into_iter().all(|visited| visited <= map.len()));
        assert_eq!(map.iter_mut().count(), map.len());
    }
}

#[test]
fn reads() {
    verify(|map| map.scores(&[Member::new(3), Member::new(700)]).flatten().count());
    verify(|map| {
        let other = map.clone();
        (*map).partial_cmp(&other).is_none() && (*map).cmp(&other).is_eq()
    });
}

#[test]
fn changes_of_values_through_references() {
    verify(|map| {
        map.update(&Member::new(30), |value, _| {
            *value = Member::new(2030);
            burning(Points(5))
        })
    });
    verify(|map| map.values_mut().for_each(|value| *value = Member::new(1000 + value.number())));
    verify(|map| {
        let made = || burning((Member::new(1500), Points(7)));
        *map.entry(Member::new(500)).or_insert_with(made) = Member::new(2500);
    });
    verify(|map| {
        let entry = map.entry(Member::new(30)).and_modify(|_, _| burning(Points(5)));
        entry.insert_entry(Member::new(3030), Points(301));
    });
    verify(|map| {
        let (key, value, _) = map.get_full_mut(&Member::new(30)).expect("30 is in the map");
        *value = renewed(key);
    });
}

#[test]
fn removals_of_several_elements() {
    verify(|map| map.remove_range_by_rank(10..13));
    verify(|map| {
        let (low, high) = (Member::new(5), Member::new(9));
        map.remove_range((&Points(20), &low)..(&Points(90), &high))
            + map.remove_range_by_key(&Points(120), &high..)
    });
    verify(|map| {
        let (low, high) = (Member::new(5), Member::new(9));
        map.drain_range((&Points(20), &low)..(&Points(90), &high)).count()
    });
    verify(|map| {
        map.retain(|key, value, _| {
            *value = burning(renewed(key));
            key.number() % 9 != 0
        });
    });
    verify(|map| map.drain().take(3).count());
}

#[test]
fn bulk_operations() {
    let other = || (Member::new(3), Member::new(2003), Points(9));
    verify(|map| map.clone());
    verify(Map::shrink_to_fit);
    verify(|map| map.append(&mut [other()].into()));
    verify(|map| *map = std::mem::take(map).into_iter().chain([other()]).collect());
}
