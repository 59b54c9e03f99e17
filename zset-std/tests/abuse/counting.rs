//! An allocator that counts the bytes in use by each thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// The variables are const-initialized and have no destructors, so a thread can use them at any time
// without allocating.
thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    /// The peak of `IN_USE` since the last `take_peak`.
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(taken: usize, given_back: usize) {
    let in_use = IN_USE.get().wrapping_add_unsigned(taken).wrapping_sub_unsigned(given_back);
    IN_USE.set(in_use);
    PEAK.set(PEAK.get().max(in_use));
}

// SAFETY: every call is forwarded unchanged to the system allocator. Counting neither allocates nor
// unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller upholds the contract of this method, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Counts the new block before subtracting the old one, because both may exist while the
        // contents are copied.
        count(new_size, 0);
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Returns the bytes that this thread has allocated and not yet freed.
pub(crate) fn in_use() -> isize {
    IN_USE.get()
}

/// Returns the peak of the bytes in use since the last call.
pub(crate) fn take_peak() -> isize {
    PEAK.replace(IN_USE.get())
}

#[test]
fn the_allocator_counts() {
    let before = in_use();
    take_peak();
    let vector = Vec::<u64>::with_capacity(5);
    assert_eq!(in_use(), before + 40);
    drop(vector);
    assert_eq!(in_use(), before);
    assert_eq!(take_peak(), before + 40);
    assert_eq!(take_peak(), before);
}
