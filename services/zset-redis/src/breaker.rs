//! [`Breaker`]: makes calls fail immediately while the server is down.
//!
//! At most one probe is in flight. The probe ends when its [`Pass`] is dropped, even if it has no
//! result, so a call that is cancelled or panics does not block later probes.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zset_std::{Clock, MonotonicClock, Timestamp};

use crate::Failure;

const DEFAULT_FAILURES: NonZeroU32 = NonZeroU32::new(5).unwrap();

const DEFAULT_PAUSE: Duration = Duration::from_secs(1);

/// Makes the calls of a limiter fail immediately while the server is down, instead of waiting for a
/// connection or a reply.
///
/// After a number of failures in a row, calls fail with [`Failure::BreakerOpen`] and are not sent,
/// and the limiter's [`OnFailure`](crate::OnFailure) decides. After a pause, one call at a time is
/// sent as a probe. If it succeeds, all calls are sent again; if it fails, the next pause begins.
///
/// Failures are [`Failure::Timeout`], connections that break or cannot be opened, and the replies
/// `READONLY`, `MASTERDOWN`, `LOADING` and `CLUSTERDOWN`. Any other readable reply shows that the
/// server is up, even a denial or an error such as `WRONGTYPE`. A cancelled call is neither a
/// failure nor a success. Calls that share a request count as one, for the breaker of the clone
/// that sends it.
///
/// A breaker affects neither calls that a `LeasedWindow` decides in this process nor its
/// `give_back`.
///
/// Clones share their state, and limiters can share a breaker if they share a server.
///
/// # Examples
///
/// ```no_run
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use zset_redis::blocking::Pool;
/// use zset_redis::{Breaker, Keyed, OnFailure};
/// use zset_std::{Funnel, Quota};
///
/// let breaker = Breaker::new()
///     .with_failures(NonZeroU32::new(3).unwrap())
///     .with_pause(Duration::from_millis(500));
/// let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
/// let quota = Quota::new(10, Duration::from_secs(60))?;
/// let logins = Keyed::new(pool, "logins", Funnel::new(quota), OnFailure::Allow)?
///     .with_breaker(breaker);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Breaker {
    failures: NonZeroU32,
    pause: Duration,
    shared: Arc<Shared<dyn Clock + Send + Sync>>,
}

struct Shared<C: ?Sized> {
    state: Mutex<State>,
    clock: C,
}

#[derive(Debug)]
enum State {
    /// Calls are sent. This many of the latest calls have failed in a row.
    Closed(u32),
    /// The pause began at this time. A probe may be in flight.
    Open { since: Timestamp, is_probing: bool },
}

impl Breaker {
    /// Creates a breaker for five failures and a pause of one second. **O(1)**.
    pub fn new() -> Self {
        Breaker::with_clock(MonotonicClock::new())
    }

    /// Creates a breaker with a clock, for tests. **O(1)**.
    ///
    /// If the clock steps back, the pause starts again.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_redis::Breaker;
    /// use zset_std::FakeClock;
    ///
    /// let clock = FakeClock::new();
    /// let breaker = Breaker::with_clock(clock.clone());
    /// ```
    pub fn with_clock(clock: impl Clock + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared { state: Mutex::new(State::Closed(0)), clock });
        Breaker { failures: DEFAULT_FAILURES, pause: DEFAULT_PAUSE, shared }
    }

    /// Returns the breaker with a different number of failures in a row after which calls fail
    /// immediately. **O(1)**.
    pub fn with_failures(mut self, failures: NonZeroU32) -> Self {
        self.failures = failures;
        self
    }

    /// Returns the breaker with a different pause before a probe. **O(1)**.
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Returns the state, for metrics and for health checks. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_redis::{Breaker, BreakerState};
    ///
    /// assert_eq!(Breaker::new().state(), BreakerState::Closed);
    /// ```
    pub fn state(&self) -> BreakerState {
        let now = self.shared.clock.now();
        match *self.lock() {
            State::Closed(_) => BreakerState::Closed,
            State::Open { since, is_probing } => {
                let is_over = now.saturating_duration_since(since) >= self.pause;
                if is_probing || is_over { BreakerState::HalfOpen } else { BreakerState::Open }
            }
        }
    }

    /// Admits a request, or fails if the breaker is open.
    fn pass(&self) -> Result<Pass<'_>, Failure> {
        let now = self.shared.clock.now();
        let mut state = self.lock();
        let is_probe = match &mut *state {
            State::Closed(_) => false,
            State::Open { is_probing: true, .. } => return Err(Failure::BreakerOpen),
            State::Open { since, is_probing } => {
                *since = now.min(*since);
                if now.saturating_duration_since(*since) < self.pause {
                    return Err(Failure::BreakerOpen);
                }
                *is_probing = true;
                true
            }
        };
        drop(state);
        Ok(Pass { breaker: Some(self), is_probe })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic cannot interrupt a change of the state, so the state is valid even if the lock is
        // poisoned.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Breaker {
    fn default() -> Self {
        Breaker::new()
    }
}

impl fmt::Debug for Breaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Breaker")
            .field("failures", &self.failures)
            .field("pause", &self.pause)
            .field("state", &*self.lock())
            .finish_non_exhaustive()
    }
}

/// The state of a [`Breaker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Calls are sent.
    Closed,
    /// The pause is over: a probe is in flight, or the next call becomes one. Other calls fail
    /// immediately.
    HalfOpen,
    /// Calls fail immediately.
    Open,
}

/// A request that may be sent.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    /// `None` if the request counts as neither a success nor a failure.
    breaker: Option<&'a Breaker>,
    /// Whether the request is a probe. Probes are not shared: each is sent by its own caller.
    pub(crate) is_probe: bool,
}

impl<'a> Pass<'a> {
    /// Admits a request, or fails if there is a breaker and it is open.
    pub(crate) fn of(breaker: Option<&'a Breaker>) -> Result<Self, Failure> {
        breaker.map_or(Ok(Pass::shared(None)), Breaker::pass)
    }

    /// Returns the pass of a request for calls that were already admitted. It is sent even if the
    /// breaker has opened since.
    pub(crate) fn shared(breaker: Option<&'a Breaker>) -> Self {
        Pass { breaker, is_probe: false }
    }

    /// Ends the request with its result.
    pub(crate) fn end<T>(mut self, result: &Result<T, Failure>) {
        let Some(breaker) = self.breaker else { return };
        let now = breaker.shared.clock.now();
        let has_failed = result.as_ref().is_err_and(Failure::is_outage);
        let mut state = breaker.lock();
        let failures = match *state {
            // The request was sent before the breaker opened, so its result is ignored.
            State::Open { .. } if !self.is_probe => return,
            _ if !has_failed => 0,
            State::Open { .. } => u32::MAX,
            State::Closed(failures) => failures.saturating_add(1),
        };
        *state = if failures < breaker.failures.get() {
            State::Closed(failures)
        } else {
            State::Open { since: now, is_probing: false }
        };
        // The probe has ended. Clear the flag, since `drop` would otherwise end a later probe too.
        self.is_probe = false;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let Some(breaker) = self.breaker.filter(|_| self.is_probe) else { return };
        if let State::Open { is_probing, .. } = &mut *breaker.lock() {
            *is_probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use redis::{ErrorKind, RedisError, ServerErrorKind};
    use zset_std::FakeClock;

    use super::*;

    const PAUSE: Duration = Duration::from_secs(1);

    /// The pause, less a nanosecond.
    const ALMOST: Duration = Duration::from_nanos(999_999_999);

    fn breaker(clock: &FakeClock) -> Breaker {
        let failures = NonZeroU32::new(3).unwrap();
        Breaker::with_clock(clock.clone()).with_failures(failures).with_pause(PAUSE)
    }

    fn fail(breaker: &Breaker) {
        breaker.pass().unwrap().end(&Err::<(), _>(Failure::Timeout));
    }

    fn succeed(breaker: &Breaker) {
        breaker.pass().unwrap().end(&Ok(()));
    }

    /// Returns a breaker that has just opened.
    fn open(clock: &FakeClock) -> Breaker {
        let breaker = breaker(clock);
        (0..3).for_each(|_| fail(&breaker));
        breaker
    }

    fn is_open(breaker: &Breaker) -> bool {
        matches!(breaker.pass(), Err(Failure::BreakerOpen))
    }

    #[test]
    fn it_opens_after_failures_in_a_row() {
        let breaker = breaker(&FakeClock::new());
        for _ in 0..10 {
            fail(&breaker);
            fail(&breaker);
            succeed(&breaker);
        }
        (0..2).for_each(|_| fail(&breaker));
        assert!(!is_open(&breaker));
        fail(&breaker);
        assert!(is_open(&breaker) && is_open(&breaker.clone()));
    }

    #[test]
    fn after_the_pause_one_probe_at_a_time_passes_until_one_succeeds() {
        let clock = FakeClock::new();
        let breaker = open(&clock);
        clock.advance(ALMOST);
        assert!(is_open(&breaker));
        for _ in 0..3 {
            clock.set(Timestamp::from_nanos(clock.now().as_nanos() + 1));
            let probe = breaker.pass().unwrap();
            assert!(is_open(&breaker));
            clock.advance(10 * PAUSE);
            assert!(is_open(&breaker), "the probe is in flight");
            probe.end(&Err::<(), _>(Failure::Timeout));
            clock.advance(ALMOST);
            assert!(is_open(&breaker), "the pause begins with the failure");
        }
        clock.advance(PAUSE);
        succeed(&breaker);
        let passes = [(); 5].map(|()| breaker.pass().unwrap());
        drop(passes);
        (0..2).for_each(|_| fail(&breaker));
        assert!(!is_open(&breaker), "the count of failures restarts");
    }

    #[test]
    fn the_state_is_what_happens_to_the_next_call() {
        let clock = FakeClock::new();
        let breaker = breaker(&clock);
        (0..2).for_each(|_| fail(&breaker));
        assert_eq!(breaker.state(), BreakerState::Closed);
        fail(&breaker);
        assert_eq!(breaker.clone().state(), BreakerState::Open);
        clock.advance(ALMOST);
        assert_eq!(breaker.state(), BreakerState::Open);
        clock.advance(Duration::from_nanos(1));
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        let probe = breaker.pass().unwrap();
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        probe.end(&Err::<(), _>(Failure::Timeout));
        assert_eq!(breaker.state(), BreakerState::Open);
        clock.set(Timestamp::ZERO);
        assert_eq!(breaker.state(), BreakerState::Open, "the clock stepped back");
        clock.advance(10 * PAUSE);
        succeed(&breaker);
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn a_probe_that_is_cancelled_or_panics_leaves_room_for_the_next() {
        let clock = FakeClock::new();
        let breaker = open(&clock);
        clock.advance(PAUSE);
        drop(breaker.pass().unwrap());
        let panics = || {
            let _probe = breaker.pass().unwrap();
            panic!("in a probe");
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        succeed(&breaker);
        assert!(!is_open(&breaker));
    }

    #[test]
    fn a_call_that_is_cancelled_counts_as_neither() {
        let breaker = breaker(&FakeClock::new());
        for _ in 0..3 {
            assert!(!is_open(&breaker));
            fail(&breaker);
            drop(breaker.pass());
        }
        assert!(is_open(&breaker));
    }

    #[test]
    fn a_clock_that_steps_back_begins_the_pause_again() {
        let clock = FakeClock::new();
        clock.set(Timestamp::from_nanos(u64::MAX));
        let breaker = open(&clock);
        clock.set(Timestamp::ZERO);
        assert!(is_open(&breaker));
        clock.advance(PAUSE);
        succeed(&breaker);
        assert!(!is_open(&breaker));
    }

    #[test]
    fn results_of_calls_sent_before_it_opened_change_nothing() {
        let clock = FakeClock::new();
        let breaker = breaker(&clock);
        let early = [(); 5].map(|()| breaker.pass().unwrap());
        (0..3).for_each(|_| fail(&breaker));
        let [one, two, ..] = early;
        one.end(&Ok(()));
        assert!(is_open(&breaker));
        clock.advance(PAUSE);
        let probe = breaker.pass().unwrap();
        two.end(&Err::<(), _>(Failure::Timeout));
        assert!(is_open(&breaker));
        probe.end(&Ok(()));
        assert!(!is_open(&breaker));
    }

    #[test]
    fn only_outages_count() {
        let server = |kind: ServerErrorKind| Failure::Redis((ErrorKind::Server(kind), "").into());
        let wrong_type = redis::make_extension_error("WRONGTYPE".to_owned(), None);
        let refused = RedisError::from(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
        for error in [
            Failure::Timeout,
            Failure::Redis(refused),
            server(ServerErrorKind::ReadOnly),
            server(ServerErrorKind::MasterDown),
            server(ServerErrorKind::BusyLoading),
            server(ServerErrorKind::ClusterDown),
        ] {
            assert!(error.is_outage(), "{error}");
        }
        for error in [
            Failure::Redis(wrong_type),
            server(ServerErrorKind::ResponseError),
            server(ServerErrorKind::NoPerm),
            server(ServerErrorKind::CrossSlot),
            Failure::UnexpectedReply,
        ] {
            assert!(!error.is_outage(), "{error}");
        }
    }

    #[test]
    fn of_threads_that_race_one_is_the_probe() {
        const THREADS: usize = 4;
        let clock = FakeClock::new();
        let breaker = open(&clock);
        let (probes, barrier) = (AtomicU32::new(0), Barrier::new(THREADS));
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (breaker, clock, probes, barrier) = (&breaker, &clock, &probes, &barrier);
                scope.spawn(move || {
                    for round in 0..500 {
                        if thread == 0 {
                            clock.advance(PAUSE);
                        }
                        barrier.wait();
                        let pass = breaker.pass();
                        probes.fetch_add(pass.is_ok().into(), Ordering::Relaxed);
                        // Keep the probe in flight until all threads have tried to pass.
                        barrier.wait();
                        assert_eq!(probes.load(Ordering::Relaxed), round + 1);
                        match pass {
                            Ok(pass) if round % 2 == 0 => drop(pass),
                            Ok(pass) => pass.end(&Err::<(), _>(Failure::Timeout)),
                            Err(failure) => assert!(matches!(failure, Failure::BreakerOpen)),
                        }
                        barrier.wait();
                    }
                });
            }
        });
        clock.advance(PAUSE);
        succeed(&breaker);
        assert!(!is_open(&breaker));
    }
}
