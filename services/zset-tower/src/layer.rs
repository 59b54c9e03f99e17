//! [`RateLimitLayer`].

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use tower_layer::Layer;

use crate::headers::Shown;
use crate::policy::Policy;
use crate::rejection::Rejection;
use crate::request_head::RequestHead;
use crate::service::RateLimit;
use crate::settings::Settings;

/// A layer that limits the rate of requests by one or more [policies](Policy).
///
/// Clones of a layer and of its services share the state of the limiters, so the limits hold for
/// all connections together.
///
/// # Examples
///
/// ```
/// use std::convert::Infallible;
/// use std::net::SocketAddr;
/// use std::time::Duration;
/// use http::{Request, Response};
/// use tower::{Layer, ServiceExt, service_fn};
/// use zset_std::Quota;
/// use zset_tower::key::PeerIp;
/// use zset_tower::{MissingKey, Policy, RateLimitLayer};
///
/// let quota = Quota::new(1, Duration::from_secs(60))?;
/// let per_ip = Policy::window("per-ip", quota, PeerIp::new(), MissingKey::deny())?;
/// let service = RateLimitLayer::new(per_ip).layer(service_fn(|_: Request<String>| async {
///     Ok::<_, Infallible>(Response::new(String::from("hello")))
/// }));
///
/// let request = || {
///     let mut request = Request::new(String::new());
///     request.extensions_mut().insert(SocketAddr::from(([192, 0, 2, 1], 50_000)));
///     request
/// };
/// pollster::block_on(async {
///     let response = service.clone().oneshot(request()).await.unwrap();
///     assert_eq!(response.status(), 200);
///     assert_eq!(response.headers()["ratelimit-policy"], r#""per-ip";q=1;w=60"#);
///     assert_eq!(response.headers()["ratelimit"], r#""per-ip";r=0;t=60"#);
///     let response = service.clone().oneshot(request()).await.unwrap();
///     assert_eq!(response.status(), 429);
///     assert_eq!(response.headers()["retry-after"], "60");
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RateLimitLayer {
    settings: Settings,
}

impl RateLimitLayer {
    /// Creates a layer with one policy. **O(1)**.
    pub fn new(policy: Policy) -> Self {
        let settings = Settings {
            policies: Vec::new(),
            shadows: Vec::new(),
            shown: Shown::Standard,
            is_plain: true,
            respond: None,
        };
        RateLimitLayer { settings }.with_policy(policy)
    }

    /// Returns the layer with an additional policy. **O(1)**.
    ///
    /// All policies that apply to a request must allow it, and a request denied by one of them
    /// takes nothing from the others. With several policies, units that are refunded an instant
    /// later may look taken to concurrent requests, so the layer errs on the side of denying. If a
    /// limiter fails to refund, or a client disconnects while limiters are awaited, units stay
    /// taken. For policies in shadow mode, see [`Policy::shadow`].
    pub fn with_policy(mut self, policy: Policy) -> Self {
        let settings = &mut self.settings;
        settings.is_plain &= policy.is_plain();
        let is_shadow = policy.is_shadow();
        let policies = if is_shadow { &mut settings.shadows } else { &mut settings.policies };
        policies.push(Arc::new(policy));
        self
    }

    /// Returns the layer with the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and
    /// `X-RateLimit-Reset` in addition to the standard ones. **O(1)**.
    ///
    /// These headers describe one policy: of those that deny, the one with the longest wait;
    /// otherwise the one with the fewest units left or, if these are equal, the one that resets
    /// last. `X-RateLimit-Reset` is a number of seconds from now.
    pub fn with_legacy_headers(mut self) -> Self {
        self.settings.shown = Shown::StandardAndLegacy;
        self
    }

    /// Returns the layer without headers about limits; responses with status 429 still have
    /// `Retry-After`. **O(1)**.
    pub fn without_headers(mut self) -> Self {
        self.settings.shown = Shown::Nothing;
        self
    }

    /// Returns the layer with a different response to rejected requests than [problem
    /// details](Rejection::to_problem). **O(1)**.
    ///
    /// The layer adds its headers to the response. Unless the response has them, it also adds
    /// `Retry-After` and, if the status is 401, the [challenge](crate::MissingKey::Challenge) of
    /// the policy.
    ///
    /// # Examples
    ///
    /// A page for people, and problem details for programs:
    ///
    /// ```
    /// # use std::time::Duration;
    /// use bytes::Bytes;
    /// use http::Response;
    /// use http::header::ACCEPT;
    /// # use zset_std::Quota;
    /// # use zset_tower::key::Global;
    /// # use zset_tower::{MissingKey, Policy, RateLimitLayer};
    /// # let quota = Quota::new(1000, Duration::from_secs(1))?;
    /// # let policy = Policy::funnel("all", quota, Global::new(), MissingKey::Allow)?;
    ///
    /// let layer = RateLimitLayer::new(policy).with_response(|rejection, head| {
    ///     let accept = head.headers.get(ACCEPT).and_then(|it| it.to_str().ok());
    ///     if !accept.is_some_and(|it| it.contains("text/html")) {
    ///         return rejection.to_problem();
    ///     }
    ///     let mut response = Response::new(Bytes::from_static(b"<p>Please wait a little."));
    ///     *response.status_mut() = rejection.status();
    ///     response
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// For gRPC:
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use zset_std::Quota;
    /// # use zset_tower::key::Global;
    /// # use zset_tower::{MissingKey, Policy, RateLimitLayer};
    /// # let quota = Quota::new(1000, Duration::from_secs(1))?;
    /// # let policy = Policy::funnel("all", quota, Global::new(), MissingKey::Allow)?;
    /// let layer = RateLimitLayer::new(policy).with_response(|rejection, _| rejection.to_grpc());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_response(
        mut self,
        respond: impl Fn(&Rejection<'_>, &RequestHead<'_>) -> Response<Bytes> + Send + Sync + 'static,
    ) -> Self {
        self.settings.respond = Some(Arc::new(respond));
        self
    }
}

impl<S> Layer<S> for RateLimitLayer {
    type Service = RateLimit<S>;

    fn layer(&self, inner: S) -> RateLimit<S> {
        RateLimit::new(inner, Arc::new(self.settings.clone()))
    }
}

impl fmt::Debug for RateLimitLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("RateLimitLayer");
        debug.field("policies", &self.settings.policies).field("shadows", &self.settings.shadows);
        debug.finish_non_exhaustive()
    }
}
