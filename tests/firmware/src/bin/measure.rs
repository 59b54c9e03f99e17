//! Measures the stack, memory and instructions that operations need, and prints one measurement per
//! line: `type,measurement,value`.
//!
//! Operations are called through `dyn Set`, so they are not inlined, and a measured call has its
//! own stack frame.

#![no_std]
#![no_main]

use core::arch::asm;
use core::hint::black_box;
use core::ptr::{read_volatile, write_volatile};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{Peripherals, SYST};
use semihosting::println;
use zset_core::fixed_sorted_set::FixedHashBuilder;
use zset_core::{FixedSortedSet, PackedZSet, Score, SortedSet, ZSet};
use zset_firmware::{Set, bytes, heap, scatter};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    let mut timer = Peripherals::take().expect("nothing else takes them").SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(TOP);
    timer.clear_current();
    timer.enable_counter();

    let fixed = size_of::<FixedSortedSet<u32, u32, 64>>();
    println!("FixedSortedSet,RAM: empty,{fixed}");
    println!("FixedSortedSet,RAM: 10 elements,{fixed}");
    instructions("FixedSortedSet", 100, &mut FixedSortedSet::<_, _, 128>::new());
    instructions("FixedSortedSet", 1_000, &mut FixedSortedSet::<_, _, 1_024>::new());
    stack("FixedSortedSet", &mut FixedSortedSet::<_, _, 1_024>::new());

    let packed = || PackedZSet::with_storage([0; 32 << 10]).expect("there is room for a header");
    instructions("PackedZSet", 100, &mut packed());
    instructions("PackedZSet", 1_000, &mut packed());
    stack("PackedZSet", &mut packed());
    stack_of_fractions("PackedZSet", &mut packed(), &|set, member, score| {
        set.try_insert(member, score).is_ok()
    });

    measure("SortedSet", SortedSet::<u32, u32, FixedHashBuilder>::default);
    measure("ZSet", ZSet::new);
    stack_of_fractions("ZSet", &mut ZSet::new(), &|set, member, score| {
        set.try_insert(member, score).is_ok()
    });
    semihosting::process::exit(0)
}

/// Measures a type that allocates.
fn measure<S: Set>(name: &str, new: fn() -> S) {
    let before = heap::used();
    let mut set = new();
    println!("{name},RAM: empty,{}", size_of::<S>());
    (0..10).for_each(|member| insert(&mut set, member, scatter(member)));
    println!("{name},RAM: 10 elements,{}", size_of::<S>() + heap::used() - before);
    instructions(name, 100, &mut new());
    instructions(name, 1_000, &mut new());
    stack(name, &mut new());
}

fn insert(set: &mut dyn Set, member: u32, score: u32) {
    assert!(set.try_insert(member, score).is_ok(), "there is room");
}

/// Prints the mean number of instructions per call, over calls with different members. Before each
/// call, the set has `len` elements.
fn instructions(name: &str, len: u32, set: &mut dyn Set) {
    const CALLS: u32 = 64;
    (0..len).for_each(|member| insert(set, member, scatter(member)));
    let mut print = |operation: &str, call: &dyn Fn(&mut dyn Set, u32) -> u32| {
        let sum: u32 = (0..CALLS).map(|i| call(set, i)).sum();
        println!("{name},instructions: {operation} at {len},{}", sum.div_ceil(CALLS));
    };
    print("insert", &|set, i| {
        let count = instructions_of(|| insert(set, len + i, scatter(len + i)));
        set.remove(len + i);
        count
    });
    print("remove", &|set, i| {
        let member = i * 31 % len;
        let count = instructions_of(|| _ = black_box(set.remove(member)));
        insert(set, member, scatter(member));
        count
    });
    print("rank", &|set, i| instructions_of(|| _ = black_box(set.rank(i * 31 % len))));
    print("pop", &|set, i| {
        let count = instructions_of(|| _ = black_box(set.pop_first()));
        insert(set, len + i, scatter(len + i));
        count
    });
}

/// Prints the maximum stack use of each operation while a set grows and shrinks.
fn stack(name: &str, set: &mut dyn Set) {
    const LEN: u32 = 1_000;
    let mut print = |operation: &str, calls: u32, call: &dyn Fn(&mut dyn Set, u32)| {
        let deepest = (0..calls).map(|i| stack_of(|| call(set, i))).max().unwrap_or(0);
        println!("{name},stack: {operation},{deepest}");
    };
    print("insert", LEN, &|set, i| insert(set, i, scatter(i)));
    print("change a score", LEN, &|set, i| insert(set, i, scatter(i + LEN)));
    print("score", LEN, &|set, i| _ = black_box(set.score(i)));
    print("rank", LEN, &|set, i| _ = black_box(set.rank(i)));
    print("select", LEN, &|set, i| _ = black_box(set.get_by_rank(i as usize)));
    print("range", LEN, &|set, i| {
        let mut sum = 0;
        set.range_by_score(scatter(i)..scatter(i) + 10_000, &mut |member, _| sum ^= member);
        black_box(sum);
    });
    print("remove", LEN / 2, &|set, i| _ = black_box(set.remove(i)));
    print("pop", LEN / 4, &|set, _| _ = black_box(set.pop_first()));
    print("remove a range", 16, &|set, i| {
        black_box(set.remove_range_by_score(i << 16..(i + 1) << 16));
    });
    set.clear();
}

/// Prints the maximum stack use of operations with fractional scores. The set must be new.
fn stack_of_fractions<S: Set>(
    name: &str,
    set: &mut S,
    insert: &dyn Fn(&mut S, [u8; 4], Score) -> bool,
) {
    const LEN: u32 = 200;
    let mut print = |operation: &str, call: &dyn Fn(&mut S, u32)| {
        let deepest = (0..LEN).map(|i| stack_of(|| call(set, i))).max().unwrap_or(0);
        println!("{name},stack: {operation} a fraction,{deepest}");
    };
    print("insert", &|set, i| {
        let score = Score::new(f64::from(scatter(i)) / 7.0).expect("a number");
        assert!(insert(set, bytes(i), score), "there is room");
    });
    print("remove", &|set, i| _ = black_box(set.remove(i)));
}

/// The pattern that fills the unused stack.
const PAINT: u32 = 0x5AA5_C33C;

/// The number of painted words: more than any measured call uses.
const PAINTED: usize = 8 << 10;

/// The nanoseconds per instruction, since QEMU runs with `-icount shift=10`, and per tick of the
/// timer, since the machine's clock runs at 25 MHz. An instruction takes 25.6 ticks, so counts of
/// instructions are exact.
const INSTRUCTION: u64 = 1 << 10;
const TICK: u64 = 40;

/// The timer counts down from this value.
const TOP: u32 = 0x00FF_FFFF;

/// Returns the number of bytes of stack that `call` uses.
fn stack_of(mut call: impl FnMut()) -> u32 {
    painted_depth(&mut call) - painted_depth(&mut || ())
}

/// Returns the number of bytes below this function's frame that `call` uses.
#[inline(never)]
fn painted_depth(call: &mut dyn FnMut()) -> u32 {
    let top: *mut u32;
    // SAFETY: it only reads a register.
    unsafe { asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags)) }
    // SAFETY: this memory belongs to the stack, and memory below the stack pointer is not in use.
    (1..=PAINTED).for_each(|word| unsafe { write_volatile(top.sub(word), PAINT) });
    call();
    // SAFETY: as above.
    let is_used = |word: &usize| unsafe { read_volatile(top.sub(*word)) != PAINT };
    let deepest = (1..=PAINTED).rev().find(is_used).unwrap_or(0);
    assert!(deepest < PAINTED, "the call uses more stack than is painted");
    (deepest * size_of::<u32>()) as u32
}

/// Returns the number of instructions that `call` executes.
fn instructions_of(call: impl FnOnce()) -> u32 {
    time(call) - time(|| ())
}

#[inline(never)]
fn time(call: impl FnOnce()) -> u32 {
    let start = SYST::get_current();
    call();
    let ticks = start.wrapping_sub(SYST::get_current()) & TOP;
    // Rounds to the nearest whole instruction.
    ((u64::from(ticks) * TICK + INSTRUCTION / 2) / INSTRUCTION) as u32
}
