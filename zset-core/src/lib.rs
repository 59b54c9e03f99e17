#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod increment;
mod score;

#[cfg(feature = "alloc")]
mod arena;
#[cfg(feature = "alloc")]
mod dict;
#[cfg(feature = "alloc")]
mod handle;
#[cfg(feature = "alloc")]
mod reserve;
#[cfg(feature = "alloc")]
mod skiplist;
#[cfg(feature = "alloc")]
mod sorted_set;
#[cfg(all(test, feature = "alloc"))]
mod visits;

pub use increment::{Increment, Overflow};
pub use score::{NanScore, ParseScoreError, Score};

#[cfg(feature = "alloc")]
pub use equivalent::Equivalent;
#[cfg(feature = "alloc")]
pub use hashbrown::DefaultHashBuilder;
#[cfg(feature = "alloc")]
pub use reserve::TryReserveError;
#[cfg(feature = "alloc")]
pub use skiplist::{IntoIter, Iter, SkipList};
#[cfg(feature = "alloc")]
pub use sorted_set::{
    Aggregate, Difference, Drain, Entry, ExtractIf, FromSortedError, OccupiedEntry, SortedSet,
    VacantEntry,
};
