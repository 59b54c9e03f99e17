//! The program with which those without an allocator are compared.

#![no_std]
#![no_main]

use zset_minimal::{input, output};

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        output(input());
    }
}
