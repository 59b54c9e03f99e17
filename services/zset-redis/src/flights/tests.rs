use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

use redis::{Arg, Cmd, Value};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{sleep, timeout, timeout_at};
use zset_std::{Decision, FixedWindow, Quota};

use crate::{AsyncConnection, Connection, Failure, Keyed, LimiterError, OnFailure};

const LIMIT: u32 = 10;

/// A fake server with one counter. It sends one reply for each permit.
#[derive(Clone)]
struct Counter {
    used: Arc<Mutex<u32>>,
    /// The number of calls in each script that has run.
    scripts: Arc<Mutex<Vec<u32>>>,
    permits: Arc<Semaphore>,
}

impl Counter {
    fn new(permits: usize) -> Counter {
        let permits = Arc::new(Semaphore::new(permits));
        Counter { used: Arc::default(), scripts: Arc::default(), permits }
    }

    fn limiter(&self) -> Keyed<Counter, FixedWindow> {
        let quota = Quota::new(LIMIT, Duration::from_secs(3600)).unwrap();
        Keyed::new(self.clone(), "tests", FixedWindow::new(quota), OnFailure::Error).unwrap()
    }

    fn scripts(&self) -> Vec<u32> {
        self.scripts.lock().unwrap().clone()
    }

    /// Runs the script of a check: `EVALSHA hash 1 key numbers rule`. The numbers are units and
    /// calls.
    fn run(&self, command: &Cmd) -> Value {
        let Some(Arg::Simple(numbers)) = command.args_iter().nth(4) else { panic!("{command:?}") };
        let [units, calls] = [0, 8].map(|at| {
            let bytes = numbers[at..at + 8].try_into().unwrap();
            #[expect(clippy::cast_sign_loss, reason = "both are counts")]
            let number = f64::from_be_bytes(bytes) as u32;
            number
        });
        assert_eq!(units, 1);
        self.scripts.lock().unwrap().push(calls);
        let mut used = self.used.lock().unwrap();
        let allowed = calls.min(LIMIT - *used);
        *used += allowed;
        let numbers = [allowed, 0, 0, *used];
        Value::BulkString(numbers.into_iter().flat_map(|it| f64::from(it).to_be_bytes()).collect())
    }
}

impl Connection for Counter {
    type Shared = ();

    async fn query(&self, (): &(), command: Cmd, deadline: Instant) -> Result<Value, Failure> {
        let value = self.run(&command);
        // As over a network, the reply does not arrive by the first poll.
        yield_now().await;
        timeout_at(deadline.into(), self.permits.acquire()).await?.unwrap().forget();
        Ok(value)
    }
}

impl AsyncConnection for Counter {}

/// Returns whether a call has timed out.
fn has_timed_out(result: &Result<Decision, LimiterError>) -> bool {
    matches!(result, Err(LimiterError::Failure(Failure::Timeout)))
}

/// Returns a runtime on one thread, where the order of tasks is deterministic.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// Makes concurrent checks, and returns the decisions in the order of the calls.
async fn check_at_once(limiter: &Keyed<Counter, FixedWindow>, callers: usize) -> Vec<Decision> {
    let mut tasks = JoinSet::new();
    for index in 0..callers {
        let limiter = limiter.clone();
        tasks.spawn(async move { (index, limiter.check("ann").await.unwrap()) });
    }
    let mut decisions = tasks.join_all().await;
    decisions.sort_by_key(|&(index, _)| index);
    decisions.into_iter().map(|(_, decision)| decision).collect()
}

/// Polls a call once, and asserts that it waits.
async fn started<F: Future>(call: F) -> Pin<Box<F>> {
    let mut call = Box::pin(call);
    poll_fn(|context| {
        assert!(call.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    call
}

#[test]
fn calls_at_the_same_time_share_a_script() {
    let counter = Counter::new(9);
    let limiter = counter.limiter();
    runtime().block_on(async {
        let decisions = check_at_once(&limiter, 7).await;
        assert!(decisions.iter().all(Decision::is_allowed));
        // The first check is sent alone, and the others share a script.
        assert!(decisions[1..].iter().all(|decision| decision.remaining == 3));
        assert_eq!(counter.scripts(), [1, 6]);
        let decisions = check_at_once(&limiter, 5).await;
        let allowed: Vec<_> = decisions.iter().map(Decision::is_allowed).collect();
        assert_eq!(allowed, [true, true, true, false, false]);
        assert!(decisions[1..].iter().all(|decision| decision.remaining == 0));
        assert_eq!(counter.scripts(), [1, 6, 1, 4]);
    });
    assert_eq!(limiter.flights.len(), 0);
}

#[test]
fn a_call_without_others_of_its_key_needs_neither_a_task_nor_a_clone() {
    let counter = Counter::new(0);
    let limiter = counter.limiter();
    let runtime = runtime();
    runtime.block_on(async {
        for _ in 0..3 {
            let check = started(limiter.check("ann")).await;
            assert_eq!(runtime.metrics().num_alive_tasks(), 0);
            assert_eq!(Arc::strong_count(&limiter.flights), 1, "a clone");
            counter.permits.add_permits(1);
            assert!(check.await.unwrap().is_allowed());
        }
    });
    assert_eq!((counter.scripts(), limiter.flights.len()), (vec![1, 1, 1], 0));
}

#[test]
fn calls_during_a_flight_share_the_next_script() {
    let counter = Counter::new(0);
    let limiter = counter.limiter();
    runtime().block_on(async {
        let alone = started(limiter.check("ann")).await;
        let first = started(limiter.check("ann")).await;
        yield_now().await;
        assert_eq!(counter.scripts(), [1, 1]);
        let others = started(check_at_once(&limiter, 4)).await;
        yield_now().await;
        counter.permits.add_permits(3);
        let (alone, first, others) = tokio::join!(alone, first, others);
        assert!(alone.unwrap().is_allowed() && first.unwrap().is_allowed());
        assert!(others.iter().all(Decision::is_allowed));
        assert_eq!(counter.scripts(), [1, 1, 4]);
    });
}

#[test]
fn calls_of_other_keys_do_not_wait() {
    let counter = Counter::new(0);
    let limiter = counter.limiter();
    runtime().block_on(async {
        let _ann = started(limiter.check("ann")).await;
        let _bob = started(limiter.check("bob")).await;
        yield_now().await;
        assert_eq!(counter.scripts(), [1, 1]);
    });
}

#[test]
fn a_caller_that_gives_up_before_its_script_takes_no_unit() {
    let counter = Counter::new(2);
    let limiter = counter.limiter();
    runtime().block_on(async {
        let first = started(limiter.check("ann")).await;
        drop(started(limiter.check("ann")).await);
        assert!(first.await.unwrap().is_allowed());
        assert_eq!(counter.scripts(), [1]);
    });
}

#[test]
fn a_caller_that_is_not_polled_delays_no_other() {
    let counter = Counter::new(2);
    let limiter = counter.limiter();
    runtime().block_on(async {
        // The call `alone` has been sent, but is not polled again until the other calls have
        // returned.
        let permits = counter.permits.acquire_many(2).await.unwrap();
        let alone = started(limiter.check("ann")).await;
        let idle = started(limiter.check("ann")).await;
        drop(permits);
        counter.permits.add_permits(1);
        assert!(limiter.check("ann").await.unwrap().is_allowed());
        assert!(idle.await.unwrap().is_allowed());
        assert!(alone.await.unwrap().is_allowed());
        assert_eq!(counter.scripts(), [1, 2]);
    });
}

#[test]
fn a_caller_waits_no_longer_than_the_deadline() {
    let counter = Counter::new(0);
    let limiter = counter.limiter().with_deadline(Duration::from_millis(20));
    runtime().block_on(async {
        let start = Instant::now();
        let first = started(limiter.check("ann")).await;
        yield_now().await;
        // This check waits for the flight's first script, which gets no reply.
        assert!(has_timed_out(&limiter.check("ann").await));
        assert!(has_timed_out(&first.await));
        assert!(start.elapsed() >= Duration::from_millis(20));
        // The server replies again.
        counter.permits.add_permits(100);
        while limiter.check("ann").await.is_err() {}
    });
}

#[test]
fn a_caller_survives_the_runtime_of_its_flight() {
    let counter = Counter::new(0);
    let limiter = counter.limiter();
    let (other, here) = (runtime(), runtime());
    let _calls = other.block_on(async {
        let alone = started(limiter.check("ann")).await;
        let first = started(limiter.check("ann")).await;
        yield_now().await;
        (alone, first)
    });
    here.block_on(async {
        let waiting = started(limiter.check("ann")).await;
        other.shutdown_background();
        counter.permits.add_permits(2);
        let decision = timeout(Duration::from_secs(60), waiting).await;
        assert!(decision.unwrap().unwrap().is_allowed());
    });
    assert_eq!(counter.scripts(), [1, 1, 1]);
}

/// Two of the scripts get their replies only after the hasty caller's deadline.
#[test]
fn a_caller_with_a_short_deadline_does_not_shorten_that_of_another() {
    let counter = Counter::new(0);
    let hasty = counter.limiter().with_deadline(Duration::from_millis(150));
    let patient = hasty.clone().with_deadline(Duration::from_secs(60));
    runtime().block_on(async {
        let alone = started(patient.check("ann")).await;
        let first = started(hasty.check("ann")).await;
        yield_now().await;
        let second = started(patient.check("ann")).await;
        assert!(has_timed_out(&first.await));
        while counter.scripts().len() < 3 {
            yield_now().await;
        }
        sleep(Duration::from_millis(450)).await;
        counter.permits.add_permits(2);
        assert!(second.await.unwrap().is_allowed());
        assert!(alone.await.unwrap().is_allowed());
        assert_eq!(counter.scripts(), [1, 1, 1]);
    });
}

#[test]
fn a_script_is_awaited_for_the_most_patient_caller_and_each_gives_up_at_its_own_deadline() {
    let counter = Counter::new(0);
    let patient = counter.limiter().with_deadline(Duration::from_secs(60));
    let hasty = patient.clone().with_deadline(Duration::from_millis(150));
    runtime().block_on(async {
        let _alone = started(patient.check("ann")).await;
        // Both callers wait for the same script.
        let first = started(hasty.check("ann")).await;
        let second = started(patient.check("ann")).await;
        yield_now().await;
        assert_eq!(counter.scripts(), [1, 2]);
        assert!(has_timed_out(&first.await));
        sleep(Duration::from_millis(300)).await;
        counter.permits.add_permits(2);
        assert!(second.await.unwrap().is_allowed());
        assert_eq!(counter.scripts(), [1, 2]);
    });
}
