//! `SortedMap`, compared with a `BTreeMap` from keys to values and scores, in random sequences of
//! all methods.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds;
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

    fn remove_where(&mut self, is_removed: impl Fn(usize, i32) -> bool) -> usize {
        let elements = self.elements().into_iter().enumerate();
        let removed: Vec<_> =
            elements.filter(|(rank, element)| is_removed(*rank, element.2)).collect();
        for (_, (key, ..)) in &removed {
            self.0.remove(key);
        }
        removed.len()
    }
}

fn owned((key, value, score): (&String, &u64, i32)) -> (String, u64, i32) {
    (key.clone(), *value, score)
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
    assert!(map.range_by_key(score, key.as_str()..).map(owned).eq(expected));
    let there = elements.iter().position(|(other, ..)| *other == key);
    let found = there.map(|rank| &elements[rank]);
    assert_eq!(map.get(&key).copied(), found.map(|found| found.1));
    assert_eq!(map.get_key_value(key.as_str()).map(|pair| *pair.1), found.map(|found| found.1));
    assert_eq!(map.score(key.as_str()), found.map(|found| found.2));
    assert_eq!(map.contains_key(key.as_str()), found.is_some());
    assert_eq!(map.rank(key.as_str()), there);
    assert_eq!(map.rev_rank(key.as_str()), there.map(|rank| elements.len() - 1 - rank));
}

fn any_key(random: &mut SmallRng) -> String {
    format!("key {}", random.random_range(0..if cfg!(miri) { 90 } else { 300 }))
}

/// Inserts or changes an element in both, and compares the results.
fn put(map: &mut Map, reference: &mut Reference, random: &mut SmallRng) {
    let key = any_key(random);
    let (value, score) = (random.random(), random.random_range(0..60));
    match random.random_range(0..13) {
        0..=3 => {
            let old = reference.0.insert(key.clone(), (value, score));
            assert_eq!(map.insert(key, value, score), old);
        }
        4 => {
            let old = reference.0.insert(key.clone(), (value, score));
            assert_eq!(map.try_insert(key, value, score), Ok(old));
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
            let (value, held) = (map.get_mut(key.as_str()), reference.0.get_mut(&key));
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
            let change = |value: &mut u64, score: i32| {
                *value = value.wrapping_add(7);
                score + 5
            };
            let old = reference.0.get_mut(&key).map(|(value, score)| {
                let old = *score;
                *score = change(value, old);
                old
            });
            assert_eq!(map.update(key.as_str(), change), old);
        }
        9 => {
            let new = reference.0.get_mut(&key).map(|held| {
                held.1 += 3;
                held.1
            });
            assert_eq!(map.increment(key.as_str(), 3), Ok(new));
            let overflows = if new.is_some() { Err(ScoreOverflow) } else { Ok(None) };
            assert_eq!(map.increment(key.as_str(), i32::MAX), overflows);
        }
        _ => enter(map, reference, key, value, score),
    }
}

/// Removes elements from both, or rebuilds both, and compares the results.
fn take(map: &mut Map, reference: &mut Reference, random: &mut SmallRng) {
    let key = any_key(random);
    let (value, score) = (random.random(), random.random_range(0..60));
    match random.random_range(13..27) {
        13 | 14 => assert_eq!(map.remove(key.as_str()), reference.0.remove(&key)),
        15 => {
            let expected = reference.0.remove_entry(&key).map(|(key, (v, s))| (key, v, s));
            assert_eq!(map.remove_entry(key.as_str()), expected);
        }
        16 | 17 => {
            let is_first = random.random();
            let elements = reference.elements();
            let expected = if is_first { elements.first() } else { elements.last() };
            if let Some((key, ..)) = expected {
                reference.0.remove(key);
            }
            let popped = if is_first { map.pop_first() } else { map.pop_last() };
            assert_eq!(popped, expected.cloned());
        }
        18 => {
            let range = score..score + 2;
            let removed = reference.remove_where(|_, score| range.contains(&score));
            assert_eq!(map.remove_range_by_score(range), removed);
        }
        19 => {
            let from = random.random_range(0..60);
            let range = from..from + 3;
            let removed = reference.remove_where(|rank, _| range.contains(&rank));
            assert_eq!(map.remove_range_by_rank(range), removed);
        }
        20 => {
            let keep = |value: &mut u64, score: i32| {
                *value = value.wrapping_mul(3);
                score % 7 != 0
            };
            map.retain(|_, value, score| keep(value, score));
            reference.0.retain(|_, (value, score)| keep(value, *score));
        }
        21 => {
            let seen = Cell::new(0);
            let is_taken = |_: &String, value: &mut u64, score: i32| {
                *value ^= 2;
                seen.set(seen.get() + 1);
                score % 3 == 0
            };
            let taken: Vec<_> = map.extract_if(is_taken).take(5).collect();
            let mut expected = Vec::new();
            for (key, mut value, score) in reference.elements().into_iter().take(seen.get()) {
                if is_taken(&key, &mut value, score) {
                    reference.0.remove(&key);
                    expected.push((key, value, score));
                } else {
                    reference.0.insert(key, (value, score));
                }
            }
            assert_eq!(taken, expected);
        }
        22 => {
            map.values_mut().for_each(|value| *value = value.wrapping_add(1));
            reference.0.values_mut().for_each(|held| held.0 = held.0.wrapping_add(1));
            assert_eq!(map.values_mut().len(), reference.0.len());
        }
        23 => {
            let other = (0..random.random_range(0..200)).map(|_| (any_key(random), value, score));
            let mut other: Map = other.collect();
            for (key, value, score) in &other {
                reference.0.insert(key.clone(), (*value, score));
            }
            map.append(&mut other);
            assert!(other.is_empty());
        }
        24 => {
            let clone = map.clone();
            assert_eq!(clone, *map);
            *map = Map::from_sorted_iter(clone).unwrap();
        }
        25 => {
            map.try_reserve(random.random_range(0..300)).unwrap();
            map.shrink_to_fit();
        }
        _ => {
            // Each key occurs twice: the last value and score win.
            let elements = reference.elements();
            let first = elements.iter().map(|(key, ..)| (key.clone(), 0, 0));
            *map = first.chain(map.drain().collect::<Vec<_>>()).collect();
            let from_back: Vec<_> = map.clone().into_iter().rev().collect();
            assert!(from_back.into_iter().rev().eq(elements));
        }
    }
}

/// Applies a random method of a key's entry.
fn enter(map: &mut Map, reference: &mut Reference, key: String, value: u64, score: i32) {
    let held = reference.0.get(&key).copied();
    let entry = map.entry(key.clone());
    assert_eq!(entry.key(), &key);
    match entry {
        Entry::Occupied(mut entry) => {
            let (old, old_score) = held.expect("the entry is occupied");
            assert_eq!((entry.key(), *entry.get(), entry.score()), (&key, old, old_score));
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
            assert_eq!((entry.insert(value), entry.set_score(score)), (old, old_score));
            *entry.get_mut() ^= 4;
            reference.0.insert(key.clone(), (value ^ 4, score));
            let elements = reference.elements();
            assert_eq!(elements[entry.rank()].0, key);
            assert_eq!(*entry.into_mut(), value ^ 4);
        }
        Entry::Vacant(entry) => {
            assert_eq!((held, entry.key()), (None, &key));
            match score % 3 {
                0 => assert_eq!(entry.into_key(), key),
                1 => {
                    assert_eq!(*entry.insert(value, score).get(), value);
                    reference.0.insert(key, (value, score));
                }
                _ => {
                    let entry =
                        map.entry(key.clone()).and_modify(|_, _| unreachable!("it is vacant"));
                    assert_eq!(entry.or_insert_with(|| (value, score)).score(), score);
                    let entry = map.entry(key.clone()).and_modify(|value, score| {
                        *value ^= 8;
                        score + 1
                    });
                    assert_eq!(*entry.or_insert(0, 0).get(), value ^ 8);
                    reference.0.insert(key, (value ^ 8, score + 1));
                }
            }
        }
    }
}

#[test]
fn random_sequences_of_all_map_methods() {
    let (seeds, steps) = if cfg!(miri) { (1, 40) } else { (20, 500) };
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

#[test]
fn reinserting_an_equal_key_keeps_the_stored_key() {
    let mut map = SortedMap::new();
    let key = String::from("a");
    let address = key.as_ptr();
    map.insert(key, 'x', 1);
    map.insert("a".into(), 'y', 2);
    assert_eq!(map.first().unwrap().0.as_ptr(), address);
}

#[test]
fn debug_of_a_map_shows_values_and_scores() {
    let map = SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    assert_eq!(format!("{map:?}"), r#"{"a": ('x', 1), "b": ('y', 2)}"#);
    assert_eq!(format!("{:?}", map.iter()), r#"[("a", 'x', 1), ("b", 'y', 2)]"#);
}
