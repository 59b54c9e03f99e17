//! Tests `SortedMap` in a small heap.

#![no_std]
#![no_main]

use zset_core::SortedMap;
use zset_firmware::{heap, run, test_full_heap, test_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("sorted maps follow the reference", || test_model(SortedMap::<u32, u32, u32>::new, 1_500)),
        ("an insertion on a full heap fails", || test_full_heap(SortedMap::<u32, u32, u32>::new)),
    ])
}
