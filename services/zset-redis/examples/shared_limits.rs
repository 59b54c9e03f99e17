//! Shows how two processes share their limits through a Redis or Valkey server. This program plays
//! both processes.
//!
//! ```sh
//! REDIS_URL=redis://127.0.0.1/ cargo run -p zset-redis --example shared_limits
//! ```

use std::env;
use std::error::Error;
use std::time::Duration;

use zset_redis::blocking::Pool;
use zset_redis::{Breaker, Keyed, OnFailure};
use zset_std::{AnyLimiter, Funnel, Limits, Quota, SlidingWindow, Verdict};

fn main() -> Result<(), Box<dyn Error>> {
    let url = env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let minute = Duration::from_secs(60);

    // Each process has its own connections and limiters; the state is on the server.
    let processes = [(); 2].map(|()| redis::Client::open(&*url).map(Pool::new));
    let [one, other] = processes;
    let (one, other) = (one?, other?);

    // Each process has its own breaker. After five failures in a row, the calls of that process
    // fail immediately until a probe succeeds.
    let (breaker, its_breaker) = (Breaker::new(), Breaker::new());

    let quota = Quota::new(3, minute)?;
    let payments = Keyed::new(one.clone(), "payments", SlidingWindow::new(quota), OnFailure::Deny)?
        .with_breaker(breaker.clone());
    let elsewhere =
        Keyed::new(other.clone(), "payments", SlidingWindow::new(quota), OnFailure::Deny)?
            .with_breaker(its_breaker.clone());
    for process in [&payments, &elsewhere, &payments, &elsewhere] {
        match process.check("ann")?.verdict {
            Verdict::Allowed => println!("paid"),
            Verdict::Denied { retry_after } => println!("again in {retry_after:.0?}"),
            Verdict::Never => println!("too much for any minute"),
        }
    }

    // Two limits, ten requests a second and a hundred a minute, are checked in one round trip.
    let rules = [
        AnyLimiter::from(Funnel::new(Quota::new(10, Duration::from_secs(1))?)),
        AnyLimiter::from(SlidingWindow::new(Quota::new(100, minute)?)),
    ];
    let requests =
        Keyed::new(one, "requests", Limits::new(rules), OnFailure::Allow)?.with_breaker(breaker);
    println!("{} requests left", requests.check_n("ann", 4)?.remaining);

    // Like `CL.THROTTLE ann 4 1 60 1`: allows five units at once, and then one a minute.
    let logins =
        Keyed::new(other, "logins", Funnel::new(quota), OnFailure::Deny)?.with_breaker(its_breaker);
    let throttle = logins.throttle("ann", 4, 1, 60, 1)?;
    println!("limited: {}, remaining: {}", throttle.limited, throttle.remaining);
    Ok(())
}
