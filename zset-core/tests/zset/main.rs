//! Redis's sorted set, in both encodings and in fixed-size buffers, compared with a plain list of
//! members and scores.
//!
//! One runner applies the same operations to every kind of set; `check()` verifies the invariants
//! after each.

#![cfg(feature = "alloc")]

mod across;
mod adding;
mod cases;
mod closures;
mod conditional;
mod encodings;
mod full_buffer;
mod iterators;
mod operations;
mod random;
mod scan;
mod seeds;
mod sequences;
mod traits;
