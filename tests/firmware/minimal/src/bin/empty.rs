//! The baseline for the sizes of programs without an allocator.

#![no_std]
#![no_main]

use core::hint::black_box;
use zset_minimal::input;

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        black_box(input());
    }
}
