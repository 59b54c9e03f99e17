//! Measures `zset_core::SortedSet` against other sorted sets, and the collections of `zset_std`
//! against their alternatives.
//!
//! - [`comparison`]: what a contender and an operation are, for all tables of contenders in this
//!   process, and how such a table is measured and tested.
//! - [`sets`]: the operations of sorted sets; [`workload`]: their arguments, the same for every
//!   contender; [`contenders`]: the sorted sets, and the list of them.
//! - [`pair`]: the usual substitute for a sorted set, from which contenders of several tables are
//!   made.
//! - [`memory`] and [`tail`]: what else is measured, and [`report`], which shows all of it.
//! - [`record`], [`tables`] and `plot`: the results, and how they are drawn; [`docs`] draws the
//!   saved ones into the docs.
//! - [`limiters`]: the same for limiters, with their own contenders and workload.
//! - [`uses`]: the same for the queues, boards, feeds and expiring sets of `zset_std`,
//!   with contenders and a workload for each kind of use.
//! - [`fixed`]: the same for `zset_core::FixedSortedSet` and the collections of `heapless`.
//! - [`layer`]: the layer of `zset_tower` compared with `tower_governor`.
//! - [`servers`]: zset-server compared with redis-server, over the network.
//! - [`services`]: the limiters of zset-redis compared with `PING` and with a pipeline of commands.
//! - [`instructions`]: callgrind's counts for the main operations of `benches/instructions.rs`,
//!   checked against the committed baseline.
//! - [`rounds`]: how the contenders take turns. The criterion front end is `benches/tables.rs`.
//!
//! To add a contender, implement the trait of its table in a file of the folder `contenders`, and
//! add a line to the table; `CONTRIBUTING.md` has an example. To add an operation, add it where the
//! table lists them.

pub mod allocator;
pub mod arguments;
pub mod bytes;
pub mod comparison;
pub mod contenders;
pub mod docs;
pub mod fixed;
pub mod instructions;
pub mod layer;
pub mod limiters;
pub mod member;
pub mod memory;
pub mod pair;
mod plot;
pub mod random;
pub mod record;
pub mod report;
pub mod rounds;
pub mod servers;
pub mod services;
pub mod sets;
pub mod table;
pub mod tables;
pub mod tail;
pub mod uses;
pub mod workload;
