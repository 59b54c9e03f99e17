//! Applies random operations to a sorted set, and compares it with collections of the standard
//! library.
//!
//! Every operation is followed by a check of the invariants and a comparison of all elements, so
//! the number of operations is bounded to keep long inputs fast.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::hash::{BuildHasherDefault, DefaultHasher};
use test_support::sorted_set::{Operation, Profile, Query, Sequence};

/// Longer sequences are slow, and find no more bugs than additional short ones.
const MOST_OPERATIONS: usize = 60;

fuzz_target!(|input: (Profile, Vec<(Operation, Query)>)| {
    let (profile, steps) = input;
    // An unseeded hasher makes every input reproducible.
    let mut sequence = Sequence::<BuildHasherDefault<DefaultHasher>>::new(profile);
    for (operation, query) in steps.into_iter().take(MOST_OPERATIONS) {
        sequence.step(operation, &query);
    }
});
