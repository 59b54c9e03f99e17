//! Compares sets with a naive reference under seeded random operations, and tests them on a full
//! heap.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::Set;
#[cfg(feature = "heap")]
use crate::heap;
#[cfg(feature = "heap")]
use zset_core::TryReserveError;

/// The score of each member, or `None` if the member is absent. Most queries visit all members.
pub struct Reference<'a>(pub &'a mut [Option<u32>]);

impl Reference<'_> {
    pub fn insert(&mut self, member: u32, score: u32) -> Option<u32> {
        self.0[member as usize].replace(score)
    }

    pub fn remove(&mut self, member: u32) -> Option<u32> {
        self.0[member as usize].take()
    }

    pub fn score(&self, member: u32) -> Option<u32> {
        self.0[member as usize]
    }

    pub fn len(&self) -> usize {
        self.elements().count()
    }

    /// Returns the elements, ordered by member.
    pub fn elements(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&*self.0).filter_map(|(member, score)| Some((member, (*score)?)))
    }

    /// Returns the elements, ordered by score, then by member.
    pub fn in_order(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut last = None;
        core::iter::from_fn(move || {
            let after = self.elements().filter(|&(member, score)| last < Some((score, member)));
            let (member, score) = after.min_by_key(|&(member, score)| (score, member))?;
            last = Some((score, member));
            Some((member, score))
        })
    }

    pub fn first(&self) -> Option<(u32, u32)> {
        self.elements().min_by_key(|&(member, score)| (score, member))
    }
}

/// Returns a score below 2^20 for a member. Consecutive members get scattered scores.
pub fn scatter(member: u32) -> u32 {
    member.wrapping_mul(0x9E37_79B9) >> 12
}

/// Runs operations on an empty set, and compares it with the reference after each. If the set runs
/// out of memory, the insertion must fail and leave it unchanged.
pub fn run_model(set: &mut dyn Set, seed: u64, steps: u32) {
    let mut scores = [None; 120];
    change(set, &mut Reference(&mut scores), seed, steps, 1);
    set.clear();
    assert_eq!(set.len(), 0);
}

/// Runs the model on a new set and, where there is memory for it, on a large one.
#[cfg(feature = "heap")]
pub fn test_model<S: Set>(new: fn() -> S, steps: u32) {
    let used = heap::used();
    run_model(&mut new(), 1, steps);
    if heap::BYTES > 1 << 20 {
        run_large_model(&mut new());
    }
    assert_eq!(heap::used(), used, "memory was lost");
}

/// Fills a set, changes it, and compares it with the reference a few times.
#[cfg(feature = "heap")]
fn run_large_model(set: &mut dyn Set) {
    const LEN: u32 = 40_000;
    let mut scores = alloc::vec![None; LEN as usize];
    let reference = &mut Reference(&mut scores);
    for i in 0..LEN {
        // Visits all members in a scattered order, since 7,919 and `LEN` have no common factor.
        let member = i * 7_919 % LEN;
        assert_eq!(set.try_insert(member, scatter(i)), Ok(None));
        reference.insert(member, scatter(i));
    }
    change(set, reference, 2, 2_000, 500);
    let mut last = None;
    while let Some((member, score)) = set.pop_first() {
        assert!(last < Some((score, member)), "elements out of order");
        assert_eq!(reference.remove(member), Some(score));
        last = Some((score, member));
    }
    assert_eq!(reference.len(), 0);
}

fn change(set: &mut dyn Set, reference: &mut Reference, seed: u64, steps: u32, interval: u32) {
    let mut random = SmallRng::seed_from_u64(seed);
    for step in 1..=steps {
        let member = random.random_range(0..reference.0.len() as u32);
        // Half of the scores are below five, so many are equal.
        let score = if random.random() { random.random_range(0..5) } else { random.random() };
        match random.random_range(0..16) {
            0..10 => match set.try_insert(member, score) {
                Ok(old) => assert_eq!(reference.insert(member, score), old),
                Err(_) => assert!(reference.len() > 0, "an empty set has room"),
            },
            10..13 => assert_eq!(set.remove(member), reference.remove(member)),
            13 => {
                let scores = score..score.saturating_add(2);
                let removed = reference
                    .0
                    .iter_mut()
                    .filter_map(|old| old.take_if(|old| scores.contains(old)));
                assert_eq!(removed.count(), set.remove_range_by_score(scores));
            }
            end => {
                let by_order = |&(member, score): &(u32, u32)| (score, member);
                let (popped, expected) = if end == 14 {
                    (set.pop_first(), reference.elements().min_by_key(by_order))
                } else {
                    (set.pop_last(), reference.elements().max_by_key(by_order))
                };
                assert_eq!(popped, expected);
                expected.map(|(member, _)| reference.remove(member));
            }
        }
        if step % interval == 0 {
            compare(set, reference);
        }
        assert_eq!(set.score(member), reference.score(member));
        assert_eq!(set.rank(member).is_some(), reference.score(member).is_some());
    }
}

/// Compares all elements, and the ranks and counts of some.
fn compare(set: &dyn Set, reference: &Reference) {
    set.check();
    let len = reference.len();
    assert_eq!(set.len(), len);
    assert_eq!(set.get_by_rank(len), None);
    let (mut rank, mut previous) = (0, None);
    set.for_each(&mut |member, score| {
        assert!(previous < Some((score, member)), "elements out of order");
        assert_eq!(reference.score(member), Some(score));
        if rank % (1 + len / 16) == 0 {
            assert_eq!(set.rank(member), Some(rank));
            assert_eq!(set.get_by_rank(rank), Some((member, score)));
            let before =
                reference.elements().filter(|&(_, other)| (2..score).contains(&other)).count();
            assert_eq!(set.count_by_score(2..score), before);
        }
        (rank, previous) = (rank + 1, Some((score, member)));
    });
    assert_eq!(rank, len);
    let (mut count, scores) = (0, 1..1 << 30);
    set.range_by_score(scores.clone(), &mut |_, score| {
        count += usize::from(scores.contains(&score))
    });
    assert_eq!(set.count_by_score(scores), count);
}

/// Fills the heap with a set and empties it again, ten times.
#[cfg(feature = "heap")]
pub fn test_full_heap<S: Set>(new: fn() -> S) {
    let used = heap::used();
    for round in 0..10 {
        let (len, bytes, removed) = fill_and_empty(&mut new());
        if round == 0 {
            semihosting::print!("{len} in {bytes} bytes, {removed} removed for another ... ");
        }
        assert_eq!(heap::used(), used, "memory was lost");
    }
}

/// Fills a heap of at most 48 KB with a set until an insertion fails, removes elements until others
/// can be inserted, and then removes all. Returns the number of elements on the full heap, their
/// size in bytes, and the maximum number of removals that an insertion needed.
#[cfg(feature = "heap")]
fn fill_and_empty(set: &mut dyn Set) -> (u32, usize, u32) {
    let _taken = heap::take_except(48 << 10);
    let used = heap::used();
    let mut len = 0;
    let error = loop {
        match set.try_insert(len, scatter(len)) {
            Ok(old) => assert_eq!(old, None),
            Err(error) => break error,
        }
        len += 1;
    };
    assert_eq!(error, TryReserveError::AllocError);
    let bytes = heap::used() - used;
    set.check();
    assert_eq!((set.len(), set.score(len)), (len as usize, None));
    for member in 0..len {
        let (old, new) = (scatter(member), scatter(member + len));
        assert_eq!(set.score(member), Some(old));
        let changed = set.try_insert(member, new);
        assert!(matches!(changed, Ok(Some(_)) | Err(TryReserveError::AllocError)));
        assert_eq!(set.score(member), Some(if changed.is_ok() { new } else { old }));
    }
    set.check();

    let mut most_removed = 0;
    for new in len..len + 100 {
        let mut removed = 0;
        while set.try_insert(new, scatter(new)).is_err() {
            let first = set.get_by_rank(0).expect("an empty set has room");
            assert_eq!(set.pop_first(), Some(first));
            removed += 1;
        }
        assert_eq!(set.score(new), Some(scatter(new)));
        most_removed = removed.max(most_removed);
    }
    set.check();
    // Allocates all remaining memory: removals must succeed without any.
    let _rest = heap::take_except(0);
    let lower_half = 0..1 << 19;
    let count = set.count_by_score(lower_half.clone());
    assert_eq!(set.remove_range_by_score(lower_half), count);
    for member in 0..len + 100 {
        let score = set.score(member);
        assert_eq!(set.remove(member), score);
    }
    // An insertion into the empty set may need memory, so `clear` must have freed some.
    set.clear();
    assert_eq!(set.try_insert(0, 0), Ok(None));
    (len, bytes, most_removed)
}
