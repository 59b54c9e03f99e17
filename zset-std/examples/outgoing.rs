//! Calls an API that permits ten calls a second and a hundred a minute, and is never denied.
//!
//! For a client, a limiter waits instead of denying: `wait_ready` is awaited before each call, and
//! tasks are served in the order of their arrival. With `Limits`, a call takes from both quotas or
//! from none. The API counts calls when they arrive, and latencies vary, so the client's periods
//! are longer by more than that variation. The program copies 120 records with sixteen tasks, while
//! a user waits for five seconds and gives up.
//!
//! The time is that of a paused runtime, so the minute passes in an instant. Without
//! `start_paused`, the program takes a minute:
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

/// The limits of one caller at each host.
type Limiter = Keyed<String, Limits<SlidingWindow>, TokioClock>;

const HOST: &str = "api.example";
const RECORDS: u64 = 120;
const SECOND: Duration = Duration::from_secs(1);

/// The amount by which the client's periods are longer.
const SLACK: Duration = Duration::from_millis(100);

/// Ten calls in any second and a hundred in any minute, each of them longer by `slack`.
fn limiter(slack: Duration) -> Result<Limiter, QuotaError> {
    let second = Quota::new(10, SECOND + slack)?;
    let minute = Quota::new(100, 60 * SECOND + slack)?;
    let limits = Limits::new([second, minute].map(SlidingWindow::new));
    Ok(Keyed::new(limits).with_clock(TokioClock::new()))
}

/// The API, which would answer 429.
struct Api {
    limiter: Limiter,
    calls: AtomicU64,
}

impl Api {
    /// Returns the status of a call.
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
    // The minute's quota is used up, and the tasks are first in line.
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
