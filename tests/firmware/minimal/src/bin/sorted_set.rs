//! A minimal program with a `SortedSet<u32, u32>` and the hasher for small machines.

#![no_std]
#![no_main]

use zset_core::SortedSet;
use zset_core::fixed_sorted_set::FixedHashBuilder;
use zset_minimal::heap;

type Set = SortedSet<u32, u32, FixedHashBuilder>;

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    let set = &mut Set::default();
    zset_minimal::serve!(set, key: u32::from, to: u32::from, pop: Set::pop_first)
}
