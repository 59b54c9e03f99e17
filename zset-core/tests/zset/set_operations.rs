//! Unions, intersections and differences, compared with the plainest possible computation of each.

use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use zset_core::{Aggregate, Encoding, ListpackLimits, Score, ZSet};

use crate::compare::plain;
use crate::operations::{any_member, any_score};
use crate::reference::{Element, Reference, score};

/// A set, and what it has to hold.
#[derive(Clone, Debug)]
struct Sample {
    set: ZSet,
    elements: Vec<Element>,
}

/// Sets in both encodings, with limits that some results are within and others are not.
fn any_sample() -> impl Strategy<Value = Sample> {
    let most = if cfg!(miri) { 8 } else { 40 };
    let limits = prop::sample::select(vec![(128, 64), (10, 64), (128, 4), (0, 0)]);
    (vec((any_member(), any_score()), 0..most), limits, any::<bool>()).prop_map(
        |(elements, (max_listpack_entries, max_listpack_value), promoted)| {
            let limits = ListpackLimits { max_listpack_entries, max_listpack_value };
            let reference = Reference::of(elements, limits);
            let mut set = ZSet::with_limits(limits);
            set.extend(reference.sorted().into_iter().map(|(member, n)| (member, score(n))));
            if promoted {
                set.promote();
            }
            Sample { set, elements: reference.sorted() }
        },
    )
}

/// Verifies a result: its elements, its limits, and the encoding that they allow.
fn verify(result: &ZSet, elements: impl IntoIterator<Item = Element>, limits: ListpackLimits) {
    result.check();
    let expected = Reference::of(elements, limits);
    assert_eq!(result.iter().map(plain).collect::<Vec<_>>(), expected.sorted());
    assert_eq!((result.encoding(), result.limits()), (expected.encoding, limits));
}

fn any_weight() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, 1.0, -2.5, 1e300, f64::INFINITY, f64::NEG_INFINITY])
}

fn any_aggregate() -> impl Strategy<Value = Aggregate> {
    use Aggregate::{Count, Max, Min, Sum};
    prop::sample::select(vec![Sum, Min, Max, Count])
}

/// What `ZUNION` and `ZINTER` make of the scores and weights of one member in several sets.
fn aggregated(scores: &[(f64, f64)], aggregate: Aggregate) -> f64 {
    // What is not a number counts as 0.
    let number = |value: f64| if value.is_nan() { 0.0 } else { value };
    let weighed = scores.iter().map(|(score, weight)| number(score * weight));
    let result = match aggregate {
        Aggregate::Sum => weighed.reduce(|a, b| number(a + b)),
        Aggregate::Min => weighed.reduce(f64::min),
        Aggregate::Max => weighed.reduce(f64::max),
        Aggregate::Count => scores.iter().map(|(_, weight)| *weight).reduce(|a, b| number(a + b)),
        _ => unreachable!("there is no other"),
    };
    result.unwrap() + 0.0
}

/// Computes the union (`everywhere` is false) or the intersection of weighted sets.
fn naive(sets: &[(Sample, f64)], aggregate: Aggregate, everywhere: bool) -> Vec<Element> {
    let members: BTreeSet<_> = sets.iter().flat_map(|(s, _)| &s.elements).map(|(m, _)| m).collect();
    let mut result = Vec::new();
    for member in members {
        let score_in = |sample: &Sample| {
            sample.elements.iter().find(|(other, _)| other == member).map(|(_, number)| *number)
        };
        let scores = sets.iter().filter_map(|(sample, weight)| Some((score_in(sample)?, *weight)));
        let scores: Vec<(f64, f64)> = scores.collect();
        if !everywhere || scores.len() == sets.len() {
            result.push((member.clone(), aggregated(&scores, aggregate)));
        }
    }
    result
}

/// Not symmetric, so that the two scores must arrive in this order.
fn combined(a: f64, b: f64) -> f64 {
    if a < b { a } else { 0.0 - b }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: if cfg!(miri) { 1 } else { 128 },
        ..ProptestConfig::default()
    })]

    #[test]
    fn two_sets(a in any_sample(), b in any_sample()) {
        let limits = a.set.limits();
        let combine = |x: Score, y: Score| score(combined(x.get(), y.get()));
        let find = |sample: &Sample, member: &[u8]| {
            sample.elements.iter().find(|(other, _)| other == member).map(|(_, number)| *number)
        };

        let mut union = a.elements.clone();
        for (member, other) in &b.elements {
            match union.iter_mut().find(|(own, _)| own == member) {
                Some((_, own)) => *own = combined(*own, *other),
                None => union.push((member.clone(), *other)),
            }
        }
        verify(&a.set.union(&b.set, combine), union, limits);

        let both = a.elements.iter().filter_map(|(member, own)| {
            Some((member.clone(), combined(*own, find(&b, member)?)))
        });
        let both: Vec<Element> = both.collect();
        for limit in [0, 1, 3, usize::MAX] {
            prop_assert_eq!(a.set.intersection_len(&b.set, limit), both.len().min(limit));
        }
        verify(&a.set.intersection(&b.set, combine), both, limits);

        let mut difference = a.elements.clone();
        difference.retain(|(member, _)| find(&b, member).is_none());
        prop_assert_eq!(a.set.difference(&b.set).map(plain).collect::<Vec<_>>(), difference);
    }

    #[test]
    fn many_weighted_sets(
        sets in vec((any_sample(), any_weight()), 0..4),
        aggregate in any_aggregate(),
    ) {
        let weighted = || sets.iter().map(|(sample, weight)| (&sample.set, score(*weight)));
        let limits = sets.first().map_or(ListpackLimits::default(), |(sample, _)| sample.set.limits());
        let union = ZSet::weighted_union(weighted(), aggregate);
        verify(&union, naive(&sets, aggregate, false), limits);
        let both = ZSet::weighted_intersection(weighted(), aggregate);
        verify(&both, naive(&sets, aggregate, true), limits);
    }
}

#[test]
fn what_is_not_a_number_counts_as_zero() {
    let set = |elements: [(&str, f64); 3]| -> ZSet {
        elements.map(|(member, number)| (member, score(number))).into()
    };
    let a = set([("zero", 0.0), ("inf", f64::INFINITY), ("x", 2.0)]);
    let b = set([("zero", 0.0), ("inf", f64::NEG_INFINITY), ("y", 3.0)]);
    let one = Score::from(1);

    let sum = ZSet::weighted_union([(&a, one), (&b, one)], Aggregate::Sum);
    assert_eq!(sum.score("inf"), Some(Score::ZERO), "inf - inf");
    let weighted = ZSet::weighted_union([(&a, Score::INFINITY)], Aggregate::Sum);
    assert_eq!(weighted.score("zero"), Some(Score::ZERO), "0 * inf");
    assert_eq!(weighted.score("x"), Some(Score::INFINITY));
    let none = ZSet::weighted_union([(&a, Score::ZERO)], Aggregate::Max);
    assert!(none.iter().all(|(_, score)| score == Score::ZERO), "inf * 0");
    let both = ZSet::weighted_intersection([(&a, Score::ZERO), (&b, one)], Aggregate::Min);
    assert_eq!(both.score("inf"), Some(Score::NEG_INFINITY));
    assert_eq!(both.len(), 2);
    let count = ZSet::weighted_intersection([(&a, one), (&b, one)], Aggregate::Count);
    assert!(count.iter().all(|(_, score)| score == Score::from(2)));
}

#[test]
fn a_set_combines_with_itself() {
    let len = if cfg!(miri) { 5 } else { 20_u32 };
    let set: ZSet = (0..len).map(|i| (i.to_string(), Score::from(i))).collect();
    let mut promoted = set.clone();
    promoted.promote();
    for (a, b) in [(&set, &set), (&set, &promoted), (&promoted, &set), (&promoted, &promoted)] {
        assert_eq!(a.union(b, |x, _| x), set);
        assert_eq!(a.intersection(b, |_, y| y), set);
        assert_eq!(a.intersection(b, |_, y| y).encoding(), Encoding::Listpack);
        assert_eq!(a.difference(b).next(), None);
        assert_eq!(a.intersection_len(b, 4), 4);
        let doubled =
            ZSet::weighted_union([(a, Score::from(1)), (b, Score::from(1))], Aggregate::Sum);
        assert!(doubled.iter().zip(&set).all(|((_, x), (_, y))| x == score(2.0 * y.get())));
    }
}

#[test]
fn combining_leaves_the_operands_as_they_were() {
    let a = ZSet::from([("a", Score::ZERO), ("b", Score::ZERO)]);
    let b = ZSet::from([("b", Score::from(1)), ("c", Score::from(1))]);
    let (before_a, before_b) = (a.clone(), b.clone());
    let mut union = a.union(&b, Score::max);
    union.clear();
    drop(a.intersection(&b, Score::min));
    assert_eq!(a.difference(&b).count() + b.difference(&a).count(), 2);
    assert_eq!((a, b), (before_a, before_b));
}
