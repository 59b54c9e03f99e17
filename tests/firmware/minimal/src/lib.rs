//! Shared by the minimal programs: a stream of input words, one of output words, and a panic
//! handler that prints nothing. Both streams are volatile, so the compiler can neither compute
//! results in advance nor remove operations.

#![no_std]

use core::ptr::{addr_of, addr_of_mut};

use cortex_m as _; // critical sections

#[cfg(feature = "heap")]
pub mod heap;
#[cfg(feature = "measure")]
pub mod machine;
#[cfg(feature = "measure")]
pub mod subject;
#[cfg(feature = "measure")]
pub mod whole;

static mut INPUT: u32 = 0;
static mut OUTPUT: u32 = 0;

/// Reads a word, as from a device.
#[inline(never)]
pub fn input() -> u32 {
    // SAFETY: there is one thread and no interrupt handler.
    unsafe { addr_of!(INPUT).read_volatile() }
}

/// Writes a word, as to a device.
#[inline(never)]
pub fn output(word: u32) {
    // SAFETY: there is one thread and no interrupt handler.
    unsafe { addr_of_mut!(OUTPUT).write_volatile(word) }
}

/// The operations of a small program on a set whose members and scores are `u32`.
#[macro_export]
macro_rules! serve {
    ($set:expr) => {{
        let set = $set;
        loop {
            let (member, score) = ($crate::input(), $crate::input());
            match $crate::input() {
                0 => $crate::output(set.try_insert(member, score).is_ok().into()),
                1 => $crate::output(set.remove(&member).unwrap_or(0)),
                2 => $crate::output(set.score(&member).unwrap_or(0)),
                3 => $crate::output(set.rank(&member).unwrap_or(0) as u32),
                4 => {
                    $crate::output(set.get_by_rank(score as usize).map_or(0, |(member, _)| *member))
                }
                5 => set
                    .range_by_score(member..score)
                    .for_each(|(member, _)| $crate::output(*member)),
                _ => $crate::output(set.pop_first().map_or(0, |(member, _)| member)),
            }
        }
    }};
}

/// The same for sets of byte strings. A member is the bytes of a word.
#[macro_export]
macro_rules! serve_bytes {
    ($set:expr, $pop:expr) => {{
        use zset_core::Score;

        let set = $set;
        loop {
            let (member, number) = ($crate::input().to_le_bytes(), $crate::input());
            let score = Score::from(number);
            let show = |score: Option<Score>| score.map_or(0, |score| score.get().to_bits() as u32);
            match $crate::input() {
                0 => $crate::output(set.try_insert(member, score).is_ok().into()),
                1 => $crate::output(show(set.remove(member))),
                2 => $crate::output(show(set.score(member))),
                3 => $crate::output(set.rank(member).unwrap_or(0) as u32),
                4 => $crate::output(set.get_by_rank(number as usize).map_or(0, |(member, _)| member[0].into())),
                5 => set.range_by_score(..score).for_each(|(member, _)| $crate::output(member[0].into())),
                _ => $crate::output(($pop)(set)),
            }
        }
    }};
}

#[cfg(not(feature = "measure"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
