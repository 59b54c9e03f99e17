//! Calls an API that permits ten calls a second and a hundred a minute, without ever being denied.
//!
//! In a client, a limiter delays calls instead of denying them: each task awaits `wait_ready`
//! before a call, and waiting tasks proceed in the order of their arrival. With `Limits`, a call
//! takes units from both quotas or from none. The API counts calls on arrival, and their latency
//! varies by up to 50 ms. Calls may therefore arrive closer together than they were sent, so the
//! client uses longer periods than the API. The program copies 120 records with sixteen tasks.
//! Meanwhile, a user waits for five seconds and gives up.
//!
//! The runtime's clock is paused, so the program ends immediately. Without `start_paused`, it
//! takes a minute:
//!
//! ```text
//! cargo run --package zset-std --features tokio --example outgoing
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use zset_std::limit::{NotReady, QuotaError};
use zset_std::{Keyed, Limits, Quota, SlidingWindow, TokioClock};

/// The limits of each host.
type Limiter = Keyed<String, Limits<SlidingWindow>, TokioClock>;

const HOST: &str = "api.example";
const RECORDS: u64 = 120;
const SECOND: Duration = Duration::from_secs(1);

/// The amount by which the client's periods exceed those of the API.
const SLACK: Duration = Duration::from_millis(100);

/// Allows ten calls in any second and a hundred in any minute, with both periods extended by
/// `slack`.
fn limiter(slack: Duration) -> Result<Limiter, QuotaError> {
    let second = Quota::new(10, SECOND + slack)?;
    let minute = Quota::new(100, 60 * SECOND + slack)?;
    let limits = Limits::new([second, minute].map(SlidingWindow::new));
    Ok(Keyed::new(limits).with_clock(TokioClock::new()))
}

/// The API, which answers 429 to a call above its limits.
struct Api {
    limiter: Limiter,
    calls: AtomicU64,
}

impl Api {
    /// Returns the HTTP status of a call.
    async fn call(&self) -> u16 {
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        // The latency is 20 to 70 ms.
        sleep(Duration::from_millis(20 + n * 37 % 51)).await;
        if self.limiter.check(HOST).is_allowed() { 200 } else { 429 }
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let api = Arc::new(Api { limiter: limiter(Duration::ZERO)?, calls: AtomicU64::new(0) });
    let client = Arc::new(limiter(SLACK)?);
    let next = Arc::new(AtomicU64::new(0));

    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let (api, client, next) = (Arc::clone(&api), Arc::clone(&client), Arc::clone(&next));
        tasks.spawn(async move {
            let mut sent = Vec::new();
            while next.fetch_add(1, Ordering::Relaxed) < RECORDS {
                client.wait_ready(HOST).await?;
                sent.push(start.elapsed().as_secs());
                assert_eq!(api.call().await, 200, "the API denies a call");
            }
            Ok::<_, NotReady>(sent)
        });
    }
    sleep(15 * SECOND).await;
    // The minute's quota is used up, and the tasks are ahead of the user in the line.
    let user = client.wait_ready(HOST).timeout(5 * SECOND).await;
    assert_eq!(user, Err(NotReady::TooLate));
    let gave_up = start.elapsed().as_secs();

    let mut calls = BTreeMap::new();
    while let Some(sent) = tasks.join_next().await {
        for second in sent?? {
            *calls.entry(second).or_insert(0) += 1;
        }
    }
    for (second, calls) in &calls {
        println!("{second:02} s  {calls} calls");
    }
    println!("A user who came at 15 s gave up at {gave_up} s, and took no call.");
    println!("{} calls, none of them denied.", calls.values().sum::<u64>());
    assert_eq!(calls.values().sum::<u64>(), RECORDS);
    Ok(())
}
