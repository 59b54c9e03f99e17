//! The measured feeds.

mod btree;
mod ours;
mod vec;

pub use btree::{BTreeFeed, BTreePair};
pub use ours::ZsetFeed;
pub use vec::VecFeed;
