//! Compares the results of sorted sets and skip lists with slow equivalents built on standard
//! collections.
//!
//! In random sequences, `check()` verifies the invariants after every operation.

#![cfg(feature = "alloc")]

mod cutting;
mod entries;
mod fixed;
mod hashers;
mod iterators;
mod labelled;
mod layout;
mod making;
mod map;
mod mixed;
mod mixed_map;
mod operations;
mod output;
mod owned_scores;
mod ranges;
mod scores;
mod sequences;
mod set_operations;
mod sizes;
mod skip_list;
mod ties;
mod traits;
mod types;
mod whole;

use test_support::strategy::config;

/// The capacity of a leaf. The tests depend on where leaves begin and when they split.
const LEAF: usize = 64;
