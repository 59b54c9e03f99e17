//! [`After`]: the work of the layer after the service has answered.
//!
//! A request charged by its response reserves its units before the call, so no more requests of a
//! key are in flight than the quota has units left. The units are then charged, unless there is a
//! response and the policy does not charge it. A limiter in this process holds reserved units beside
//! those on record: see `KeyedLimiter::hold`. A limiter on a server has no such count, shared by all
//! processes, so it takes the units, and refunds them later.

use std::sync::Arc;
use std::time::Instant;

use http::Response;

use crate::decide::{Outcomes, put_back};
use crate::headers::RateHeaders;
use crate::layer::Settings;
use crate::policy::{Action, Outcome, Policy, Resolved};
use crate::step::{Later, Step, all};

/// The units and headers that depend on the response. Without a response, all units are charged.
pub(crate) struct After {
    pub(crate) settings: Arc<Settings>,
    pub(crate) outcomes: Outcomes,
    /// The partition keys of the policies that have decided.
    pub(crate) keys: Vec<String>,
    pub(crate) decided: Instant,
    pub(crate) shadows: Vec<Shadow>,
}

impl After {
    /// Charges or refunds the units of an answered request, and returns the headers.
    pub(crate) fn settle(
        mut self: Box<Self>,
        response: &Response<()>,
    ) -> Later<Option<Box<RateHeaders>>> {
        for shadow in self.shadows.drain(..) {
            shadow.settle(response);
        }
        let elapsed = self.decided.elapsed();
        let mut refunds = Vec::new();
        if let Outcomes::Many(applied, charges) = &mut self.outcomes {
            for charge in charges.drain(..) {
                let applied = &applied[charge.index];
                let Outcome::Decided(decision, _) = &applied.outcome else { continue };
                if !self.settings.policies[applied.place].is_charged(response)
                    && charge.subject.can_refund(elapsed, decision.reset_after)
                {
                    refunds.push((charge.index, charge.subject));
                }
                // Dropping the other units charges them.
            }
        }
        Box::pin(async move {
            let steps = refunds.iter_mut().map(|(_, subject)| subject.refund());
            let refunded = all(steps.collect::<Vec<_>>()).await;
            if let Outcomes::Many(applied, _) = &mut self.outcomes {
                for ((index, _), n) in refunds.iter().zip(refunded) {
                    if let Outcome::Decided(decision, _) = &mut applied[*index].outcome {
                        put_back(decision, n);
                    }
                }
            }
            self.settings.render(&self.outcomes, &self.keys, None)
        })
    }
}

/// A request that a policy in shadow mode charges by its response. It reserves nothing, since such
/// a policy denies nothing.
pub(crate) struct Shadow {
    policy: Arc<Policy>,
    /// `None` once the response has decided.
    subject: Option<Step<Resolved>>,
}

impl Shadow {
    pub(crate) fn new(policy: Arc<Policy>, subject: Step<Resolved>) -> Self {
        Shadow { policy, subject: Some(subject) }
    }

    fn settle(mut self, response: &Response<()>) {
        let is_charged = self.policy.is_charged(response);
        let action = if is_charged { Action::Check } else { Action::Peek };
        if let Some(subject) = self.subject.take() {
            if let Some(check) = self.policy.observe(subject, action) {
                self.policy.spawn(check);
            }
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        if let Some(subject) = self.subject.take() {
            // Anything to be awaited is dropped: the runtime may have ended.
            drop(self.policy.observe(subject, Action::Check));
        }
    }
}
