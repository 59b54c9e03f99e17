//! Guides: how to choose among the types of this crate, and what to watch for.
//!
//! | guide | about |
//! |---|---|
//! | [`limiters`] | sliding windows and funnels: exact limits, many keys, bounded memory, waiting |
//! | [`boards`] | leaderboards: ties, policies, boards of today and of the week, packed scores |
//! | [`queues`] | delayed jobs, leases and dead letters, schedules, expiring members |
//! | [`timelines`] | feeds in pages, with caps, and several feeds as one |
//! | [`recipes`] | a store whose keys expire, a controller's scheduler, a peer table |
//! | [`coming_from`] | governor and tokio-util's `DelayQueue`, line by line |
//!
//! Each guide shows the common path. Edge cases, errors and costs are in the docs of each method.

pub mod boards;
pub mod coming_from;
pub mod limiters;
pub mod queues;
pub mod recipes;
pub mod timelines;
