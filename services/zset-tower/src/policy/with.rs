//! Builder methods of a policy.

use std::future::Future;
use std::pin::Pin;

use http::{HeaderValue, Response};
use zset_std::Quota;

use super::{Policy, PolicyError};
use crate::request_head::RequestHead;
use crate::structured;

impl Policy {
    /// Returns the policy with a condition: it applies only to requests for which `condition`
    /// returns `true`. **O(1)**.
    pub fn when(
        mut self,
        condition: impl Fn(&RequestHead<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.condition = Some(Box::new(condition));
        self
    }

    /// Returns the policy with a cost: the units that a request takes, instead of one. **O(1)**.
    /// See the example of [`with_quota_unit`](Self::with_quota_unit).
    ///
    /// A request of cost 0 is always allowed. A request whose cost exceeds the limit never is: it
    /// is rejected with status 413, without `Retry-After`.
    pub fn with_cost(
        mut self,
        cost: impl Fn(&RequestHead<'_>) -> u32 + Send + Sync + 'static,
    ) -> Self {
        self.cost = Some(Box::new(cost));
        self
    }

    /// Returns the policy charging by outcome: a request takes units only if `is_charged` returns
    /// `true` for its response, which is passed without its body. **O(1)**.
    ///
    /// A key without units left is denied without calling the service. Requests in flight hold
    /// their units until they are answered, so no more are charged than the quota allows, however
    /// many are concurrent. Requests beyond that are denied, even though those in flight may not be
    /// charged in the end; if only requests in flight are in the way, `Retry-After` is a second.
    /// Those of keys without room [share the limit](zset_std::WhenFull::SharedBucket) of their
    /// bucket. The layer's other policies take their units as always.
    ///
    /// A request without a response is charged: the service has failed or panicked, or the future
    /// was dropped, e.g. because the client disconnected. Otherwise, a client could avoid charges
    /// by not waiting for responses.
    ///
    /// With a limiter in this process, units are [held](zset_std::KeyedLimiter::hold), and recorded
    /// only when the response is available, so an [`Observer`](zset_std::Observer) of the limiter
    /// receives the charged units. A limiter whose calls are awaited, or one of your own that does
    /// not hold units, takes the units before the call, and refunds them before the response is
    /// returned. They stay taken if that fails, or if the request took longer than a tenth of the
    /// time in which they come back anyway: a limiter refunds the newest units of a key, and would
    /// forget failures in the meantime too early.
    ///
    /// # Examples
    ///
    /// After three failed logins in a minute, the client gets a captcha, and its next logins are
    /// accepted only with the solution:
    ///
    /// ```
    /// use std::net::SocketAddr;
    /// use std::time::Duration;
    /// use axum::{Router, extract::ConnectInfo, routing::post};
    /// use bytes::Bytes;
    /// use http::{HeaderMap, Response, StatusCode};
    /// use zset_std::Quota;
    /// use zset_tower::key::PeerIp;
    /// use zset_tower::{MissingKey, Policy, RateLimitLayer};
    ///
    /// # fn is_solution(text: &[u8]) -> bool { text == b"7" }
    /// # async fn login() -> StatusCode { StatusCode::UNAUTHORIZED }
    /// fn has_captcha(headers: &HeaderMap) -> bool {
    ///     headers.get("x-captcha").is_some_and(|it| is_solution(it.as_bytes()))
    /// }
    ///
    /// let ip = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
    /// let quota = Quota::new(3, Duration::from_secs(60))?;
    /// let failed_logins = Policy::window("failed-logins", quota, ip, MissingKey::deny())?
    ///     .when(|head| !has_captcha(head.headers))
    ///     .charge_if(|response| response.status() == StatusCode::UNAUTHORIZED);
    /// let layer = RateLimitLayer::new(failed_logins).with_response(|rejection, _| {
    ///     let mut captcha = Response::new(Bytes::from_static(b"<p>What is three and four?"));
    ///     *captcha.status_mut() = rejection.status();
    ///     captcha
    /// });
    /// let router: Router = Router::new().route("/login", post(login).layer(layer));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// In production, another policy should also bound the attempts with a captcha.
    pub fn charge_if(
        mut self,
        is_charged: impl Fn(&Response<()>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.is_charged = Some(Box::new(is_charged));
        self
    }

    /// Returns the policy in shadow mode, for trying a limit on live traffic: it decides and
    /// reports, and never rejects. **O(1)**.
    ///
    /// - Its decisions are reported by the [features](crate#features) `tracing` and `metrics`, with
    ///   the field `shadow=true`, and as outcomes such as `shadow_denied`.
    /// - The limiter must not be shared with other policies. So an [`Observer`](zset_std::Observer)
    ///   or a failure observer of this limiter receives only decisions in shadow mode.
    /// - Responses do not reveal it. Requests pass, including those without a key and those whose
    ///   limiter fails, whatever was chosen for these cases.
    /// - It counts the requests that the layer's other policies allow, as if it could deny. Each of
    ///   several policies in shadow mode decides as if it were the only one.
    /// - It never delays the request. Anything to await, i.e. limiters on servers and keys by
    ///   asynchronous functions, is passed to `spawn`, which must run it. Otherwise `spawn` is not
    ///   called, and can be [`drop`].
    /// - If it [charges by outcome](Self::charge_if), it decides when the response is available. One
    ///   that is not charged is only peeked at: it is reported, and is not a denial for the limiter.
    ///   A request without a response is not counted if its decision must be awaited.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{AsyncKeyedLimiter, Quota};
    /// use zset_tower::key::{Key, PeerIp};
    /// use zset_tower::{MissingKey, OnFailure, Policy, PolicyError, RateLimitLayer};
    ///
    /// # fn layer<L>(on_server: L) -> Result<RateLimitLayer, Box<dyn std::error::Error>>
    /// # where
    /// #     L: AsyncKeyedLimiter<String, Error: std::error::Error + Send + Sync + 'static>,
    /// #     L: Send + Sync + 'static,
    /// # {
    /// let minute = Duration::from_secs(60);
    /// let deny = MissingKey::deny();
    /// let current = Policy::window("current", Quota::new(100, minute)?, PeerIp::new(), deny)?;
    /// let stricter = Policy::window("stricter", Quota::new(50, minute)?, PeerIp::new(), deny)?
    ///     .shadow(drop);
    ///
    /// // One whose limiter is on a server.
    /// let key = PeerIp::new().map(|address| address.to_string());
    /// let deny = MissingKey::deny();
    /// let shared = Policy::new_async("shared", on_server, key, deny, OnFailure::Pass)?
    ///     .shadow(|check| drop(tokio::spawn(check)));
    /// let layer = RateLimitLayer::new(current).with_policy(stricter).with_policy(shared);
    /// # Ok(layer)
    /// # }
    /// ```
    pub fn shadow(
        mut self,
        spawn: impl Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync + 'static,
    ) -> Self {
        self.spawn = Some(Box::new(spawn));
        self
    }

    /// Returns the policy with the quota of its limiter, to show in `RateLimit-Policy`. **O(1)**.
    ///
    /// Without it, the header shows only the limit. With it, `w` is the time in which the limit is
    /// regained at the rate of the quota, in whole seconds, rounded up: ten a second, and up to
    /// fifty at once, are shown as `q=50;w=5`.
    pub fn with_quota(mut self, quota: Quota) -> Self {
        self.quota = Some(quota);
        self.render();
        self
    }

    /// Returns the policy with a unit of its quota to show in `RateLimit-Policy`, such as
    /// `content-bytes`, if its [cost](Self::with_cost) is not in requests. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the unit is not printable ASCII.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use http::header::CONTENT_LENGTH;
    /// use zset_std::Quota;
    /// use zset_tower::key::Global;
    /// use zset_tower::{MissingKey, Policy};
    ///
    /// // A megabyte a minute. A request that does not declare its length is rejected.
    /// let quota = Quota::new(1_000_000, Duration::from_secs(60))?;
    /// let policy = Policy::funnel("uploads", quota, Global, MissingKey::Allow)?
    ///     .with_quota_unit("content-bytes")?
    ///     .with_cost(|head| {
    ///         let length = head.headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    ///         length.and_then(|it| it.parse().ok()).unwrap_or(u32::MAX)
    ///     });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_quota_unit(mut self, unit: &str) -> Result<Self, PolicyError> {
        self.unit = Some(structured::string(unit).ok_or(PolicyError::InvalidUnit)?);
        self.render();
        Ok(self)
    }

    /// Returns the policy with a partition key to show in both headers, as `pk`: it shows a client
    /// which of its requests share a quota. **O(1)**.
    ///
    /// A request for which `partition_key` returns `None` has none. The key is shown unchanged, so
    /// for a secret, such as a token, return a hash. Derive it from the same data as the policy's
    /// [`Key`](crate::Key): different keys of the limiter need different partition keys.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use http::HeaderName;
    /// use zset_std::Quota;
    /// use zset_tower::key::Header;
    /// use zset_tower::{MissingKey, Policy};
    ///
    /// let tenant = Header::new(HeaderName::from_static("x-tenant"));
    /// let quota = Quota::new(100, Duration::from_secs(60))?;
    /// // RateLimit-Policy: "tenant";q=100;w=60;pk=:YWNtZQ==:
    /// let policy = Policy::window("tenant", quota, tenant, MissingKey::deny())?
    ///     .with_partition_key(|head| Some(head.headers.get("x-tenant")?.as_bytes().to_vec()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_partition_key<B: AsRef<[u8]>>(
        mut self,
        partition_key: impl Fn(&RequestHead<'_>) -> Option<B> + Send + Sync + 'static,
    ) -> Self {
        self.partition_key = Some(Box::new(move |head| {
            let key = structured::byte_sequence(partition_key(head)?.as_ref());
            Some(format!(";pk={key}"))
        }));
        self
    }

    /// Renders the constant parts.
    fn render(&mut self) {
        self.item = self.quota.and_then(|quota| {
            let limit = quota.capacity();
            Some((limit, HeaderValue::try_from(self.item(limit)).ok()?))
        });
    }
}
