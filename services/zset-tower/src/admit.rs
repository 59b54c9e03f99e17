//! Admits or rejects a request, once the policies have decided on it.

use std::mem;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};

use crate::after::{After, Shadow, Unsettled};
use crate::headers::seconds;
use crate::outcome::{Call, Outcome, Outcomes};
use crate::rejection::Rejection;
use crate::request_head::RequestHead;
use crate::settings::Settings;
use crate::telemetry::Telemetry;

/// Returns what remains to be done for an allowed request, or the response to a rejected one.
#[inline]
pub(crate) fn admit(
    settings: &Arc<Settings>,
    outcomes: &mut Outcomes,
    head: &RequestHead<'_>,
) -> Result<Option<After>, Box<Response<Bytes>>> {
    let is_rejected = outcomes.is_rejection();
    if Telemetry::IS_ENABLED {
        settings.report(outcomes, is_rejected);
    }
    if is_rejected {
        if let Some(response) = reject(settings, outcomes, head) {
            return Err(response);
        }
    }
    if settings.is_plain {
        return Ok(settings.headers(outcomes, &[], None).map(After::Headers));
    }
    Ok(admit_further(settings, outcomes, head))
}

/// Admits a request to a layer that has policies in shadow mode, policies that charge by the
/// response, or partition keys.
#[cold]
fn admit_further(
    settings: &Arc<Settings>,
    outcomes: &mut Outcomes,
    head: &RequestHead<'_>,
) -> Option<After> {
    let mut shadows = Vec::new();
    for policy in settings.shadows.iter().filter(|policy| policy.applies(head)) {
        if policy.is_charged_by_response() {
            shadows.push(Shadow::new(Arc::clone(policy), policy.prepare(head)));
        } else if let Some(check) = policy.observe(policy.check(head), Call::Check) {
            policy.spawn(check);
        }
    }
    let keys = settings.partition_keys(outcomes, head);
    let by_response = |it: &Outcome| settings.policies[it.place].is_charged_by_response();
    if shadows.is_empty() && !outcomes.iter().any(|it| it.units.is_some() && by_response(it)) {
        return settings.headers(outcomes, &keys, None).map(After::Headers);
    }
    let (settings, decided) = (Arc::clone(settings), Instant::now());
    let outcomes = mem::take(outcomes);
    let unsettled = Unsettled { settings, outcomes, keys, decided, shadows };
    Some(After::Settle(Box::new(unsettled)))
}

#[cold]
fn reject(
    settings: &Settings,
    outcomes: &Outcomes,
    head: &RequestHead<'_>,
) -> Option<Box<Response<Bytes>>> {
    let rejection = Rejection::of(&settings.policies, outcomes)?;
    let mut response = match &settings.respond {
        Some(respond) => respond(&rejection, head),
        None => rejection.to_problem(),
    };
    let mut retry_after = None;
    match rejection {
        Rejection::QuotaExceeded { retry_after: Some(wait), .. } => {
            // `Retry-After: 0` would invite the client to retry immediately.
            let wait = *retry_after.insert(seconds(wait).max(1));
            response.headers_mut().entry(RETRY_AFTER).or_insert_with(|| wait.into());
        }
        Rejection::MissingKey { challenge: Some(challenge), .. }
            if response.status() == StatusCode::UNAUTHORIZED =>
        {
            let challenge = || challenge.clone();
            response.headers_mut().entry(WWW_AUTHENTICATE).or_insert_with(challenge);
        }
        _ => {}
    }
    let keys = settings.partition_keys(outcomes, head);
    if let Some(headers) = settings.headers(outcomes, &keys, retry_after) {
        headers.add_to(response.headers_mut());
    }
    Some(Box::new(response))
}
