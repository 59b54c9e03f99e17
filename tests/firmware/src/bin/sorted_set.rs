//! Tests `SortedSet` in a small heap.

#![no_std]
#![no_main]

use zset_core::SortedSet;
use zset_core::fixed_sorted_set::FixedHashBuilder;
use zset_firmware::{heap, run, test_full_heap, test_model};

type Set = SortedSet<u32, u32, FixedHashBuilder>;

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("sorted sets follow the reference", || test_model(Set::default, 1_500)),
        ("with the default hasher as well", || test_model(SortedSet::<u32, u32>::new, 500)),
        ("an insertion on a full heap fails", || test_full_heap(Set::default)),
        ("sets split and merge", whole_sets),
    ])
}

fn whole_sets() {
    let mut set: Set = (0..100).map(|i| (i, i / 2)).collect();
    let mut upper = set.split_off_by_rank(40);
    set.retain(|member, _| member % 2 == 0);
    assert_eq!((set.len(), upper.len()), (20, 60));
    upper.drain_by_rank(50..).for_each(drop);
    set.append(&mut upper);
    assert_eq!(upper.len(), 0);
    drop(upper);
    set.shrink_to_fit();
    set.check();
    assert_eq!((set.len(), set.rank(&40)), (70, Some(20)));
}
