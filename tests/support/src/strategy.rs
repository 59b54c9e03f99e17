//! Shared by the property tests.

use proptest::prelude::*;
use std::fmt::Debug;
use std::ops::Bound;

use crate::Bounds;

/// Returns the configuration for this many cases. Under Miri each takes a hundred times as long,
/// and files cannot be written.
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
