//! Runs tasks when their timers are due, on a microcontroller without an allocator.
//!
//! This example keeps timers in a `PackedZSet` in an array: the member is a task, and the score is
//! the tick at which it is due. Except for `main`, the code could run in firmware: it needs neither
//! std nor an allocator. In `main`, a loop stands in for the tick interrupts of a hardware timer.
//!
//! ```text
//! cargo run --package zset-core --no-default-features --example timers
//! ```

use zset_core::{PackedZSet, Score, TryReserveError};

/// A task of the firmware. The discriminant is the member in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Task {
    Blink = b'b',
    Measure = b'm',
    Send = b's',
    Sleep = b'z',
}

impl Task {
    fn from_member(member: &[u8]) -> Option<Task> {
        let tasks = [Task::Blink, Task::Measure, Task::Send, Task::Sleep];
        tasks.into_iter().find(|task| [*task as u8] == *member)
    }
}

/// The error returned when the array is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimersFull;

impl From<TryReserveError> for TimersFull {
    fn from(_: TryReserveError) -> Self {
        TimersFull
    }
}

/// One timer for each task: at most 13 bytes each, and 7 for the listpack.
struct Timers {
    by_tick: PackedZSet<[u8; 64]>,
}

impl Timers {
    /// Creates an empty set of timers; usable in a static.
    const fn new() -> Self {
        Timers { by_tick: PackedZSet::with_array([0; 64]) }
    }

    /// Starts a timer, or restarts it.
    fn start(&mut self, task: Task, due: u32) -> Result<(), TimersFull> {
        self.by_tick.try_insert([task as u8], Score::from(due))?;
        Ok(())
    }

    /// Stops a timer; returns whether it was running.
    fn stop(&mut self, task: Task) -> bool {
        self.by_tick.remove([task as u8]).is_some()
    }

    /// Returns the tick until which the processor may sleep.
    fn next_due(&self) -> Option<Score> {
        self.by_tick.first().map(|(_, due)| due)
    }

    /// Removes the first timer that is due; returns its task.
    fn pop_due(&mut self, now: u32) -> Option<Task> {
        self.next_due().filter(|due| *due <= Score::from(now))?;
        self.by_tick.pop_first_with(|member, _| Task::from_member(member))?
    }
}

fn main() -> Result<(), TimersFull> {
    let mut timers = Timers::new();
    timers.start(Task::Blink, 2)?;
    timers.start(Task::Measure, 5)?;
    timers.start(Task::Send, 5)?; // due at the same tick, but runs after `Measure`
    timers.start(Task::Sleep, 9)?;

    let mut log = Vec::new();
    for tick in 0..=30 {
        while let Some(task) = timers.pop_due(tick) {
            println!("tick {tick:>2}: {task:?}");
            log.push((tick, task));
            match task {
                Task::Blink => timers.start(Task::Blink, tick + 10)?,
                // Until tick 20, each measurement schedules the next one and postpones the sleep.
                Task::Measure if tick < 20 => {
                    timers.start(Task::Measure, tick + 7)?;
                    timers.start(Task::Sleep, tick + 9)?;
                }
                Task::Measure | Task::Send => {}
                Task::Sleep => assert!(timers.stop(Task::Blink)),
            }
        }
    }

    let measured = log.iter().filter(|(_, task)| *task == Task::Measure).map(|(tick, _)| *tick);
    assert!(measured.eq([5, 12, 19, 26]));
    assert_eq!(log.last(), Some(&(28, Task::Sleep)));
    assert_eq!(timers.next_due(), None);
    Ok(())
}
