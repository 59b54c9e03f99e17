//! Tests members, scores and closures that panic or behave inconsistently, and leaked iterators.
//!
//! A panic in user code leaves all invariants intact. A change of one element has been made
//! entirely or not at all; a change of many elements may have stopped between two of them. After an
//! inconsistent order, the set can still be read, cleared, reused and dropped. No member is dropped
//! twice.

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
