//! [`WaitReady`]: waiting until units of a key are allowed.

use std::error::Error;
use std::fmt;
#[cfg(feature = "async")]
use std::future::Future;
use std::hash::{BuildHasher, Hash, RandomState};
#[cfg(feature = "async")]
use std::pin::Pin;
use std::task::Waker;
#[cfg(feature = "async")]
use std::task::{Context, Poll};
use std::time::Duration;

use super::lines::Place;
use super::{Keyed, Limiter, ToKey, Verdict};
use crate::clock::nanos;
use crate::wait::{Alarm, Step, block};
use crate::{Clock, Timestamp};

/// A wait until units of a key are allowed, as returned by [`Keyed::wait_ready`].
///
/// Waiters for a key are served in order of arrival. A `check` does not wait in line, so it may
/// overtake them. If there are no other waiters and the units are allowed at once, the wait costs
/// one clock read, a peek and a check.
///
/// The first waiter in line checks again when its units may be allowed. Only then does it notice a
/// changed quota, refunded units, or a `check` that has overtaken it. If it finds that its units
/// will not be allowed by its deadline, it fails at once, which may be long before the deadline.
/// The other waiters do not check. They find out that they are too late when they become first, or
/// at their deadlines.
///
/// If only [held](super::Hold) units prevent a wait from succeeding, the waiter checks again after
/// a second, or fails if its deadline is earlier.
///
/// Nothing is taken from the quota until the units are allowed, so a waiter that is dropped or
/// reaches its deadline loses nothing. As a future, it can be polled in any runtime. Dropping the
/// future leaves the line.
///
/// # Examples
///
/// Blocking:
///
/// ```
/// use std::time::Duration;
/// use zset_std::limit::NotReady;
/// use zset_std::{Funnel, Keyed, Quota};
///
/// let limiter = Keyed::<u32, _>::new(Funnel::new(Quota::new(1, Duration::from_millis(10))?));
/// for _ in 0..3 {
///     limiter.wait_ready(&7).timeout(Duration::from_secs(5)).block()?;
/// }
/// assert_eq!(limiter.wait_ready(&7).units(2).block(), Err(NotReady::Never));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// As a future, with the `async` feature:
///
/// ```
/// # #[cfg(feature = "async")]
/// # pollster::block_on(async {
/// use std::time::Duration;
/// use zset_std::{Keyed, Quota, SlidingWindow};
///
/// let quota = Quota::new(1, Duration::from_millis(10))?;
/// let limiter = Keyed::<String, _>::new(SlidingWindow::new(quota));
/// for _ in 0..3 {
///     limiter.wait_ready("ann").jitter(Duration::from_millis(2)).await?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[must_use = "it does nothing until it is blocked on or awaited"]
pub struct WaitReady<'a, K, L: Limiter, C, H, Q: ?Sized> {
    keyed: &'a Keyed<K, L, C, H>,
    key: &'a Q,
    units: u32,
    deadline: Timestamp,
    jitter: Duration,
    /// `None` until the waiter has joined the line.
    place: Option<Place<'a, K>>,
    /// When to check again, while first in line.
    due: Timestamp,
    #[cfg_attr(not(feature = "async"), expect(dead_code, reason = "only futures sleep"))]
    alarm: Alarm,
}

/// The error returned when a wait ends before its units are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotReady {
    /// The units can never be allowed, since they exceed the limit.
    Never,
    /// The units would not be allowed by the deadline.
    TooLate,
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotReady::Never => "units are more than the limit",
            NotReady::TooLate => "units do not pass before the deadline",
        })
    }
}

impl Error for NotReady {}

impl<'a, K, L, C, H, Q> WaitReady<'a, K, L, C, H, Q>
where
    K: Eq + Hash,
    L: Limiter,
    C: Clock,
    H: BuildHasher,
    Q: ToKey<K> + ?Sized,
{
    pub(super) fn new(keyed: &'a Keyed<K, L, C, H>, key: &'a Q) -> Self {
        WaitReady {
            keyed,
            key,
            units: 1,
            deadline: Timestamp::MAX,
            jitter: Duration::ZERO,
            place: None,
            due: Timestamp::ZERO,
            alarm: Alarm::default(),
        }
    }

    /// Waits for `units` units, which are allowed together; the default is one. 0 units are allowed
    /// at once, even if others are waiting. **O(1)**.
    pub fn units(self, units: u32) -> Self {
        WaitReady { units, ..self }
    }

    /// Waits at most until `deadline`, a time of the limiter's clock. **O(1)**.
    ///
    /// The wait fails at once if the units are known not to be allowed by then.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::limit::NotReady;
    /// use zset_std::{FakeClock, Funnel, Keyed, Quota, Timestamp};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(60))?;
    /// let limiter = Keyed::<u32, _>::new(Funnel::new(quota)).with_clock(FakeClock::new());
    /// assert!(limiter.check(&7).is_allowed());
    /// let soon = Timestamp::ZERO.saturating_add(Duration::from_secs(59));
    /// // Fails at once, not after 59 seconds.
    /// assert_eq!(limiter.wait_ready(&7).deadline(soon).block(), Err(NotReady::TooLate));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn deadline(self, deadline: Timestamp) -> Self {
        WaitReady { deadline, ..self }
    }

    /// Waits at most for `timeout`, counted from this call; see [`deadline`](Self::deadline).
    /// **O(1)**.
    pub fn timeout(self, timeout: Duration) -> Self {
        let deadline = self.keyed.clock().now().saturating_add(timeout);
        self.deadline(deadline)
    }

    /// Waits longer than needed, by a random time of up to `jitter`, but not beyond the deadline.
    /// **O(1)**.
    ///
    /// This spreads out waiters, of many keys or in many processes, that would otherwise all check
    /// at the same time.
    pub fn jitter(self, jitter: Duration) -> Self {
        WaitReady { jitter, ..self }
    }

    /// Blocks the current thread until the units are allowed.
    ///
    /// Each wake-up costs as much as a check: **O(1)** expected, plus the cost of the limiter.
    ///
    /// # Errors
    ///
    /// [`NotReady`] if the units exceed the limit, or would not be allowed by the deadline.
    pub fn block(mut self) -> Result<(), NotReady> {
        block(self.keyed.clock(), |waker| self.step(waker))
    }

    /// Returns a random duration of up to `jitter`.
    fn random_jitter(&self) -> Duration {
        // Each `RandomState` has different keys, so the hash is random.
        let random = RandomState::new().hash_one(self.units);
        let nanos = u128::from(nanos(self.jitter)) * u128::from(random);
        Duration::from_nanos((nanos >> 64) as u64)
    }

    /// Checks whether the units are allowed, if the waiter is the first in its line, or if the line
    /// is empty.
    fn step(&mut self, waker: &mut dyn FnMut() -> Waker) -> Step<Result<(), NotReady>> {
        let (lines, clock) = (&self.keyed.lines, self.keyed.clock());
        if self.units == 0 {
            return Step::Done(Ok(()));
        }
        if self.place.is_none() && !lines.is_waited_for(self.key) {
            if let Step::Done(result) = self.ask(clock.now()) {
                return Step::Done(result);
            }
        }
        let place = self.place.get_or_insert_with(|| lines.join(self.key));
        let is_first = place.is_first(waker());
        let now = clock.now();
        let step = if !is_first {
            if now < self.deadline {
                Step::WaitUntil(self.deadline)
            } else {
                Step::Done(Err(NotReady::TooLate))
            }
        } else if now < self.due {
            Step::WaitUntil(self.due)
        } else {
            self.ask(now)
        };
        if let Step::Done(_) = step {
            self.place = None;
        }
        step
    }

    /// Takes the units if they are allowed now; otherwise records when to check again.
    fn ask(&mut self, now: Timestamp) -> Step<Result<(), NotReady>> {
        let (key, units, at_now) = (self.key, self.units, self.keyed.at(now));
        // Peek first: a failed check would be reported to the observer as a denial, but the caller
        // is only waiting.
        let mut decision = at_now.peek_n(key, units);
        if decision.is_allowed() {
            decision = at_now.check_n(key, units);
        }
        match decision.verdict {
            Verdict::Allowed => Step::Done(Ok(())),
            Verdict::Never => Step::Done(Err(NotReady::Never)),
            Verdict::Denied { retry_after } => {
                // Compare durations, not times, since `now + retry_after` saturates. If the
                // deadline is the last timestamp, a wait that is too long would seem to end in
                // time.
                if retry_after > self.deadline.saturating_duration_since(now) {
                    return Step::Done(Err(NotReady::TooLate));
                }
                let at = now.saturating_add(retry_after);
                self.due = at.saturating_add(self.random_jitter()).min(self.deadline);
                Step::WaitUntil(self.due)
            }
        }
    }
}

#[cfg(feature = "async")]
impl<K, L, C, H, Q> Future for WaitReady<'_, K, L, C, H, Q>
where
    K: Eq + Hash,
    L: Limiter,
    C: Clock,
    H: BuildHasher,
    Q: ToKey<K> + ?Sized,
{
    type Output = Result<(), NotReady>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut alarm = std::mem::take(&mut self.alarm);
        let polled = alarm.poll(self.keyed.clock(), context, |waker| self.step(waker));
        self.alarm = alarm;
        polled
    }
}

impl<K, L: Limiter, C, H, Q: fmt::Debug + ?Sized> fmt::Debug for WaitReady<'_, K, L, C, H, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitReady")
            .field("key", &self.key)
            .field("units", &self.units)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
