//! Measures `zset_core::SortedSet` against other sorted sets, and the collections of `zset_std`
//! against their alternatives.
//!
//! - [`contender`]: the interface of a measured sorted set.
//! - [`contenders`]: the sorted sets, and the list of them.
//! - [`pair`]: the usual substitute for a sorted set, from which contenders of several tables are
//!   made.
//! - [`operation`] and [`workload`]: the measured operations and their arguments, the same for
//!   every contender.
//! - [`speed`], [`memory`] and [`tail`]: what is measured, and [`report`], which shows all of it.
//!   The criterion front end is `benches/sets.rs`.
//! - [`record`], [`tables`] and `plot`: the results, and how they are drawn; [`docs`] draws the
//!   saved ones into the docs.
//! - [`limiters`]: the same for limiters, with their own contenders and workload; the criterion
//!   front end is `benches/limiters.rs`.
//! - [`uses`]: the same for the queues, boards, feeds, schedules and expiring sets of `zset_std`,
//!   with contenders and a workload for each kind of use; the criterion front end is
//!   `benches/uses.rs`.
//! - [`fixed`]: the same for `zset_core::FixedSortedSet` and the collections of `heapless`.
//! - [`layer`]: the layer of `zset_tower` compared with `tower_governor`.
//! - [`servers`]: zset-server compared with redis-server, over the network.
//! - [`services`]: the limiters of zset-redis compared with `PING` and with a pipeline of commands.
//! - [`comparison`]: what a contender and an operation are, for the tables of `uses`, `fixed`,
//!   `layer` and the limiters for one key, and how such a table is measured and tested.
//! - [`instructions`]: callgrind's counts for the main operations of `benches/instructions.rs`,
//!   checked against the committed baseline.
//! - [`rounds`]: how the contenders take turns.
//!
//! To add a contender, implement the trait of its table in a file of the folder `contenders`, and
//! add a line to the table; `CONTRIBUTING.md` has an example. To add an operation, add it where the
//! table lists them, or, for sorted sets, an [`Operation`](operation::Operation).

pub mod allocator;
pub mod arguments;
pub mod bytes;
pub mod comparison;
pub mod contender;
pub mod contenders;
pub mod docs;
pub mod fixed;
pub mod instructions;
pub mod layer;
pub mod limiters;
pub mod member;
pub mod memory;
pub mod names;
pub mod operation;
pub mod pair;
mod plot;
pub mod record;
pub mod report;
pub mod rounds;
pub mod servers;
pub mod services;
pub mod speed;
pub mod table;
pub mod tables;
pub mod tail;
pub mod uses;
pub mod workload;
