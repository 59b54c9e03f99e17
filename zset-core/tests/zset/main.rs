//! Tests `ZSet` in both encodings, and `PackedZSet` in fixed-size buffers, against a plain list of
//! members and scores.
//!
//! One runner applies the same operations to every kind of set. It calls `check()` after each
//! operation to verify the invariants.

#![cfg(feature = "alloc")]

mod across;
mod adding;
mod cases;
mod closures;
mod encodings;
mod full_buffer;
mod iterators;
mod operations;
mod random;
mod scan;
mod seeds;
mod sequences;
mod traits;

use zset_core::{Encoding, Score, ZSet};

/// Returns a listpack of these elements, and the same set in the skip-list encoding.
fn both_encodings<M: AsRef<[u8]>>(elements: impl IntoIterator<Item = (M, Score)>) -> [ZSet; 2] {
    let listpack: ZSet = elements.into_iter().collect();
    assert_eq!(listpack.encoding(), Encoding::Listpack);
    let mut skiplist = listpack.clone();
    skiplist.promote();
    [listpack, skiplist]
}
