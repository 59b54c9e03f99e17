//! Tests how much memory is allocated and when, and what happens when an allocation fails.
//!
//! The tests run with a global allocator that counts allocations and fails on demand.

#![cfg(feature = "alloc")]

mod counting;
mod cutting;
mod exhaustion;
mod failures;
mod growth;
mod keeping;
#[cfg(feature = "serde")]
mod loading;
mod reserving;
mod shrinking;
mod small;
mod zset;

use std::cell::Cell;
use std::hash::{BuildHasherDefault, Hasher};
use zset_core::{Score, SortedSet};

type Set<H = BuildHasherDefault<Scattering>> = SortedSet<u64, Score, H>;

/// A hasher without a seed, so that a set grows the same way in every run.
#[derive(Default)]
struct Scattering(u64);

impl Hasher for Scattering {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = scattered(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = scattered(self.0 ^ number);
    }

    fn finish(&self) -> u64 {
        HASHES.set(HASHES.get() + 1);
        if HASHES_PANIC.get() {
            std::panic::resume_unwind(Box::new("a hash"));
        }
        self.0
    }
}

thread_local! {
    /// The number of hashes computed.
    static HASHES: Cell<usize> = const { Cell::new(0) };

    /// Whether hashing panics.
    static HASHES_PANIC: Cell<bool> = const { Cell::new(false) };
}

/// Runs an operation; returns its result and the number of hashes it computes.
fn hashing<T>(operation: impl FnOnce() -> T) -> (T, usize) {
    let before = HASHES.get();
    let result = operation();
    (result, HASHES.get() - before)
}

/// Applies the finalizer of splitmix64, a bijection that scatters the numbers.
fn scattered(number: u64) -> u64 {
    let mut x = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Derives a scattered score from a number.
fn scattered_score(number: u64) -> Score {
    Score::from(scattered(number) as u32)
}

/// Creates a set of the members `0..len` by insertion, with scattered scores.
fn grown(len: u64) -> Set {
    let mut set = <Set>::default();
    for member in 0..len {
        set.insert(member, scattered_score(member));
    }
    set
}
