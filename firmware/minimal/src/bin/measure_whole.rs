//! Prints the stack of operations on whole sets, a line each: `type,figure,value`.
//!
//! In a program of their own, as the compiler inlines less in a program with more functions.

#![no_std]
#![no_main]

use semihosting::println;
use zset_core::{SortedSet, ZSet};
use zset_minimal::heap;
use zset_minimal::machine::stack_of;
use zset_minimal::subject::{empty, scatter};
use zset_minimal::whole::Whole;

const LEN: u32 = 1_000;

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    stack("SortedSet", SortedSet::<u32, u32>::new(), SortedSet::new());
    stack("ZSet", ZSet::new(), ZSet::new());
    semihosting::process::exit(0)
}

/// Prints the stack of all operations on a set of [`LEN`] elements, some of which take or fill another one.
fn stack<S: Whole>(name: &str, mut set: S, mut other: S) {
    let mut print = |operation: &str, others: u32, call: &dyn Fn(&mut S, &mut S)| {
        (0..LEN).for_each(|i| set.insert(i, scatter(i)));
        // Half of the other's members are in the set too, with other scores.
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
