//! The heap of programs that need one.

extern crate alloc;

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;

use embedded_alloc::LlffHeap;

#[global_allocator]
static HEAP: LlffHeap = LlffHeap::empty();

/// For measurements, more than the RAM of the controllers for which the minimal programs are built.
const HEAP_BYTES: usize = if cfg!(feature = "measure") { 1 << 20 } else { 48 << 10 };

static mut MEMORY: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES];

/// Gives the allocator its memory. Must be called once, before any allocation.
pub fn init() {
    // SAFETY: nothing else uses this memory, and the allocator is not in use yet.
    unsafe { HEAP.init(addr_of_mut!(MEMORY) as usize, HEAP_BYTES) }
}

/// Returns the number of allocated bytes.
pub fn used() -> usize {
    HEAP.used()
}

/// Allocates all remaining memory until the returned value is dropped.
pub fn fill() -> Vec<Vec<u8>> {
    let mut blocks = Vec::with_capacity(256);
    let mut size = HEAP_BYTES;
    while size >= size_of::<usize>() {
        let mut block = Vec::new();
        match block.try_reserve_exact(size) {
            Ok(()) => blocks.push(block),
            Err(_) => size /= 2,
        }
    }
    assert!(blocks.len() < blocks.capacity(), "more blocks than there is room for");
    blocks
}
