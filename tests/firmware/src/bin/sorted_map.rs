//! `SortedMap` in a small heap.

#![no_std]
#![no_main]

use zset_core::SortedMap;
use zset_firmware::{fill_and_replace, heap, run, run_large_model, run_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("sorted maps follow the reference", follow_reference),
        ("elements on a full heap are replaced", replace),
    ])
}

fn follow_reference() {
    run_model(&mut SortedMap::<u32, u32, u32>::new(), 2, 1500);
    if heap::IS_LARGE {
        run_large_model(&mut SortedMap::<u32, u32, u32>::new(), 4, 100_000);
    }
}

fn replace() {
    let len = fill_and_replace(&mut SortedMap::<u32, u32, u32>::new(), 100_000, 1_000);
    semihosting::print!("{len} elements ... ");
}
