//! [`Episode`]: a sequence of random steps for one key.
//!
//! A denial or a check of zero units writes nothing to the server, but a limiter of zset-std has
//! seen its time. So after such a step, no step has an earlier time until units are allowed or
//! recorded at the same time or later. The same holds after a refund, which may remove the newest
//! entry of a log. A refund is made at the latest time so far, since the refund of a `Direct` takes
//! no time.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zset_std::limit::Block;
use zset_std::{AnyLimiter, Decision, Funnel, Timestamp, Verdict};

use super::reference::{Reference, Sort};
use super::servers::at_micros;

/// The first time that the scripts reject, in microseconds.
const END: u64 = 1 << 52;

/// A step. A check or a peek may have its own quota.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Check(Option<Funnel>, u32, Timestamp),
    Peek(Option<Funnel>, u32, Timestamp),
    OverLimit(Timestamp),
    Record(u32, Timestamp),
    Refund(u32, Timestamp),
    Reset,
}

impl Step {
    pub(crate) fn time(&self) -> Option<Timestamp> {
        match *self {
            Step::Check(_, _, now)
            | Step::Peek(_, _, now)
            | Step::OverLimit(now)
            | Step::Record(_, now)
            | Step::Refund(_, now) => Some(now),
            Step::Reset => None,
        }
    }
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
    /// The current time, in microseconds.
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
            // Check either at the time from which the units are allowed, or a microsecond earlier.
            let drawn = at - self.random.random_range(0..2);
            self.now = self.possible(drawn);
            return Step::Check(quota, n, at_micros(self.now));
        }
        let now = self.time();
        if self.random.random_ratio(1, 4)
            && let Some(quota) = self.reference.quota_of_call(&mut self.random)
        {
            let limits = [quota.quota().count(), quota.capacity()];
            let limit = *limits.choose(&mut self.random).unwrap();
            let n = self.units(limit);
            let is_check = self.random.random_ratio(3, 4);
            return if is_check { Step::Check } else { Step::Peek }(Some(quota), n, now);
        }
        let n = self.units(self.reference.limit());
        match self.random.random_range(0..100) {
            0..70 => Step::Check(None, n, now),
            70..80 => Step::Peek(None, n, now),
            80..85 => Step::OverLimit(now),
            85..91 if self.reference.can_record() => Step::Record(n, now),
            85..99 => Step::Refund(n, at_micros(self.written.max(self.unwritten))),
            _ => Step::Reset,
        }
    }

    /// Applies a step to the reference.
    pub(crate) fn apply(&mut self, step: &Step) -> Outcome {
        let outcome = self.reference.apply(step);
        match (*step, &outcome) {
            (Step::Check(quota, n, now), Outcome::Decision(decision)) => {
                if decision.is_allowed() && n > 0 {
                    self.written = self.written.max(micros(now));
                } else {
                    self.unwritten = self.unwritten.max(micros(now));
                }
                if let Verdict::Denied { retry_after } = decision.verdict {
                    let wait = u64::try_from(retry_after.as_nanos().div_ceil(1000)).unwrap();
                    self.denied = Some((micros(now) + wait, n, quota));
                }
            }
            // A record of zero units leaves no trace, not even its time.
            (Step::Record(n, now), _) if n > 0 => self.written = self.written.max(micros(now)),
            // A refund may have removed the latest recorded time, so no written time is certain.
            (Step::Refund(_, now), _) => (self.written, self.unwritten) = (0, micros(now)),
            (Step::Reset, _) => (self.written, self.unwritten) = (0, 0),
            _ => {}
        }
        outcome
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
            // The start of the next window, or the microsecond before it.
            15 => (now / period + 1) * period - random.random_range(0..2),
            16 => now + period - random.random_range(0..2),
            17 => now.saturating_sub(random.random_range(0..=period)),
            18 => now.saturating_sub(random.random_range(0..=2 * interval)),
            _ => now.saturating_sub(1),
        };
        self.now = self.possible(drawn);
        at_micros(self.now)
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
