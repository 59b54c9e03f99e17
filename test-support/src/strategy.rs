//! What the property tests share.

use proptest::prelude::*;
use std::fmt::Debug;
use std::ops::Bound;

use crate::Bounds;

/// Returns how often a property is tested. Under Miri each takes a hundred times as long, and no file can
/// be written.
pub fn config(cases: u32, cases_under_miri: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        cases: if cfg!(miri) { cases_under_miri } else { cases },
        ..ProptestConfig::default()
    }
}

/// Draws a range with bounds of all kinds, which may be inverted.
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
