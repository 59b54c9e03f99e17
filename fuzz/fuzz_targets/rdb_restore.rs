//! Restores arbitrary bytes as a RESTORE payload. Restoring never panics, and uses memory in
//! proportion to the input. An accepted set survives a round trip through its own dump, and through
//! a dump in another order.

#![no_main]

use crc::{CRC_64_REDIS, Crc, Table};
use libfuzzer_sys::fuzz_target;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use zset_core::ZSet;
use zset_core::redis::rdb;

/// Counts the bytes allocated in total, whether or not they were freed.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

const CRC: Crc<u64, Table<1>> = Crc::<u64, Table<1>>::new(&CRC_64_REDIS);

/// The maximum number of bytes allocated per byte of the payload. An element may be only two bytes
/// long. It has an entry in two vectors during the sort, in a third one if its member is repeated,
/// and in two tables.
const MOST_PER_BYTE: usize = 64;

/// The maximum number of bytes that a byte of a compressed string expands to.
const MOST_EXPANSION: usize = 88;

/// The RDB type of a set that is stored as a list of elements.
const ELEMENTS: u8 = 5;

/// The first byte of a compressed string.
const COMPRESSED: u8 = 0xC3;

/// The base allocation of a nonempty set: a leaf and a table.
const MOST_AT_LEAST: usize = 1 << 18;

fn restore(payload: &[u8]) {
    let before = TAKEN.load(Ordering::Relaxed);
    let restored = rdb::restore(payload);
    let taken = TAKEN.load(Ordering::Relaxed) - before;
    let expansion = if payload.contains(&COMPRESSED) { MOST_EXPANSION } else { 1 };
    assert!(taken <= MOST_AT_LEAST + MOST_PER_BYTE * expansion * payload.len(), "{taken} bytes");

    if let Ok(set) = restored {
        set.check();
        let again = rdb::restore(&rdb::dump(&set)).expect("a dump that was just written");
        assert_eq!(again, set);
        assert_eq!(again.encoding(), set.encoding());
        assert_eq!(rdb::restore(&rotated(&set)).expect("any order"), set);
    }
}

/// Returns a dump of the upper half of the elements, followed by the lower half.
fn rotated(set: &ZSet) -> Vec<u8> {
    let middle = set.len() / 2;
    let mut payload = vec![ELEMENTS];
    rdb::write_length(set.len(), &mut payload);
    for (member, score) in set.range_by_rank(middle..).chain(set.range_by_rank(..middle)) {
        rdb::write_string(&member, &mut payload);
        payload.extend(score.get().to_le_bytes());
    }
    rdb::seal(&mut payload);
    payload
}

fuzz_target!(|data: &[u8]| {
    restore(data);
    // Appends a valid version and checksum, so that the body is parsed.
    let body = data.len().checked_sub(10).map_or(data, |len| &data[..len]);
    let mut payload = [body, &10u16.to_le_bytes()].concat();
    payload.extend(CRC.checksum(&payload).to_le_bytes());
    restore(&payload);
});
