//! Two processes share their limits through a server, a Redis or a Valkey.
//!
//! ```sh
//! REDIS_URL=redis://127.0.0.1/ cargo run -p zset-redis --example shared_limits
//! ```

use std::env;
use std::error::Error;
use std::time::Duration;

use zset_redis::blocking::{Funnel, Limits, Pool, SlidingWindow};
use zset_redis::{Breaker, OnFailure, Rule};
use zset_std::{Quota, Verdict};

fn main() -> Result<(), Box<dyn Error>> {
    let url = env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let minute = Duration::from_secs(60);

    // Each process has its own connections and limiters; the state is on the server.
    let processes = [(); 2].map(|()| redis::Client::open(&*url).map(Pool::new));
    let [one, other] = processes;
    let (one, other) = (one?, other?);

    // While the server is down, the calls of a process fail immediately after the first five
    // failures.
    let (breaker, its_breaker) = (Breaker::new(), Breaker::new());

    let quota = Quota::new(3, minute)?;
    let payments = SlidingWindow::new(one.clone(), "payments", quota, OnFailure::Deny)?
        .with_breaker(breaker.clone());
    let elsewhere = SlidingWindow::new(other.clone(), "payments", quota, OnFailure::Deny)?
        .with_breaker(its_breaker.clone());
    for process in [&payments, &elsewhere, &payments, &elsewhere] {
        match process.check("ann")?.verdict {
            Verdict::Allowed => println!("paid"),
            Verdict::Denied { retry_after } => println!("again in {retry_after:.0?}"),
            Verdict::Never => println!("too much for any minute"),
        }
    }

    // Ten a second and a hundred a minute, in one round trip.
    let rules = [
        Rule::funnel(Quota::new(10, Duration::from_secs(1))?)?,
        Rule::sliding_window(Quota::new(100, minute)?)?,
    ];
    let requests = Limits::all(one, "requests", rules, OnFailure::Allow)?.with_breaker(breaker);
    println!("{} requests left", requests.check_n("ann", 4)?.remaining);

    // CL.THROTTLE ann 4 1 60 1: five at once, then one a minute.
    let logins = Funnel::new(other, "logins", quota, OnFailure::Deny)?.with_breaker(its_breaker);
    let throttle = logins.throttle("ann", 4, 1, 60, 1)?;
    println!("limited: {}, remaining: {}", throttle.limited, throttle.remaining);
    Ok(())
}
