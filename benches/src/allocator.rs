//! A global allocator that counts the bytes allocated and not yet freed.
//!
//! The count is per thread. That is enough to measure a single thread, and it avoids atomic
//! operations, which would distort the times of contenders that allocate often.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes allocated minus bytes freed. It may be negative on a thread that frees what another
    /// has allocated.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

/// Returns the number of bytes that this thread has allocated and not freed if [`Counting`] is the
/// global allocator, else 0.
pub fn live_bytes() -> isize {
    LIVE.get()
}

fn add(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_add_unsigned(bytes));
}

fn subtract(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_sub_unsigned(bytes));
}

/// The system allocator, with a count of live bytes.
pub struct Counting;

// SAFETY: every call goes to `System` with the arguments unchanged. The counter is a `const` thread
// local without a destructor, so accessing it neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        subtract(layout.size());
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        subtract(layout.size());
        add(new_size);
        // SAFETY: the caller upholds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}
