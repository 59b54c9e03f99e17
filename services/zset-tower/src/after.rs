//! [`After`]: the work that remains when the inner service has responded.
//!
//! A policy whose charges depend on the response reserves a request's units before the inner
//! service is called. So the concurrent requests of a key cannot use more units than the key has
//! remaining. The units are charged if the policy charges for the response, or if there is no
//! response. A limiter in this process holds reserved units apart from the recorded ones: see
//! `Hold`. A limiter on a server cannot hold units: it takes them before the call, and may refund
//! them after the response.

use std::sync::Arc;
use std::time::Instant;

use http::Response;

use crate::headers::RateHeaders;
use crate::outcome::{Call, Outcomes};
use crate::policy::Policy;
use crate::settings::Settings;
use crate::step::{Later, Step, all};

/// The work that remains when the inner service has responded to an allowed request.
pub(crate) enum After {
    /// The headers to add to the response.
    Headers(Box<RateHeaders>),
    Settle(Box<Unsettled>),
}

/// The units and headers that depend on the response. Without a response, all units are charged.
pub(crate) struct Unsettled {
    pub(crate) settings: Arc<Settings>,
    pub(crate) outcomes: Outcomes,
    /// The partition keys of the policies that have decided.
    pub(crate) keys: Vec<String>,
    pub(crate) decided: Instant,
    pub(crate) shadows: Vec<Shadow>,
}

impl Unsettled {
    /// Charges or refunds the units of an answered request, and returns the headers.
    pub(crate) fn settle(self, response: &Response<()>) -> Later<Option<Box<RateHeaders>>> {
        let Unsettled { settings, outcomes, keys, decided, shadows } = self;
        for shadow in shadows {
            shadow.settle(response);
        }
        let elapsed = decided.elapsed();
        let mut outcomes = outcomes.into_vec();
        for outcome in outcomes.iter_mut().filter(|outcome| outcome.units.is_some()) {
            if settings.policies[outcome.place].is_charged(response) {
                // Dropping the units charges them: a dropped hold is charged, and a server has
                // already taken the units.
                outcome.units = None;
            }
        }
        let steps: Vec<_> = outcomes.into_iter().map(|outcome| outcome.settle(elapsed)).collect();
        Box::pin(async move { settings.headers(&Outcomes::Many(all(steps).await), &keys, None) })
    }
}

/// A request that a policy in shadow mode charges depending on its response. It reserves nothing,
/// since such a policy denies nothing.
pub(crate) struct Shadow {
    policy: Arc<Policy>,
    /// `None` once it is settled.
    prepared: Option<Step<Outcomes>>,
}

impl Shadow {
    pub(crate) fn new(policy: Arc<Policy>, prepared: Step<Outcomes>) -> Self {
        Shadow { policy, prepared: Some(prepared) }
    }

    fn settle(mut self, response: &Response<()>) {
        let call = if self.policy.is_charged(response) { Call::Check } else { Call::Peek };
        if let Some(prepared) = self.prepared.take() {
            if let Some(check) = self.policy.observe(prepared, call) {
                self.policy.spawn(check);
            }
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        if let Some(prepared) = self.prepared.take() {
            // If the check must be awaited, it is not made: there may be no runtime to run it.
            drop(self.policy.observe(prepared, Call::Check));
        }
    }
}
