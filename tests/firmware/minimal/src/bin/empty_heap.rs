//! The baseline for the sizes of programs with an allocator. It grows a vector, so the whole
//! allocator is linked.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::hint::black_box;
use zset_minimal::{heap, input};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    let mut words = Vec::<u32>::new();
    loop {
        match input() {
            0 if words.try_reserve(input() as usize).is_ok() => words.push(input()),
            1 => words = Vec::new(),
            _ => _ = black_box(words.pop()),
        }
    }
}
