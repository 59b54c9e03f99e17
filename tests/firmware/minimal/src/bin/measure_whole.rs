//! Prints the stack of operations on whole sets, one per line: `type,figure,value`.
//!
//! It is a separate program, since the compiler inlines less in a program with more functions.

#![no_std]
#![no_main]

use semihosting::println;
use zset_core::{Encoding, ListpackLimits, SortedSet, ZSet};
use zset_minimal::heap;
use zset_minimal::machine::stack_of;
use zset_minimal::subject::{empty, scatter};
use zset_minimal::whole::Whole;

const LEN: u32 = 1_000;

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    stack("SortedSet", SortedSet::<u32, u32>::new(), SortedSet::new());
    stack_on_full_heap("SortedSet", SortedSet::<u32, u32>::new());
    stack("ZSet", ZSet::new(), ZSet::new());
    stack_on_full_heap("ZSet", ZSet::new());
    stack_of_promotion();
    semihosting::process::exit(0)
}

/// Prints the stack of all operations on a set of [`LEN`] elements, some of which take or fill
/// another set.
fn stack<S: Whole>(name: &str, mut set: S, mut other: S) {
    let mut print = |operation: &str, others: u32, call: &dyn Fn(&mut S, &mut S)| {
        (0..LEN).for_each(|i| set.insert(i, scatter(i)));
        // Half of the other set's members are in this set too, with different scores.
        let start = LEN - others / 2;
        (start..start + others).for_each(|i| other.insert(i, scatter(i + LEN)));
        println!("{name},stack: {operation},{}", stack_of(|| call(&mut set, &mut other)));
        empty(&mut set);
        empty(&mut other);
    };
    print("split off", 0, &|set, upper| set.split_off(upper));
    if let Some(append) = S::APPEND {
        print("append as many", LEN, &append);
        print("append few", LEN / 10, &append);
    }
    print("shrink to fit", 0, &|set, _| set.shrink_to_fit());
    print("collect", 0, &|set, copy| set.collect(copy));
    print("retain", 0, &|set, _| set.retain());
    print("drain", 0, &|set, _| set.drain());
}

/// Prints the deepest stack of insertions and score changes on a full heap. Before each, the set
/// has as many elements as fit in memory, or one less: full leaves shift, and the dict has
/// tombstones to remove.
fn stack_on_full_heap<S: Whole>(name: &str, mut set: S) {
    (0..LEN).for_each(|i| set.insert(i, scatter(i)));
    let full = heap::fill();
    let (mut deepest_insertion, mut deepest_change) = (0, 0);
    let insert = |set: &mut S, member, score, deepest: &mut u32| {
        let mut is_inserted = false;
        let depth = stack_of(|| is_inserted = set.try_insert(member, score));
        *deepest = depth.max(*deepest);
        is_inserted
    };
    let mut new = LEN;
    while insert(&mut set, new, scatter(new), &mut deepest_insertion) {
        new += 1;
    }
    for member in 0..LEN {
        set.remove(member);
        // Fails if the only leaf with room is the one that the element leaves.
        insert(&mut set, new - 1, scatter(member + LEN), &mut deepest_change);
        assert!(insert(&mut set, new, scatter(new), &mut deepest_insertion));
        new += 1;
    }
    println!("{name},stack: insert on a full heap,{deepest_insertion}");
    println!("{name},stack: change a score on a full heap,{deepest_change}");
    drop(full);
}

/// Prints the stack of the promotion of a listpack that exceeds Redis's limits.
fn stack_of_promotion() {
    let limits = ListpackLimits { max_listpack_entries: LEN as usize, ..ListpackLimits::default() };
    let mut set = ZSet::with_limits(limits);
    let insert = |set: &mut ZSet, i| assert!(Whole::try_insert(set, i, scatter(i)));
    (0..LEN).for_each(|i| insert(&mut set, i));
    let depth = stack_of(|| insert(&mut set, LEN));
    assert_eq!(set.encoding(), Encoding::Skiplist);
    println!("ZSet,stack: promote,{depth}");
}
