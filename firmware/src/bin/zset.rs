//! `ZSet` in a small heap.

#![no_std]
#![no_main]

use zset_core::ZSet;
use zset_firmware::{heap, run, run_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[("sets of byte strings follow the reference", follow_reference)])
}

fn follow_reference() {
    run_model(&mut ZSet::new(), 2, 300);
}
