//! A complete program without an allocator, for a board with 16 KB of RAM. It has a queue of 64
//! timers, keeps the ten highest readings of a sensor, and limits its alarm to a burst of three and
//! then one per ten seconds.
//!
//! ```sh
//! cargo run --release --no-default-features --example board --target thumbv6m-none-eabi
//! ```
//!
//! The `SysTick` interrupt reads the sensor and sets timers, and the main loop handles timers that
//! are due. Both access the shared state in critical sections. The program runs on an emulated
//! micro:bit. On a real board, read its sensor in `read_sensor`, and replace `println!`, which
//! prints through the debugger. Unlike the emulated one, a real micro:bit (nRF51) has no `SysTick`,
//! so use one of its timers instead.

#![no_std]
#![no_main]

use core::cell::RefCell;
use core::time::Duration;

use cortex_m::peripheral::syst::SystClkSource;
use critical_section::Mutex;
use semihosting::{print, println, process};
use zset_core::FixedSortedSet;
use zset_std::{Direct, Funnel, Quota, Timestamp};

/// The simulated time between two interrupts. All times are counted in ticks.
const TICK: Duration = Duration::from_millis(100);

/// Processor cycles between two interrupts: far fewer than in 100 ms, to keep the simulation short.
const CYCLES: u32 = 4_000;

const SECOND: u32 = 10;

/// The program ends after a minute.
const END: u32 = 60 * SECOND;

/// Readings of at least this value raise the alarm.
const LIMIT: u16 = 840;

/// How long the sensor may be silent, in ticks.
const SILENCE: u32 = 2 * SECOND;

/// The number of periodic tasks. With the other three timers, there are 64.
const TASKS: u8 = 61;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Timer {
    /// The last reading raised an alarm. Set by the interrupt, due immediately.
    Alarm,
    /// The sensor has been silent. Every reading postpones this timer.
    Watchdog,
    /// One of the periodic tasks.
    Task(u8),
    /// The program ends.
    End,
}

/// The state shared by the interrupt and the main loop.
struct Shared {
    /// The current time in ticks.
    now: u32,
    /// The last tick that the main loop has handled.
    handled: u32,
    /// The timers, ordered by due tick.
    timers: FixedSortedSet<Timer, u32, 64, u8>,
    /// The highest readings. The member is the tick at which a reading was taken.
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

    /// Advances the time and reads the sensor. The interrupt calls it.
    fn tick(&mut self) {
        // Simulated time waits for the main loop, so the output does not depend on the speed of the
        // emulator.
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

    /// Removes and returns the first due timer with its due tick. If there is none, the tick is
    /// handled.
    fn pop_due(&mut self) -> Option<(Timer, u32)> {
        let now = self.now;
        let due = self.timers.pop_first_if(|_, due| *due <= now);
        if due.is_none() {
            self.handled = now;
        }
        due
    }
}

/// Calls `change` on the shared state with interrupts disabled.
fn with_shared<R>(change: impl FnOnce(&mut Shared) -> R) -> R {
    critical_section::with(|section| change(&mut SHARED.borrow_ref_mut(section)))
}

#[cortex_m_rt::exception]
fn SysTick() {
    with_shared(Shared::tick);
}

/// Returns the reading of a noisy sensor, or `None` while it is broken.
fn read_sensor(tick: u32) -> Option<u16> {
    let noise = tick.wrapping_mul(0x9E37_79B9).rotate_left(9).wrapping_mul(0x85EB_CA6B) >> 24;
    let is_broken = (25 * SECOND..29 * SECOND).contains(&tick);
    (!is_broken).then_some(600 + noise as u16)
}

/// Returns the number of ticks between two runs of a task.
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
        // Each timer is popped in its own critical section, so interrupts are not delayed while
        // this loop prints.
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
    // Prints a copy, because printing is too slow for a critical section.
    let highest = with_shared(|shared| shared.highest.clone());
    for (&tick, reading) in highest.iter().rev() {
        print_time(tick);
        println!("{reading}");
    }
}

fn print_time(tick: u32) {
    print!("{:3}.{} s  ", tick / SECOND, tick % SECOND);
}
