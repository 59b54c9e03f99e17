//! The decision on a request by all policies that apply to it.
//!
//! A single policy is checked directly. Several policies are first peeked at. Those that deny the
//! request are then checked, since a denial must count for the limiter: for its penalty, its
//! observer and its bound on keys. The others are checked only if none denies, so a denied request
//! takes nothing. Another request may take units between the two. If a check is then denied, the
//! units that the other policies have allowed are refunded. Until then other requests lack these
//! units, so the error is towards denial.
//!
//! Policies that charge by the response are decided in the same way. See `after`.

use std::sync::Arc;
use std::{iter, slice};

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
        let parties = decide_together(subjects).await;
        let (mut applied, mut charges) = (Vec::new(), Vec::new());
        for (index, (place, party)) in places.into_iter().zip(parties).enumerate() {
            let subject = party.subject.filter(|subject| subject.is_charged_by_response());
            charges.extend(subject.map(|subject| Charge { index, subject }));
            applied.push(Applied { place, outcome: party.outcome });
        }
        Outcomes::Many(applied, charges)
    })
}

/// A policy that decides together with others.
struct Party {
    /// `None` if the request has no key, or no units stay taken.
    subject: Option<Box<dyn Subject>>,
    outcome: Outcome,
    /// Whether a check may still follow.
    is_open: bool,
}

impl Party {
    fn new(subject: Resolved) -> Self {
        match subject {
            Ok(subject) => {
                Party { subject: Some(subject), outcome: Outcome::Skipped, is_open: true }
            }
            Err(outcome) => Party { subject: None, outcome, is_open: false },
        }
    }

    fn record(&mut self, action: Action, mut outcome: Outcome) {
        outcome.add_time_of(&self.outcome);
        self.is_open = action == Action::Peek && matches!(outcome, Outcome::Decided(..));
        // If the check of a denial fails, the denial stands.
        if !(self.outcome.is_rejection() && matches!(outcome, Outcome::Failed(..))) {
            self.outcome = outcome;
        }
    }
}

/// Takes or holds the units of all policies, or of none.
async fn decide_together(subjects: Vec<Step<Resolved>>) -> Vec<Party> {
    let mut parties: Vec<_> = all(subjects).await.into_iter().map(Party::new).collect();
    let is_rejected = |parties: &[Party]| parties.iter().any(|it| it.outcome.is_rejection());
    if parties.len() > 1 {
        perform(Action::Peek, &mut parties, |it| it.is_open).await;
        perform(Action::Check, &mut parties, |it| it.is_open && it.outcome.is_rejection()).await;
    }
    if !is_rejected(&parties) {
        perform(Action::Check, &mut parties, |it| it.is_open).await;
    }
    if is_rejected(&parties) {
        let taken = parties.iter_mut().filter(|it| !it.is_open && it.outcome.is_allowed());
        let refunds = taken.filter_map(|it| it.subject.as_mut().map(|subject| subject.refund()));
        all(refunds.collect::<Vec<_>>()).await;
        for party in &mut parties {
            let subject = party.subject.take();
            if let (Some(subject), Outcome::Decided(decision, _)) = (subject, &mut party.outcome) {
                put_back(decision, subject.units());
            }
        }
    }
    parties
}

/// Lets some of the policies decide, concurrently.
async fn perform(action: Action, parties: &mut [Party], is_chosen: fn(&Party) -> bool) {
    let chosen = parties.iter_mut().filter(|party| is_chosen(party));
    let (chosen, steps): (Vec<_>, Vec<_>) = chosen
        .filter_map(|party| {
            let step = party.subject.as_mut()?.perform(action);
            Some((party, step))
        })
        .unzip();
    let outcomes = all(steps).await;
    chosen.into_iter().zip(outcomes).for_each(|(party, outcome)| party.record(action, outcome));
}

/// Adds units to a decision that counts them as taken.
pub(crate) fn put_back(decision: &mut Decision, n: u32) {
    if decision.is_allowed() {
        decision.remaining = decision.remaining.saturating_add(n).min(decision.limit);
    }
}
