//! Tests samples of random members.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use std::collections::HashSet;
use zset_core::{Score, ZSet};

use crate::both_encodings;

const LEN: usize = if cfg!(miri) { 9 } else { 100 };

fn rng(seed: u64) -> SmallRng {
    SmallRng::seed_from_u64(seed)
}

fn samples() -> [ZSet; 2] {
    both_encodings((0..LEN).map(|i| (i.to_string(), Score::from(i as u32))))
}

#[test]
fn a_sample_has_distinct_members_and_at_most_all() {
    for set in samples() {
        for n in [0, 1, 2, LEN / 3, LEN / 3 + 1, LEN - 1, LEN, LEN + 1, usize::MAX] {
            let random = set.sample(&mut rng(1), n);
            let wanted = n.min(LEN);
            assert_eq!(random.size_hint(), (wanted, Some(wanted)));
            let drawn: Vec<_> = random.collect();
            assert_eq!(drawn.len(), wanted);
            assert_eq!(drawn.iter().map(|(m, _)| m.to_vec()).collect::<HashSet<_>>().len(), wanted);
            assert!(drawn.iter().all(|&(member, score)| set.score(member) == Some(score)));
        }
    }
}

#[test]
fn a_sample_with_replacement_has_the_exact_count_and_may_repeat() {
    for set in samples() {
        for n in [1, 2, LEN, 3 * LEN] {
            let mut rng = rng(2);
            let random = set.sample_with_replacement(&mut rng, n);
            assert_eq!(random.size_hint(), (n, Some(n)));
            let drawn: Vec<_> = random.collect();
            assert_eq!(drawn.len(), n);
            assert!(drawn.iter().all(|&(member, score)| set.score(member) == Some(score)));
        }
    }
    let one = ZSet::from([("only", Score::ZERO)]);
    let mut rng = rng(3);
    assert!(one.sample_with_replacement(&mut rng, 5).all(|(member, _)| member == "only"));
    assert_eq!(one.sample(&mut rng, 5).count(), 1);
}

#[test]
fn the_largest_sample_with_replacement_is_lazy() {
    for set in samples() {
        let mut rng = rng(4);
        let mut random = set.sample_with_replacement(&mut rng, usize::MAX);
        assert_eq!(random.size_hint(), (usize::MAX, Some(usize::MAX)));
        let seen: HashSet<Vec<u8>> = random
            .by_ref()
            .take(if cfg!(miri) { LEN } else { 20 * LEN })
            .map(|(m, _)| m.to_vec())
            .collect();
        assert!(seen.len() == LEN || cfg!(miri), "every member is drawn");
        assert!(random.next().is_some());
    }
}

#[test]
fn the_same_seed_draws_the_same_sample_in_both_encodings() {
    let [listpack, skiplist] = samples();
    for n in [3, 50] {
        assert!(listpack.sample(&mut rng(7), n).eq(skiplist.sample(&mut rng(7), n)));
        let (mut one, mut other) = (rng(8), rng(8));
        let drawn = listpack.sample_with_replacement(&mut one, n);
        assert!(drawn.eq(skiplist.sample_with_replacement(&mut other, n)));
    }
}
