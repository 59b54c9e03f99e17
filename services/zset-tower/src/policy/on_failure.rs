//! [`OnFailure`]: what happens when a limiter fails.

/// What happens to a request when the limiter fails, e.g. since its server cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The request is rejected with status 503: the inner service stays protected.
    ServiceUnavailable,
    /// The policy does not apply to the request: the service stays available.
    Pass,
}
