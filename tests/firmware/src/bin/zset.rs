//! `ZSet` in a small heap.

#![no_std]
#![no_main]

use zset_core::ZSet;
use zset_firmware::{fill_and_replace, heap, run, run_large_model, run_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("sets of byte strings follow the reference", follow_reference),
        ("elements on a full heap are replaced", replace),
    ])
}

fn follow_reference() {
    run_model(&mut ZSet::new(), 2, 300);
    if heap::IS_LARGE {
        run_large_model(&mut ZSet::new(), 4, 100_000);
    }
}

fn replace() {
    let len = fill_and_replace(&mut ZSet::new(), 100_000, 1_000);
    semihosting::print!("{len} elements ... ");
}
