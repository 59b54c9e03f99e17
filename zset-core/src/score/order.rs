//! The order of scores.

use core::cmp::Ordering;

use super::Score;

impl Score {
    /// Returns what scores are ordered by.
    #[cfg(not(target_os = "none"))]
    #[inline]
    fn key(self) -> f64 {
        self.0
    }

    /// Returns what scores are ordered by: an integer, because comparing floating-point numbers would call a
    /// function.
    #[cfg(target_os = "none")]
    #[inline]
    fn key(self) -> i64 {
        self.integer_key()
    }

    /// Returns the bits as an integer in the order of scores. Of negative scores, the one of larger magnitude
    /// is lower, so all their bits except the sign are inverted.
    #[cfg(any(target_os = "none", test))]
    #[inline]
    #[expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "reinterprets the bits")]
    fn integer_key(self) -> i64 {
        let bits = self.0.to_bits() as i64;
        bits ^ ((bits >> 63) as u64 >> 1) as i64
    }
}

// The number is never NaN, so the comparisons of `f64` are total here. `lt` and the others are
// written out because the search loops count with them, and only these forms compile to packed
// compares.
impl PartialOrd for Score {
    #[inline]
    fn partial_cmp(&self, other: &Score) -> Option<Ordering> {
        Some(self.cmp(other))
    }
    #[inline]
    fn lt(&self, other: &Score) -> bool {
        self.key() < other.key()
    }
    #[inline]
    fn le(&self, other: &Score) -> bool {
        self.key() <= other.key()
    }
    #[inline]
    fn gt(&self, other: &Score) -> bool {
        self.key() > other.key()
    }
    #[inline]
    fn ge(&self, other: &Score) -> bool {
        self.key() >= other.key()
    }
}

impl Ord for Score {
    #[inline]
    fn cmp(&self, other: &Score) -> Ordering {
        if self.key() < other.key() {
            Ordering::Less
        } else if self.key() > other.key() {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }
}

impl Eq for Score {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scores_are_ordered_from_negative_to_positive_infinity() {
        let sorted = [
            Score::NEG_INFINITY,
            Score::new(f64::MIN).unwrap(),
            Score::from(-1),
            Score::new(-f64::MIN_POSITIVE).unwrap(),
            Score::ZERO,
            Score::new(5e-324).unwrap(),
            Score::from(1),
            Score::INFINITY,
        ];
        assert!(sorted.is_sorted_by(|a, b| a < b && a.cmp(b).is_lt()));
        assert!(sorted.is_sorted_by(|a, b| a.integer_key() < b.integer_key()));
        assert!(sorted.iter().rev().is_sorted_by(|a, b| a > b && a >= b));
    }

    proptest! {
        #![proptest_config(test_support::strategy::config(4096, 8))]

        #[test]
        fn order_agrees_with_f64(a: f64, b: f64) {
            let (Ok(x), Ok(y)) = (Score::new(a), Score::new(b)) else { return Ok(()) };
            prop_assert_eq!(Some(x.cmp(&y)), a.partial_cmp(&b));
            prop_assert_eq!(x.integer_key().cmp(&y.integer_key()), x.cmp(&y));
            prop_assert_eq!(Some(x.cmp(&y).is_eq()), a.partial_cmp(&b).map(Ordering::is_eq));
            prop_assert_eq!((x < y, x <= y, x > y, x >= y), (a < b, a <= b, a > b, a >= b));
        }
    }
}
