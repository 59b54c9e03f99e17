//! `FixedSortedSet<u32, u32, 64>`.

#![no_std]
#![no_main]

use zset_core::FixedSortedSet;

#[cortex_m_rt::entry]
fn main() -> ! {
    zset_minimal::serve!(&mut FixedSortedSet::<u32, u32, 64>::new())
}
