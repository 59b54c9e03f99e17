//! Snapshots of the program: exchanged with other servers, after a kill, and at start and stop.

#![cfg(all(unix, not(miri)))]

mod contents;
mod kills;
#[path = "../patient/mod.rs"]
mod patient;
#[path = "../process/mod.rs"]
mod process;
mod servers;
mod starts;
