//! Measures a call: the depth of its stack, and the number of its instructions.

use core::arch::asm;
use core::ptr::{read_volatile, write_volatile};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{Peripherals, SYST};

/// Fills the unused stack.
const PAINT: u32 = 0x5AA5_C33C;

/// The number of painted bytes, more than any call uses.
const PAINTED: usize = 32 << 10;

/// The nanoseconds per instruction, since QEMU runs with `-icount shift=10`, and per tick of the
/// timer, since the clock of the machine has 25 MHz. An instruction takes many ticks, so its count
/// is exact.
const INSTRUCTION: u64 = 1 << 10;
const TICK: u64 = 40;

/// The maximum of the timer, which counts down.
const TOP: u32 = 0x00FF_FFFF;

/// Starts the timer. Must be called once.
pub fn start_timer() {
    let mut timer = Peripherals::take().expect("nothing else takes them").SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(TOP);
    timer.clear_current();
    timer.enable_counter();
}

/// Returns the number of bytes of stack that `call` uses.
pub fn stack_of(call: impl FnOnce()) -> u32 {
    let mut call = Some(call);
    let mut call = || call.take().expect("it is called once")();
    painted_depth(&mut call) - painted_depth(&mut || ())
}

/// Returns the number of bytes below this function's frame that `call` uses.
#[inline(never)]
fn painted_depth(call: &mut dyn FnMut()) -> u32 {
    let top: *mut u32;
    // SAFETY: it only reads a register.
    unsafe { asm!("mov {}, sp", out(reg) top, options(nomem, nostack, preserves_flags)) }
    let words = PAINTED / size_of::<u32>();
    // SAFETY: this memory belongs to the stack, and memory below the stack pointer is not in use.
    (1..=words).for_each(|word| unsafe { write_volatile(top.sub(word), PAINT) });
    call();
    // SAFETY: as above.
    let is_used = |word: &usize| unsafe { read_volatile(top.sub(*word)) != PAINT };
    let deepest = (1..=words).rev().find(is_used).unwrap_or(0);
    assert!(deepest < words, "the call uses more stack than is painted");
    (deepest * size_of::<u32>()) as u32
}

/// Returns the number of instructions that `call` executes.
pub fn instructions_of(call: impl FnOnce()) -> u32 {
    time(call) - time(|| ())
}

#[inline(never)]
fn time(call: impl FnOnce()) -> u32 {
    let start = SYST::get_current();
    call();
    let ticks = start.wrapping_sub(SYST::get_current()) & TOP;
    // Rounded to the nearest integer.
    ((u64::from(ticks) * TICK + INSTRUCTION / 2) / INSTRUCTION) as u32
}
