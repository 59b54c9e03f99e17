//! A minimal program with a `FixedSortedSet<u32, u32, 64>`.

#![no_std]
#![no_main]

use zset_core::FixedSortedSet;

type Set = FixedSortedSet<u32, u32, 64>;

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut SET: Set = Set::new();
    zset_minimal::serve!(SET, key: u32::from, to: u32::from, pop: Set::pop_first)
}
