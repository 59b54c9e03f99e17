//! [`State`]: the state of a rule as a script returns it, and the decision derived from it; and the
//! numbers that scripts read and write: big-endian doubles.

use std::slice;
use std::time::Duration;

use zset_std::limit::sliding_out;

use super::rule::{Kind, Rule};
use crate::Failure;
use crate::script::NANOS_PER_MICRO;

/// The state of a rule after a decision. Times are in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The time of the decision: the latest recorded time if that is later than now.
    counted: u64,
    usage: Usage,
}

#[derive(Clone, Copy, Debug)]
enum Usage {
    Log {
        used: u64,
        /// The time of the last entry that has to leave the window before the units of the call
        /// fit; `None` if none has to.
        fits_after: Option<u64>,
        /// The same for as many units as the limit of the decision.
        resets_after: Option<u64>,
    },
    /// The time in which the funnel leaks out: `whole + part / count`.
    Level {
        whole: u64,
        part: u64,
    },
    Count {
        used: u64,
    },
    Counts {
        previous: u64,
        current: u64,
    },
}

impl State {
    pub(super) fn parse(rule: &Rule, numbers: &mut Numbers<'_>) -> Result<State, Failure> {
        let counted = numbers.next()?;
        let usage = match rule.kind {
            Kind::SlidingWindow => Usage::Log {
                used: numbers.next()?,
                fits_after: numbers.next_or_none()?,
                resets_after: numbers.next_or_none()?,
            },
            Kind::Funnel => Usage::Level { whole: numbers.next()?, part: numbers.next()? },
            Kind::FixedWindow => Usage::Count { used: numbers.next()? },
            Kind::WindowCounter => {
                Usage::Counts { previous: numbers.next()?, current: numbers.next()? }
            }
        };
        Ok(State { counted, usage })
    }

    /// Returns the units that are allowed now.
    pub(super) fn remaining(&self, rule: &Rule) -> u32 {
        let limit = u64::from(rule.limit);
        let remaining = match self.usage {
            Usage::Log { used, .. } | Usage::Count { used } => limit.saturating_sub(used),
            Usage::Level { whole, part } => {
                let capacity = u128::from(limit) * u128::from(rule.period);
                let space = capacity.saturating_sub(volume(rule, whole, part));
                // At most the capacity.
                (space / u128::from(rule.period)) as u64
            }
            Usage::Counts { previous, current } => {
                let rest = rule.period - self.counted % rule.period;
                let weighed = u128::from(previous) * u128::from(rest);
                // At most `previous`.
                let weighed = weighed.div_ceil(rule.period.into()) as u64;
                limit.saturating_sub(weighed.saturating_add(current))
            }
        };
        u32::try_from(remaining).unwrap_or(u32::MAX)
    }

    /// Returns how long the `n` units of the call have to wait, counted from `now`; zero if they
    /// fit.
    pub(super) fn retry_after(&self, rule: &Rule, n: u32, now: u64) -> Duration {
        let wait = match self.usage {
            Usage::Log { fits_after, .. } => self.until_over(rule, fits_after),
            usage => self.until_fits(rule, usage, n),
        };
        self.counted_from(wait, now)
    }

    /// Returns how long until `limit` units fit, counted from `now`; `limit` is that of the
    /// decision.
    pub(super) fn reset_after(&self, rule: &Rule, limit: u32, now: u64) -> Duration {
        let wait = match self.usage {
            Usage::Log { resets_after, .. } => self.until_over(rule, resets_after),
            usage => self.until_fits(rule, usage, limit),
        };
        self.counted_from(wait, now)
    }

    fn counted_from(&self, wait: u64, now: u64) -> Duration {
        if wait == 0 {
            return Duration::ZERO;
        }
        // A clock that is slow also waits until the latest recorded time.
        let lag = self.counted.saturating_sub(now).saturating_mul(NANOS_PER_MICRO);
        Duration::from_nanos(wait.saturating_add(lag))
    }

    /// Returns the nanoseconds until an entry of the log is no longer in the window.
    fn until_over(&self, rule: &Rule, entry: Option<u64>) -> u64 {
        let age = entry.map_or(u64::MAX, |time| self.counted.saturating_sub(time));
        rule.period.saturating_sub(age) * NANOS_PER_MICRO
    }

    /// Returns the nanoseconds until `n` units fit, which must not exceed the limit.
    fn until_fits(&self, rule: &Rule, usage: Usage, n: u32) -> u64 {
        let period = rule.period * NANOS_PER_MICRO;
        let elapsed = self.counted % rule.period * NANOS_PER_MICRO;
        let (n, limit) = (u64::from(n), u64::from(rule.limit));
        if n <= u64::from(self.remaining(rule)) {
            return 0;
        }
        match usage {
            // Its entries are stored on the server.
            Usage::Log { .. } => 0,
            Usage::Level { whole, part } => {
                let space = u128::from(limit - n) * u128::from(rule.period);
                let excess = volume(rule, whole, part).saturating_sub(space);
                let nanos =
                    (excess * u128::from(NANOS_PER_MICRO)).div_ceil(rule.quota.count().into());
                u64::try_from(nanos).unwrap_or(u64::MAX)
            }
            Usage::Count { .. } => period - elapsed,
            Usage::Counts { previous, current } => match (limit - n).checked_sub(current) {
                // In this window, once the weight of the previous window is small enough.
                Some(room) => sliding_out(previous, room, period).saturating_sub(elapsed),
                // In the next window.
                None => period - elapsed + sliding_out(current, limit - n, period),
            },
        }
    }

    /// Returns how many of `n` units a refund returns in this state.
    pub(super) fn refunded(&self, rule: &Rule, n: u32) -> u32 {
        let units = match self.usage {
            Usage::Log { used, .. } | Usage::Count { used } => used,
            Usage::Counts { previous, current } => previous.saturating_add(current),
            Usage::Level { whole, part } => {
                let units = volume(rule, whole, part) / u128::from(rule.period);
                u64::try_from(units).unwrap_or(u64::MAX)
            }
        };
        // At most `n`.
        units.min(n.into()) as u32
    }
}

/// Returns a level in units times microseconds of the period.
fn volume(rule: &Rule, whole: u64, part: u64) -> u128 {
    u128::from(whole) * u128::from(rule.quota.count()) + u128::from(part)
}

/// Returns numbers below 2^53, which are exact.
#[expect(clippy::cast_precision_loss, reason = "they are exact")]
pub(super) fn pack(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    numbers.into_iter().flat_map(|number| (number as f64).to_be_bytes()).collect()
}

/// The numbers of a reply.
pub(super) struct Numbers<'a> {
    rest: slice::ChunksExact<'a, u8>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(reply: &'a [u8]) -> Numbers<'a> {
        Numbers { rest: reply.chunks_exact(size_of::<f64>()) }
    }

    pub(super) fn next(&mut self) -> Result<u64, Failure> {
        self.next_or_none()?.ok_or(Failure::UnexpectedReply)
    }

    /// Returns `None` for a negative number.
    pub(super) fn next_or_none(&mut self) -> Result<Option<u64>, Failure> {
        let bytes = self.rest.next().and_then(|bytes| bytes.try_into().ok());
        let number = f64::from_be_bytes(bytes.ok_or(Failure::UnexpectedReply)?);
        if number.fract() != 0.0 {
            return Err(Failure::UnexpectedReply);
        }
        #[expect(clippy::cast_sign_loss, reason = "a negative number is none")]
        Ok((number >= 0.0).then_some(number as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let written = [0, 1, (1 << 52) - 1, (1 << 53) - 1];
        let packed = pack(written);
        let mut numbers = Numbers::new(&packed);
        for number in written {
            assert_eq!(numbers.next().unwrap(), number);
        }
        assert!(numbers.next().is_err());
    }

    #[test]
    fn other_replies_are_errors() {
        for number in [0.5, f64::NAN, f64::INFINITY, -1.0] {
            assert!(Numbers::new(&number.to_be_bytes()).next().is_err(), "{number}");
        }
        assert_eq!(Numbers::new(&(-1.0_f64).to_be_bytes()).next_or_none().unwrap(), None);
        assert!(Numbers::new(&[0; 7]).next().is_err());
    }
}
