//! Seeded random operations on a set and on the reference.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

#[cfg(feature = "heap")]
use crate::reference::LargeReference;
use crate::reference::MEMBERS;
use crate::{Full, Reference, Subject};

/// Runs `steps` operations and compares everything after each. The set may run out of memory: an
/// insertion then fails and leaves it unchanged.
pub fn run_model(set: &mut impl Subject, seed: u64, steps: u32) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut reference = Reference::default();
    set.clear();
    for _ in 0..steps {
        let member = random.random_range(0..MEMBERS);
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

fn compare(set: &impl Subject, reference: &Reference, member: u32, score: u32) {
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

/// Runs random operations on a set that grows to `most` elements and is then drained. The whole set
/// is compared only at intervals, since that takes time in proportion to its size.
#[cfg(feature = "heap")]
pub fn run_large_model(set: &mut impl Subject, seed: u64, most: u32) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut reference = LargeReference::default();
    let interval = most / 4;
    let mut largest = 0;
    for step in 1..=most * 3 / 2 {
        let is_growing = step <= most + most / 8;
        let member = random.random_range(0..most);
        let score = if random.random() { random.random_range(0..5) } else { random.random() };
        match random.random_range(0..16) {
            // All members in a scattered order, so that the set finally has all of them.
            0..14 if is_growing => {
                let member = (step * 7_919) % most;
                let old = set.try_insert(member, score).expect("there is memory");
                assert_eq!(reference.insert(member, score), old);
            }
            0..6 => {
                let old = set.try_insert(member, score).expect("there is memory");
                assert_eq!(reference.insert(member, score), old);
            }
            14 if !is_growing => assert_eq!(set.pop_first(), reference.pop_first()),
            15 if !is_growing => assert_eq!(set.pop_last(), reference.pop_last()),
            _ => assert_eq!(set.remove(member), reference.remove(member)),
        }
        assert_eq!(set.len(), reference.len());
        largest = largest.max(set.len());
        if step % interval == 0 {
            compare_all(set, &reference);
        }
    }
    // The removals in between keep the set below its maximum.
    assert!(largest > most as usize * 3 / 4, "{largest} elements");
    while let Some(first) = reference.pop_first() {
        assert_eq!(set.pop_first(), Some(first));
    }
    assert_eq!(set.len(), 0);
    set.clear();
}

#[cfg(feature = "heap")]
fn compare_all(set: &impl Subject, reference: &LargeReference) {
    set.check();
    let mut elements = reference.elements();
    set.for_each(&mut |member, score| assert_eq!(elements.next(), Some((member, score))));
    assert_eq!(elements.next(), None);
    for (rank, (member, score)) in reference.elements().enumerate().step_by(97) {
        assert_eq!(set.score(member), Some(score));
        assert_eq!(set.rank(member), Some(rank));
        assert_eq!(set.get_by_rank(rank), Some((member, score)));
    }
}

/// Fills a set until the heap is full or it has `most` elements, then replaces one element after
/// the other; returns its length.
#[cfg(feature = "heap")]
pub fn fill_and_replace(set: &mut impl Subject, most: u32, rounds: u32) -> u32 {
    let scatter = |member: u32| member.wrapping_mul(0x9E37_79B9) >> 8;
    set.clear();
    let full = |&member: &u32| set.try_insert(member, scatter(member)).is_err();
    let len = (0..most).find(full).unwrap_or(most);
    // A failed insertion leaves the set unchanged.
    assert_eq!((set.len(), set.score(len)), (len as usize, None));
    set.check();
    for round in 0..rounds {
        assert_eq!(set.remove(round), Some(scatter(round)));
        let new = len + round;
        assert_eq!(
            set.try_insert(new, scatter(new)),
            Ok(None),
            "in round {round} of {len} elements"
        );
    }
    set.check();
    assert_eq!(set.len(), len as usize);
    set.clear();
    len
}
