//! [`Episode`]: random steps of one key.
//!
//! A denial, and a check of no units, write nothing to the server, but a limiter of zset-std has
//! seen their times. So after one of them, the clock does not step back to before it until later
//! units are allowed. The same holds after a refund, which may remove the newest entry of a log.
//! Refunds happen at the latest time, since those of a `Direct` have no time.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zset_std::limit::Block;
use zset_std::{AnyLimiter, Decision, Funnel, Timestamp, Verdict};

use super::reference::{Reference, Sort};

/// The first time that the scripts reject, in microseconds.
const END: u64 = 1 << 52;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Check(u32, Timestamp),
    Peek(u32, Timestamp),
    CheckWith(Funnel, u32, Timestamp),
    PeekWith(Funnel, u32, Timestamp),
    OverLimit(Timestamp),
    Record(u32, Timestamp),
    Refund(u32, Timestamp),
    Reset,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Decision(Decision),
    Bool(bool),
    Units(u32),
    None,
}

pub(crate) struct Episode {
    pub(crate) rules: Vec<AnyLimiter>,
    reference: Reference,
    random: SmallRng,
    /// In microseconds.
    now: u64,
    /// The latest time at which units were allowed or recorded.
    written: u64,
    /// The latest time of a step that wrote nothing, or of a refund.
    unwritten: u64,
    /// When the latest denied units will be allowed, their number, and the quota if it was not the
    /// limiter's.
    denied: Option<(u64, u32, Option<Funnel>)>,
}

impl Episode {
    pub(crate) fn new(sort: Sort, seed: u64) -> Episode {
        let mut random = SmallRng::seed_from_u64(seed);
        let (rules, reference) = Reference::draw(sort, &mut random);
        let now = match random.random_range(0..4) {
            0 => 0,
            1 => 1_800_000_000_000_000,
            2 => END - random.random_range(1..1_000_000),
            _ => random.random_range(0..END),
        };
        Episode { rules, reference, random, now, written: 0, unwritten: 0, denied: None }
    }

    pub(crate) fn block(&self) -> Option<Block> {
        self.reference.block()
    }

    pub(crate) fn draw(&mut self) -> Step {
        if let Some((at, n, quota)) = self.denied.take_if(|_| self.random.random_ratio(1, 3)) {
            // Either a microsecond too early, or exactly then.
            let drawn = at - self.random.random_range(0..2);
            self.now = self.possible(drawn);
            let now = Timestamp::from_nanos(self.now * 1000);
            return quota.map_or(Step::Check(n, now), |quota| Step::CheckWith(quota, n, now));
        }
        let now = self.time();
        if self.random.random_ratio(1, 4)
            && let Some(quota) = self.reference.quota_of_call(&mut self.random)
        {
            let limits = [quota.quota().count(), quota.capacity()];
            let limit = *limits.choose(&mut self.random).unwrap();
            let n = self.units(limit);
            let is_check = self.random.random_ratio(3, 4);
            return if is_check { Step::CheckWith } else { Step::PeekWith }(quota, n, now);
        }
        let n = self.units(self.reference.limit());
        match self.random.random_range(0..100) {
            0..70 => Step::Check(n, now),
            70..80 => Step::Peek(n, now),
            80..85 => Step::OverLimit(now),
            85..91 if self.reference.can_record() => Step::Record(n, now),
            85..99 => {
                let latest = Timestamp::from_nanos(self.written.max(self.unwritten) * 1000);
                Step::Refund(n, latest)
            }
            _ => Step::Reset,
        }
    }

    /// Applies a step to the reference.
    pub(crate) fn apply(&mut self, step: &Step) -> Outcome {
        let reference = &mut self.reference;
        match *step {
            Step::Check(n, now) | Step::CheckWith(_, n, now) => {
                let (decision, quota) = match *step {
                    Step::CheckWith(quota, ..) => {
                        (reference.check_with(quota, n, now), Some(quota))
                    }
                    _ => (reference.check_n(n, now), None),
                };
                if decision.is_allowed() && n > 0 {
                    self.written = self.written.max(micros(now));
                } else {
                    self.unwritten = self.unwritten.max(micros(now));
                }
                if let Verdict::Denied { retry_after } = decision.verdict {
                    let wait = u64::try_from(retry_after.as_nanos().div_ceil(1000)).unwrap();
                    self.denied = Some((micros(now) + wait, n, quota));
                }
                Outcome::Decision(decision)
            }
            Step::Peek(n, now) => Outcome::Decision(reference.peek_n(n, now)),
            Step::PeekWith(quota, n, now) => Outcome::Decision(reference.peek_with(quota, n, now)),
            Step::OverLimit(now) => Outcome::Bool(reference.over_limit(now)),
            Step::Record(n, now) => {
                self.reference.record(n, now);
                // No units leave no trace, not even the time.
                if n > 0 {
                    self.written = self.written.max(micros(now));
                }
                Outcome::None
            }
            Step::Refund(n, now) => {
                // The latest recorded time is now unknown.
                (self.written, self.unwritten) = (0, micros(now));
                Outcome::Units(reference.refund(n, now))
            }
            Step::Reset => {
                self.reference.reset();
                (self.written, self.unwritten) = (0, 0);
                Outcome::None
            }
        }
    }

    fn time(&mut self) -> Timestamp {
        let random = &mut self.random;
        let rule = self.rules[random.random_range(0..self.rules.len())];
        let period = rule.quota().period().as_micros() as u64;
        let interval = period / u64::from(rule.quota().count());
        let now = self.now;
        let drawn = match random.random_range(0..20) {
            0..4 => now,
            4..6 => now + 1,
            6..10 => now + random.random_range(0..=2 * interval),
            10 => now + interval,
            11..14 => now + random.random_range(0..=period / 4),
            14 => now + random.random_range(0..=2 * period),
            // The boundaries of windows.
            15 => (now / period + 1) * period - random.random_range(0..2),
            16 => now + period - random.random_range(0..2),
            17 => now.saturating_sub(random.random_range(0..=period)),
            18 => now.saturating_sub(random.random_range(0..=2 * interval)),
            _ => now.saturating_sub(1),
        };
        self.now = self.possible(drawn);
        Timestamp::from_nanos(self.now * 1000)
    }

    /// Returns the time, or the nearest one at which both limiters have the same state.
    fn possible(&self, time: u64) -> u64 {
        let floor = if self.unwritten > self.written { self.unwritten } else { 0 };
        time.max(floor).min(END - 1)
    }

    fn units(&mut self, limit: u32) -> u32 {
        let random = &mut self.random;
        match random.random_range(0..20) {
            0 => 0,
            1..10 => 1,
            10..14 => random.random_range(1..=limit.div_ceil(4)),
            14..17 => random.random_range(1..=limit),
            17 => limit,
            18 => limit.saturating_add(1),
            _ => random.random_range(0..=u32::MAX),
        }
    }
}

fn micros(time: Timestamp) -> u64 {
    time.as_nanos() / 1000
}
