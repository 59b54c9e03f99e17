//! `SortedSet` in a small heap, including when it runs out of memory.

#![no_std]
#![no_main]

use zset_core::SortedSet;
use zset_firmware::{fill_and_replace, heap, run, run_large_model, run_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("sorted sets follow the reference", follow_reference),
        ("a set with little in it takes little memory", little),
        ("elements of a set on a full heap are replaced", replace),
        ("a set fills the heap and loses none of it", fill_and_drain),
    ])
}

fn follow_reference() {
    run_model(&mut SortedSet::<u32, u32>::new(), 1, 1_500);
    if heap::IS_LARGE {
        run_large_model(&mut SortedSet::<u32, u32>::new(), 3, 100_000);
    }
}

/// At most 200 bytes when empty, 600 with ten elements.
fn little() {
    let used = heap::used();
    let mut set = SortedSet::<u32, u32>::new();
    assert_eq!(heap::used(), used);
    assert!(size_of_val(&set) <= 200);
    for i in 0..10 {
        set.insert(i, 10 - i);
    }
    let bytes = size_of_val(&set) + heap::used() - used;
    assert!(bytes <= 600, "{bytes} bytes");
}

fn replace() {
    let len = fill_and_replace(&mut SortedSet::<u32, u32>::new(), 100_000, 1_000);
    semihosting::print!("{len} elements ... ");
}

/// Repeatedly fills the heap until an insertion fails, and drains the set.
fn fill_and_drain() {
    let used = heap::used();
    let rounds = if heap::IS_LARGE { 3 } else { 1_000 };
    let most = 100_000;
    for round in 0..rounds {
        let mut set = SortedSet::<u32, u32>::new();
        let scatter = |i: u32| i.wrapping_mul(0x9E37_79B9) >> 8;
        let len = (0..most).find(|&i| set.try_insert(i, scatter(i)).is_err()).unwrap_or(most);
        assert!(len > 100, "only {len} elements");
        assert_eq!(set.len(), len as usize);
        if round == 0 {
            set.check();
            semihosting::print!("{len} elements in {} bytes ... ", heap::used());
        }
        // A full set is unchanged by the failure, and still works.
        assert!(!set.contains(&len));
        assert_eq!(set.score(&(len - 1)), Some(scatter(len - 1)));
        assert_eq!(set.remove(&0), Some(scatter(0)));
        assert_eq!(set.update(&1, |score| score), Some(scatter(1)));
        let mut last = None;
        while let Some((_, score)) = set.pop_first() {
            assert!(last <= Some(score));
            last = Some(score);
        }
        drop(set);
        assert_eq!(heap::used(), used, "memory was lost in round {round}");
    }
}
