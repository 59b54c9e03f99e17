//! Conditional insertions into a fixed-size buffer, some of which do not fit.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use zset_core::redis::{AddOptions, Added};
use zset_core::{IncrementError, PackedZSet, Score, TryReserveError};

#[test]
fn a_conditional_insertion_without_room_leaves_the_set_unchanged() {
    let mut random = SmallRng::seed_from_u64(1);
    let mut set = PackedZSet::with_storage([0; 150]).unwrap();
    let mut reference: BTreeMap<String, Score> = BTreeMap::new();
    let (mut refused, mut done) = (0, 0);
    for step in 0..if cfg!(miri) { 40 } else { 5000 } {
        let member = random.random_range(0..60_u32).to_string();
        // Scores whose entries differ in length.
        let scores = [-1e100, -2.5, -1.0, 0.0, 7.0, 12.25, 100_000.0, 1e100];
        let score = Score::new(scores[random.random_range(0..scores.len())]).unwrap();
        let is_max = random.random();
        let is_better = |old: Score| if is_max { score > old } else { score < old };
        let expected = match reference.get(&member) {
            None => Added::Inserted { score },
            Some(&old) if is_better(old) => Added::Updated { old, score },
            Some(_) => Added::Blocked,
        };
        let before = set.clone();
        let options = AddOptions::new();
        let options = if is_max { options.gt() } else { options.lt() };
        let result = set.try_add(&member, score, options);
        set.check();
        match result {
            Ok(added) => {
                assert_eq!(added, expected);
                if added.is_changed() {
                    reference.insert(member, score);
                    done += 1;
                }
            }
            Err(error) => {
                assert_eq!(error, IncrementError::Full(TryReserveError::BufferFull));
                assert_eq!(set, before);
                assert!(expected.is_changed(), "the write needs no room");
                refused += 1;
            }
        }
        if step % 5 == 0 {
            let member = random.random_range(0..60_u32).to_string();
            assert_eq!(set.remove(&member), reference.remove(&member));
        }
        let asked: Vec<String> = (0..60).map(|i: u32| i.to_string()).collect();
        let scores = asked.iter().map(|member| reference.get(member).copied());
        assert!(set.scores(&asked).eq(scores));
    }
    assert!(refused > 5 && done > 5, "{refused} of {done} found no room");
}
