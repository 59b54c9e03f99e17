//! Strategies and settings shared by the property tests.

use proptest::prelude::*;
use std::fmt::Debug;
use std::ops::Bound;

use crate::Bounds;

/// Returns a configuration with this many cases. Miri runs fewer, since it is about a hundred times
/// slower. Failures are not stored, since Miri cannot write files.
pub fn config(cases: u32, cases_under_miri: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        cases: if cfg!(miri) { cases_under_miri } else { cases },
        ..ProptestConfig::default()
    }
}

/// Generates a range with any kinds of bounds; it may be inverted.
pub fn any_bounds<T: Clone + Debug>(
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Bounds<T>> {
    let bound = prop_oneof![
        value.clone().prop_map(Bound::Included),
        value.prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ];
    (bound.clone(), bound)
}
