//! A complete program without an allocator, for a board with 16 KB of RAM: a queue of 64 timers,
//! the ten highest readings of a sensor, and an alarm that is limited to three at once and then one
//! in ten seconds.
//!
//! ```sh
//! cargo run --release --no-default-features --example board --target thumbv6m-none-eabi
//! ```
//!
//! The interrupt `SysTick` reads the sensor and sets timers; the main loop handles timers that are
//! due. They share the state in critical sections. A board needs its own sensor and output, in
//! place of `read_sensor` and of `println!`, which prints through the debugger. The nRF51 of a real
//! micro:bit has no `SysTick`: use one of its timers.

#![no_std]
#![no_main]

use core::cell::RefCell;
use core::time::Duration;

use cortex_m::peripheral::syst::SystClkSource;
use critical_section::Mutex;
use semihosting::{print, println, process};
use zset_core::FixedSortedSet;
use zset_std::{Direct, Funnel, Quota, Timestamp};

/// The time between two interrupts in the simulation, and the unit of all times.
const TICK: Duration = Duration::from_millis(100);

/// The processor's cycles between two interrupts: fewer than in 100 ms, to keep the simulation
/// short.
const CYCLES: u32 = 4_000;

const SECOND: u32 = 10;

/// The program ends after a minute.
const END: u32 = 60 * SECOND;

/// Readings from this value on raise the alarm.
const LIMIT: u16 = 840;

/// How long the sensor may be silent.
const SILENCE: u32 = 2 * SECOND;

/// The number of periodic tasks, so that there are 64 timers.
const TASKS: u8 = 61;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Timer {
    /// The last reading raised an alarm. Set by the interrupt, due immediately.
    Alarm,
    /// The sensor has been silent. Every reading postpones it.
    Watchdog,
    /// One of the periodic tasks.
    Task(u8),
    /// The program ends.
    End,
}

/// The state shared by the interrupt and the main loop.
struct Shared {
    /// The number of ticks, which is the time.
    now: u32,
    /// The last tick handled by the main loop.
    handled: u32,
    /// The timers by due tick.
    timers: FixedSortedSet<Timer, u32, 64, u8>,
    /// The highest readings, by the ticks at which they were taken.
    highest: FixedSortedSet<u32, u16, 10, u8>,
}

static SHARED: Mutex<RefCell<Shared>> = Mutex::new(RefCell::new(Shared {
    now: 0,
    handled: 0,
    timers: FixedSortedSet::new(),
    highest: FixedSortedSet::new(),
}));

impl Shared {
    /// Sets or postpones a timer.
    fn set(&mut self, timer: Timer, due: u32) {
        self.timers.try_insert(timer, due).expect("there are 64 different timers");
    }

    /// Handles an interrupt.
    fn tick(&mut self) {
        // The time is simulated: it waits for the main loop, so the output does not depend on the
        // speed of the emulator.
        if self.handled < self.now {
            return;
        }
        self.now += 1;
        let Some(reading) = read_sensor(self.now) else { return };
        self.highest.insert_or_evict_first(self.now, reading);
        self.set(Timer::Watchdog, self.now + SILENCE);
        if reading >= LIMIT {
            self.set(Timer::Alarm, self.now);
        }
    }

    /// Removes and returns the first timer that is due, and its due tick.
    fn pop_due(&mut self) -> Option<(Timer, u32)> {
        let now = self.now;
        let due = self.timers.pop_first_if(|_, due| *due <= now);
        if due.is_none() {
            self.handled = now;
        }
        due
    }
}

/// Calls `change` with the state, with interrupts disabled.
fn with_shared<R>(change: impl FnOnce(&mut Shared) -> R) -> R {
    critical_section::with(|section| change(&mut SHARED.borrow_ref_mut(section)))
}

#[cortex_m_rt::exception]
fn SysTick() {
    with_shared(Shared::tick);
}

/// Returns the reading of a noisy sensor, or nothing while it is broken.
fn read_sensor(tick: u32) -> Option<u16> {
    let noise = tick.wrapping_mul(0x9E37_79B9).rotate_left(9).wrapping_mul(0x85EB_CA6B) >> 24;
    let is_broken = (25 * SECOND..29 * SECOND).contains(&tick);
    (!is_broken).then_some(600 + noise as u16)
}

/// Returns the ticks between two runs of a task.
fn period(task: u8) -> u32 {
    5 + u32::from(task)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let peripherals = cortex_m::Peripherals::take().expect("nothing else has taken them");
    with_shared(|shared| {
        for task in 0..TASKS {
            shared.set(Timer::Task(task), period(task));
        }
        shared.set(Timer::Watchdog, SILENCE);
        shared.set(Timer::End, END);
    });
    let mut systick = peripherals.SYST;
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(CYCLES);
    systick.clear_current();
    systick.enable_counter();
    systick.enable_interrupt();

    let one_in_ten_seconds = Quota::new(1, Duration::from_secs(10)).expect("no number is zero");
    let funnel = Funnel::new(one_in_ten_seconds).with_capacity(3).expect("it is not zero");
    let mut alarms = Direct::new(funnel);
    let (mut runs, mut suppressed) = (0, 0);
    loop {
        // A critical section for each timer: an interrupt waits for one change of the queue, but
        // not for the output.
        while let Some((timer, due)) = with_shared(Shared::pop_due) {
            match timer {
                Timer::Alarm => {
                    let now = Timestamp::ZERO.saturating_add(TICK * due);
                    if alarms.check(now).is_allowed() {
                        print_time(due);
                        println!("alarm, {suppressed} suppressed before it");
                        suppressed = 0;
                    } else {
                        suppressed += 1;
                    }
                }
                Timer::Watchdog => {
                    print_time(due);
                    println!("the sensor is silent");
                }
                Timer::Task(task) => {
                    runs += 1;
                    with_shared(|shared| shared.set(timer, due + period(task)));
                }
                Timer::End => {
                    print_time(due);
                    println!("the end, after {runs} runs of tasks");
                    print_highest();
                    process::exit(0)
                }
            }
        }
        cortex_m::asm::wfi();
    }
}

fn print_highest() {
    println!("the ten highest readings:");
    // A copy, since printing takes long.
    let highest = with_shared(|shared| shared.highest.clone());
    for (&tick, reading) in highest.iter().rev() {
        print_time(tick);
        println!("{reading}");
    }
}

fn print_time(tick: u32) {
    print!("{:3}.{} s  ", tick / SECOND, tick % SECOND);
}
