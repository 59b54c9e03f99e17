//! Members, scores and closures that panic or behave inconsistently, and leaked iterators.
//!
//! A panic in user code leaves a set as before or after the change, with all invariants intact.
//! After an inconsistent order, the set can still be read, cleared, reused and dropped. No member
//! is dropped twice.

#![cfg(feature = "alloc")]

mod bulk_panics;
mod closures;
mod cutting;
mod fixed;
mod fuse;
mod inconsistent;
mod leaks;
mod map;
mod panics;
mod reading;
mod scores;
mod subject;
mod whole;

/// The capacity of a leaf.
const LEAF: u32 = 64;

/// Chooses a size: `usual`, or `under_miri` under Miri, which is thousands of times slower.
const fn unless_miri<T: Copy>(usual: T, under_miri: T) -> T {
    if cfg!(miri) { under_miri } else { usual }
}
