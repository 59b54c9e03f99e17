//! Runs random sequences with conditional insertions, fallible updates, samples and bulk score
//! lookups on a map and on a `ZSet`, and compares the results with a `BTreeMap`.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use zset_core::redis::{AddOptions, Added};
use zset_core::{
    IncrementError, ListpackLimits, Score, ScoreOverflow, SortedMap, TryReserveError, ZSet,
};

use crate::mixed::{Reference, STEPS, any_number, any_score, expected};

#[test]
fn maps_keep_each_value_with_its_score() {
    let mut random = SmallRng::seed_from_u64(4);
    let mut map: SortedMap<u16, u32, u32> = SortedMap::new();
    let mut reference = Reference::new();
    for step in 0..STEPS {
        let (key, score, value) =
            (any_number(&mut random), any_score(&mut random), random.random());
        let old = reference.get(&key).copied();
        match random.random_range(0..9) {
            kind @ 0..=3 => {
                let is_max = kind < 2;
                let is_better =
                    |(_, old): (u32, u32)| if is_max { score > old } else { score < old };
                let done = if is_max {
                    map.insert_max(key, value, score)
                } else {
                    map.insert_min(key, value, score)
                };
                assert_eq!(done, expected(old, (value, score), is_better));
                if done.is_changed() {
                    reference.insert(key, (value, score));
                }
            }
            4 => {
                let change = |old: &mut u32, score: &u32| {
                    *old = value;
                    score / 2
                };
                assert_eq!(map.try_update(&key, change), Ok(old.map(|old| old.1)));
                old.map(|(_, score)| reference.insert(key, (value, score / 2)));
            }
            5 => {
                assert_eq!(map.set_score(&key, score), old.map(|old| old.1));
                old.map(|(value, _)| reference.insert(key, (value, score)));
            }
            kind @ 6..=7 => {
                let (value, old) = old.unwrap_or((value, 0));
                let sum = old.checked_add(score).ok_or(ScoreOverflow);
                if kind == 6 {
                    let result = map.try_increment(key, score, || value);
                    assert_eq!(result, sum.map_err(IncrementError::Score));
                } else {
                    assert_eq!(map.increment(key, score, || value), sum);
                }
                if let Ok(sum) = sum {
                    reference.insert(key, (value, sum));
                }
            }
            _ => {
                assert_eq!(map.remove(&key), reference.remove(&key));
                map.reserve(step % 90);
                assert!(map.capacity() >= map.len() + step % 90);
            }
        }
        if step % 7 == 0 {
            map.check();
            let mut elements: Vec<_> =
                reference.iter().map(|(&key, &(value, score))| (score, key, value)).collect();
            elements.sort_unstable();
            assert!(map.iter().map(|(k, v, s)| (*s, *k, *v)).eq(elements));
            let keys: Vec<u16> = (0..20).map(|_| any_number(&mut random)).collect();
            let scores = keys.iter().map(|key| reference.get(key).map(|found| found.1));
            assert!(map.scores(&keys).map(Option::<&_>::copied).eq(scores));
            let (keys, values): (Vec<_>, Vec<_>) = map.iter().map(|(k, v, _)| (*k, *v)).unzip();
            assert!(map.keys().eq(&keys) && map.values().eq(&values));
            assert!(map.keys().rev().eq(keys.iter().rev()) && map.keys().len() == keys.len());
            assert_eq!(map.values().nth(3), values.get(3));
            assert!(map.clone().into_keys().eq(keys.iter().copied()));
            assert!(map.clone().into_values().rev().eq(values.into_iter().rev()));
            assert!(keys.iter().all(|key| Some(&map[key]) == map.get(key)));
        }
    }
}

#[test]
fn a_zset_in_both_encodings() {
    let mut random = SmallRng::seed_from_u64(5);
    for limit in [usize::MAX, 30, 0] {
        let mut set = ZSet::with_limits(ListpackLimits {
            max_listpack_entries: limit,
            ..ListpackLimits::default()
        });
        let mut reference: BTreeMap<String, u32> = BTreeMap::new();
        for step in 0..STEPS / 2 {
            let member = format!("member {}", any_number(&mut random));
            let score = any_score(&mut random);
            let old = reference.get(&member).copied();
            let (kind, as_score) = (random.random_range(0..7), Score::from);
            match kind {
                0..=3 => {
                    let options = AddOptions::new();
                    let options = if kind < 2 { options.gt() } else { options.lt() };
                    let is_better = |old: u32| if kind < 2 { score > old } else { score < old };
                    let new = as_score(score);
                    let expected = match old {
                        None => Added::Inserted { score: new },
                        Some(old) if is_better(old) => {
                            Added::Updated { old: as_score(old), score: new }
                        }
                        Some(_) => Added::Blocked,
                    };
                    let added = if kind % 2 == 0 {
                        set.add(&member, new, options).unwrap()
                    } else {
                        set.try_add(&member, new, options).unwrap()
                    };
                    assert_eq!(added, expected);
                    if expected.is_changed() {
                        reference.insert(member, score);
                    }
                }
                4 => {
                    let updated = set.try_update(&member, |_| as_score(score));
                    assert_eq!(updated, Ok(old.map(as_score)));
                    old.map(|_| reference.insert(member, score));
                }
                5 => {
                    let sum = old.unwrap_or(0).checked_add(score).unwrap_or(score);
                    let by = f64::from(sum) - f64::from(old.unwrap_or(0));
                    assert_eq!(set.try_increment(&member, by), Ok(as_score(sum)));
                    reference.insert(member, sum);
                }
                _ => {
                    assert_eq!(set.remove(&member), old.map(as_score));
                    reference.remove(&member);
                }
            }
            set.check();
            assert_eq!(set.len(), reference.len());
            if step % 11 == 0 {
                let asked: Vec<String> =
                    (0..20).map(|_| format!("member {}", any_number(&mut random))).collect();
                let scores = asked.iter().map(|member| reference.get(member).copied());
                assert!(set.scores(&asked).eq(scores.map(|score| score.map(as_score))));
                let scores = reference.iter().map(|(member, &score)| (member, as_score(score)));
                assert_eq!(set, scores.collect());
            }
        }
    }
}

#[test]
fn reserving_promotes_a_zset_only_at_its_limit() {
    let mut set = ZSet::new();
    set.insert("a", Score::ZERO);
    set.try_reserve(127).unwrap();
    assert!(set.as_listpack().is_some());
    assert_eq!(set.try_reserve(usize::MAX), Err(TryReserveError::CapacityOverflow));
    assert!(set.as_listpack().is_some(), "an error leaves the encoding");
    set.try_reserve(128).unwrap();
    assert!(set.as_listpack().is_none());
    set.check();
    assert_eq!(set.score("a"), Some(Score::ZERO));
    set.reserve(1000);
    set.check();
}
