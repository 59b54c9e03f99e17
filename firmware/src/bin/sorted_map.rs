//! `SortedMap` in a small heap.

#![no_std]
#![no_main]

use zset_core::SortedMap;
use zset_firmware::{heap, run, run_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[("sorted maps follow the reference", follow_reference)])
}

fn follow_reference() {
    run_model(&mut SortedMap::<u16, u32, u32>::new(), 2, 1500);
}
