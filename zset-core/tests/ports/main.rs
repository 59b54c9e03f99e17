//! Programs written for another collection, and their ports to this crate. The tests verify that
//! the same calls return the same results.
//!
//! `zset_core::_guide::methods` lists the corresponding methods.

#![cfg(feature = "alloc")]

mod btree_map;
mod indexmap;
mod priority_queue;

/// Returns numbers that look random and are the same in every run.
fn random_numbers(seed: u64) -> impl Iterator<Item = u64> {
    use rand::{RngExt, SeedableRng, rngs::SmallRng};

    let mut rng = SmallRng::seed_from_u64(seed);
    std::iter::repeat_with(move || rng.random())
}
