//! The heap: a static array, whose size depends on the machine.

use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;

use cortex_m as _; // critical sections
use embedded_alloc::LlffHeap;

#[global_allocator]
static HEAP: LlffHeap = LlffHeap::empty();

/// The size of the heap, from `build.rs`.
pub const HEAP_BYTES: usize = match usize::from_str_radix(env!("ZSET_HEAP_BYTES"), 10) {
    Ok(bytes) => bytes,
    Err(_) => panic!("it is not a number"),
};

/// Whether there is room for 100,000 elements and their reference.
pub const IS_LARGE: bool = HEAP_BYTES > 1 << 20;

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
