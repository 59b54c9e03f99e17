//! Code shared by the minimal programs: a stream of input words, and a panic handler that prints
//! nothing. Input is read with volatile accesses, and results pass through `black_box`, so the
//! compiler can neither compute results in advance nor remove operations.

#![no_std]

use core::ptr::addr_of;

use cortex_m as _; // provides critical sections

#[cfg(feature = "heap")]
#[path = "../../src/heap.rs"]
pub mod heap;

static mut INPUT: u32 = 0;

/// Reads a word, as from a device.
#[inline(never)]
pub fn input() -> u32 {
    // SAFETY: there is one thread and no interrupt handler.
    unsafe { addr_of!(INPUT).read_volatile() }
}

/// Runs operations on a set in an endless loop. `key` and `to` convert words to a member and a
/// score.
#[macro_export]
macro_rules! serve {
    ($set:expr, key: $key:expr, to: $to:expr, pop: $pop:expr) => {{
        use core::hint::black_box;

        let set = $set;
        loop {
            let (member, score) = ($key($crate::input()), $to($crate::input()));
            match $crate::input() {
                0 => _ = black_box(set.try_insert(member, score).is_ok()),
                1 => _ = black_box(set.remove(&member)),
                2 => _ = black_box(set.score(&member)),
                3 => _ = black_box(set.rank(&member)),
                4 => _ = black_box(set.get_by_rank($crate::input() as usize)),
                5 => set.range_by_score(..score).for_each(|element| _ = black_box(element)),
                _ => _ = black_box($pop(set)),
            }
        }
    }};
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
