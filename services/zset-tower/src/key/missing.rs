//! [`MissingKey`]: what happens to a request without a key.

use http::{HeaderValue, StatusCode};

use super::forwarded::token;
use crate::decide::Answer;
use crate::policy::PolicyError;

/// The errors that require a header, RFC 9110: `WWW-Authenticate`, `Allow`, `Proxy-Authenticate`
/// and `Upgrade`.
const REQUIRING_A_HEADER: [StatusCode; 4] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::PROXY_AUTHENTICATION_REQUIRED,
    StatusCode::UPGRADE_REQUIRED,
];

/// What happens to a request without a key. There is no default, since each choice is wrong for
/// some services.
///
/// A client must not be able to avoid a limit by omitting its key, so use [`Allow`](Self::Allow)
/// only together with another policy that limits such requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKey<K> {
    /// The policy does not apply to the request.
    Allow,
    /// The request is rejected with this status; [`deny`](Self::deny) is for 403.
    ///
    /// Creating a policy fails unless the status is 4xx or 5xx. Statuses that require a header are
    /// not valid either: 405, 407, 426, and 401, for which there is [`Challenge`](Self::Challenge).
    Deny(StatusCode),
    /// The request is rejected with status 401 and this value of `WWW-Authenticate`, such as
    /// `Bearer realm="api"`, which shows the client how to authenticate.
    ///
    /// [`with_response`](crate::RateLimitLayer::with_response) can add one that is known only at
    /// run time.
    Challenge(&'static str),
    /// The request counts towards this key, shared by all requests without a key.
    Shared(K),
}

impl<K> MissingKey<K> {
    /// Returns the choice to reject the request with status 403. **O(1)**.
    pub const fn deny() -> Self {
        MissingKey::Deny(StatusCode::FORBIDDEN)
    }

    /// Checks that a valid response is possible; returns its challenge, if it has one.
    pub(crate) fn challenge(&self) -> Result<Option<HeaderValue>, PolicyError> {
        match self {
            MissingKey::Deny(status) if REQUIRING_A_HEADER.contains(status) => {
                Err(PolicyError::StatusRequiresHeader)
            }
            MissingKey::Deny(status) if !status.is_client_error() && !status.is_server_error() => {
                Err(PolicyError::InvalidStatus)
            }
            MissingKey::Allow | MissingKey::Deny(_) | MissingKey::Shared(_) => Ok(None),
            MissingKey::Challenge(challenge) => {
                let scheme = token(challenge.as_bytes());
                let is_valid = matches!(scheme, Some((_, [] | [b' ', ..])))
                    && challenge.bytes().all(|it| matches!(it, b' '..=b'~'));
                let value = HeaderValue::from_str(challenge).ok().filter(|_| is_valid);
                value.map(Some).ok_or(PolicyError::InvalidChallenge)
            }
        }
    }

    /// Returns the key of a request, or the one that replaces a missing one.
    #[inline]
    pub(crate) fn or<'a>(&'a self, key: Option<&'a K>) -> Result<&'a K, Answer> {
        match (key, self) {
            (Some(key), _) | (None, MissingKey::Shared(key)) => Ok(key),
            (None, MissingKey::Allow) => Err(Answer::Skipped),
            (None, MissingKey::Deny(status)) => Err(Answer::MissingKey(*status)),
            (None, MissingKey::Challenge(_)) => Err(Answer::MissingKey(StatusCode::UNAUTHORIZED)),
        }
    }
}
