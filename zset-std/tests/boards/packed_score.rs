//! Tests that a `PackedScore` is ordered like its fields and unpacks to the same values.

use super::*;
use zset_core::{Score, ZSet};
use zset_std::PackedScore;
use zset_std::packed_score::{PackedScoreError, UnpackError};

/// Layouts of three fields, in bits or digits, with two lists of values that fit.
fn layouts() -> impl Strategy<Value = (PackedScore<3>, [u64; 3], [u64; 3])> {
    let bits =
        [1..=17u32, 1..=18, 1..=18].prop_map(|widths| PackedScore::with_bits(widths).unwrap());
    let decimal =
        [1..=5u32, 1..=5, 1..=5].prop_map(|widths| PackedScore::with_digits(widths).unwrap());
    prop_oneof![bits, decimal].prop_flat_map(|layout| {
        let value = |max| prop_oneof![0..=max, Just(max), 0..=max.min(1)];
        let values = || layout.max_values().map(value);
        (Just(layout), values(), values())
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn scores_are_ordered_as_their_fields((layout, a, b) in layouts()) {
        prop_assert_eq!(layout.pack(a).unwrap().cmp(&layout.pack(b).unwrap()), a.cmp(&b));
        let turned = layout.descending::<1>();
        let key = |[first, second, third]: [u64; 3]| (first, Reverse(second), third);
        prop_assert_eq!(turned.pack(a).unwrap().cmp(&turned.pack(b).unwrap()), key(a).cmp(&key(b)));
        prop_assert_eq!(turned.descending::<1>(), layout);
    }

    #[test]
    fn values_round_trip((layout, values, _) in layouts()) {
        for layout in [layout, layout.descending::<0>().descending::<2>()] {
            let score = layout.pack(values).unwrap();
            prop_assert_eq!(layout.unpack(score), Ok(values));
            prop_assert!(score.get() < 2f64.powi(53));
            // The score also survives a round trip through a string, which is how it is sent to a
            // server, and through a set.
            let text = score.to_string();
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_digit()), "{}", text);
            prop_assert_eq!(text.parse(), Ok(score));
            let set = ZSet::from([("ann", score)]);
            prop_assert_eq!(layout.unpack(set.score("ann").unwrap()), Ok(values));
        }
    }

    #[test]
    fn values_that_do_not_fit_are_rejected(
        (layout, mut values, _) in layouts(),
        field in 0..3usize,
        excess in prop_oneof![1..3u64, 1..u64::MAX / 2],
    ) {
        let max = layout.max_values()[field];
        let value = max + excess;
        values[field] = value;
        let error = layout.pack(values).unwrap_err();
        prop_assert_eq!((error.field, error.value, error.max), (field, value, max));
        let turned = layout.descending::<0>().descending::<1>().descending::<2>();
        let error = turned.pack(values).unwrap_err();
        prop_assert_eq!((error.field, error.value, error.max), (field, value, max));
    }

    #[test]
    fn every_score_unpacks_to_its_values_or_is_rejected((layout, _, _) in layouts(), bits: u64) {
        let Ok(score) = Score::new(f64::from_bits(bits)) else { return Ok(()) };
        let largest = layout.pack(layout.max_values()).unwrap();
        match layout.unpack(score) {
            Ok(values) => prop_assert_eq!(layout.pack(values), Ok(score)),
            Err(UnpackError::Negative) => prop_assert!(score < Score::ZERO),
            Err(UnpackError::TooLarge) => prop_assert!(score > largest),
            Err(error) => {
                prop_assert_eq!(error, UnpackError::Fraction);
                prop_assert!(score.get().fract() != 0.0);
            }
        }
    }

    #[test]
    fn layouts_are_valid_exactly_if_they_fit(widths in [0..30u32, 0..30, 0..30]) {
        for (layout, most) in [(PackedScore::with_bits(widths), 53), (PackedScore::with_digits(widths), 15)] {
            match layout {
                Ok(_) => prop_assert!(!widths.contains(&0) && widths.iter().sum::<u32>() <= most),
                Err(PackedScoreError::EmptyField { field }) => prop_assert_eq!(widths[field], 0),
                Err(_) => prop_assert!(widths.iter().sum::<u32>() > most),
            }
        }
    }
}
