//! Tests sets while every allocation fails. Insertions and updates may fail but leave the set
//! unchanged, and removals never fail.

use zset_core::{Score, TryReserveError};

use crate::counting::without_memory;
use crate::{grown, scattered, scattered_score};

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn an_insertion_that_fails_leaves_the_set_unchanged_and_removals_never_fail() {
    for len in [3, 16, 64, 100, 224, 448, 900, 1_500, 1_792, 30_000] {
        let mut set = grown(len);
        let (mut failed, mut removed) = (0, 0);
        for number in len..len + if len < 2_000 { 2_000 } else { 130 } {
            let before = set.clone();
            let score = scattered_score(number);
            let inserted = without_memory(|| set.try_insert(number, score));
            match &inserted {
                Ok(old) => assert_eq!((*old, set.len()), (None, before.len() + 1)),
                Err(error) => {
                    assert_eq!(error.element, (number, score));
                    assert_eq!(error.error, TryReserveError::AllocError);
                    assert!(set == before, "{len} elements");
                    failed += 1;
                }
            }
            let rank = scattered(number) as usize % set.len().max(1);
            let taken = match number % 3 {
                0 => without_memory(|| usize::from(set.remove_by_rank(rank).is_some())),
                1 if number % 9 == 1 => without_memory(|| set.remove_range_by_rank(rank..=rank)),
                _ => 0,
            };
            removed += taken;
            assert_eq!(set.len(), before.len() + usize::from(inserted.is_ok()) - taken);
            if number % 50 == 0 || len < 2_000 && number % 10 == 0 {
                set.check();
            }
        }
        set.check();
        assert!(failed > 0 && removed > 0, "{failed} of {len} failed");
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn an_update_that_fails_leaves_the_set_unchanged() {
    // Every leaf is full at first, so moving an element to another leaf needs memory.
    let mut set: crate::Set = (0..100 * 64).map(|i| (i, Score::from(10 * i as u32))).collect();
    let mut failed = 0;
    for step in 0..2_000 {
        let (member, score) = (scattered(step) % 6_400, Score::from(scattered(step + 1) as u32));
        let before = *set.score(&member).unwrap();
        let updated = without_memory(|| set.try_update(&member, |_| score));
        let expected = if updated.is_ok() { score } else { before };
        assert_eq!(set.score(&member), Some(&expected));
        failed += usize::from(updated.is_err());
        if step % 50 == 0 {
            set.check();
        }
    }
    set.check();
    assert!(failed > 0);
}
