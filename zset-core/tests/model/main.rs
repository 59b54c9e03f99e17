//! Everything that a sorted set and a skip list answer, compared with collections of the standard
//! library that do the same slowly.
//!
//! `check()` verifies the invariants after every operation of a random sequence.

#![cfg(feature = "alloc")]

mod cutting;
mod entries;
mod hashers;
mod iterators;
mod layout;
mod making;
mod map;
mod mixed;
mod mixed_map;
mod operations;
mod ranges;
mod scores;
mod sequences;
mod set_operations;
mod sizes;
mod skip_list;
mod traits;
mod whole;

use test_support::strategy::config;

/// Elements in a leaf. The tests want to know where leaves begin and when they split.
const LEAF: usize = 64;
