//! Snapshots of the program itself: as other servers read and write them, and when it is killed.

#![cfg(all(unix, not(miri)))]

mod kills;
#[path = "../patient/mod.rs"]
mod patient;
mod peer;
mod servers;
mod starts;
