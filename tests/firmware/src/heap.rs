//! A heap in a static array, whose size depends on the emulated machine.

extern crate alloc;

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;

use cortex_m as _; // provides critical sections
use embedded_alloc::LlffHeap;

#[global_allocator]
static HEAP: LlffHeap = LlffHeap::empty();

/// The size of the heap, from `build.rs`.
pub const BYTES: usize = match usize::from_str_radix(env!("ZSET_HEAP_BYTES"), 10) {
    Ok(bytes) => bytes,
    Err(_) => panic!("it is not a number"),
};

static mut MEMORY: [MaybeUninit<u8>; BYTES] = [MaybeUninit::uninit(); BYTES];

/// Gives the allocator its memory. Must be called once, before any allocation.
pub fn init() {
    // SAFETY: nothing else uses this memory, and the allocator is not in use yet.
    unsafe { HEAP.init(addr_of_mut!(MEMORY) as usize, BYTES) }
}

/// Returns the number of allocated bytes.
pub fn used() -> usize {
    HEAP.used()
}

/// Allocates the free memory except this many bytes, in ever smaller blocks. Dropping the result
/// frees the blocks.
pub fn take_except(bytes: usize) -> [Vec<u8>; 32] {
    core::array::from_fn(|_| {
        let mut block = Vec::new();
        let mut size = (BYTES - used()).saturating_sub(bytes);
        while size > 0 && block.try_reserve_exact(size).is_err() {
            size /= 2;
        }
        block
    })
}
