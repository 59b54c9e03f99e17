//! Tests of requests that callers share, and of deadlines, over a fake connection without a server.

use std::collections::VecDeque;
use std::future::{Future, pending, poll_fn};
use std::io::{Error, ErrorKind};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use redis::{Arg, Cmd, RedisError, Value};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{advance, sleep, timeout, timeout_at};
use zset_redis::{
    AsyncConnection, Breaker, BreakerState, Connection, Failure, Keyed, LeasedWindow, LimiterError,
    OnFailure,
};
use zset_std::{AsyncKeyedLimiter, Decision, FakeClock, FixedWindow};

use crate::servers::{PATIENCE, per_hour};

/// What happens to a request.
enum Fate {
    NoReply,
    Refusal,
    Panic,
}

#[derive(Clone, Default)]
struct Fake {
    /// The fates of the next requests. Later requests are granted to a `LeasedWindow`.
    fates: Arc<Mutex<VecDeque<Fate>>>,
    /// The keys of all requests.
    keys: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    fn new(fates: impl IntoIterator<Item = Fate>) -> Fake {
        Fake { fates: Arc::new(Mutex::new(fates.into_iter().collect())), ..Fake::default() }
    }

    fn keyed(&self) -> Keyed<Fake, FixedWindow> {
        let limiter = FixedWindow::new(per_hour(10));
        Keyed::new(self.clone(), "fake", limiter, OnFailure::Error).unwrap()
    }

    fn leased(&self) -> LeasedWindow<Fake> {
        let leased = LeasedWindow::new(self.clone(), "fake", per_hour(10), OnFailure::Error);
        leased.unwrap().with_life(Duration::from_millis(10))
    }

    fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }
}

impl Connection for Fake {
    type Shared = ();

    async fn query(&self, (): &(), command: Cmd, deadline: Instant) -> Result<Value, Failure> {
        let Some(Arg::Simple(key)) = command.args_iter().nth(3) else { panic!("{command:?}") };
        self.keys.lock().unwrap().push(String::from_utf8(key.into()).unwrap());
        let fate = self.fates.lock().unwrap().pop_front();
        match fate {
            None => {}
            Some(Fate::NoReply) => timeout_at(deadline.into(), pending()).await?,
            Some(Fate::Refusal) => {
                yield_now().await;
                let refused = RedisError::from(Error::from(ErrorKind::ConnectionRefused));
                return Err(Failure::Redis(refused));
            }
            Some(Fate::Panic) => panic!("in a request"),
        }
        // The reply has the units drawn, the units that remain, and two durations.
        Ok(Value::Array([1, 9, 0, 0].map(Value::Int).into()))
    }
}

impl AsyncConnection for Fake {}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// Returns a runtime whose clock advances only while all tasks wait.
fn paused_runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Polls a call once, asserts that it waits, and lets all tasks run.
async fn started<F: Future>(call: F) -> Pin<Box<F>> {
    let mut call = Box::pin(call);
    poll_fn(|context| {
        assert!(call.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    yield_now().await;
    call
}

pub(crate) fn polled_once<T>(call: impl Future<Output = T>) -> Poll<T> {
    pin!(call).poll(&mut Context::from_waker(Waker::noop()))
}

fn is_not_sent(result: &Result<Decision, LimiterError>) -> bool {
    matches!(result, Err(LimiterError::Failure(Failure::BreakerOpen)))
}

fn is_allowed(result: Result<Decision, LimiterError>) -> bool {
    result.unwrap().is_allowed()
}

/// Makes ten calls at once, and then others until three requests have failed. Checks that this
/// opens the breaker.
async fn fail_three_times<L>(limiter: impl FnOnce(Breaker) -> L, fake: &Fake)
where
    L: AsyncKeyedLimiter<str, Error = LimiterError> + Clone + Send + Sync + 'static,
{
    let three = NonZeroU32::new(3).unwrap();
    let breaker = Breaker::new().with_failures(three).with_pause(PATIENCE);
    let limiter = limiter(breaker.clone());
    let mut tasks = JoinSet::new();
    for _ in 0..10 {
        let limiter = limiter.clone();
        tasks.spawn(async move { limiter.check_n("ann", 1).await.is_err() });
    }
    assert!(tasks.join_all().await.into_iter().all(|has_failed| has_failed));
    while fake.keys().len() < 3 {
        assert_eq!(breaker.state(), BreakerState::Closed, "after {:?}", fake.keys());
        assert!(limiter.check_n("bob", 1).await.is_err());
    }
    assert_eq!((breaker.state(), fake.keys().len()), (BreakerState::Open, 3));
}

#[test]
fn a_leased_key_survives_the_runtime_of_its_draw() {
    let fake = Fake::new([Fate::NoReply]);
    let limiter = fake.leased().with_deadline(PATIENCE);
    let (other, here) = (runtime(), runtime());
    let _first = other.block_on(started(limiter.check("ann")));
    here.block_on(async {
        let waiting = started(limiter.check("ann")).await;
        other.shutdown_background();
        let decision = timeout(PATIENCE / 2, waiting).await;
        assert!(is_allowed(decision.expect("the caller is woken")));
        assert!(is_allowed(limiter.check("ann").await));
    });
}

#[test]
fn a_leased_key_survives_a_panic_in_its_draw() {
    let fake = Fake::new([Fate::Panic]);
    let limiter = fake.leased();
    runtime().block_on(async {
        assert!(is_allowed(limiter.check("ann").await));
        assert!(is_allowed(limiter.check("ann").await));
    });
}

#[test]
fn a_leased_key_survives_a_call_without_a_runtime() {
    let limiter = Fake::default().leased();
    let call = || polled_once(limiter.check("ann")).is_ready();
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    let ended = runtime();
    let handle = ended.handle().clone();
    ended.shutdown_background();
    {
        let _ended = handle.enter();
        assert!(call());
    }
    runtime().block_on(async { assert!(is_allowed(limiter.check("ann").await)) });
}

#[test]
fn leased_keys_are_removed_after_the_runtime_of_a_draw_has_ended() {
    let limiter = Fake::default().leased();
    // This runtime ends before it polls the task that the draw has started.
    let ended = Builder::new_current_thread().enable_time().event_interval(1).build().unwrap();
    ended.block_on(async { assert!(is_allowed(limiter.check("ann").await)) });
    drop(ended);
    runtime().block_on(async {
        let start = Instant::now();
        assert!(is_allowed(limiter.check("bob").await));
        while !limiter.is_empty() {
            assert!(start.elapsed() < PATIENCE / 4, "{} keys are left", limiter.len());
            sleep(Duration::from_millis(1)).await;
        }
    });
}

#[test]
fn leased_keys_whose_calls_are_not_sent_occupy_no_memory() {
    let fake = Fake::new([Fate::Refusal]);
    let breaker = Breaker::new().with_failures(NonZeroU32::MIN).with_pause(PATIENCE);
    let limiter = fake.leased().with_life(PATIENCE).with_breaker(breaker);
    runtime().block_on(async {
        assert!(limiter.check("ann").await.is_err());
        let keys = limiter.len();
        for key in 0..100 {
            assert!(is_not_sent(&limiter.check(&format!("{key}")).await));
        }
        assert_eq!((fake.keys().len(), limiter.len()), (1, keys));
    });
}

#[test]
fn callers_that_share_a_request_count_as_one_failure() {
    for fate in [|| Fate::NoReply, || Fate::Refusal] {
        let fake = || Fake::new((0..9).map(|_| fate()));
        let (one, other) = (fake(), fake());
        let keyed = |breaker| one.keyed().with_breaker(breaker);
        // With a long life, no lease is returned during the test.
        let leased = other.leased().with_life(PATIENCE);
        let leased = |breaker| leased.with_breaker(breaker);
        paused_runtime().block_on(fail_three_times(keyed, &one));
        paused_runtime().block_on(fail_three_times(leased, &other));
    }
}

#[test]
fn a_probe_that_is_cancelled_leaves_room_for_the_next() {
    let clock = FakeClock::new();
    let breakers = [(); 2].map(|()| Breaker::with_clock(clock.clone()));
    let [one, other] = breakers.map(|breaker| breaker.with_failures(NonZeroU32::MIN));
    let fake = Fake::new([Fate::NoReply, Fate::Refusal, Fate::NoReply]);
    let keyed = fake.keyed().with_deadline(PATIENCE).with_breaker(one.clone());
    let leased = Fake::new([Fate::Refusal, Fate::NoReply]).leased();
    let leased = leased.with_deadline(PATIENCE).with_breaker(other.clone());
    runtime().block_on(async {
        // This check gets no reply, so it is still in flight when the probe below checks the same
        // key.
        let _earlier = started(keyed.check("ann")).await;
        assert!(keyed.check("bob").await.is_err());
        assert!(leased.check("ann").await.is_err());
        assert_eq!([&one, &other].map(Breaker::state), [BreakerState::Open; 2]);
        for result in [keyed.check("bob").await, keyed.clone().peek("eve").await] {
            assert!(is_not_sent(&result), "{result:?}");
        }
        assert_eq!(fake.keys().len(), 2);
        clock.advance(Duration::from_secs(1));
        let probe = started(keyed.check("ann")).await;
        assert!(is_not_sent(&keyed.check("bob").await));
        drop(probe);
        drop(started(leased.check("ann")).await);
        // Any reply closes the breaker.
        let _ = tokio::join!(keyed.check("bob"), leased.check("ann"));
        assert_eq!([&one, &other].map(Breaker::state), [BreakerState::Closed; 2]);
    });
}

#[test]
fn a_clone_with_hashed_keys_shares_no_request_with_the_original() {
    let fake = Fake::new((0..9).map(|_| Fate::NoReply));
    let (keyed, leased) = (fake.keyed(), fake.leased());
    let (keyed_hashed, leased_hashed) =
        (keyed.clone().with_hashed_keys("secret"), leased.clone().with_hashed_keys("secret"));
    let hashed = || fake.keys().iter().filter(|key| key.contains(":hashed:")).count();
    runtime().block_on(async {
        let _alone = started(keyed.check("ann")).await;
        let _flight = started(keyed.check("ann")).await;
        let _draw = started(leased.check("ann")).await;
        assert_eq!((fake.keys().len(), hashed()), (3, 0));
        let _checked = started(keyed_hashed.check("ann")).await;
        assert_eq!((fake.keys().len(), hashed()), (4, 1));
        let _drawn = started(leased_hashed.check("ann")).await;
        assert_eq!((fake.keys().len(), hashed()), (5, 2));
    });
}

#[test]
fn awaited_deadlines_follow_the_clock_of_the_runtime() {
    paused_runtime().block_on(async {
        let fake = Fake::new((0..9).map(|_| Fate::NoReply));
        let (keyed, leased) = (fake.keyed(), fake.leased());
        advance(PATIENCE).await;
        let start = tokio::time::Instant::now();
        let calls = tokio::join!(keyed.check("ann"), keyed.check("ann"), leased.check("ann"));
        assert!(calls.0.is_err() && calls.1.is_err() && calls.2.is_err());
        let deadline = Duration::from_secs(1);
        assert!((deadline..2 * deadline).contains(&start.elapsed()), "{:?}", start.elapsed());
    });
}
