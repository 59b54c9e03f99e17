//! The model tests of all kinds of sets and limiters, for small memories: seeded random operations
//! compared with a naive reference.

#![no_std]

#[cfg(feature = "heap")]
extern crate alloc;

#[cfg(feature = "heap")]
pub mod heap;
mod limiter;
mod model;
mod reference;
mod subject;

pub use limiter::{Allowed, run_limiter_model};
pub use model::run_model;
#[cfg(feature = "heap")]
pub use model::{fill_and_replace, run_large_model};
pub use reference::Reference;
pub use subject::{Full, Subject};

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
