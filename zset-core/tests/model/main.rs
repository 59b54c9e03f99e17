//! The results of sorted sets and skip lists, compared with slow equivalents built on standard
//! collections.
//!
//! `check()` verifies the invariants after every operation of a random sequence.

#![cfg(feature = "alloc")]

mod cutting;
mod entries;
mod fixed;
mod hashers;
mod iterators;
mod layout;
mod making;
mod map;
mod mixed;
mod mixed_map;
mod operations;
mod ranges;
mod reference;
mod scores;
mod sequences;
mod set_operations;
mod sizes;
mod skip_list;
mod traits;
mod whole;

use proptest::prelude::ProptestConfig;

/// The capacity of a leaf. The tests depend on where leaves begin and when they split.
const LEAF: usize = 64;

/// Returns the configuration for this many cases. Under Miri, each case takes a hundred times as
/// long, and files cannot be written.
fn config(cases: u32, cases_under_miri: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        cases: if cfg!(miri) { cases_under_miri } else { cases },
        ..ProptestConfig::default()
    }
}
