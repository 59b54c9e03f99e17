//! Prints the stack, memory and instructions of the operations, one per line: `type,figure,value`.

#![no_std]
#![no_main]

use semihosting::println;
use zset_core::{FixedSortedSet, PackedZSet, SortedSet, ZSet};
use zset_minimal::heap;
use zset_minimal::machine::{instructions_of, stack_of, start_timer};
use zset_minimal::subject::{Subject, empty, scatter};

static mut FIXED_128: FixedSortedSet<u32, u32, 128> = FixedSortedSet::new();
static mut FIXED_1024: FixedSortedSet<u32, u32, 1024> = FixedSortedSet::new();
static mut PACKED: PackedZSet<[u8; 32 << 10]> = PackedZSet::in_array();

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    start_timer();
    // SAFETY: nothing else uses them.
    let (fixed_128, fixed_1024, packed) = unsafe {
        (&mut *(&raw mut FIXED_128), &mut *(&raw mut FIXED_1024), &mut *(&raw mut PACKED))
    };
    println!("FixedSortedSet,RAM: empty,{}", size_of::<FixedSortedSet<u32, u32, 64>>());
    println!("FixedSortedSet,RAM: 10 elements,{}", size_of::<FixedSortedSet<u32, u32, 64>>());
    memory("SortedSet", SortedSet::<u32, u32>::new());
    memory("ZSet", ZSet::new());

    instructions("FixedSortedSet", 100, fixed_128);
    instructions("FixedSortedSet", 1_000, fixed_1024);
    stack("FixedSortedSet", fixed_1024);
    for len in [100, 1_000] {
        instructions("PackedZSet", len, packed);
        instructions("SortedSet", len, &mut SortedSet::<u32, u32>::new());
        instructions("ZSet", len, &mut ZSet::new());
    }
    instructions_of_fractions("PackedZSet", packed);
    stack("PackedZSet", packed);
    stack_of_fractions("PackedZSet", packed);
    stack("SortedSet", &mut SortedSet::<u32, u32>::new());
    stack("ZSet", &mut ZSet::new());
    stack_of_fractions("ZSet", &mut ZSet::new());
    semihosting::process::exit(0)
}

fn memory<S: Subject>(name: &str, mut set: S) {
    let before = heap::used();
    println!("{name},RAM: empty,{}", size_of::<S>());
    (0..10).for_each(|member| set.insert(member, scatter(member)));
    println!("{name},RAM: 10 elements,{}", size_of::<S>() + heap::used() - before);
}

/// Prints the mean over calls with different members, in a set of `len` elements before each.
fn instructions<S: Subject>(name: &str, len: u32, set: &mut S) {
    const CALLS: u32 = 64;
    (0..len).for_each(|member| set.insert(member, scatter(member)));
    let mut print = |operation: &str, call: &dyn Fn(&mut S, u32) -> u32| {
        let sum: u32 = (0..CALLS).map(|i| call(set, i)).sum();
        println!("{name},instructions: {operation} at {len},{}", sum.div_ceil(CALLS));
    };
    print("insert", &|set, i| {
        let instructions = instructions_of(|| set.insert(len + i, scatter(len + i)));
        set.remove(len + i);
        instructions
    });
    print("remove", &|set, i| {
        let member = i * 31 % len;
        let instructions = instructions_of(|| set.remove(member));
        set.insert(member, scatter(member));
        instructions
    });
    print("rank", &|set, i| instructions_of(|| set.rank(i * 31 % len)));
    print("pop", &|set, i| {
        let instructions = instructions_of(|| set.pop());
        set.insert(len + i, scatter(len + i));
        instructions
    });
    empty(set);
}

/// Prints the mean number of instructions in a set with fractional scores.
fn instructions_of_fractions<S: Subject>(name: &str, set: &mut S) {
    const LEN: u32 = 100;
    let Some(insert_fraction) = S::INSERT_FRACTION else { return };
    let sum: u32 = (0..LEN).map(|i| instructions_of(|| insert_fraction(set, i, scatter(i)))).sum();
    println!("{name},instructions: insert up to {LEN} fractions,{}", sum.div_ceil(LEN));
    empty(set);
}

/// Prints the deepest stack of each operation while a set grows and shrinks.
fn stack<S: Subject>(name: &str, set: &mut S) {
    const LEN: u32 = 1_000;
    let members = || 0..LEN;
    let print = |operation: &str, deepest: Option<u32>| {
        println!("{name},stack: {operation},{}", deepest.unwrap_or(0));
    };
    print("insert", members().map(|i| stack_of(|| set.insert(i, scatter(i)))).max());
    print("change a score", members().map(|i| stack_of(|| set.insert(i, scatter(i + LEN)))).max());
    print("score", members().map(|i| stack_of(|| set.score(i))).max());
    print("rank", members().map(|i| stack_of(|| set.rank(i))).max());
    print("select", members().map(|i| stack_of(|| set.select(i))).max());
    print(
        "range",
        members().map(|i| stack_of(|| set.range(scatter(i), scatter(i) + 10_000))).max(),
    );
    print("remove", (0..LEN / 2).map(|i| stack_of(|| set.remove(i))).max());
    print("pop", (0..LEN / 4).map(|_| stack_of(|| set.pop())).max());
    print(
        "remove a range",
        (0..16).map(|i| stack_of(|| set.remove_range(i << 16, (i + 1) << 16))).max(),
    );
    empty(set);
}

/// Prints the deepest stack of operations with fractional scores, in a new set.
fn stack_of_fractions<S: Subject>(name: &str, set: &mut S) {
    const LEN: u32 = 200;
    let Some(insert_fraction) = S::INSERT_FRACTION else { return };
    let print = |operation: &str, deepest: Option<u32>| {
        println!("{name},stack: {operation} a fraction,{}", deepest.unwrap_or(0));
    };
    let insert = (0..LEN).map(|i| stack_of(|| insert_fraction(set, i, scatter(i))));
    print("insert", insert.max());
    print("remove", (0..LEN).map(|i| stack_of(|| set.remove(i))).max());
}
