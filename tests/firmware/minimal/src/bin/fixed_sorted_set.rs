//! `FixedSortedSet<u32, u32, 64>`.

#![no_std]
#![no_main]

use zset_core::FixedSortedSet;

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut SET: FixedSortedSet<u32, u32, 64> = FixedSortedSet::new();
    zset_minimal::serve!(SET)
}
