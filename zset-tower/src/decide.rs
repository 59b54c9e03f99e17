//! The decision on a request: that of all policies that apply to it.
//!
//! A single policy is checked at once. Several are first peeked at, and checked only if all of them
//! allow the request, so that a denied request takes nothing. Another request may take units
//! between the two. If a check is then denied, what the others have allowed is refunded; until then
//! these units are missing for other requests, so the error is towards denial.

use std::slice;
use std::sync::Arc;

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
    /// That of a single policy, for which nothing is allocated.
    One(Applied),
    Many(Vec<Applied>),
}

impl Outcomes {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Applied] {
        match self {
            Outcomes::One(applied) => slice::from_ref(applied),
            Outcomes::Many(applied) => applied,
        }
    }

    #[inline]
    pub(crate) fn is_rejection(&self) -> bool {
        // Not by `as_slice`, which is compiled to read the length of `Many` in any case. In a
        // `One`, that word has just been written in two halves, and reading it stalls the
        // processor.
        match self {
            Outcomes::One(applied) => applied.outcome.is_rejection(),
            Outcomes::Many(applied) => applied.iter().any(|applied| applied.outcome.is_rejection()),
        }
    }
}

/// Takes the units of a request from all policies that apply to it, or from none.
#[inline]
pub(crate) fn decide(policies: &[Arc<Policy>], head: &RequestHead<'_>) -> Step<Outcomes> {
    let mut applicable = policies.iter().enumerate().filter(|(_, policy)| policy.applies(head));
    let Some((place, first)) = applicable.next() else {
        return Step::Ready(Outcomes::Many(Vec::new()));
    };
    let Some(second) = applicable.next() else {
        return first.check(head, place);
    };
    decide_many([(place, first), second].into_iter().chain(applicable), head)
}

fn decide_many<'a>(
    policies: impl Iterator<Item = (usize, &'a Arc<Policy>)>,
    head: &RequestHead<'_>,
) -> Step<Outcomes> {
    let (places, subjects): (Vec<usize>, Vec<Step<Resolved>>) =
        policies.map(|(place, policy)| (place, policy.resolve(head))).unzip();
    Step::later(async move {
        let outcomes = decide_together(subjects).await;
        let applied = places.into_iter().zip(outcomes);
        Outcomes::Many(applied.map(|(place, outcome)| Applied { place, outcome }).collect())
    })
}

async fn decide_together(subjects: Vec<Step<Resolved>>) -> Vec<Outcome> {
    let mut subjects = all(subjects).await;
    let peeks = subjects.iter_mut().map(|subject| match subject {
        Ok(subject) => subject.perform(Action::Peek),
        Err(outcome) => Step::Ready(std::mem::replace(outcome, Outcome::Skipped)),
    });
    let mut outcomes = all(peeks.collect::<Vec<_>>()).await;
    // Those that are to be checked: their peeks allow the request.
    let mut subjects: Vec<Option<Box<dyn Subject>>> = subjects
        .into_iter()
        .zip(&outcomes)
        .map(|(subject, outcome)| subject.ok().filter(|_| matches!(outcome, Outcome::Decided(_))))
        .collect();
    if !outcomes.iter().any(Outcome::is_rejection) {
        let checks = subjects.iter().zip(&mut outcomes).map(|(subject, outcome)| match subject {
            Some(subject) => subject.perform(Action::Check),
            None => Step::Ready(std::mem::replace(outcome, Outcome::Skipped)),
        });
        outcomes = all(checks.collect::<Vec<_>>()).await;
        if !outcomes.iter().any(Outcome::is_rejection) {
            return outcomes;
        }
        let taken = subjects.iter().zip(&outcomes).filter_map(|(subject, outcome)| {
            subject.as_ref().filter(|_| outcome.is_allowed()).map(|it| it.perform(Action::Refund))
        });
        // A refund that fails leaves the units taken.
        all(taken.collect::<Vec<_>>()).await;
    }
    for (subject, outcome) in subjects.iter_mut().zip(&mut outcomes) {
        if let (Some(subject), Outcome::Decided(decision)) = (subject, outcome) {
            put_back(decision, subject.units());
        }
    }
    outcomes
}

/// Adds units to a decision that has counted them as taken.
fn put_back(decision: &mut Decision, n: u32) {
    if decision.is_allowed() {
        decision.remaining = decision.remaining.saturating_add(n).min(decision.limit);
    }
}
