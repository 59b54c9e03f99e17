//! The headers of a response, as in draft-ietf-httpapi-ratelimit-headers-11.
//!
//! ```text
//! RateLimit-Policy: "per-ip";q=100;w=60, "daily";q=1000;w=86400
//! RateLimit: "per-ip";r=50;t=30, "daily";r=912;t=86000
//! ```

use std::sync::Arc;

use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderName, HeaderValue};
use zset_std::Decision;

use crate::decide::{Applied, Outcomes};
use crate::policy::{Outcome, Policy};
use crate::structured::seconds;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LEGACY: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// Which headers the responses have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shown {
    Nothing,
    Standard,
    StandardAndLegacy,
}

/// The headers of one response.
pub(crate) struct RateHeaders {
    policy: HeaderValue,
    limit: HeaderValue,
    /// The values of [`LEGACY`].
    legacy: Option<[u64; 3]>,
}

impl RateHeaders {
    /// Renders the headers; `None` if no policy has decided. `retry_after` is the value of `Retry-After`, if
    /// the request is rejected: no effective window ends after it.
    pub(crate) fn render(
        shown: Shown,
        policies: &[Arc<Policy>],
        outcomes: &Outcomes,
        retry_after: Option<u64>,
    ) -> Option<Self> {
        if matches!(shown, Shown::Nothing) {
            return None;
        }
        let mut decided = outcomes.iter().filter_map(|Applied { place, outcome }| match outcome {
            Outcome::Decided(decision) => Some((&*policies[*place], decision)),
            _ => None,
        });
        let all = decided.clone();
        let (first, decision) = decided.next()?;
        let is_single = decided.next().is_none();
        let policy = match &first.item {
            Some(item) if is_single => item.clone(),
            _ => {
                let items = all.clone().map(|(policy, decision)| policy.item(decision.limit));
                HeaderValue::try_from(items.collect::<Vec<_>>().join(", ")).ok()?
            }
        };
        let mut limit = Vec::with_capacity(if is_single { first.quoted.len() + 32 } else { 128 });
        for (policy, decision) in all.clone() {
            if !limit.is_empty() {
                limit.extend_from_slice(b", ");
            }
            limit.extend_from_slice(policy.quoted.as_bytes());
            push_number(&mut limit, b";r=", decision.remaining.into());
            push_number(&mut limit, b";t=", effective_window(decision, retry_after));
        }
        let legacy = matches!(shown, Shown::StandardAndLegacy).then(|| {
            let strictest = all
                .map(|(_, decision)| decision)
                .min_by_key(|decision| (decision.is_allowed(), decision.remaining, decision.limit));
            let decision = strictest.unwrap_or(decision);
            let Decision { limit, remaining, .. } = *decision;
            [limit.into(), remaining.into(), effective_window(decision, retry_after)]
        });
        Some(RateHeaders { policy, limit: HeaderValue::try_from(limit).ok()?, legacy })
    }

    /// Adds the headers. If an inner layer has added its own, both are in the list.
    pub(crate) fn add_to(self, headers: &mut HeaderMap) {
        headers.append(RATE_LIMIT_POLICY, self.policy);
        headers.append(RATE_LIMIT, self.limit);
        for (name, value) in LEGACY.into_iter().zip(self.legacy.into_iter().flatten()) {
            headers.entry(name).or_insert_with(|| value.into());
        }
    }
}

/// Adds `Retry-After`, unless the response has it.
pub(crate) fn add_retry_after(headers: &mut HeaderMap, seconds: u64) {
    headers.entry(RETRY_AFTER).or_insert_with(|| seconds.into());
}

/// Returns the seconds in which no more than the remaining units should be used.
fn effective_window(decision: &Decision, retry_after: Option<u64>) -> u64 {
    seconds(decision.reset_after).min(retry_after.unwrap_or(u64::MAX))
}

fn push_number(text: &mut Vec<u8>, name: &[u8], number: u64) {
    text.extend_from_slice(name);
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
