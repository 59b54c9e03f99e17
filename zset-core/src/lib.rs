#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod _guide {
    //! Guides: how to choose among the types of this crate, and what to watch for.
    //!
    //! | guide | about |
    //! |---|---|
    //! | [`coming_from`] | `BTreeSet` and `HashMap`, `BTreeMap`, `BinaryHeap`, priority-queue, indexset: line by line |
    //! | [`methods`] | the methods of all types, and the corresponding ones of other collections |
    //! | [`firmware`] | microcontrollers: sets without an allocator, small heaps, heights and hashes without entropy, interrupts |
    //!
    //! Guides to limiters, boards, queues and timelines are in the docs of zset-std.

    #[cfg(feature = "alloc")]
    pub mod coming_from;
    pub mod firmware;
    pub mod methods {
        #![doc = include_str!("_guide/methods.md")]
    }
}
mod bounds;
pub mod fixed_sorted_set;
mod increment;
#[cfg(feature = "zset")]
pub mod redis;
mod reserve;
mod score;
mod score_order;

#[cfg(feature = "alloc")]
mod hash_builder;
#[cfg(feature = "alloc")]
mod inner;
#[cfg(all(feature = "alloc", feature = "unstable-internals"))]
pub mod layout;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "alloc")]
pub mod skiplist;
#[cfg(feature = "alloc")]
pub mod sorted_map;
#[cfg(feature = "alloc")]
pub mod sorted_set;
#[cfg(feature = "alloc")]
mod ties;

/// The trait of keys by which a member can be looked up. It comes from the crate `equivalent`,
/// which hashbrown and indexmap use too.
pub use equivalent::Equivalent;
#[doc(inline)]
pub use fixed_sorted_set::FixedSortedSet;
pub use increment::{Increment, IncrementError, ScoreOverflow};
#[cfg(feature = "zset")]
#[doc(inline)]
pub use redis::{listpack::Listpack, member::Member, packed_zset::PackedZSet};
pub use reserve::{InsertError, TryReserveError};
pub use score::{InexactScore, NanScore, ParseScoreError, Score};
pub use score_order::{ScoreBound, ScoreOrder};

#[cfg(feature = "alloc")]
pub use hash_builder::DefaultHashBuilder;
#[cfg(feature = "alloc")]
pub use inner::Insertion;
/// Re-exported for its `Rng` trait: `from_rng` and random sampling take a generator that implements
/// it.
///
/// The generators of `rand` 0.10 implement it.
#[cfg(feature = "alloc")]
pub use rand_core;
#[cfg(all(feature = "alloc", feature = "zset"))]
#[doc(inline)]
pub use redis::{
    byte_string::ByteString,
    zset::{Encoding, ListpackLimits, ZSet},
};
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use skiplist::SkipList;
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use sorted_map::SortedMap;
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use sorted_set::SortedSet;
#[cfg(feature = "alloc")]
pub use ties::{TieOrder, Unordered, UnorderedRef};
