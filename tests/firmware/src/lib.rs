//! The model tests of all kinds of sets and limiters, for small memories: seeded random operations
//! compared with a naive reference.

#![no_std]

#[cfg(feature = "heap")]
extern crate alloc;

#[cfg(feature = "heap")]
pub mod heap;
pub mod limiter;
mod model;
mod set;

pub use model::{Reference, run_model, scatter};
#[cfg(feature = "heap")]
pub use model::{test_full_heap, test_model};
pub use set::{Set, bytes};

/// Runs the tests in order, and exits with a status for the caller of the emulator. A panic exits
/// with a different one.
pub fn run(tests: &[(&str, fn())]) -> ! {
    for (name, test) in tests {
        semihosting::print!("test {name} ... ");
        test();
        semihosting::println!("ok");
    }
    semihosting::process::exit(0)
}
