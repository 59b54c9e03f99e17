//! Members, scores and closures that panic or lie, and iterators that are leaked.
//!
//! A panic in a user's code leaves a set as it was before the change or after it, with all
//! invariants in place. Whatever an inconsistent order makes of the order of the elements, the set
//! can be read, cleared, used again and dropped. No member is ever dropped twice.

#![cfg(feature = "alloc")]

mod bulk_panics;
mod closures;
mod conditional;
mod cutting;
mod fixed;
mod fuse;
mod inconsistent;
mod leaks;
mod map;
mod panics;
mod reading;
mod subject;

/// Elements in a leaf.
const LEAF: u32 = 64;

/// Picks a size: usually the first, but the second under Miri, where everything takes thousands of
/// times as long.
const fn unless_miri<T: Copy>(usual: T, under_miri: T) -> T {
    if cfg!(miri) { under_miri } else { usual }
}
