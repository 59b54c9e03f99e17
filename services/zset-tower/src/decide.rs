//! Lets all policies that apply to a request decide on it. The result is a list of outcomes, from
//! which the rejection and the headers are created.
//!
//! A single policy is checked directly. If several policies apply, the layer first peeks at all of
//! them. It then checks the policies that deny the request, because their limiters count denials
//! for penalties, observers and bounds on keys. It checks the other policies only if none denies,
//! so that a denied request takes no units. Another request may take units between the peek and the
//! check. If a check is then denied, the units taken from the other policies are refunded. Until
//! the refund, other requests cannot use these units, so the layer errs on the side of denying.
//!
//! Policies whose charges depend on the response decide in the same way, and hold units where
//! possible: see `after`.

use std::iter;
use std::sync::Arc;

use crate::outcome::{Call, Outcome, Outcomes};
use crate::policy::Policy;
use crate::request_head::RequestHead;
use crate::step::{Step, all};

/// Takes the units of a request from all policies that apply to it, or from none of them.
#[inline]
pub(crate) fn decide(policies: &[Arc<Policy>], head: &RequestHead<'_>) -> Step<Outcomes> {
    let mut applicable = policies.iter().enumerate().filter(|(_, policy)| policy.applies(head));
    let Some((place, first)) = applicable.next() else { return Step::Ready(Outcomes::default()) };
    let second = applicable.next();
    if second.is_none() && !first.is_charged_by_response() {
        return match place {
            // `map` would move the decision, which is slow right after it has been written.
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

/// Takes or holds the units of a request from all policies, or from none.
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
