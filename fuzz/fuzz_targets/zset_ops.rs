//! Applies random operations to a `ZSet`, in both encodings and across conversions between them,
//! and to a `PackedZSet` in a fixed buffer. Each set is compared with a sorted vector.

#![no_main]

use libfuzzer_sys::fuzz_target;
use test_support::zset::{Operation, Profile, Query, Runner, Subject};
use zset_core::{ListpackLimits, PackedZSet, ZSet};

/// Longer sequences are slow, and find no more bugs than additional short ones.
const MOST_OPERATIONS: usize = 80;

/// The size of the fixed buffer.
const CAPACITY: usize = 1500;

fn follow<S: Subject>(mut runner: Runner<S>, steps: &[(Operation, Query)]) {
    for (operation, query) in steps.iter().take(MOST_OPERATIONS) {
        runner.step(operation, query);
    }
}

fuzz_target!(|input: (u8, u8, Profile, Vec<(Operation, Query)>)| {
    let (entries, value, profile, steps) = input;
    let limits = ListpackLimits {
        max_listpack_entries: [0, 1, 4, 128][usize::from(entries % 4)],
        max_listpack_value: [4, 64][usize::from(value % 2)],
    };
    follow(Runner::new(ZSet::with_limits(limits), limits, usize::MAX, profile), &steps);

    let none = ListpackLimits { max_listpack_entries: usize::MAX, max_listpack_value: usize::MAX };
    let set = PackedZSet::with_storage([0; CAPACITY]).expect("an empty set is small");
    follow(Runner::new(set, none, CAPACITY, profile), &steps);
});
