//! Servers fail while limiters are under load, over each kind of connection.
//!
//! After each fault: every call has returned within its deadline, the policy has decided in place
//! of the server, no window has more units than the limit, and calls succeed again with the same
//! limiters.

#![cfg(unix)]

mod crash;
mod failover;
mod frozen;
mod killed_clients;
mod limiters;
mod load;
mod lost_scripts;
mod migration;
mod moved;
mod outage;
#[path = "../support/mod.rs"]
mod servers;
mod under_load;
mod units;
