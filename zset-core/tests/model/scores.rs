//! Tests `f64` scores in random operations: signed zeros, infinities, and sums that are NaN.

use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;
use zset_core::{NanScore, Score, SortedSet};

/// Generates mostly values that tie, cancel out or overflow.
fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 0.1, 1e308, -1e308, 5e-324]),
        prop::sample::select(vec![f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
        any::<f64>(),
    ]
}

proptest! {
    #![proptest_config(crate::config(64, 2))]

    #[test]
    fn increments_add_as_floats_do(
        steps in vec((0..90u8, any_float()), 1..if cfg!(miri) { 40 } else { 300 }),
    ) {
        let mut set: SortedSet<u8> = SortedSet::new();
        let mut sums: BTreeMap<u8, f64> = BTreeMap::new();
        for (member, by) in steps {
            let sum = sums.get(&member).copied().unwrap_or(0.0) + by;
            if sum.is_nan() {
                prop_assert_eq!(set.increment(member, by), Err(NanScore));
            } else {
                prop_assert_eq!(set.increment(member, by).map(Score::get), Ok(sum));
                sums.insert(member, sum);
            }
            prop_assert_eq!(set.score(&member).map(|score| score.get()), sums.get(&member).copied());
        }
        set.check();
        let mut expected: Vec<_> = sums.into_iter().collect();
        // The sort is stable, so elements of equal score, such as 0 and -0, stay in member order.
        // No score is NaN.
        expected.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap());
        prop_assert!(set.iter().map(|(&member, score)| (member, score.get())).eq(expected));
    }

    #[test]
    fn counts_by_score_compare_as_floats_do(
        scores in vec(any_float(), 0..if cfg!(miri) { 40 } else { 300 }),
        from in any_float(),
        to in any_float(),
    ) {
        let set: SortedSet<usize> = scores
            .iter()
            .enumerate()
            .filter_map(|(member, &score)| Some((member, Score::new(score).ok()?)))
            .collect();
        set.check();
        let (Ok(low), Ok(high)) = (Score::new(from), Score::new(to)) else { return Ok(()) };
        let count = |accept: &dyn Fn(f64) -> bool| scores.iter().filter(|s| accept(**s)).count();
        prop_assert_eq!(set.count_by_score(low..high), count(&|s| s >= from && s < to));
        prop_assert_eq!(set.count_by_score(low..=high), count(&|s| s >= from && s <= to));
        prop_assert_eq!(set.count_by_score(..low), count(&|s| s < from));
        prop_assert_eq!(set.count_by_score(low..), count(&|s| s >= from));
    }
}
