//! The numbers of a server: as a page, and as a limit of memory.

#![cfg(all(unix, not(miri)))]

mod memory;
mod page;
#[path = "../patient/mod.rs"]
mod patient;
mod peer;

use std::alloc::System;

use cap::Cap;

/// Counts what the tests and the servers in them have.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);
