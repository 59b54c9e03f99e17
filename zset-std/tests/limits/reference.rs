//! The reference for the decisions on a key: a limiter of one key, and a list of its denials and
//! blocks.

use super::*;

/// Checks units, with the call's own quota if it has one.
pub(super) fn check_by<L: SingleQuota>(
    one: &mut Direct<L>,
    quota: Option<Funnel>,
    n: u32,
    now: Timestamp,
) -> Decision {
    match quota {
        Some(quota) => one.check_with(quota, n, now),
        None => one.check_n(n, now),
    }
}

/// An algorithm and its state.
pub(super) type Part = (AnyLimiter, <AnyLimiter as Limiter>::State);

/// The algorithm of a reference: a single limiter, or several limits, whose calls take no quota.
pub(super) trait OneKey: Limiter {
    fn check_by(one: &mut Direct<Self>, quota: Option<Funnel>, n: u32, now: Timestamp) -> Decision;
    fn parts(one: &Direct<Self>) -> Vec<Part>;

    fn set_quota_of(_: &mut Direct<Self>, _: Funnel) {
        unreachable!("there are several quotas")
    }
}

impl OneKey for AnyLimiter {
    fn check_by(one: &mut Direct<Self>, quota: Option<Funnel>, n: u32, now: Timestamp) -> Decision {
        check_by(one, quota, n, now)
    }

    fn parts(one: &Direct<Self>) -> Vec<Part> {
        vec![(*one.limiter(), one.state().clone())]
    }

    fn set_quota_of(one: &mut Direct<Self>, quota: Funnel) {
        one.set_quota(quota);
    }
}

impl OneKey for Limits<AnyLimiter> {
    fn check_by(one: &mut Direct<Self>, _: Option<Funnel>, n: u32, now: Timestamp) -> Decision {
        one.check_n(n, now)
    }

    fn parts(one: &Direct<Self>) -> Vec<Part> {
        let states = one.state().iter().cloned().chain(std::iter::repeat(AnyLimiter::NEW));
        one.limiter().as_slice().iter().copied().zip(states).collect()
    }
}

/// An event of a key.
#[derive(Clone, Copy, Debug)]
enum Event {
    Allowed,
    /// The time of the denial.
    Denied(u128),
    /// The start and the length of the block.
    Block(u128, u128),
}

/// All events so far, oldest first. Each decision reads all of them. Times have 128 bits.
#[derive(Clone, Debug)]
pub(super) struct Naive {
    block: Block,
    events: Vec<Event>,
}

impl Naive {
    pub(super) fn blocked_until(&self) -> u128 {
        let ends = self.events.iter().map(|event| match event {
            Event::Block(start, length) => start + length,
            _ => 0,
        });
        ends.max().unwrap_or(0)
    }

    /// Forgets all events if each of them is old enough.
    fn forget(&mut self, now: u128) {
        let shortest = self.block.shortest().as_nanos();
        let forget_at = self.events.iter().map(|event| match event {
            Event::Allowed => 0,
            Event::Denied(at) => at + shortest,
            Event::Block(start, length) => start + 2 * length,
        });
        if forget_at.max().unwrap_or(0) <= now {
            self.events.clear();
        }
    }

    /// Records a decision that the inner limiter made while the key was not blocked. If the units
    /// are allowed, `taken` of them are taken.
    fn record(&mut self, decision: &Decision, taken: u32, now: u128) {
        self.forget(now);
        match decision.verdict {
            Verdict::Allowed if taken > 0 => self.events.push(Event::Allowed),
            Verdict::Denied { .. } => self.events.push(Event::Denied(now)),
            _ => return,
        }
        let row = self.events.iter().rev();
        let row = row.take_while(|event| matches!(event, Event::Denied(_))).count();
        if row as u32 == self.block.denials() {
            let mut lengths = self.events.iter().filter_map(|event| match event {
                Event::Block(_, length) => Some(*length),
                _ => None,
            });
            let (shortest, longest) = (self.block.shortest(), self.block.longest());
            let length = lengths.next_back().map_or(shortest.as_nanos(), |last| 2 * last);
            self.events.push(Event::Block(now, length.min(longest.as_nanos())));
        }
    }

    /// Returns the decision, given that of the inner limiter. Times must be far from the last
    /// timestamp.
    fn decide(&self, inside: Decision, n: u32, now: u128) -> Decision {
        let rest = self.blocked_until().saturating_sub(now);
        if rest == 0 {
            return inside;
        }
        let rest = Duration::from_nanos(rest.try_into().unwrap());
        let verdict = match inside.verdict {
            Verdict::Never => Verdict::Never,
            _ if n == 0 => Verdict::Allowed,
            _ => Verdict::Denied { retry_after: inside.retry_after().unwrap().max(rest) },
        };
        let reset_after = inside.reset_after.max(rest);
        Decision { verdict, limit: inside.limit, remaining: 0, reset_after }
    }
}

/// A limiter, and the denials and blocks of its penalty if it has one.
#[derive(Clone)]
pub(super) struct Reference<L: Limiter> {
    pub(super) inside: Direct<L>,
    penalty: Option<Naive>,
    pub(super) newest: Timestamp,
}

impl<L: OneKey> Reference<L> {
    pub(super) fn new(inside: L, block: Option<Block>) -> Self {
        let penalty = block.map(|block| Naive { block, events: Vec::new() });
        Reference { inside: Direct::new(inside), penalty, newest: Timestamp::ZERO }
    }

    /// Returns the expected decision for a caller at this time.
    pub(super) fn check(&mut self, quota: Option<Funnel>, n: u32, now: Timestamp) -> Decision {
        self.check_with_held(quota, n, 0, now)
    }

    /// Returns the decision that a check would make.
    pub(super) fn peek(&self, quota: Option<Funnel>, n: u32, now: Timestamp) -> Decision {
        self.clone().check(quota, n, now)
    }

    /// Returns the decision on `n` units in addition to `held` others.
    pub(super) fn check_with_held(
        &mut self,
        quota: Option<Funnel>,
        n: u32,
        held: u32,
        now: Timestamp,
    ) -> Decision {
        self.decide_with_held(quota, (n, n), held, now)
    }

    /// Returns the decision on `n` units that are to be held, in addition to `held` others.
    pub(super) fn hold(&mut self, n: u32, held: u32, now: Timestamp) -> Decision {
        self.decide_with_held(None, (n, 0), held, now)
    }

    fn decide_with_held(
        &mut self,
        quota: Option<Funnel>,
        (n, taken): (u32, u32),
        held: u32,
        now: Timestamp,
    ) -> Decision {
        let decision = self.decide((n, taken), now, |inside, is_blocked, now| {
            let mut decision = L::check_by(&mut inside.clone(), quota, n, now);
            if decision.is_allowed() && n > 0 && held > decision.remaining {
                decision.verdict = Verdict::Denied { retry_after: Duration::from_secs(1) };
                decision.remaining += n;
            }
            if decision.is_allowed() && is_blocked {
                decision = L::check_by(&mut inside.clone(), quota, 0, now);
            }
            // A call that takes no unit still records the time and the quota.
            let taken = if decision.is_allowed() && !is_blocked { taken } else { 0 };
            assert!(L::check_by(inside, quota, taken, now).is_allowed());
            Decision { remaining: decision.remaining.saturating_sub(held), ..decision }
        });
        self.counted_from(now, decision)
    }

    /// Records units that were held, at the latest time.
    pub(super) fn charge(&mut self, n: u32, now: Timestamp) {
        self.newest = self.newest.max(now);
        self.inside.record(n, self.newest);
        if let Some(penalty) = &mut self.penalty {
            penalty.events.push(Event::Allowed);
        }
    }

    /// Decides at the latest time.
    fn decide(
        &mut self,
        (n, taken): (u32, u32),
        now: Timestamp,
        decide: impl FnOnce(&mut Direct<L>, bool, Timestamp) -> Decision,
    ) -> Decision {
        self.newest = self.newest.max(now);
        let (now, nanos) = (self.newest, self.newest.as_nanos().into());
        let is_blocked = self.penalty.as_ref().is_some_and(|it| nanos < it.blocked_until());
        let decision = decide(&mut self.inside, is_blocked, now);
        let Some(penalty) = &mut self.penalty else { return decision };
        if !is_blocked {
            penalty.record(&decision, taken, nanos);
        }
        penalty.decide(decision, n, nanos)
    }

    /// Extends durations so that they count from the caller's time, not from the latest time.
    fn counted_from(&self, now: Timestamp, decision: Decision) -> Decision {
        let lag = self.newest.saturating_duration_since(now);
        let later = |wait: Duration| if wait.is_zero() { wait } else { wait + lag };
        let verdict = match decision.verdict {
            Verdict::Denied { retry_after } => Verdict::Denied { retry_after: later(retry_after) },
            verdict => verdict,
        };
        Decision { verdict, reset_after: later(decision.reset_after), ..decision }
    }

    pub(super) fn reset(&mut self) {
        self.inside.reset();
        if let Some(penalty) = &mut self.penalty {
            penalty.events.clear();
        }
    }

    /// Returns whether all denials and blocks are forgotten at this time.
    pub(super) fn has_no_denials_at(&self, now: Timestamp) -> bool {
        self.penalty.clone().is_none_or(|mut penalty| {
            penalty.forget(now.as_nanos().into());
            penalty.events.is_empty()
        })
    }
}
