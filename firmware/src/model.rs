//! Seeded random operations on a set and on the reference.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::reference::MEMBERS;
use crate::{Full, Reference, Subject};

/// Runs `steps` operations and compares everything after each. The set may run out of memory: an
/// insertion then fails and leaves it unchanged.
pub fn run_model(set: &mut impl Subject, seed: u64, steps: u32) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut reference = Reference::default();
    set.clear();
    for _ in 0..steps {
        let member = random.random_range(0..MEMBERS as u16);
        // Few distinct scores, and a wide range of them.
        let score = if random.random() { random.random_range(0..5) } else { random.random() };
        match random.random_range(0..16) {
            0..10 => match set.try_insert(member, score) {
                Ok(old) => assert_eq!(reference.insert(member, score), old),
                Err(Full) => assert!(!reference.is_empty(), "an empty set has room"),
            },
            10..14 => assert_eq!(set.remove(member), reference.remove(member)),
            14 => {
                let first = reference.first();
                assert_eq!(set.pop_first(), first);
                first.map(|(member, _)| reference.remove(member));
            }
            _ => {
                let last = reference.last();
                assert_eq!(set.pop_last(), last);
                last.map(|(member, _)| reference.remove(member));
            }
        }
        set.check();
        compare(set, &reference, member, score);
    }
    set.clear();
    assert_eq!(set.len(), 0);
}

fn compare(set: &impl Subject, reference: &Reference, member: u16, score: u32) {
    assert_eq!(set.len(), reference.len());
    assert_eq!(set.score(member), reference.score(member));
    let rank = reference.rank(member);
    assert_eq!(set.rank(member), rank);
    if let Some(rank) = rank {
        assert_eq!(set.get_by_rank(rank).map(|element| element.0), Some(member));
    }
    assert_eq!(set.get_by_rank(0), reference.first());
    assert_eq!(set.get_by_rank(reference.len()), None);
    let within = reference.elements().filter(|&(_, other)| (3..score).contains(&other)).count();
    assert_eq!(set.count_by_score(3, score), within);

    let (mut count, mut previous) = (0, None);
    set.for_each(&mut |member, score| {
        assert!(previous < Some((score, member)), "elements out of order");
        assert_eq!(reference.score(member), Some(score));
        (count, previous) = (count + 1, Some((score, member)));
    });
    assert_eq!(count, reference.len());
}
