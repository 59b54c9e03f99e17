//! A minimal program with a `PackedZSet` in an array.

#![no_std]
#![no_main]

use zset_core::{PackedZSet, Score};

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut SET: PackedZSet<[u8; 512]> = PackedZSet::with_array([0; 512]);
    let pop = |set: &mut PackedZSet<_>| set.pop_first_with(|member, score| (member[0], score));
    zset_minimal::serve!(SET, key: u32::to_le_bytes, to: Score::from, pop: pop)
}
