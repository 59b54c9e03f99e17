//! [`PolicyError`].

use std::error::Error;
use std::fmt;

/// Why a policy is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// The name is empty or not printable ASCII.
    InvalidName,
    /// The unit is empty or not printable ASCII.
    InvalidUnit,
    /// The status for requests without a key is neither 4xx nor 5xx.
    InvalidStatus,
    /// The status for requests without a key requires a header: see
    /// [`MissingKey::Deny`](crate::MissingKey::Deny).
    StatusRequiresHeader,
    /// The challenge for requests without a key does not begin with the name of a scheme, or is not
    /// printable ASCII.
    InvalidChallenge,
    /// The function for [per-key quotas](crate::Policy::with_quota_by) takes a type other than that
    /// of the keys.
    OtherKey,
    /// The limiter does not accept [per-key quotas](crate::Policy::with_quota_by): it has several
    /// quotas, or accepts no quota with a call.
    QuotaNotByKey,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PolicyError::InvalidName => "name of a policy is empty or not printable ASCII",
            PolicyError::InvalidUnit => "unit of a quota is empty or not printable ASCII",
            PolicyError::InvalidStatus => "status for requests without a key is not 4xx or 5xx",
            PolicyError::StatusRequiresHeader => {
                "status for requests without a key requires a header: for 401, use \
                 `MissingKey::Challenge`"
            }
            PolicyError::InvalidChallenge => {
                "challenge for requests without a key has no scheme or is not printable ASCII"
            }
            PolicyError::OtherKey => "quota by key is a function of another type than the keys",
            PolicyError::QuotaNotByKey => "limiter does not take a quota by key",
        })
    }
}

impl Error for PolicyError {}
