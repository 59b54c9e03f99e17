//! `SortedSet<u32, u32>`.

#![no_std]
#![no_main]

use zset_core::SortedSet;
use zset_minimal::heap;

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    zset_minimal::serve!(&mut SortedSet::<u32, u32>::new())
}
