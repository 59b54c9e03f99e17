//! Sends reminders when they are due, without losing any.
//!
//! Demonstrates a `SharedDelayQueue` with leased jobs: a job whose worker dies, a job that always
//! fails, and jobs that are cancelled or rescheduled. A fake clock simulates the time, so the
//! program ends immediately:
//!
//! ```text
//! cargo run --example delayed_jobs
//! ```

use std::error::Error;
use std::num::NonZeroU32;
use std::time::Duration;

use zset_std::shared_delay_queue::{Nacked, StaleLease};
use zset_std::{Clock, FakeClock, JobId, Lease, SharedDelayQueue, Timestamp};

type Reminders = SharedDelayQueue<&'static str, JobId, FakeClock>;

/// The time a worker has to send a reminder, and the delay after a failure.
const VISIBILITY: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_secs(10);

fn main() -> Result<(), Box<dyn Error>> {
    let clock = FakeClock::new();
    let reminders: Reminders = SharedDelayQueue::new()
        .with_clock(clock.clone())
        .with_max_deliveries(NonZeroU32::new(3).ok_or("three is not zero")?);

    println!(
        "Each reminder is tried up to three times, with a lease of {} s.\n",
        VISIBILITY.as_secs()
    );
    let mut ids = Vec::new();
    for (who, seconds) in [("ann", 10), ("bob", 20), ("cid", 30), ("dan", 40)] {
        let due = Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
        ids.push(reminders.push(who, due)?);
        say(&clock, who, &format!("due at {}", time(due)));
    }
    if let Some(job) = reminders.cancel(&ids[2]) {
        say(&clock, job.payload, "cancelled");
    }
    let sooner = Timestamp::ZERO.saturating_add(Duration::from_secs(15));
    if reminders.reschedule(&ids[3], sooner).is_some() {
        say(&clock, "dan", &format!("rescheduled to {}", time(sooner)));
    }

    while let Some(due) = reminders.next_due() {
        clock.set(due);
        while let Some(lease) = reminders.lease(VISIBILITY) {
            work(&reminders, &lease)?;
        }
    }

    println!();
    for dead in reminders.take_dead_letters(usize::MAX) {
        println!("dead letter: {}, delivered {} times", dead.payload, dead.deliveries);
    }
    Ok(())
}

/// Simulates the worker that holds this lease.
fn work(reminders: &Reminders, lease: &Lease<&'static str>) -> Result<(), StaleLease> {
    let outcome = match (lease.payload, lease.deliveries) {
        // The worker never reports back, so the lease expires.
        ("ann", 1) => "the worker dies".to_string(),
        ("bob", _) => match reminders.nack(lease, PAUSE)? {
            Nacked::Requeued { due } => format!("failed, retry at {}", time(due)),
            Nacked::Dead => "failed for the last time".to_string(),
        },
        _ => {
            reminders.ack(lease)?;
            "sent".to_string()
        }
    };
    say(reminders.clock(), lease.payload, &format!("delivery {}: {outcome}", lease.deliveries));
    Ok(())
}

fn say(clock: &FakeClock, who: &str, what: &str) {
    println!("{}  {who}  {what}", time(clock.now()));
}

/// Formats a time as minutes and seconds.
fn time(now: Timestamp) -> String {
    let seconds = now.saturating_duration_since(Timestamp::ZERO).as_secs();
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}
