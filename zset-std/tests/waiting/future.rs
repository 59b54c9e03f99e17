//! Tests futures that wait for units. They are polled by hand, and only after a wake-up, so that a
//! missing wake-up is noticed.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use zset_std::limit::NotReady;
use zset_std::{Clock, FakeClock, Funnel, Keyed, Quota, SlidingWindow, Timestamp};

use crate::funnels;

/// Whether the task was woken since its last poll.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

type Outcome = Result<(), NotReady>;

/// A future that is polled only after a wake-up.
struct Task<'a> {
    future: Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>,
    woken: Arc<Flag>,
}

impl<'a> Task<'a> {
    fn new(future: impl IntoFuture<Output = Outcome, IntoFuture: Send + 'a>) -> Self {
        let woken = Arc::new(Flag(AtomicBool::new(true)));
        Task { future: Box::pin(future.into_future()), woken }
    }

    fn run(&mut self) -> Option<Outcome> {
        while self.woken.0.swap(false, Ordering::SeqCst) {
            let waker = Waker::from(self.woken.clone());
            match self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(outcome) => return Some(outcome),
                Poll::Pending => {}
            }
        }
        None
    }
}

#[test]
fn a_future_is_ready_exactly_when_its_units_pass() {
    let (funnels, clock) = funnels();
    let mut first = Task::new(funnels.wait_ready("a"));
    assert!(first.run().is_some_and(|outcome| outcome.is_ok()));
    let mut second = Task::new(funnels.wait_ready("a"));
    assert_eq!(second.run(), None);
    clock.advance(Duration::from_nanos(999_999_999));
    assert_eq!(second.run(), None);
    clock.advance(Duration::from_nanos(1));
    assert!(second.run().is_some_and(|outcome| outcome.is_ok()));
}

#[test]
fn a_waiter_that_leaves_the_head_of_the_line_wakes_the_next() {
    let (funnels, clock) = funnels();
    assert!(funnels.check("a").is_allowed());
    let mut first = Task::new(funnels.wait_ready("a"));
    let mut second = Task::new(funnels.wait_ready("a"));
    assert_eq!((first.run(), second.run()), (None, None));
    drop(first);
    assert!(second.woken.0.load(Ordering::SeqCst));
    assert_eq!(second.run(), None);
    clock.advance(Duration::from_secs(1));
    assert!(second.run().is_some_and(|outcome| outcome.is_ok()));
}

/// A waker that owns a future of the same limiter, like a runtime's task.
struct Owner {
    _future: Mutex<Boxed>,
}

impl Wake for Owner {
    fn wake(self: Arc<Self>) {}
}

type Boxed = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// The test would deadlock if a waker were dropped under the lock.
#[test]
fn a_waker_may_own_a_future_waiting_for_the_same_key() {
    let funnels = Arc::new(funnels().0);
    assert!(funnels.check("a").is_allowed());
    let waits = || {
        let funnels = Arc::clone(&funnels);
        let mut future: Boxed = Box::pin(async move { funnels.wait_ready("a").await });
        assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        future
    };
    let _head_of_the_line = waits();
    let mut future = waits();
    // Each poll replaces and drops the previous waker.
    for _ in 0..3 {
        let owner = Waker::from(Arc::new(Owner { _future: Mutex::new(waits()) }));
        assert!(future.as_mut().poll(&mut Context::from_waker(&owner)).is_pending());
    }
    drop(future);
}

#[test]
fn an_overtaken_waiter_learns_that_it_is_too_late_when_its_units_were_due() {
    let (funnels, clock) = funnels();
    let second = Duration::from_secs(1);
    assert!(funnels.check("a").is_allowed());
    let timeout = second + second / 2;
    let mut first = Task::new(funnels.wait_ready("a").timeout(timeout));
    let mut behind = Task::new(funnels.wait_ready("a").timeout(timeout));
    let mut last = Task::new(funnels.wait_ready("a"));
    assert_eq!((first.run(), behind.run(), last.run()), (None, None, None));
    clock.advance(Duration::from_nanos(999_999_999));
    assert_eq!(first.run(), None);
    // A caller whose clock is a nanosecond ahead overtakes the waiters.
    assert!(funnels.at(Timestamp::ZERO.saturating_add(second)).check("a").is_allowed());
    assert_eq!((first.run(), behind.run()), (None, None), "nothing wakes them");
    clock.advance(Duration::from_nanos(1));
    assert_eq!(first.run(), Some(Err(NotReady::TooLate)));
    drop(first);
    assert_eq!(behind.run(), Some(Err(NotReady::TooLate)), "as it is the first now");
    drop(behind);
    assert_eq!(last.run(), None);

    // A waiter that is not first in the line gives up at its deadline.
    let mut behind = Task::new(funnels.wait_ready("a").timeout(second / 2));
    assert_eq!(behind.run(), None, "its unit would be allowed in two seconds");
    clock.advance(second / 2);
    assert_eq!(behind.run(), Some(Err(NotReady::TooLate)));
    drop(behind);
    clock.advance(second / 2);
    assert_eq!(last.run(), Some(Ok(())));
}

#[test]
fn jitter_is_added_to_the_wait_up_to_the_deadline() {
    let mut waits = Vec::new();
    for _ in 0..40 {
        let (funnels, clock) = funnels();
        assert!(funnels.check("a").is_allowed());
        let asked = funnels.wait_ready("a").jitter(Duration::from_millis(500));
        let mut waiting = Task::new(asked.timeout(Duration::from_millis(1250)));
        assert_eq!(waiting.run(), None);
        let mut wait = 0;
        while waiting.run().is_none() {
            clock.advance(Duration::from_millis(10));
            wait += 10;
        }
        assert!((1000..=1250).contains(&wait), "{wait} ms");
        waits.push(wait);
    }
    waits.sort_unstable();
    waits.dedup();
    assert!(waits.len() > 3, "not random: {waits:?}");
}

#[test]
fn a_wait_by_the_real_clock_ends() {
    let quota = Quota::new(1, Duration::from_millis(5)).unwrap();
    let windows = Keyed::<u8, _>::new(SlidingWindow::new(quota));
    pollster::block_on(async {
        for _ in 0..4 {
            assert!(windows.wait_ready(&1).await.is_ok());
        }
    });
}

/// An event that affects the waiters.
#[derive(Clone, Debug)]
enum Event {
    Wait {
        key: u8,
        units: u32,
        timeout: Option<u64>,
    },
    /// Drops a waiter.
    GiveUp(usize),
    Advance(u64),
    /// Takes a unit without joining the line.
    Check(u8),
}

fn any_event() -> impl Strategy<Value = Event> {
    let timeout = prop_oneof![2 => Just(None), 1 => (0..60_u64).prop_map(Some)];
    prop_oneof![
        4 => (0..2_u8, 0..6_u32, timeout)
            .prop_map(|(key, units, timeout)| Event::Wait { key, units, timeout }),
        1 => (0..20_usize).prop_map(Event::GiveUp),
        4 => (1..15_u64).prop_map(Event::Advance),
        1 => (0..2_u8).prop_map(Event::Check),
    ]
}

struct Waiter<'a> {
    key: u8,
    units: u32,
    deadline: Option<Timestamp>,
    task: Task<'a>,
}

/// Runs all woken waiters until none is woken, and verifies the results of those that finish.
fn settle(waiters: &mut VecDeque<Waiter<'_>>, windows: &Keyed<u8, SlidingWindow, FakeClock>) {
    let now = windows.clock().now();
    let mut index = 0;
    while index < waiters.len() {
        let Some(outcome) = waiters[index].task.run() else {
            index += 1;
            continue;
        };
        let done = waiters.remove(index).unwrap();
        let is_first = waiters.iter().take(index).all(|before| before.key != done.key);
        match outcome {
            // A request for 0 units is allowed even if others wait before it.
            Ok(()) => assert!(is_first || done.units == 0, "a waiter overtook an earlier one"),
            Err(NotReady::Never) => assert!(done.units > windows.peek_n(&0, 0).limit),
            Err(NotReady::TooLate) => {
                let deadline = done.deadline.expect("too late without a deadline");
                let peeked = windows.peek_n(&done.key, done.units);
                let earliest = peeked.retry_after().map(|wait| now.saturating_add(wait));
                assert!(
                    now >= deadline || earliest.is_some_and(|earliest| earliest > deadline),
                    "a waiter gave up too early"
                );
            }
            Err(other) => panic!("unexpected error: {other}"),
        }
        // The finished waiter may have woken others, so all of them are visited again.
        index = 0;
    }
    // No remaining waiter may be able to pass, so the first one of each key must be denied.
    for key in 0..2 {
        if let Some(first) = waiters.iter().find(|waiter| waiter.key == key) {
            assert!(!windows.peek_n(&key, first.units).is_allowed(), "a wake-up was lost");
        }
    }
    for waiter in waiters.iter() {
        assert!(waiter.deadline.is_none_or(|deadline| now < deadline), "a deadline was missed");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn waiters_are_served_in_order_and_none_is_forgotten(
        events in vec(any_event(), 1..80),
    ) {
        let clock = FakeClock::new();
        let quota = Quota::new(4, Duration::from_nanos(20)).unwrap();
        let windows = Keyed::<u8, _>::new(SlidingWindow::new(quota)).with_clock(clock.clone());
        let keys = [0, 1];
        let mut waiters = VecDeque::new();
        for event in events {
            match event {
                Event::Wait { key, units, timeout } => {
                    let mut asked = windows.wait_ready(&keys[usize::from(key)]).units(units);
                    let mut deadline = None;
                    if let Some(nanos) = timeout {
                        let timeout = Duration::from_nanos(nanos);
                        asked = asked.timeout(timeout);
                        deadline = Some(clock.now().saturating_add(timeout));
                    }
                    waiters.push_back(Waiter { key, units, deadline, task: Task::new(asked) });
                }
                Event::GiveUp(index) => {
                    waiters.remove(index);
                }
                Event::Advance(nanos) => clock.advance(Duration::from_nanos(nanos)),
                Event::Check(key) => {
                    let _ = windows.check(&key);
                }
            }
            settle(&mut waiters, &windows);
        }
        windows.check_invariants();
    }
}

#[cfg(feature = "tokio")]
#[tokio::test(start_paused = true)]
async fn on_the_clock_of_tokio_units_pass_at_their_paused_time() {
    use tokio::time::{Instant, advance};
    use zset_std::TokioClock;

    let start = Instant::now();
    let second = Duration::from_secs(1);
    let quota = Quota::new(2, second).unwrap();
    let window = Keyed::<&str, _>::new(SlidingWindow::new(quota)).with_clock(TokioClock::new());
    let funnels = Keyed::<&str, _>::new(Funnel::new(quota)).with_clock(TokioClock::new());
    for n in 0..6 {
        window.wait_ready(&"a").await.unwrap();
        assert_eq!(start.elapsed(), second * (n / 2));
    }
    advance(Duration::from_millis(999)).await;
    assert!(!window.check(&"a").is_allowed());
    advance(Duration::from_millis(1)).await;
    assert!(window.check(&"a").is_allowed());

    let start = Instant::now();
    for n in 0..6_u32 {
        funnels.wait_ready(&"a").await.unwrap();
        assert_eq!(start.elapsed(), second / 2 * n.saturating_sub(1));
    }
    assert!(funnels.wait_ready(&"a").timeout(second / 4).await.is_err());
    assert!(funnels.wait_ready(&"a").timeout(second / 2).await.is_ok());
}
