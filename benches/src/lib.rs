//! Measures `zset_core::SortedSet` against other sorted sets, and what `zset_std` makes of it against
//! what else one would take.
//!
//! - [`contender`]: what a sorted set must offer to be measured.
//! - [`contenders`]: the sorted sets, and the list of them.
//! - [`operation`] and [`workload`]: what is done to them; the same for every contender.
//! - [`speed`], [`memory`] and [`tail`]: what is measured, and [`report`], which shows all of it. The
//!   other front end, criterion's, is `benches/sets.rs`.
//! - [`limiters`]: the same for limiters, with its own contenders and workload; criterion's front end
//!   is `benches/limiters.rs`.
//! - [`uses`]: the same for the queues, boards, feeds, schedules and expiring sets of `zset_std`, with
//!   contenders and a workload for each kind of use; criterion's front end is `benches/uses.rs`.
//! - [`servers`]: zset-server beside redis-server, over the network.
//! - [`instructions`]: what callgrind counts for the main operations of `benches/instructions.rs`, and
//!   whether that is more than what is committed.
//! - [`rounds`]: how the contenders of [`limiters`] and [`uses`] take turns.
//!
//! To add a contender, write its file under `contenders/` and name it in [`contenders::visit_all`].
//! To add a workload, add an [`Operation`](operation::Operation).

pub mod allocator;
pub mod arguments;
pub mod bytes;
pub mod contender;
pub mod contenders;
pub mod instructions;
pub mod limiters;
pub mod member;
pub mod memory;
pub mod names;
pub mod operation;
pub mod report;
pub mod rounds;
pub mod servers;
pub mod speed;
pub mod table;
pub mod tail;
pub mod uses;
pub mod workload;
