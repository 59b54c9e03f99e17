//! The decision on a request by all policies that apply to it.
//!
//! A single policy is checked directly. Several policies are first peeked at, and checked only if
//! all of them allow the request, so a denied request takes nothing. Another request may take units
//! between the two. If a check is then denied, the units that the other policies have allowed are
//! refunded. Until then other requests lack these units, so the error is towards denial.
//!
//! Policies that charge by the response are decided in the same way. See `after`.

use std::sync::Arc;
use std::{iter, mem, slice};

use zset_std::Decision;

use crate::policy::{Action, Outcome, Policy, Resolved, Subject};
use crate::request_head::RequestHead;
use crate::step::{Step, all};

/// The outcome of a policy.
pub(crate) struct Applied {
    /// The index of the policy.
    pub(crate) place: usize,
    pub(crate) outcome: Outcome,
}

/// The outcomes of all policies that apply to a request.
pub(crate) enum Outcomes {
    /// The outcome of a single policy, for which nothing is allocated.
    One(Applied),
    Many(Vec<Applied>, Vec<Charge>),
}

/// Units that depend on the response.
pub(crate) struct Charge {
    /// The index of the outcome.
    pub(crate) index: usize,
    pub(crate) subject: Box<dyn Subject>,
}

impl Outcomes {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Applied] {
        match self {
            Outcomes::One(applied) => slice::from_ref(applied),
            Outcomes::Many(applied, _) => applied,
        }
    }

    #[inline]
    pub(crate) fn has_charges(&self) -> bool {
        matches!(self, Outcomes::Many(_, charges) if !charges.is_empty())
    }

    #[inline]
    pub(crate) fn is_rejection(&self) -> bool {
        // Not by `as_slice`, whose machine code reads the length of `Many` in any case. In a `One`,
        // that word has just been written in two halves, and reading it stalls the processor.
        match self {
            Outcomes::One(applied) => applied.outcome.is_rejection(),
            Outcomes::Many(applied, _) => {
                applied.iter().any(|applied| applied.outcome.is_rejection())
            }
        }
    }
}

/// Takes the units of a request from all policies that apply to it, or from none.
#[inline]
pub(crate) fn decide(policies: &[Arc<Policy>], head: &RequestHead<'_>) -> Step<Outcomes> {
    let mut applicable = policies.iter().enumerate().filter(|(_, policy)| policy.applies(head));
    let Some((place, first)) = applicable.next() else {
        return Step::Ready(Outcomes::Many(Vec::new(), Vec::new()));
    };
    let second = applicable.next();
    if second.is_none() && !first.is_charged_by_response() {
        return first.check(head, place);
    }
    decide_many(iter::once((place, first)).chain(second).chain(applicable), head)
}

fn decide_many<'a>(
    policies: impl Iterator<Item = (usize, &'a Arc<Policy>)>,
    head: &RequestHead<'_>,
) -> Step<Outcomes> {
    let (places, subjects): (Vec<usize>, Vec<Step<Resolved>>) =
        policies.map(|(place, policy)| (place, policy.resolve(head))).unzip();
    Step::later(async move {
        let (outcomes, subjects) = decide_together(subjects).await;
        let charges = subjects.into_iter().enumerate().filter_map(|(index, subject)| {
            let subject = subject.filter(|subject| subject.is_charged_by_response());
            subject.map(|subject| Charge { index, subject })
        });
        let charges = charges.collect();
        let applied = places.into_iter().zip(outcomes);
        let applied = applied.map(|(place, outcome)| Applied { place, outcome }).collect();
        Outcomes::Many(applied, charges)
    })
}

/// Returns the outcomes and, if the request is allowed, the subjects whose units are taken or held.
async fn decide_together(
    subjects: Vec<Step<Resolved>>,
) -> (Vec<Outcome>, Vec<Option<Box<dyn Subject>>>) {
    let mut subjects = all(subjects).await;
    if let [subject] = &mut *subjects {
        let check = match subject {
            Ok(subject) => subject.perform(Action::Check),
            Err(outcome) => Step::Ready(mem::replace(outcome, Outcome::Skipped)),
        };
        let outcome = check.wait().await;
        return (vec![outcome], subjects.into_iter().map(Result::ok).collect());
    }
    let peeks = subjects.iter_mut().map(|subject| match subject {
        Ok(subject) => subject.perform(Action::Peek),
        Err(outcome) => Step::Ready(mem::replace(outcome, Outcome::Skipped)),
    });
    let mut outcomes = all(peeks.collect::<Vec<_>>()).await;
    // The subjects to check: their peeks allow the request.
    let mut subjects: Vec<Option<Box<dyn Subject>>> = subjects
        .into_iter()
        .zip(&outcomes)
        .map(|(subject, outcome)| subject.ok().filter(|_| matches!(outcome, Outcome::Decided(..))))
        .collect();
    if !outcomes.iter().any(Outcome::is_rejection) {
        let checks =
            subjects.iter_mut().zip(&mut outcomes).map(|(subject, outcome)| match subject {
                Some(subject) => subject.perform(Action::Check),
                None => Step::Ready(mem::replace(outcome, Outcome::Skipped)),
            });
        let checked = all(checks.collect::<Vec<_>>()).await;
        let peeked = mem::replace(&mut outcomes, checked);
        for (outcome, peeked) in outcomes.iter_mut().zip(&peeked) {
            outcome.add_time_of(peeked);
        }
        if !outcomes.iter().any(Outcome::is_rejection) {
            return (outcomes, subjects);
        }
        let taken = subjects.iter_mut().zip(&outcomes).filter_map(|(subject, outcome)| {
            subject.as_mut().filter(|_| outcome.is_allowed()).map(|it| it.perform(Action::Refund))
        });
        // If a refund fails, the units stay taken.
        all(taken.collect::<Vec<_>>()).await;
    }
    for (subject, outcome) in subjects.iter_mut().zip(&mut outcomes) {
        if let (Some(subject), Outcome::Decided(decision, _)) = (subject, outcome) {
            put_back(decision, subject.units());
        }
    }
    (outcomes, Vec::new())
}

/// Adds units to a decision that counts them as taken.
pub(crate) fn put_back(decision: &mut Decision, n: u32) {
    if decision.is_allowed() {
        decision.remaining = decision.remaining.saturating_add(n).min(decision.limit);
    }
}
