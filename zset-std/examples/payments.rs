//! Limits each user to ten requests per minute for each action.
//!
//! Demonstrates a `SlidingWindow` keyed by user and action. A denial reports how long to wait, and
//! does not affect other keys. A fake clock simulates the time, so the program ends
//! immediately:
//!
//! ```text
//! cargo run --example payments
//! ```

use std::time::Duration;

use zset_std::limit::QuotaError;
use zset_std::{Clock, FakeClock, Keyed, Quota, SlidingWindow, Timestamp, Verdict};

type Limiter = Keyed<(&'static str, &'static str), SlidingWindow, FakeClock>;

fn main() -> Result<(), QuotaError> {
    let clock = FakeClock::new();
    let ten_a_minute = Quota::new(10, Duration::from_secs(60))?;
    let limiter = Keyed::new(SlidingWindow::new(ten_a_minute)).with_clock(clock.clone());

    println!("Each user may make ten requests per minute for each action.\n");
    for _ in 0..10 {
        request(&limiter, "ann", "pay");
        clock.advance(Duration::from_secs(3));
    }
    // Half a minute has passed, and Ann's quota for payments is used up.
    let wait = request(&limiter, "ann", "pay");
    request(&limiter, "ann", "refund");
    request(&limiter, "bob", "pay");

    clock.advance(wait.saturating_sub(Duration::from_secs(1)));
    let wait = request(&limiter, "ann", "pay");
    clock.advance(wait);
    request(&limiter, "ann", "pay");
    // Only Ann's first payment is a minute old, and the call before this one has used its unit.
    let wait = request(&limiter, "ann", "pay");
    clock.advance(wait);
    request(&limiter, "ann", "pay");

    clock.advance(Duration::from_secs(60));
    request(&limiter, "ann", "pay");
    Ok(())
}

/// Requests one unit, prints the decision, and returns how long to wait.
fn request(limiter: &Limiter, user: &'static str, action: &'static str) -> Duration {
    let decision = limiter.check(&(user, action));
    let (outcome, wait) = match decision.verdict {
        Verdict::Allowed => (format!("allowed, {} left", decision.remaining), Duration::ZERO),
        Verdict::Denied { retry_after } => {
            (format!("denied, wait {} s", retry_after.as_secs_f64()), retry_after)
        }
        Verdict::Never => unreachable!("one does not exceed ten"),
    };
    println!("{}  {user}  {action:<6}  {outcome}", time(limiter.clock().now()));
    wait
}

/// Formats a time as minutes and seconds.
fn time(now: Timestamp) -> String {
    let seconds = now.saturating_duration_since(Timestamp::ZERO).as_secs();
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}
