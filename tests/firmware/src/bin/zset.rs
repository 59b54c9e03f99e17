//! Tests `ZSet` in a small heap, as a listpack and as a skip list.

#![no_std]
#![no_main]

use zset_core::{ListpackLimits, ZSet};
use zset_firmware::{heap, run, test_full_heap, test_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("listpacks follow the reference", || test_model(ZSet::new, 300)),
        ("skip lists follow the reference", || test_model(skip_list, 1_000)),
        ("an insertion into a listpack on a full heap fails", || test_full_heap(ZSet::new)),
        ("an insertion into a skip list on a full heap fails", || test_full_heap(skip_list)),
    ])
}

/// A set that becomes a skip list at the ninth member. With the default limit, it would become one
/// at the 129th, and would need more than 8 KB.
fn skip_list() -> ZSet {
    ZSet::with_limits(ListpackLimits { max_listpack_entries: 8, ..ListpackLimits::default() })
}
