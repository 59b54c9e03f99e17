//! Measures `zset_core::SortedSet` against other sorted sets, and what `zset_std` makes of it against
//! what else one would take.
//!
//! - [`contender`]: what a sorted set must offer to be measured.
//! - [`contenders`]: the sorted sets, one a file, and the list of them.
//! - [`workload`]: what is done to them; the same for every contender and both front ends.
//! - [`quick`] and [`longest_insert`]: the commands of the program. The other front end,
//!   criterion's, is `benches/quick.rs`.
//! - [`limiters`]: the same for limiters, with its own contenders and workload; criterion's front end
//!   is `benches/limiters.rs`.
//! - [`uses`]: the same for the queues, boards, feeds, schedules and expiring sets of `zset_std`, with
//!   contenders and a workload for each kind of use; criterion's front end is `benches/uses.rs`.
//! - [`servers`]: zset-server beside redis-server, over the network.
//! - [`rounds`]: how the contenders of [`limiters`] and [`uses`] take turns.
//!
//! To add a contender, write its file under `contenders/` and name it in [`contenders::visit_all`].
//! To add a workload, add an [`Operation`](workload::Operation).

pub mod allocator;
pub mod arguments;
pub mod bytes;
pub mod contender;
pub mod contenders;
pub mod limiters;
pub mod longest_insert;
pub mod quick;
pub mod report;
pub mod rounds;
pub mod row;
pub mod servers;
pub mod uses;
pub mod workload;
