//! The decision on a request by all policies that apply to it: a list of outcomes, from which the
//! rejection and the headers are made.
//!
//! A single policy is checked directly. Several policies are first peeked at. Those that deny the
//! request are then checked, since a denial must count for the limiter: for its penalty, its
//! observer and its bound on keys. The others are checked only if none denies, so a denied request
//! takes nothing. Another request may take units between the two. If a check is then denied, the
//! units that the other policies have allowed are refunded. Until then other requests lack these
//! units: it errs on the side of denying.
//!
//! Policies that charge by the response are decided in the same way. See `after`.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::iter;
use std::pin::Pin;
use std::slice;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::StatusCode;
use zset_std::{Decision, Quota};

use crate::policy::{FailedLimiter, Policy};
use crate::request_head::RequestHead;
use crate::telemetry::Elapsed;

/// What a policy decides on a request.
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
    /// The index of the policy.
    pub(crate) place: usize,
    pub(crate) answer: Answer,
    /// The quota of the request's key, if it has its own.
    pub(crate) quota: Option<Quota>,
    /// The units, if more calls may follow.
    pub(crate) units: Option<Units>,
}

/// The units of a request in the limiter of a policy.
pub(crate) struct Units {
    n: u32,
    is_checked: bool,
    call: Box<dyn FnMut(Call) -> Step<Reply> + Send>,
}

/// A call for units in a limiter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// Decides without taking the units.
    Peek,
    /// Takes the units, or holds them until the response decides whether they are charged.
    Check,
    /// Returns the units of an allowed check.
    Refund,
    /// Returns the units only if they are held, not if they are on record.
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
    pub(crate) fn new(place: usize, answer: Answer, units: Option<Units>) -> Self {
        Outcome { place, answer, quota: None, units }
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

    /// Makes a call and records the reply, unless there are no units to call for.
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
                // The time includes that of the peek before a check.
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
                // If the check of a denial fails, the denial stands.
                if !(has_failed && self.is_rejection()) {
                    self.answer = answer;
                }
            }
            (Reply::Refunded(n), Answer::Decided(decision, _)) => put_back(decision, n),
            (Reply::Refunded(_), _) => {}
        }
        self
    }

    /// Checks the units, unless that has been done.
    fn check(self) -> Step<Self> {
        match &self.units {
            Some(units) if !units.is_checked => self.call(Call::Check),
            _ => Step::Ready(self),
        }
    }

    /// Returns the units of a request that another policy rejects.
    fn refund(mut self) -> Step<Self> {
        if let (Some(units), Answer::Decided(decision, _)) = (&self.units, &mut self.answer) {
            if !units.is_checked {
                put_back(decision, units.n);
            } else if decision.is_allowed() {
                return self.call(Call::Refund);
            }
        }
        Step::Ready(self)
    }

    /// Returns the units of a request that is not charged, some time after the decision.
    ///
    /// A limiter refunds the newest units on record. If these belong to later failures, the
    /// failures then count from the time of the request, which is too early. So units on record are
    /// only refunded within a tenth of the time in which they come back anyway.
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

    pub(crate) fn into_vec(self) -> Vec<Outcome> {
        match self {
            Outcomes::One(one) => vec![one],
            Outcomes::Many(many) => many,
        }
    }
}

/// Takes the units of a request from all policies that apply to it, or from none.
#[inline]
pub(crate) fn decide(policies: &[Arc<Policy>], head: &RequestHead<'_>) -> Step<Outcomes> {
    let mut applicable = policies.iter().enumerate().filter(|(_, policy)| policy.applies(head));
    let Some((place, first)) = applicable.next() else { return Step::Ready(Outcomes::default()) };
    let second = applicable.next();
    if second.is_none() && !first.is_charged_by_response() {
        return first.check(head, place);
    }
    let applicable = iter::once((place, first)).chain(second).chain(applicable);
    let undecided: Vec<_> = applicable.map(|(place, policy)| policy.prepare(head, place)).collect();
    Step::later(async move { Outcomes::Many(decide_together(all(undecided).await).await) })
}

/// Takes or holds the units of all policies, or of none.
async fn decide_together(undecided: Vec<Outcomes>) -> Vec<Outcome> {
    let is_rejected = |outcomes: &[Outcome]| outcomes.iter().any(Outcome::is_rejection);
    let mut outcomes: Vec<_> = undecided.into_iter().flat_map(Outcomes::into_vec).collect();
    if outcomes.len() > 1 {
        outcomes = all(outcomes.into_iter().map(|it| it.call(Call::Peek))).await;
        let check = |it: Outcome| if it.is_rejection() { it.check() } else { Step::Ready(it) };
        outcomes = all(outcomes.into_iter().map(check)).await;
    }
    if !is_rejected(&outcomes) {
        outcomes = all(outcomes.into_iter().map(Outcome::check)).await;
    }
    if is_rejected(&outcomes) {
        outcomes = all(outcomes.into_iter().map(Outcome::refund)).await;
    }
    outcomes
}

/// A boxed future.
pub(crate) type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A result that is ready, or must be awaited: a limiter in this process decides without waiting,
/// and nothing is allocated.
pub(crate) enum Step<T> {
    Ready(T),
    Later(Later<T>),
}

impl<T> Step<T> {
    pub(crate) fn later(future: impl Future<Output = T> + Send + 'static) -> Self {
        Step::Later(Box::pin(future))
    }

    pub(crate) async fn wait(self) -> T {
        match self {
            Step::Ready(result) => result,
            Step::Later(future) => future.await,
        }
    }
}

/// Awaits all steps concurrently, and returns their results in order.
pub(crate) async fn all<T>(steps: impl IntoIterator<Item = Step<T>>) -> Vec<T> {
    let mut steps: Vec<Step<T>> = steps.into_iter().collect();
    poll_fn(|context| {
        let mut is_ready = true;
        for step in &mut steps {
            if let Step::Later(future) = step {
                match future.as_mut().poll(context) {
                    Poll::Ready(result) => *step = Step::Ready(result),
                    Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let mut results = Vec::with_capacity(steps.len());
    for step in steps {
        results.push(step.wait().await);
    }
    results
}
