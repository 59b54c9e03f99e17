//! [`CompactFunnel`]: the funnel of one key of [`Funnels`](super::Funnels), in two words.
//!
//! It is the leaky bucket as a meter, and makes the same decisions as the generic cell rate algorithm
//! (ITU-T I.371, "Traffic control and congestion control in B-ISDN"). That algorithm stores one number,
//! the time at which the bucket is empty:
//!
//! ```text
//!                                leaked_at                               empty
//! ───────────────────────────────────┼─────────────────────────────────────┼──▶ time
//!                                    │◄─────────── level ─────────────────►│
//! ```
//!
//! Storing a level and its time takes one word more, and works for every [`Timestamp`] with every
//! [`Quota`]: the time at which the bucket is empty may be later than the last timestamp.

use std::time::Duration;

use super::limiter::private::Sealed;
use super::quota::TICKS_PER_NANO;
use super::{Decision, KeyState, Quota, QuotaPerCall, Verdict};
use crate::Timestamp;

/// The level of the funnel of one key of [`Funnels`](super::Funnels).
///
/// Unlike a [`Funnel`](super::Funnel), it does not contain its quota, which all keys share.
#[derive(Clone, Debug)]
pub struct CompactFunnel {
    /// The level, as the time it takes to leak out, in ticks.
    level: u64,
    /// The time at which the level was computed.
    leaked_at: Timestamp,
}

/// A quota, with the parameters computed from it.
#[derive(Clone, Copy, Debug)]
pub struct GcraQuota {
    quota: Quota,
    parameters: GcraParameters,
}

/// The parameters of the generic cell rate algorithm, in ticks.
#[derive(Clone, Copy, Debug)]
struct GcraParameters {
    capacity: u32,
    /// The time between two units, rounded up.
    interval: u64,
    /// The time for the whole capacity: `capacity * interval`.
    burst: u64,
    /// `2^64 / interval`, at most 1 too small. Multiplying is faster than dividing.
    reciprocal: u64,
}

/// A decision in ticks: the part of a [`Decision`] that has to be computed under the lock.
///
/// It is computed without a branch on the verdict, which a processor cannot predict near the limit.
#[derive(Clone, Copy, Debug)]
pub struct GcraDecision {
    parameters: GcraParameters,
    never: bool,
    /// The level after the decision.
    level: u64,
    /// How much has to leak out before the units fit; zero if they are allowed.
    excess: u64,
}

impl From<Quota> for GcraQuota {
    fn from(quota: Quota) -> Self {
        let interval = quota.interval_in_ticks();
        // `Quota` ensures that this does not overflow.
        let burst = interval * u64::from(quota.capacity());
        let (capacity, reciprocal) = (quota.capacity(), u64::MAX / interval);
        GcraQuota { quota, parameters: GcraParameters { capacity, interval, burst, reciprocal } }
    }
}

impl GcraQuota {
    pub(super) fn quota(&self) -> Quota {
        self.quota
    }
}

impl GcraParameters {
    /// Returns the number of whole intervals in `ticks`.
    #[inline]
    fn units_in(self, ticks: u64) -> u64 {
        // The reciprocal is at most 1 too small, so the product is too small by less than
        // `ticks / 2^64 < 1`, and the estimate by at most 1.
        let estimate = ((u128::from(ticks) * u128::from(self.reciprocal)) >> 64) as u64;
        estimate + u64::from(ticks - estimate * self.interval >= self.interval)
    }
}

impl CompactFunnel {
    /// Decides on `n` units at time `now`, which must not be before `leaked_at`.
    #[inline]
    fn decide(&self, parameters: GcraParameters, n: u32, now: Timestamp) -> GcraDecision {
        let elapsed = now.as_nanos().saturating_sub(self.leaked_at.as_nanos());
        let level = self.level.saturating_sub(elapsed.saturating_mul(TICKS_PER_NANO));
        let never = n > parameters.capacity;
        // These wrap only if `n` exceeds the capacity; the results are then ignored.
        let units = parameters.interval.wrapping_mul(n.into());
        let space = parameters.burst.wrapping_sub(units);
        let poured = n > 0 && !never && level <= space;
        let if_poured = 0_u64.wrapping_sub(poured.into());
        let if_denied = 0_u64.wrapping_sub((n > 0 && !poured).into());
        GcraDecision {
            parameters,
            never,
            level: level + (units & if_poured),
            excess: level.wrapping_sub(space) & if_denied,
        }
    }
}

impl KeyState for CompactFunnel {
    type Settings = GcraQuota;
    type RawDecision = GcraDecision;

    #[inline]
    fn new(_: &GcraQuota) -> Self {
        CompactFunnel { level: 0, leaked_at: Timestamp::ZERO }
    }

    #[inline]
    fn check_n_at(&mut self, quota: &GcraQuota, n: u32, now: Timestamp) -> GcraDecision {
        let decision = self.decide(quota.parameters, n, now);
        self.level = decision.level;
        self.leaked_at = now;
        decision
    }

    fn peek_at(&self, quota: &GcraQuota, n: u32, now: Timestamp) -> Decision {
        self.decide(quota.parameters, n, now).into()
    }

    fn refund(&mut self, quota: &GcraQuota, n: u32) -> u32 {
        let GcraParameters { interval, .. } = quota.parameters;
        let refunded = self.level.min(interval.saturating_mul(n.into()));
        self.level -= refunded;
        // At most `n`.
        (refunded / interval) as u32
    }

    fn idle_at(&self, _: Sealed) -> Timestamp {
        if self.level == 0 {
            return Timestamp::ZERO;
        }
        self.leaked_at.saturating_add(duration(self.level))
    }
}

impl QuotaPerCall for CompactFunnel {
    type CallQuota = GcraQuota;

    #[inline]
    fn check_with_at(&mut self, quota: &GcraQuota, n: u32, now: Timestamp) -> GcraDecision {
        self.check_n_at(quota, n, now)
    }

    fn peek_with_at(&self, quota: &GcraQuota, n: u32, now: Timestamp) -> Decision {
        self.peek_at(quota, n, now)
    }
}

impl From<GcraDecision> for Decision {
    #[inline]
    fn from(decision: GcraDecision) -> Decision {
        let GcraDecision { parameters, never, level, excess } = decision;
        let retry_after = duration(excess);
        // The verdict is derived from the wait, so the wait is always computed, without a branch.
        let verdict = if never {
            Verdict::Never
        } else if retry_after.is_zero() {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after }
        };
        // The level may exceed the burst if the funnel was filled under another quota.
        let remaining = parameters.units_in(parameters.burst.saturating_sub(level));
        Decision {
            verdict,
            limit: parameters.capacity,
            remaining: u32::try_from(remaining).unwrap_or(u32::MAX),
            reset_after: duration(level),
        }
    }
}

/// Returns the duration of `ticks`, rounded up.
fn duration(ticks: u64) -> Duration {
    Duration::from_nanos(ticks.div_ceil(TICKS_PER_NANO))
}
