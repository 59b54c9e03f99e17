//! How sets are stored, to be looked at: for pictures, statistics and tests.
//!
//! A [`ZSet`](crate::ZSet) is a listpack, whose bytes
//! [`Listpack::raw_entries`](crate::Listpack::raw_entries) shows, or a
//! [`SortedSet`](crate::SortedSet), which is a skip list from [`SkipList::root`](crate::SkipList::root)
//! down and a dict. It is all read-only, and no promise: another version may store sets otherwise.

pub use crate::dict::DictLayout;
pub use crate::skiplist::layout::Node;
