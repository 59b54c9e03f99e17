//! [`UntilReady`]: waiting until units of a key are allowed.

#[cfg(feature = "async")]
pub use future::Ready;

use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::task::Waker;
use std::time::Duration;

use super::lines::Place;
use super::{Keyed, Limiter, ToKey, Verdict};
use crate::clock::{nanos, waker_of_this_thread};
use crate::{Clock, Timestamp};
use private::Waitable;

/// A wait until units of a key are allowed, as returned by `until_ready` of a keyed limiter.
///
/// Waiters for one key are served in order of arrival. A `check` does not wait in line, and may
/// overtake them. If there are no other waiters and the units are allowed at once, the wait costs
/// one clock read and one check. The first waiter in line checks again when its units may be
/// allowed; only then does it notice a changed quota, refunded units, or a `check` that has
/// overtaken it. If its units would now not be allowed by its deadline, it fails at that time,
/// which may be long before the deadline. A waiter after it does not check at all: it learns that
/// it is too late when it becomes the first, or at its deadline.
///
/// Nothing is taken from the quota until the units are allowed, so a waiter that drops its future
/// or reaches its deadline loses nothing.
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
///     limiter.until_ready(&7).timeout(Duration::from_secs(5)).block()?;
/// }
/// assert_eq!(limiter.until_ready(&7).units(2).block(), Err(NotReady::Never));
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
///     limiter.until_ready("ann").jitter(Duration::from_millis(2)).await?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[must_use = "it does nothing until it is blocked on or awaited"]
#[derive(Debug)]
pub struct UntilReady<'a, L: ?Sized, Q: ?Sized> {
    limiter: &'a L,
    key: &'a Q,
    units: u32,
    deadline: Timestamp,
    jitter: Duration,
}

/// The error of units that were not allowed.
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

pub(crate) mod private {
    use crate::Clock;
    use crate::limit::KeyedLimiter;
    use crate::limit::lines::Place;

    /// A keyed limiter with a line of waiters for each key.
    pub trait Waitable<Q: ?Sized>: KeyedLimiter<Q> {
        type Key;
        type Clock: Clock;

        fn clock(&self) -> &Self::Clock;
        fn is_waited_for(&self, key: &Q) -> bool;
        fn line_up(&self, key: &Q) -> Place<'_, Self::Key>;
    }
}

impl<K, L, C, H, Q> Waitable<Q> for Keyed<K, L, C, H>
where
    K: Eq + Hash,
    L: Limiter,
    C: Clock,
    H: BuildHasher,
    Q: ToKey<K> + ?Sized,
{
    type Key = K;
    type Clock = C;

    fn clock(&self) -> &C {
        self.clock()
    }

    fn is_waited_for(&self, key: &Q) -> bool {
        self.lines.is_waited_for(key)
    }

    fn line_up(&self, key: &Q) -> Place<'_, K> {
        self.lines.join(key)
    }
}

impl<'a, L: Waitable<Q>, Q: ?Sized> UntilReady<'a, L, Q> {
    pub(super) fn new(limiter: &'a L, key: &'a Q) -> Self {
        UntilReady { limiter, key, units: 1, deadline: Timestamp::MAX, jitter: Duration::ZERO }
    }

    /// Waits for `units` units, which are allowed together; the default is one. **O(1)**.
    pub fn units(self, units: u32) -> Self {
        UntilReady { units, ..self }
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
    /// assert_eq!(limiter.until_ready(&7).deadline(soon).block(), Err(NotReady::TooLate));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn deadline(self, deadline: Timestamp) -> Self {
        UntilReady { deadline, ..self }
    }

    /// Waits at most for `timeout`, counted from this call; see [`deadline`](Self::deadline).
    /// **O(1)**.
    pub fn timeout(self, timeout: Duration) -> Self {
        let deadline = self.limiter.now().saturating_add(timeout);
        self.deadline(deadline)
    }

    /// Waits longer than needed, by a random time of up to `jitter`, but not beyond the deadline.
    /// **O(1)**.
    ///
    /// This spreads out waiters, of many keys or in many processes, that would otherwise all check
    /// at the same time.
    pub fn jitter(self, jitter: Duration) -> Self {
        UntilReady { jitter, ..self }
    }

    /// Blocks the current thread until the units are allowed.
    ///
    /// Each wake-up costs as much as a check: **O(1)** expected, plus the cost of the limiter.
    ///
    /// # Errors
    ///
    /// [`NotReady`] if the units exceed the limit, or would not be allowed by the deadline.
    pub fn block(self) -> Result<(), NotReady> {
        let clock = self.limiter.clock();
        let mut waiting = Waiting::new(self);
        if let Some(result) = waiting.at_once() {
            return result;
        }
        let waker = waker_of_this_thread();
        loop {
            match waiting.step(&waker) {
                Step::Done(result) => return result,
                Step::WaitUntil(at) => clock.park_until(at),
            }
        }
    }

    /// Returns a random duration of up to `jitter`.
    fn random_jitter(&self) -> Duration {
        // Each `RandomState` has different keys.
        let random = RandomState::new().hash_one(self.units);
        let nanos = u128::from(nanos(self.jitter)) * u128::from(random);
        Duration::from_nanos((nanos >> 64) as u64)
    }
}

/// The next step of a wait.
enum Step {
    Done(Result<(), NotReady>),
    /// Check again at this time, or when the waker is called.
    WaitUntil(Timestamp),
}

/// A wait in progress.
struct Waiting<'a, L: Waitable<Q>, Q: ?Sized> {
    asked: UntilReady<'a, L, Q>,
    /// `None` until the waiter has joined the line.
    place: Option<Place<'a, L::Key>>,
    /// When to check again, while first in line.
    due: Timestamp,
}

impl<'a, L: Waitable<Q>, Q: ?Sized> Waiting<'a, L, Q> {
    fn new(asked: UntilReady<'a, L, Q>) -> Self {
        Waiting { asked, place: None, due: Timestamp::ZERO }
    }

    /// Checks before joining the line, if the line is empty.
    fn at_once(&mut self) -> Option<Result<(), NotReady>> {
        let UntilReady { limiter, key, .. } = self.asked;
        if limiter.is_waited_for(key) {
            return None;
        }
        match self.ask(limiter.now()) {
            Step::Done(result) => Some(result),
            Step::WaitUntil(_) => None,
        }
    }

    /// Checks whether the units are allowed, if the waiter is the first in its line.
    fn step(&mut self, waker: &Waker) -> Step {
        let UntilReady { limiter, key, deadline, .. } = self.asked;
        let place = self.place.get_or_insert_with(|| limiter.line_up(key));
        let is_first = place.is_first(waker);
        let now = limiter.now();
        if !is_first {
            return if now < deadline {
                Step::WaitUntil(deadline)
            } else {
                Step::Done(Err(NotReady::TooLate))
            };
        }
        if now < self.due { Step::WaitUntil(self.due) } else { self.ask(now) }
    }

    /// Takes the units if they are allowed now; otherwise records when to check again.
    fn ask(&mut self, now: Timestamp) -> Step {
        let UntilReady { limiter, key, units, deadline, .. } = self.asked;
        // Peek first: a failed check would be reported to the observer as a denial, but the caller
        // is only waiting.
        let mut decision = limiter.preview(key, units, now);
        if decision.is_allowed() {
            decision = limiter.decide(key, units, now);
        }
        match decision.verdict {
            Verdict::Allowed => Step::Done(Ok(())),
            Verdict::Never => Step::Done(Err(NotReady::Never)),
            Verdict::Denied { retry_after } => {
                let at = now.saturating_add(retry_after);
                if at > deadline {
                    return Step::Done(Err(NotReady::TooLate));
                }
                self.due = at.saturating_add(self.asked.random_jitter()).min(deadline);
                Step::WaitUntil(self.due)
            }
        }
    }
}

#[cfg(feature = "async")]
mod future {
    //! [`Ready`]: the wait as a future.

    use std::fmt;
    use std::pin::Pin;
    use std::task::{Context, Poll, ready};

    use super::private::Waitable;
    use super::{NotReady, Step, UntilReady, Waiting};
    use crate::clock::Alarm;

    /// The future of an [`UntilReady`].
    ///
    /// It can be polled in any runtime. Dropping it leaves the line.
    #[must_use = "a future does nothing until it is polled"]
    pub struct Ready<'a, L: Waitable<Q>, Q: ?Sized> {
        waiting: Waiting<'a, L, Q>,
        alarm: Alarm,
    }

    impl<'a, L: Waitable<Q>, Q: ?Sized> IntoFuture for UntilReady<'a, L, Q> {
        type Output = Result<(), NotReady>;
        type IntoFuture = Ready<'a, L, Q>;

        fn into_future(self) -> Ready<'a, L, Q> {
            Ready { waiting: Waiting::new(self), alarm: Alarm::default() }
        }
    }

    impl<L: Waitable<Q>, Q: ?Sized> Future for Ready<'_, L, Q> {
        type Output = Result<(), NotReady>;

        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
            let Ready { waiting, alarm } = &mut *self;
            if waiting.place.is_none() {
                if let Some(result) = waiting.at_once() {
                    return Poll::Ready(result);
                }
            }
            loop {
                match waiting.step(context.waker()) {
                    Step::Done(result) => {
                        waiting.place = None;
                        return Poll::Ready(result);
                    }
                    // Without a deadline, only the waiter ahead wakes this one.
                    Step::WaitUntil(at) => {
                        ready!(alarm.poll(waiting.asked.limiter.clock(), at, context));
                    }
                }
            }
        }
    }

    impl<L: Waitable<Q> + fmt::Debug, Q: fmt::Debug + ?Sized> fmt::Debug for Ready<'_, L, Q> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Ready").field(&self.waiting.asked).finish()
        }
    }
}
