//! [`MissingKey`]: what happens to a request without a key.

use http::StatusCode;

/// What happens to a request without a key: there is no default, since each choice is wrong for some
/// service.
///
/// A client must not get around a limit by leaving out its key, so [`Allow`](Self::Allow) is for
/// policies beside which another one limits such requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKey<K> {
    /// The policy does not apply to the request.
    Allow,
    /// The request is rejected with this status.
    Deny(StatusCode),
    /// The request counts towards this key, shared by all requests without a key.
    Shared(K),
}

impl<K> MissingKey<K> {
    /// Returns the key that stands for a missing one.
    pub(crate) fn substitute(&self) -> Result<&K, Unkeyed> {
        match self {
            MissingKey::Allow => Err(Unkeyed::Allowed),
            MissingKey::Deny(status) => Err(Unkeyed::Denied(*status)),
            MissingKey::Shared(key) => Ok(key),
        }
    }
}

/// The decision on a request without a key.
#[derive(Clone, Copy)]
pub(crate) enum Unkeyed {
    Allowed,
    Denied(StatusCode),
}
