//! [`After`]: what remains to be done when the service has answered.
//!
//! A request charged by its response reserves its units before the call, so no more requests of a
//! key are in flight than the quota has units left. The units are then charged, unless there is a
//! response and the policy does not charge it. A limiter in this process counts reserved units
//! apart from those on record: see `Hold`. A limiter on a server has no such count, shared by all
//! processes, so it takes the units, and refunds them later.

use std::sync::Arc;
use std::time::Instant;

use http::Response;

use crate::headers::RateHeaders;
use crate::outcome::{Call, Outcomes};
use crate::policy::Policy;
use crate::settings::Settings;
use crate::step::{Later, Step, all};

/// What remains to be done when the service has answered an allowed request.
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
                // Dropping units charges them.
                outcome.units = None;
            }
        }
        let steps: Vec<_> = outcomes.into_iter().map(|outcome| outcome.settle(elapsed)).collect();
        Box::pin(async move { settings.headers(&Outcomes::Many(all(steps).await), &keys, None) })
    }
}

/// A request that a policy in shadow mode charges by its response. It reserves nothing, since such
/// a policy denies nothing.
pub(crate) struct Shadow {
    policy: Arc<Policy>,
    /// `None` once the response has decided.
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
            // Anything to be awaited is dropped: the runtime may have ended.
            drop(self.policy.observe(prepared, Call::Check));
        }
    }
}
