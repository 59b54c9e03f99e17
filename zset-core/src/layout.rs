//! The memory layout of sets, read-only, for diagrams, statistics and tests.
//!
//! A [`ZSet`](crate::ZSet) is either a listpack, whose bytes
//! [`Listpack::raw_entries`](crate::Listpack::raw_entries) shows, or a
//! [`SortedSet`](crate::SortedSet): a dict and a skip list, which is walked from
//! [`SkipList::root`](crate::SkipList::root) down. The layout is not covered by semantic versioning
//! and may change in any release.

pub use crate::dict::DictLayout;
pub use crate::skiplist::layout::Node;
