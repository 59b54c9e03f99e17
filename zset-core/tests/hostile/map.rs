//! Maps whose keys, values, scores and closures panic at every call.

use zset_core::SortedMap;

use crate::fuse::{Code, at_every_call, burn};
use crate::subject::{Member, Points, count_members, while_lying};
use crate::unless_miri;

/// Both keys and values own memory and call the fuse.
type Map = SortedMap<Member, Member, Points>;

/// More than a leaf, so that elements move between leaves.
const LEN: u32 = unless_miri(70, 66);

fn filled() -> Map {
    (0..LEN).map(|i| (Member::new(i), Member::new(1000 + i), Points(10 * i))).collect()
}

/// Verifies that each key has its own value, and that the map is usable.
fn check(mut map: Map) {
    map.check();
    for (key, value, _) in &map {
        let number = value.number() % 1000;
        assert_eq!(key.number(), number, "the value belongs to another key");
        assert_eq!(map.get(key).map(Member::number), Some(value.number()));
    }
    map.insert(Member::new(5), Member::new(2005), Points(3));
    map.remove(&Member::new(7));
    map.check();
}

/// Verifies an operation with a panic at each call of user code.
fn verify<R>(operation: impl Fn(&mut Map) -> R) {
    count_members(|| {
        at_every_call(filled, |map| drop(operation(map)), |map, _| check(map));
    });
}

#[test]
fn insertions_of_new_and_existing_keys() {
    verify(|map| map.insert(Member::new(500), Member::new(1500), Points(55)));
    verify(|map| map.insert(Member::new(30), Member::new(2030), Points(5)));
    verify(|map| map.insert(Member::new(30), Member::new(2030), Points(301)));
}

#[test]
fn replacements() {
    for (key, score) in [(500, 55), (30, 5), (30, 301)] {
        verify(|map| map.replace(Member::new(key), Member::new(1000 + key), Points(score)));
    }
}

#[test]
fn changes_of_values_in_a_range() {
    fn renew((key, value, _): (&Member, &mut Member, &Points)) {
        burn(Code::Closure);
        *value = Member::new(2000 + key.number());
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
            burn(Code::Closure);
            *value = Member::new(2000 + value.number() % 1000);
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
fn conditional_insertions() {
    for (key, score) in [(500, 55), (30, 301), (30, 5), (60, 0)] {
        let score = Points(score);
        verify(|map| map.insert_max(Member::new(key), Member::new(1000 + key), score));
        verify(|map| map.insert_min(Member::new(key), Member::new(1000 + key), score));
    }
}

#[test]
fn increments() {
    let sums: &[(u32, u32)] =
        unless_miri(&[(30, 1), (30, 400), (60, u32::MAX), (700, 1)], &[(30, 400), (700, 1)]);
    for &(key, by) in sums {
        let value = || {
            burn(Code::Closure);
            Member::new(1000 + key)
        };
        verify(|map| map.try_increment(Member::new(key), by, value));
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
fn changes_of_values_and_scores() {
    verify(|map| {
        map.update(&Member::new(30), |value, _| {
            *value = Member::new(2030);
            burn(Code::Closure);
            Points(5)
        })
    });
    verify(|map| map.set_score(&Member::new(60), Points(0)));
    verify(|map| map.values_mut().for_each(|value| *value = Member::new(1000 + value.number())));
    verify(|map| {
        let entry = map.entry(Member::new(30)).and_modify(|_, _| {
            burn(Code::Closure);
            Points(5)
        });
        entry.insert_entry(Member::new(3030), Points(301));
    });
    verify(|map| {
        map.entry(Member::new(500)).or_insert_with(|| {
            burn(Code::Closure);
            (Member::new(1500), Points(7))
        });
    });
    verify(|map| {
        let value = map.entry(Member::new(501)).or_insert_with_key(|key| {
            burn(Code::Closure);
            (Member::new(1000 + key.number()), Points(7))
        });
        *value = Member::new(2501);
    });
    verify(|map| _ = map.entry(Member::new(502)).insert_entry(Member::new(1502), Points(7)));
    verify(|map| _ = map.entry(Member::new(30)).insert_entry(Member::new(2030), Points(7)));
    verify(|map| {
        let (key, value, _) = map.get_full_mut(&Member::new(30)).expect("30 is in the map");
        *value = Member::new(2000 + key.number());
    });
}

#[test]
fn removals() {
    verify(|map| {
        let key = Member::new(30);
        let removed = map.remove(&key);
        // If a temporary panics when dropped, the returned value leaks.
        drop(key);
        removed
    });
    verify(|map| (map.pop_first(), map.pop_last()));
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
            burn(Code::Closure);
            *value = Member::new(2000 + key.number());
            key.number() % 9 != 0
        });
    });
    verify(|map| map.drain().take(3).count());
}

#[test]
fn bulk_operations() {
    verify(|map| map.clone());
    verify(Map::shrink_to_fit);
    verify(|map| map.append(&mut [(Member::new(3), Member::new(2003), Points(9))].into()));
    verify(|map| {
        let elements = std::mem::take(map);
        *map =
            elements.into_iter().chain([(Member::new(3), Member::new(2003), Points(9))]).collect();
    });
}
