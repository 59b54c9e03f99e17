//! [`Rejection`]: why a request is rejected, and the response to it.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use zset_std::Verdict;

use crate::headers::quoted;
use crate::outcome::{Answer, FailedLimiter, Outcomes};
use crate::policy::Policy;

/// Why a request is rejected.
#[derive(Debug)]
#[non_exhaustive]
pub enum Rejection<'a> {
    /// The request exceeds the quota of one or more policies.
    QuotaExceeded {
        /// The names of the policies.
        policies: Vec<&'a str>,
        /// The wait until all of these policies allow the request, unless other requests take the
        /// units in the meantime; `None` if one of them can never allow it, since the cost of the
        /// request exceeds its limit.
        retry_after: Option<Duration>,
    },
    /// The request has no key.
    MissingKey {
        /// The name of the policy.
        policy: &'a str,
        /// The policy's status for such requests.
        status: StatusCode,
        /// The value of `WWW-Authenticate`, if the status is 401.
        challenge: Option<&'a HeaderValue>,
    },
    /// A limiter has failed.
    LimiterFailed {
        /// The name of the policy.
        policy: &'a str,
        /// The error of the limiter.
        error: &'a (dyn Error + Send + Sync + 'static),
    },
}

impl<'a> Rejection<'a> {
    /// Returns why a request is rejected, if it is. A missing key takes precedence over a failed
    /// limiter, and a failed limiter over an exceeded quota.
    pub(crate) fn of(policies: &'a [Arc<Policy>], outcomes: &'a Outcomes) -> Option<Self> {
        let mut violated = Vec::new();
        let mut longest = Some(Duration::ZERO);
        let mut failed = None;
        for outcome in outcomes.iter() {
            let Policy { name, challenge, .. } = &*policies[outcome.place];
            let policy = name.as_str();
            match &outcome.answer {
                Answer::MissingKey(status) => {
                    let challenge = challenge.as_ref();
                    return Some(Rejection::MissingKey { policy, status: *status, challenge });
                }
                Answer::Failed(error, FailedLimiter::Deny, _) => {
                    let error = &**error;
                    failed = failed.or(Some(Rejection::LimiterFailed { policy, error }));
                }
                Answer::Decided(decision, _) => match decision.verdict {
                    Verdict::Allowed => {}
                    Verdict::Denied { retry_after } => {
                        violated.push(policy);
                        longest = longest.map(|longest| longest.max(retry_after));
                    }
                    Verdict::Never => {
                        violated.push(policy);
                        longest = None;
                    }
                },
                Answer::Skipped | Answer::Failed(_, FailedLimiter::Allow, _) => {}
            }
        }
        let exceeded = Rejection::QuotaExceeded { policies: violated, retry_after: longest };
        failed.or_else(|| outcomes.is_rejection().then_some(exceeded))
    }

    /// Returns the status of the response: 429 if retrying makes sense, 413 if the cost of the
    /// request exceeds a limit, 503 if a limiter has failed, or the status for requests without a
    /// key. **O(1)**.
    pub fn status(&self) -> StatusCode {
        match self {
            Rejection::QuotaExceeded { retry_after: Some(_), .. } => StatusCode::TOO_MANY_REQUESTS,
            Rejection::QuotaExceeded { retry_after: None, .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Rejection::MissingKey { status, .. } => *status,
            Rejection::LimiterFailed { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns the default response: a problem details object, RFC 9457. **O(n)** for n policies.
    ///
    /// For an exceeded quota, its type is the one registered by
    /// [draft-ietf-httpapi-ratelimit-headers](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/).
    /// The error of a limiter is not shown to clients.
    pub fn to_problem(&self) -> Response<Bytes> {
        let (kind, title, policies) = match self {
            Rejection::QuotaExceeded { policies, .. } => (
                "https://iana.org/assignments/http-problem-types#quota-exceeded",
                "Request cannot be satisfied as assigned quota has been exceeded",
                policies.as_slice(),
            ),
            Rejection::MissingKey { .. } => {
                ("about:blank", "Request has nothing to count it by", &[][..])
            }
            Rejection::LimiterFailed { .. } => {
                ("about:blank", "Request cannot be counted at present", &[][..])
            }
        };
        let status = self.status();
        let names: Vec<_> = policies.iter().map(|policy| quoted(policy)).collect();
        let violated = match names.join(",") {
            names if names.is_empty() => names,
            names => format!(r#","violated-policies":[{names}]"#),
        };
        let code = status.as_u16();
        let body = format!(r#"{{"type":"{kind}","title":"{title}","status":{code}{violated}}}"#);
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = status;
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }

    /// Returns a response for gRPC clients: status 200 with `grpc-status`, which is
    /// `RESOURCE_EXHAUSTED` for an exceeded quota. **O(1)**.
    pub fn to_grpc(&self) -> Response<Bytes> {
        let (code, message) = match self {
            Rejection::QuotaExceeded { .. } => ("8", "quota exceeded"),
            Rejection::MissingKey { status, .. } => {
                let code = match *status {
                    StatusCode::UNAUTHORIZED => "16",
                    StatusCode::FORBIDDEN => "7",
                    _ => "3",
                };
                (code, "request has nothing to count it by")
            }
            Rejection::LimiterFailed { .. } => ("14", "request cannot be counted at present"),
        };
        let mut response = Response::new(Bytes::new());
        for (name, value) in [
            (CONTENT_TYPE, "application/grpc"),
            (HeaderName::from_static("grpc-status"), code),
            (HeaderName::from_static("grpc-message"), message),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
