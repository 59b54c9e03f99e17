//! Model tests of sets and limiters, for machines with little memory. They run seeded random
//! operations, and compare the results with a naive reference.

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

/// Runs the tests in order, then ends the emulator with status 0. A panic ends it with another
/// status.
pub fn run(tests: &[(&str, fn())]) -> ! {
    for (name, test) in tests {
        semihosting::print!("test {name} ... ");
        test();
        semihosting::println!("ok");
    }
    semihosting::process::exit(0)
}
