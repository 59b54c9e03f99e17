//! Tests iterators in both encodings by taking elements from both ends in many orders.

use test_support::zset::{Element, drive, score};
use zset_core::{PackedZSet, Score, ZSet};

use crate::both_encodings;

const LEN: u32 = if cfg!(miri) { 9 } else { 100 };

/// Returns elements in runs of equal scores. Some members are integers.
fn elements() -> Vec<Element> {
    let member = |i: u32| if i % 2 == 0 { format!("{i:03}") } else { format!("1{i:03}") };
    let mut elements: Vec<Element> =
        (0..LEN).map(|i| (member(i).into_bytes(), f64::from(i / 7))).collect();
    elements.sort_by(|(a, x), (b, y)| x.total_cmp(y).then_with(|| a.cmp(b)));
    elements
}

fn samples() -> [ZSet; 2] {
    both_encodings(elements().into_iter().map(|(member, number)| (member, score(number))))
}

/// Each bit chooses the end from which one step takes: always the front, always the back, both in
/// turn, and some irregular patterns.
const ENDS: [u64; 6] = [0, u64::MAX, 0x5555_5555_5555_5555, 0x00FF_F00F, 0x9E37_79B9_7F4A_7C15, 1];

#[test]
fn owned_elements_from_both_ends() {
    for set in samples() {
        for ends in ENDS.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
            let mut expected = &elements()[..];
            let mut drained = set.clone();
            let (mut owned, mut drain) = (set.clone().into_iter(), drained.drain());
            for step in 0.. {
                assert_eq!((owned.len(), drain.len()), (expected.len(), expected.len()));
                assert_eq!(owned.size_hint(), (expected.len(), Some(expected.len())));
                let front = ends.rotate_right(step) & 1 == 0;
                let (one, other) = if front {
                    (owned.next(), drain.next())
                } else {
                    (owned.next_back(), drain.next_back())
                };
                assert_eq!(one, other);
                let given = one.map(|(member, score)| (Vec::from(member), score.get()));
                let (wanted, rest) = match expected {
                    [] => (None, expected),
                    [first, behind @ ..] if front => (Some(first), behind),
                    [before @ .., last] => (Some(last), before),
                };
                assert_eq!(given.as_ref(), wanted);
                if wanted.is_none() {
                    break;
                }
                expected = rest;
            }
            assert_eq!((owned.next(), drain.next_back()), (None, None), "both iterators are fused");
            assert!(drained.is_empty());
        }
    }
}

#[test]
fn sets_of_all_kinds_iterate_the_same() {
    let mut buffer = [0; 2048];
    let mut packed = PackedZSet::with_storage(&mut buffer[..]).unwrap();
    for (member, number) in elements().into_iter().rev() {
        packed.try_insert(member, score(number)).unwrap();
    }
    let elements = elements();
    let samples = samples();
    for ends in ENDS.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
        drive(packed.iter(), &elements, ends);
        drive((&packed).into_iter(), &elements, ends);
        drive(packed.range_by_score(Score::from(1)..), &elements[7..], ends);
        for set in &samples {
            drive(set.iter(), &elements, ends);
            drive(set.into_iter(), &elements, ends);
            drive(set.range_by_score(Score::from(1)..), &elements[7..], ends);
        }
    }
    assert_eq!(packed.as_listpack(), samples[0].as_listpack().unwrap());
    let members = || elements.iter().map(|(member, _)| member).rev();
    assert!(packed.scores(members()).eq(samples[0].scores(members())));
    assert!(packed.scores(["absent"]).eq([None]));
}
