//! Any bytes as the payload of RESTORE: no panic, no memory out of proportion, and what is accepted
//! comes back from its own dump.

#![no_main]

use crc::{CRC_64_REDIS, Crc, Table};
use libfuzzer_sys::fuzz_target;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use zset_core::rdb;

/// Counts what is taken, whether given back or not.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on as it is to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of this method, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

const CRC: Crc<u64, Table<1>> = Crc::<u64, Table<1>>::new(&CRC_64_REDIS);

/// What a byte of a payload may cost: it may be a quarter of a pair of integers in a set that grows.
const MOST_PER_BYTE: usize = 40;

/// How many bytes a byte of a compressed string may stand for.
const MOST_EXPANSION: usize = 88;

/// The first byte of a compressed string.
const COMPRESSED: u8 = 0xC3;

/// What a set costs that is not empty: a leaf, a table.
const MOST_AT_LEAST: usize = 1 << 18;

fn restore(payload: &[u8]) {
    let before = TAKEN.load(Ordering::Relaxed);
    let restored = rdb::restore(payload);
    let taken = TAKEN.load(Ordering::Relaxed) - before;
    let expansion = if payload.contains(&COMPRESSED) { MOST_EXPANSION } else { 1 };
    assert!(taken <= MOST_AT_LEAST + MOST_PER_BYTE * expansion * payload.len(), "{taken} bytes");

    if let Ok(set) = restored {
        set.check();
        let again = rdb::restore(&rdb::dump(&set)).expect("a dump of our own");
        assert_eq!(again, set);
        assert_eq!(again.encoding(), set.encoding());
    }
}

fuzz_target!(|data: &[u8]| {
    restore(data);
    // With a version and checksum that are right, so that the rest is looked at.
    let body = data.len().checked_sub(10).map_or(data, |len| &data[..len]);
    let mut payload = [body, &10u16.to_le_bytes()].concat();
    payload.extend(CRC.checksum(&payload).to_le_bytes());
    restore(&payload);
});
