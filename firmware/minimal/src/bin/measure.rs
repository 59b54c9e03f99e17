//! Prints the stack, the memory and the instructions of the operations, a line each: `type,figure,value`.

#![no_std]
#![no_main]

use semihosting::println;
use zset_core::{FixedSortedSet, PackedZSet, SortedSet, ZSet};
use zset_minimal::heap;
use zset_minimal::machine::{instructions_of, stack_of, start_timer};
use zset_minimal::subject::Subject;

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
    instructions("PackedZSet", 100, packed);
    instructions("PackedZSet", 1_000, packed);
    stack("PackedZSet", packed);
    for n in [100, 1_000] {
        instructions("SortedSet", n, &mut SortedSet::<u32, u32>::new());
        instructions("ZSet", n, &mut ZSet::new());
    }
    stack("SortedSet", &mut SortedSet::<u32, u32>::new());
    stack("ZSet", &mut ZSet::new());
    semihosting::process::exit(0)
}

/// The score of a member: numbers below 2^20 in a scattered order.
fn scatter(member: u32) -> u32 {
    member.wrapping_mul(0x9E37_79B9) >> 12
}

fn memory<S: Subject>(name: &str, mut set: S) {
    let before = heap::used();
    println!("{name},RAM: empty,{}", size_of::<S>());
    (0..10).for_each(|member| set.insert(member, scatter(member)));
    println!("{name},RAM: 10 elements,{}", size_of::<S>() + heap::used() - before);
}

/// Prints the mean over calls with different members, in a set of `len` elements before each.
fn instructions(name: &str, len: u32, set: &mut impl Subject) {
    const CALLS: u32 = 64;
    let print = |operation: &str, call: &mut dyn FnMut(u32) -> u32| {
        let sum: u32 = (0..CALLS).map(call).sum();
        println!("{name},instructions: {operation} at {len},{}", sum.div_ceil(CALLS));
    };
    (0..len).for_each(|member| set.insert(member, scatter(member)));
    print("insert", &mut |i| {
        let instructions = instructions_of(|| set.insert(len + i, scatter(len + i)));
        set.remove(len + i);
        instructions
    });
    print("remove", &mut |i| {
        let member = i * 31 % len;
        let instructions = instructions_of(|| set.remove(member));
        set.insert(member, scatter(member));
        instructions
    });
    print("rank", &mut |i| instructions_of(|| set.rank(i * 31 % len)));
    print("pop", &mut |i| {
        let instructions = instructions_of(|| set.pop());
        set.insert(len + i, scatter(len + i));
        instructions
    });
    while set.len() > 0 {
        set.pop();
    }
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
    if let Some(bulk) = S::BULK {
        members().for_each(|i| set.insert(i, scatter(i)));
        print("whole sets", (0..4).map(|_| stack_of(|| bulk(set))).max());
    }
    while set.len() > 0 {
        set.pop();
    }
    if let Some(insert_fraction) = S::INSERT_FRACTION {
        print(
            "insert a fraction",
            members().map(|i| stack_of(|| insert_fraction(set, i, i))).max(),
        );
        print("remove a fraction", members().map(|i| stack_of(|| set.remove(i))).max());
    }
}
