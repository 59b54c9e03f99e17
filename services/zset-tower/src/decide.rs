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

use std::iter;
use std::sync::Arc;

use crate::outcome::{Call, Outcome, Outcomes};
use crate::policy::Policy;
use crate::request_head::RequestHead;
use crate::step::{Step, all};

/// Takes the units of a request from all policies that apply to it, or from none.
#[inline]
pub(crate) fn decide(policies: &[Arc<Policy>], head: &RequestHead<'_>) -> Step<Outcomes> {
    let mut applicable = policies.iter().enumerate().filter(|(_, policy)| policy.applies(head));
    let Some((place, first)) = applicable.next() else { return Step::Ready(Outcomes::default()) };
    let second = applicable.next();
    if second.is_none() && !first.is_charged_by_response() {
        return match place {
            // Without `map`, since moving a decision that has just been written is slow.
            0 => first.check(head),
            _ => first.check(head).map(move |outcomes| outcomes.at(place)),
        };
    }
    let applicable = iter::once((place, first)).chain(second).chain(applicable);
    let prepare = |(place, policy): (usize, &Arc<Policy>)| {
        policy.prepare(head).map(move |outcomes| outcomes.at(place))
    };
    let undecided: Vec<_> = applicable.map(prepare).collect();
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
