//! [`Limits`]: several limits at once.

use std::time::Duration;

use super::limiter::private::Sealed;
use super::{Decision, Limiter, Verdict};
use crate::Timestamp;

/// Several limiters of one key that have to agree: ten a second, and a hundred a minute.
///
/// All are asked before any is charged, so what one of them denies takes nothing off the others. A
/// denial has the longest wait of all.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Keyed, Limits, Quota, Timestamp, WindowLog};
///
/// let per_second = WindowLog::new(Quota::new(2, Duration::from_secs(1))?);
/// let per_minute = WindowLog::new(Quota::new(3, Duration::from_secs(60))?);
/// let limiter: Keyed<u32, _> = Keyed::of(Limits::all([per_second, per_minute]));
/// assert!(limiter.check_n_at(&1, 2, Timestamp::ZERO).is_allowed());
/// // Both deny it, the minute for longer.
/// let denied = limiter.check_n_at(&1, 2, Timestamp::ZERO);
/// assert_eq!(denied.retry_after(), Some(Duration::from_secs(60)));
/// // Nothing was taken: the second allows two more, the minute one.
/// let later = Timestamp::ZERO.saturating_add(Duration::from_secs(1));
/// assert_eq!(limiter.check_n_at(&1, 1, later).remaining, 0);
/// # Ok::<(), zset_std::QuotaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Limits<L> {
    limits: Box<[L]>,
}

impl<L: Limiter> Limits<L> {
    /// Makes one limiter of all; of none, one that allows everything.
    ///
    /// # Examples
    ///
    /// See [`Limits`].
    pub fn all(limits: impl IntoIterator<Item = L>) -> Self {
        Limits { limits: limits.into_iter().collect() }
    }
}

/// Returns the decision of two limiters together.
fn both(a: Decision, b: Decision) -> Decision {
    let verdict = match (a.verdict, b.verdict) {
        (Verdict::Never, _) | (_, Verdict::Never) => Verdict::Never,
        (Verdict::Denied { retry_after: a }, Verdict::Denied { retry_after: b }) => {
            Verdict::Denied { retry_after: a.max(b) }
        }
        (denied @ Verdict::Denied { .. }, Verdict::Allowed)
        | (Verdict::Allowed, denied @ Verdict::Denied { .. }) => denied,
        (Verdict::Allowed, Verdict::Allowed) => Verdict::Allowed,
    };
    Decision {
        verdict,
        limit: a.limit.min(b.limit),
        remaining: a.remaining.min(b.remaining),
        reset_after: a.reset_after.max(b.reset_after),
    }
}

/// What no limiter decides.
const UNLIMITED: Decision = Decision {
    verdict: Verdict::Allowed,
    limit: u32::MAX,
    remaining: u32::MAX,
    reset_after: Duration::ZERO,
};

impl<L: Limiter> Limiter for Limits<L> {
    fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        // Of no units every limiter says how it stands, and notes the time.
        let stand = self.limits.iter_mut().map(|limit| limit.check_n_at(0, now));
        let stand = stand.fold(UNLIMITED, both);
        let peeked = self.limits.iter().map(|limit| limit.peek_at(n, now));
        let verdict = peeked.fold(UNLIMITED, both).verdict;
        if verdict == Verdict::Allowed {
            self.limits.iter_mut().map(|limit| limit.check_n_at(n, now)).fold(UNLIMITED, both)
        } else {
            Decision { verdict, ..stand }
        }
    }

    fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        let peeked = self.limits.iter().map(|limit| limit.peek_at(n, now)).fold(UNLIMITED, both);
        if peeked.is_allowed() {
            peeked
        } else {
            // Those that would allow it are not charged either.
            let stand = self.limits.iter().map(|limit| limit.peek_at(0, now));
            Decision { verdict: peeked.verdict, ..stand.fold(UNLIMITED, both) }
        }
    }
}

impl<L: Limiter> Sealed for Limits<L> {
    fn idle_at(&self) -> Timestamp {
        self.limits.iter().map(Sealed::idle_at).max().unwrap_or(Timestamp::ZERO)
    }
}
