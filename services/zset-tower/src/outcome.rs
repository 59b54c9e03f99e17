//! A policy's decision about a request, and the further calls that its limiter may receive.

use std::error::Error;
use std::slice;
use std::time::Duration;

use http::StatusCode;
use zset_std::{Decision, Quota};

use crate::step::Step;
use crate::timer::Elapsed;

/// What happens to a request when the limiter of a policy returns an error, e.g. because its server
/// cannot be reached.
///
/// A limiter of `zset_redis` can also decide without its server, as set by its `OnFailure`. Then it
/// returns a decision, and this choice does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedLimiter {
    /// The request is rejected with status 503: the inner service stays protected.
    Deny,
    /// The policy does not apply to the request: the service stays available.
    Allow,
}

/// A policy's answer to a request.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The request has no key, and the policy does not apply to it; or there is no answer yet.
    Skipped,
    /// The request has no key, and is rejected with this status.
    MissingKey(StatusCode),
    Decided(Decision, Elapsed),
    Failed(Box<dyn Error + Send + Sync>, FailedLimiter, Elapsed),
}

/// The outcome of a policy for a request.
pub(crate) struct Outcome {
    /// The index of the policy. A policy does not know its own index, so this is 0 until
    /// [`Outcomes::at`] sets it.
    pub(crate) place: usize,
    pub(crate) answer: Answer,
    /// The quota of the request's key, if it has its own.
    pub(crate) quota: Option<Quota>,
    /// The units, if the limiter may receive more calls for them.
    pub(crate) units: Option<Units>,
}

/// The units of a request in the limiter of a policy.
pub(crate) struct Units {
    n: u32,
    is_checked: bool,
    call: Box<dyn FnMut(Call) -> Step<Reply> + Send>,
}

/// A call to a limiter, for the units of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// Decides without taking the units.
    Peek,
    /// Takes the units, or holds them until the response decides whether they are charged.
    Check,
    /// Refunds the units of an allowed check.
    Refund,
    /// Refunds the units only if they are held, not if they are on record.
    Release,
}

/// What a limiter replies to a [`Call`].
pub(crate) enum Reply {
    Answer(Answer),
    /// The number of units that are available again.
    Refunded(u32),
}

impl Units {
    pub(crate) fn new(n: u32, call: impl FnMut(Call) -> Step<Reply> + Send + 'static) -> Self {
        Units { n, is_checked: false, call: Box::new(call) }
    }
}

impl Outcome {
    #[inline]
    pub(crate) fn new(answer: Answer, units: Option<Units>) -> Self {
        Outcome { place: 0, answer, quota: None, units }
    }

    pub(crate) fn decision(&self) -> Option<&Decision> {
        match &self.answer {
            Answer::Decided(decision, _) => Some(decision),
            _ => None,
        }
    }

    pub(crate) fn is_allowed(&self) -> bool {
        self.decision().is_some_and(Decision::is_allowed)
    }

    pub(crate) fn is_rejection(&self) -> bool {
        match &self.answer {
            Answer::Skipped => false,
            Answer::MissingKey(_) => true,
            Answer::Decided(decision, _) => !decision.is_allowed(),
            Answer::Failed(_, failed_limiter, _) => *failed_limiter == FailedLimiter::Deny,
        }
    }

    /// Makes a call for the units, if there are any, and records the reply.
    pub(crate) fn call(mut self, call: Call) -> Step<Self> {
        let Some(units) = &mut self.units else { return Step::Ready(self) };
        units.is_checked |= call == Call::Check;
        match (units.call)(call) {
            Step::Ready(reply) => Step::Ready(self.record(reply)),
            Step::Later(reply) => Step::later(async move {
                let reply = reply.await;
                self.record(reply)
            }),
        }
    }

    /// Records the reply to a call.
    pub(crate) fn record(mut self, reply: Reply) -> Self {
        match (reply, &mut self.answer) {
            (Reply::Answer(mut answer), before) => {
                // The time of a check includes that of the peek before it.
                if let (
                    Answer::Decided(_, elapsed) | Answer::Failed(_, _, elapsed),
                    Answer::Decided(_, of_peek),
                ) = (&mut answer, before)
                {
                    *elapsed += *of_peek;
                }
                let has_failed = matches!(answer, Answer::Failed(..));
                if has_failed {
                    self.units = None;
                }
                // If the peek was denied and the check then fails, the denial stands.
                if !(has_failed && self.is_rejection()) {
                    self.answer = answer;
                }
            }
            (Reply::Refunded(n), Answer::Decided(decision, _)) => put_back(decision, n),
            (Reply::Refunded(_), _) => {}
        }
        self
    }

    /// Checks the units, unless they have been checked.
    pub(crate) fn check(self) -> Step<Self> {
        match &self.units {
            Some(units) if !units.is_checked => self.call(Call::Check),
            _ => Step::Ready(self),
        }
    }

    /// Refunds the units of a request that another policy rejects.
    pub(crate) fn refund(mut self) -> Step<Self> {
        if let (Some(units), Answer::Decided(decision, _)) = (&self.units, &mut self.answer) {
            if !units.is_checked {
                put_back(decision, units.n);
            } else if decision.is_allowed() {
                return self.call(Call::Refund);
            }
        }
        Step::Ready(self)
    }

    /// Refunds the units of a request that is not charged. `elapsed` is the time since the
    /// decision.
    ///
    /// A limiter refunds the newest units on record. If these belong to later requests, the units
    /// that remain are older ones, and expire too early. So units on record are refunded only
    /// within a tenth of the time after which they would expire anyway.
    pub(crate) fn settle(self, elapsed: Duration) -> Step<Self> {
        let Some(decision) = self.decision() else { return Step::Ready(self) };
        let is_early = elapsed <= decision.reset_after / 10;
        self.call(if is_early { Call::Refund } else { Call::Release })
    }
}

/// Adds units to a decision that counts them as taken.
fn put_back(decision: &mut Decision, n: u32) {
    if decision.is_allowed() {
        decision.remaining = decision.remaining.saturating_add(n).min(decision.limit);
    }
}

/// The outcomes of all policies that apply to a request.
pub(crate) enum Outcomes {
    /// The outcome of a single policy, which needs no allocation.
    One(Outcome),
    Many(Vec<Outcome>),
}

impl Default for Outcomes {
    fn default() -> Self {
        Outcomes::Many(Vec::new())
    }
}

impl Outcomes {
    #[inline]
    pub(crate) fn iter(&self) -> slice::Iter<'_, Outcome> {
        match self {
            Outcomes::One(one) => slice::from_ref(one),
            Outcomes::Many(many) => many,
        }
        .iter()
    }

    #[inline]
    pub(crate) fn is_rejection(&self) -> bool {
        self.iter().any(Outcome::is_rejection)
    }

    /// Sets the quota of the request's key, if it has its own.
    pub(crate) fn with_quota(mut self, quota: Option<Quota>) -> Self {
        if let Outcomes::One(outcome) = &mut self {
            outcome.quota = quota;
        }
        self
    }

    /// Sets the index of the policy.
    pub(crate) fn at(mut self, place: usize) -> Self {
        if let Outcomes::One(outcome) = &mut self {
            outcome.place = place;
        }
        self
    }

    pub(crate) fn into_vec(self) -> Vec<Outcome> {
        match self {
            Outcomes::One(one) => vec![one],
            Outcomes::Many(many) => many,
        }
    }
}
