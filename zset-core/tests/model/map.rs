//! Runs random sequences of the `SortedMap` methods that involve values, and compares the results
//! with a `BTreeMap` from keys to values and scores. The module `types` tests the methods that move
//! elements.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use std::panic::{AssertUnwindSafe, catch_unwind};
use zset_core::sorted_map::Entry;
use zset_core::sorted_set::FromSortedError;
use zset_core::{ScoreOverflow, SortedMap};

type Map = SortedMap<String, u64, i32>;

/// A slow reference implementation.
#[derive(Clone, Default)]
struct Reference(BTreeMap<String, (u64, i32)>);

impl Reference {
    fn elements(&self) -> Vec<(String, u64, i32)> {
        let mut elements: Vec<_> =
            self.0.iter().map(|(key, &(value, score))| (key.clone(), value, score)).collect();
        elements.sort_by_key(|(key, _, score)| (*score, key.clone()));
        elements
    }

    /// Removes the elements that `is_removed` accepts; returns them in order.
    fn remove_where(&mut self, is_removed: impl Fn(i32, &str) -> bool) -> Vec<(String, u64, i32)> {
        let mut removed = self.elements();
        removed.retain(|(key, _, score)| is_removed(*score, key));
        for (key, ..) in &removed {
            self.0.remove(key);
        }
        removed
    }
}

fn owned((key, value, score): (&String, &u64, &i32)) -> (String, u64, i32) {
    (key.clone(), *value, *score)
}

/// Verifies that the map and the reference agree.
fn compare(map: &Map, reference: &Reference, random: &mut SmallRng) {
    map.check();
    let elements = reference.elements();
    assert_eq!((map.len(), map.is_empty()), (elements.len(), elements.is_empty()));
    assert!(map.iter().map(owned).eq(elements.iter().cloned()));
    assert_eq!(map.first().map(owned), elements.first().cloned());
    assert_eq!(map.last().map(owned), elements.last().cloned());
    let mut folded = Vec::new();
    map.iter().for_each(|element| folded.push(owned(element)));
    assert_eq!(folded, elements);

    let (from, to) = (random.random_range(-9..70), random.random_range(-9..70));
    let bounds = |random: &mut SmallRng| -> (Bound<i32>, Bound<i32>) {
        let start = [Included(from), Excluded(from), Unbounded][random.random_range(0..3)];
        (start, [Included(to), Excluded(to), Unbounded][random.random_range(0..3)])
    };
    let range = bounds(random);
    let expected: Vec<_> =
        elements.iter().filter(|element| range.contains(&element.2)).cloned().collect();
    assert_eq!(map.count_by_score(range), expected.len());
    let view = map.range_by_score(range);
    assert_eq!((view.len(), view.clone().count()), (expected.len(), expected.len()));
    assert_eq!(view.clone().last().map(owned), expected.last().cloned());
    assert!(view.clone().rev().map(owned).eq(expected.iter().rev().cloned()));
    let middle = expected.len() / 2;
    assert_eq!(view.clone().nth(middle).map(owned), expected.get(middle).cloned());
    assert_eq!(
        view.clone().nth_back(middle).map(owned),
        expected.iter().rev().nth(middle).cloned()
    );
    assert!(view.map(owned).eq(expected));

    let rank = random.random_range(0..elements.len() + 2);
    assert_eq!(map.get_by_rank(rank).map(owned), elements.get(rank).cloned());
    assert!(map.range_by_rank(rank..).map(owned).eq(elements.iter().skip(rank).cloned()));

    let key = any_key(random);
    let score = random.random_range(0..60);
    let expected = elements.iter().filter(|(other, _, of)| *of == score && *other >= key).cloned();
    assert!(map.range_by_key(&score, key.as_str()..).map(owned).eq(expected));
    let there = elements.iter().position(|(other, ..)| *other == key);
    let found = there.map(|rank| &elements[rank]);
    assert_eq!(map.get(&key).copied(), found.map(|found| found.1));
    assert_eq!(map.get_key_value(key.as_str()).map(|pair| *pair.1), found.map(|found| found.1));
    assert_eq!(map.score(key.as_str()), found.map(|found| &found.2));
    assert_eq!(map.get_full(key.as_str()).map(owned), found.cloned());
    assert_eq!(map.contains_key(key.as_str()), found.is_some());
    assert_eq!(map.rank(key.as_str()), there);
    assert_eq!(map.rev_rank(key.as_str()), there.map(|rank| elements.len() - 1 - rank));
}

fn any_key(random: &mut SmallRng) -> String {
    format!("key {}", random.random_range(0..if cfg!(miri) { 90 } else { 300 }))
}

/// Inserts or changes an element in the map and in the reference, and compares the results.
fn put(map: &mut Map, reference: &mut Reference, random: &mut SmallRng) {
    let key = any_key(random);
    let (value, score) = (random.random(), random.random_range(0..60));
    match random.random_range(0..18) {
        kind @ 0..=4 => {
            let old = reference.0.insert(key.clone(), (value, score));
            if kind < 4 {
                assert_eq!(map.insert(key, value, score), old);
            } else {
                assert_eq!(map.try_insert(key, value, score), Ok(old));
            }
        }
        5 => {
            let run =
                (0..random.random_range(1..150)).map(|i| (format!("key {i}"), value + i, score));
            let run: Vec<_> = run.collect();
            for (key, value, score) in &run {
                reference.0.insert(key.clone(), (*value, *score));
            }
            map.extend(run);
        }
        6 => {
            let held = reference.0.get_mut(&key);
            let value = if random.random() {
                map.get_mut(key.as_str())
            } else {
                map.get_full_mut(key.as_str()).map(|(found, value, score)| {
                    assert_eq!((found, Some(score)), (&key, held.as_ref().map(|held| &held.1)));
                    value
                })
            };
            assert_eq!(value.is_some(), held.is_some());
            if let (Some(value), Some(held)) = (value, held) {
                *value ^= 1;
                held.0 ^= 1;
            }
        }
        7 => {
            let old = reference.0.get_mut(&key).map(|held| std::mem::replace(&mut held.1, score));
            assert_eq!(map.set_score(key.as_str(), score), old);
        }
        8 => {
            let change = |value: &mut u64, score: &i32| {
                *value = value.wrapping_add(7);
                score + 5
            };
            let old = reference.0.get_mut(&key).map(|(value, score)| {
                let old = *score;
                *score = change(value, &old);
                old
            });
            assert_eq!(map.update(key.as_str(), change), old);
        }
        9 => {
            let held = reference.0.entry(key.clone()).or_insert((value, 0));
            held.1 += 3;
            assert_eq!(map.increment(key.clone(), 3, || value), Ok(held.1));
            assert_eq!(map.increment(key, i32::MAX, || 0), Err(ScoreOverflow));
            let below = random.random_range(0..9);
            assert_eq!(
                map.increment(format!("new {below}"), i32::MIN, || 0),
                Ok(i32::MIN),
                "the value is made for a new key"
            );
            assert_eq!(map.remove(format!("new {below}").as_str()), Some((0, i32::MIN)));
        }
        10 => {
            let old = reference.0.insert(key.clone(), (value, score));
            let old = old.map(|(value, score)| (key.clone(), value, score));
            assert_eq!(map.replace(key, value, score), old);
        }
        11 => {
            let keys: [String; 5] = std::array::from_fn(|_| any_key(random));
            let mut distinct: Vec<_> =
                keys.iter().filter(|key| reference.0.contains_key(*key)).collect();
            let len = distinct.len();
            distinct.sort();
            distinct.dedup();
            let asked = keys.each_ref().map(String::as_str);
            if distinct.len() < len {
                let result = catch_unwind(AssertUnwindSafe(|| _ = map.get_disjoint_mut(asked)));
                assert!(result.is_err(), "a key is repeated");
                return;
            }
            let mut values = map.get_disjoint_mut(asked);
            for (key, value) in keys.iter().zip(&values) {
                assert_eq!(value.as_deref(), reference.0.get(key).map(|held| &held.0));
            }
            values.iter_mut().flatten().for_each(|value| **value ^= 32);
            for key in distinct {
                reference.0.get_mut(key).unwrap().0 ^= 32;
            }
        }
        12..=14 => change(map, reference, random),
        _ => enter(map, reference, key, value, score),
    }
}

/// Removes elements from the map and from the reference, or rebuilds them, and compares the
/// results.
fn take(map: &mut Map, reference: &mut Reference, random: &mut SmallRng) {
    let (key, score) = (any_key(random), random.random_range(0..60));
    match random.random_range(0..11) {
        0 | 1 => assert_eq!(map.remove(key.as_str()), reference.0.remove(&key)),
        2 => {
            let expected = reference.0.remove_entry(&key).map(|(key, (v, s))| (key, v, s));
            assert_eq!(map.remove_entry(key.as_str()), expected);
        }
        3 => {
            let removed = reference.remove_where(|other, k| other == score && *k >= *key);
            assert_eq!(map.remove_range_by_key(&score, key.as_str()..), removed.len());
        }
        4 | 5 => {
            let (to, end) = (score + 2, any_key(random));
            let is_within = |other, k: &str| ((score, &*key)..(to, &*end)).contains(&(other, k));
            let removed = reference.remove_where(is_within);
            let range = (&score, key.as_str())..(&to, end.as_str());
            if random.random() {
                assert_eq!(map.remove_range(range), removed.len());
            } else {
                assert!(map.drain_range(range).eq(removed));
            }
        }
        6 => {
            let keep = |value: &mut u64, score: &i32| {
                *value = value.wrapping_mul(3);
                score % 7 != 0
            };
            map.retain(|_, value, score| keep(value, score));
            reference.0.retain(|_, (value, score)| keep(value, score));
        }
        7 => {
            let seen = Cell::new(0);
            let is_taken = |_: &String, value: &mut u64, score: &i32| {
                *value ^= 2;
                seen.set(seen.get() + 1);
                score % 3 == 0
            };
            let taken: Vec<_> = map.extract_if(is_taken).take(5).collect();
            let mut expected = Vec::new();
            for (key, mut value, score) in reference.elements().into_iter().take(seen.get()) {
                if is_taken(&key, &mut value, &score) {
                    reference.0.remove(&key);
                    expected.push((key, value, score));
                } else {
                    reference.0.insert(key, (value, score));
                }
            }
            assert_eq!(taken, expected);
        }
        8 => {
            let values: Vec<u64> = reference.elements().iter().map(|element| element.1).collect();
            assert!(map.values_mut().eq(&values) && map.values_mut().rev().eq(values.iter().rev()));
            map.values_mut().for_each(|value| *value = value.wrapping_add(1));
            reference.0.values_mut().for_each(|held| held.0 = held.0.wrapping_add(1));
            assert_eq!(map.values_mut().len(), reference.0.len());
        }
        9 => {
            let clone = map.clone();
            assert_eq!(clone, *map);
            *map = Map::from_sorted_iter(clone).unwrap();
        }
        _ => {
            // Each key occurs twice: its last value and score win.
            let elements = reference.elements();
            let first = elements.iter().map(|(key, ..)| (key.clone(), 0, 0));
            *map = first.chain(map.drain().collect::<Vec<_>>()).collect();
            let from_back: Vec<_> = map.clone().into_iter().rev().collect();
            assert!(from_back.into_iter().rev().eq(elements));
        }
    }
}

/// Changes the same values in the map and the reference, in a random range and from either end.
fn change(map: &mut Map, reference: &mut Reference, random: &mut SmallRng) {
    let elements = reference.elements();
    let (from, to) = (random.random_range(-9..70), random.random_range(-9..70));
    let (low, high) = (any_key(random), any_key(random));
    let ranks = random.random_range(0..310)..random.random_range(0..310);
    let kind = random.random_range(0..5);
    let is_within = |rank: usize, (key, _, score): &(String, u64, i32)| match kind {
        0 | 1 => true,
        2 => ranks.contains(&rank),
        3 => (from..=to).contains(score),
        _ => ((from, &low)..(to, &high)).contains(&(*score, key)),
    };
    let within = elements.into_iter().enumerate();
    let mut left: VecDeque<_> =
        within.filter(|(rank, of)| is_within(*rank, of)).map(|(_, of)| of).collect();
    let mut changed = match kind {
        0 => map.iter_mut(),
        1 => map.into_iter(),
        2 => map.range_by_rank_mut(ranks),
        3 => map.range_by_score_mut(from..=to),
        _ => map.range_mut((&from, low.as_str())..(&to, high.as_str())),
    };
    let (from_back, stop) = (random.random_range(0.0..1.0), random.random_range(0.0..0.1));
    while !random.random_bool(stop) {
        assert_eq!(changed.len(), left.len());
        if random.random_bool(0.1) {
            assert_eq!(format!("{changed:?}"), format!("{left:?}"));
        }
        let (element, expected) = if random.random_bool(from_back) {
            (changed.next_back(), left.pop_back())
        } else {
            (changed.next(), left.pop_front())
        };
        assert_eq!(
            element.as_ref().map(|(key, value, score)| owned((key, value, score))),
            expected
        );
        let Some((key, value, _)) = element else { break };
        *value ^= 16;
        reference.0.get_mut(key).unwrap().0 ^= 16;
    }
}

#[test]
fn all_elements_of_many_chunks_are_changed_from_both_ends() {
    let len = if cfg!(miri) { 200 } else { 9_000 };
    let mut random = SmallRng::seed_from_u64(9);
    let mut map: SortedMap<u32, u32, u32> = SortedMap::new();
    for _ in 0..len {
        let key = random.random_range(0..2 * len);
        map.insert(key, key, key / 3);
        // Random removals free leaves in no particular order.
        map.remove(&random.random_range(0..2 * len));
    }
    let keys: Vec<u32> = map.keys().copied().collect();
    for from_back in [0.0, 0.5, 1.0] {
        let mut left: VecDeque<u32> = keys.iter().copied().collect();
        let mut elements = map.iter_mut();
        while !left.is_empty() {
            let (element, expected) = if random.random_bool(from_back) {
                (elements.next_back(), left.pop_back())
            } else {
                (elements.next(), left.pop_front())
            };
            let (key, value, _) = element.unwrap();
            assert_eq!(Some(*key), expected);
            *value += key;
        }
        assert!(elements.next().is_none() && elements.next_back().is_none());
    }
    map.check();
    assert!(map.values().eq(&keys.iter().map(|key| 4 * key).collect::<Vec<_>>()));
}

#[test]
fn mutable_references_outlive_the_iterator() {
    let mut map: SortedMap<u32, u32, u32> = (0..200).map(|i| (i, 0, 200 - i)).collect();
    let mut values: Vec<&mut u32> = map.values_mut().collect();
    for (rank, value) in values.iter_mut().enumerate() {
        **value = rank as u32;
    }
    assert!(map.into_values().eq(0..200));
}

#[test]
fn insert_keeps_the_stored_key_and_replace_stores_the_given_one() {
    let mut map = Map::from([(String::from("a"), 10, 1)]);
    let address = |map: &Map| map.first().unwrap().0.as_ptr();
    let stored = address(&map);
    assert_eq!(map.insert("a".into(), 20, 2), Some((10, 1)));
    assert_eq!(address(&map), stored);
    let key = String::from("a");
    let given = key.as_ptr();
    assert_eq!(map.replace(key, 30, 3), Some(("a".into(), 20, 2)));
    assert_eq!(address(&map), given);
    assert_eq!((map.rank("a"), map["a"]), (Some(0), 30));
    map.check();
}

#[test]
#[should_panic(expected = "duplicate keys found")]
fn a_repeated_key_of_get_disjoint_mut_panics() {
    SortedMap::from([("a", 'x', 1)]).get_disjoint_mut(["a", "b", "a"]);
}

#[test]
fn a_repeated_key_that_is_not_in_the_map_does_not_panic() {
    let mut map = SortedMap::from([("a", 'x', 1)]);
    assert_eq!(map.get_disjoint_mut(["b", "a", "b"]), [None, Some(&mut 'x'), None]);
    assert!(map.get_disjoint_mut::<&str, 0>([]).is_empty());
}

/// Calls a random method of the key's entry.
fn enter(map: &mut Map, reference: &mut Reference, key: String, value: u64, score: i32) {
    let held = reference.0.get(&key).copied();
    let entry = map.entry(key.clone());
    assert_eq!(entry.key(), &key);
    match entry {
        Entry::Occupied(mut entry) => {
            let (old, old_score) = held.expect("the entry is occupied");
            assert_eq!((entry.key(), *entry.get(), entry.score()), (&key, old, &old_score));
            if score % 3 == 0 {
                let removed = if value % 2 == 0 {
                    entry.remove()
                } else {
                    let (_, value, score) = entry.remove_entry();
                    (value, score)
                };
                assert_eq!(Some(removed), reference.0.remove(&key));
                return;
            }
            match value % 3 {
                0 => assert_eq!(entry.insert(value, score), (old, old_score)),
                1 => entry = Entry::Occupied(entry).insert_entry(value, score),
                _ => {
                    assert_eq!(entry.set_score(score), old_score);
                    *entry.get_mut() = value;
                }
            }
            *entry.get_mut() ^= 4;
            reference.0.insert(key.clone(), (value ^ 4, score));
            let elements = reference.elements();
            assert_eq!(elements[entry.rank()].0, key);
            assert_eq!(*entry.into_mut(), value ^ 4);
        }
        Entry::Vacant(entry) => {
            assert_eq!((held, entry.key()), (None, &key));
            match score % 5 {
                0 => assert_eq!(entry.into_key(), key),
                1 => {
                    assert_eq!(*entry.insert(value, score), value);
                    reference.0.insert(key, (value, score));
                }
                2 => {
                    let mut entry = if value % 2 == 0 {
                        entry.insert_entry(value, score)
                    } else {
                        map.entry(key.clone()).insert_entry(value, score)
                    };
                    assert_eq!((entry.key(), entry.get(), entry.score()), (&key, &value, &score));
                    assert_eq!(entry.set_score(score + 2), score);
                    reference.0.insert(key, (value, score + 2));
                }
                3 => {
                    let entry = map.entry(key.clone()).or_insert_with_key(|given| {
                        assert_eq!(given, &key);
                        (value, score)
                    });
                    *entry ^= 32;
                    reference.0.insert(key, (value ^ 32, score));
                }
                _ => {
                    let entry =
                        map.entry(key.clone()).and_modify(|_, _| unreachable!("it is vacant"));
                    assert_eq!(*entry.or_insert_with(|| (value, score)), value);
                    let entry = map.entry(key.clone()).and_modify(|value, score| {
                        *value ^= 8;
                        score + 1
                    });
                    assert_eq!(*entry.or_insert(0, 0), value ^ 8);
                    reference.0.insert(key, (value ^ 8, score + 1));
                }
            }
        }
    }
}

#[test]
fn random_sequences_of_map_methods() {
    let (seeds, steps) = if cfg!(miri) { (1, 40) } else { (6, 500) };
    for seed in 0..seeds {
        let mut random = SmallRng::seed_from_u64(seed);
        let (mut map, mut reference) = (Map::new(), Reference::default());
        for _ in 0..steps {
            if random.random() {
                put(&mut map, &mut reference, &mut random);
            } else {
                take(&mut map, &mut reference, &mut random);
            }
            compare(&map, &reference, &mut random);
        }
    }
}

#[test]
fn a_map_from_unsorted_elements_or_repeated_keys_is_an_error() {
    let not_ascending = Map::from_sorted_iter([("b".into(), 1, 1), ("a".into(), 2, 1)]);
    assert_eq!(not_ascending.unwrap_err(), FromSortedError::NotAscending { rank: 1 });
    let twice = Map::from_sorted_iter([("a".into(), 1, 1), ("a".into(), 2, 2)]);
    assert_eq!(twice.unwrap_err(), FromSortedError::DuplicateMember { rank: 1 });
}

#[test]
fn equal_maps_have_equal_values() {
    let map = |value| SortedMap::from([("a", value, 1)]);
    assert_eq!(map('x'), map('x'));
    assert_ne!(map('x'), map('y'));
}
