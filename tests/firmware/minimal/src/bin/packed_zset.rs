//! `PackedZSet` in an array.

#![no_std]
#![no_main]

use zset_core::PackedZSet;

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut SET: PackedZSet<[u8; 512]> = PackedZSet::in_array();
    let pop =
        |set: &mut PackedZSet<_>| set.pop_first_with(|member, _| member[0].into()).unwrap_or(0);
    zset_minimal::serve_bytes!(SET, pop)
}
