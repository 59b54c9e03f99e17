//! What sorted sets are used for, ready to use.
//!
//! The limiters, queues and leaderboards that are built on sorted sets come in this crate. Today it
//! has none of them yet: it re-exports [`zset_core`], and carries the example program `medals`,
//! which ranks a table and a million simulated players.
//!
//! # Examples
//!
//! ```
//! use zset_std::zset_core::SortedSet;
//!
//! // The scores are (gold, silver, bronze).
//! let medals = SortedSet::from([("CHN", (40, 27, 24)), ("JPN", (20, 12, 13)), ("USA", (40, 44, 42))]);
//! assert_eq!(medals.last(), Some((&"USA", (40, 44, 42))));
//! assert_eq!(medals.rev_rank("JPN"), Some(2)); // 0-based, highest score first
//! assert_eq!(medals.count_by_score((40, 0, 0)..), 2);
//! ```

#![forbid(unsafe_code)]

pub use zset_core;

/// The examples of the project's README are tested with this crate's.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
