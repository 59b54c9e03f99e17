//! `ZSet`.

#![no_std]
#![no_main]

use zset_core::ZSet;
use zset_minimal::heap;

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    let pop = |set: &mut ZSet| set.pop_first().map_or(0, |(member, _)| member[0].into());
    zset_minimal::serve_bytes!(&mut ZSet::new(), pop)
}
