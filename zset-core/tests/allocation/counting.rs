//! A global allocator that counts the allocations of the current thread, and fails on demand.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// These thread-locals are const-initialized and need no destructor, so accessing them never
// allocates.
thread_local! {
    /// The number of allocations that succeed before one fails, or `None` if none fails.
    static SUCCEEDING: Cell<Option<usize>> = const { Cell::new(None) };
    /// Whether all allocations after the failing one fail as well.
    static IS_EXHAUSTED: Cell<bool> = const { Cell::new(false) };
    /// Whether an allocation has failed on demand.
    static HAS_FAILED: Cell<bool> = const { Cell::new(false) };
    static TOTAL: Cell<Total> = const { Cell::new(Total { calls: 0, bytes: 0, live: 0, largest: 0 }) };
}

/// Counters of a thread's allocations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Total {
    /// Allocations and reallocations that succeeded.
    pub(crate) calls: usize,
    /// The total size of these allocations, whether freed or not.
    pub(crate) bytes: usize,
    /// Bytes allocated and not yet freed.
    pub(crate) live: isize,
    /// The size of the largest allocation.
    pub(crate) largest: usize,
}

/// Returns whether an allocation must fail. If not, records `taken` bytes as allocated and
/// `given_back` bytes as freed.
fn fails(taken: usize, given_back: usize) -> bool {
    let succeeding = SUCCEEDING.get();
    if succeeding == Some(0) {
        HAS_FAILED.set(true);
        if !IS_EXHAUSTED.get() {
            SUCCEEDING.set(None);
        }
        return true;
    }
    SUCCEEDING.set(succeeding.map(|calls| calls - 1));
    let total = TOTAL.get();
    TOTAL.set(Total {
        calls: total.calls + 1,
        bytes: total.bytes + taken,
        live: total.live.wrapping_add_unsigned(taken).wrapping_sub_unsigned(given_back),
        largest: total.largest.max(taken),
    });
    false
}

// SAFETY: every call is forwarded unchanged to the system allocator, or fails with a null pointer,
// which leaves memory unchanged. Counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size(), 0) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller upholds the contract of this method, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size(), 0) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if fails(new_size, layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let total = TOTAL.get();
        TOTAL.set(Total { live: total.live.wrapping_sub_unsigned(layout.size()), ..total });
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs an operation; returns its result and its allocations.
pub(crate) fn counted<T>(operation: impl FnOnce() -> T) -> (T, Total) {
    let before = TOTAL.replace(Total { largest: 0, ..TOTAL.get() });
    let result = operation();
    let after = TOTAL.get();
    let total = Total {
        calls: after.calls - before.calls,
        bytes: after.bytes - before.bytes,
        live: after.live - before.live,
        largest: after.largest,
    };
    TOTAL.set(Total { largest: before.largest.max(after.largest), ..after });
    (result, total)
}

/// Runs an operation in which the first `succeeding` allocations succeed and the next one fails.
pub(crate) fn failing_after<T>(succeeding: usize, operation: impl FnOnce() -> T) -> T {
    HAS_FAILED.set(false);
    SUCCEEDING.set(Some(succeeding));
    let result = operation();
    SUCCEEDING.set(None);
    result
}

/// Returns the number of allocations to let succeed in each trial: 0 to 8, then ever sparser
/// numbers, since most later allocations are of the same kind, a box for a leaf.
pub(crate) fn some_allocations() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(0), |succeeding| Some(succeeding + 1 + succeeding / 8 * 2))
}

/// Returns whether an allocation has failed in the last `failing_after`.
pub(crate) fn has_failed() -> bool {
    HAS_FAILED.get()
}

/// Runs an operation in which all allocations fail.
pub(crate) fn without_memory<T>(operation: impl FnOnce() -> T) -> T {
    IS_EXHAUSTED.set(true);
    let result = failing_after(0, operation);
    IS_EXHAUSTED.set(false);
    result
}

#[test]
fn the_allocator_counts_and_fails() {
    let (vector, total) = counted(|| Vec::<u64>::with_capacity(5));
    assert_eq!(total, Total { calls: 1, bytes: 40, live: 40, largest: 40 });
    let ((), total) = counted(|| drop(vector));
    assert_eq!(total, Total { calls: 0, bytes: 0, live: -40, largest: 0 });

    let mut vector = Vec::<u64>::new();
    assert!(failing_after(0, || vector.try_reserve_exact(1)).is_err());
    let reserved = failing_after(1, || [vector.try_reserve_exact(1), vector.try_reserve_exact(2)]);
    assert!(reserved[0].is_ok() && reserved[1].is_err());
    let reserved = without_memory(|| [2, 3].map(|len| vector.try_reserve_exact(len).is_ok()));
    assert_eq!(reserved, [false; 2]);
}
