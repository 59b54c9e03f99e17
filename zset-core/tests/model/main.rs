//! Everything that a sorted set and a skip list answer, compared with collections of the standard
//! library that do the same slowly.
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

/// Elements in a leaf. The tests want to know where leaves begin and when they split.
const LEAF: usize = 64;

/// Returns how often a property is tested. Under Miri each takes a hundred times as long, and no file can
/// be written.
fn config(cases: u32, cases_under_miri: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        cases: if cfg!(miri) { cases_under_miri } else { cases },
        ..ProptestConfig::default()
    }
}
