//! A minimal program with a `ZSet`.

#![no_std]
#![no_main]

use zset_core::{Score, ZSet};
use zset_minimal::heap;

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    let set = &mut ZSet::new();
    zset_minimal::serve!(set, key: u32::to_le_bytes, to: Score::from, pop: ZSet::pop_first)
}
