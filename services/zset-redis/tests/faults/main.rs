//! Tests that limiters under load survive faults of their servers, over each kind of connection.
//!
//! The tests check that every call returns within its deadline, that the policy decides while the
//! server does not reply, that no window has more units than the limit, and that calls through the
//! same limiters succeed again after the fault.

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
