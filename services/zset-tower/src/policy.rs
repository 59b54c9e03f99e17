//! [`Policy`]: a named limit.

mod error;
mod limiter;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use http::{HeaderValue, Response, StatusCode};
use zset_std::{AsyncKeyedLimiter, Funnel, Keyed, KeyedLimiter, Quota, SlidingWindow, WhenFull};

use crate::headers::{self, Line};
use crate::key::{Key, MissingKey, token};
use crate::outcome::{Call, FailedLimiter, Outcome, Outcomes};
use crate::request_head::RequestHead;
use crate::step::{Later, Step};
use crate::telemetry::Telemetry;

pub use error::PolicyError;
use limiter::{AnySource, Limiter, Mode, Source, TermsByKey};

/// The maximum number of keys in a limiter that a policy creates. Above it, new keys share a limit.
const MAX_KEYS: usize = 100_000;

/// The statuses that require a header (RFC 9110): `WWW-Authenticate`, `Allow`,
/// `Proxy-Authenticate` and `Upgrade`.
const REQUIRING_A_HEADER: [StatusCode; 4] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::PROXY_AUTHENTICATION_REQUIRED,
    StatusCode::UPGRADE_REQUIRED,
];

/// A function of a request.
type OfRequest<T> = Box<dyn Fn(&RequestHead<'_>) -> T + Send + Sync>;
type IsCharged = Box<dyn Fn(&Response<()>) -> bool + Send + Sync>;
type Spawn = Box<dyn Fn(Later<()>) + Send + Sync>;

/// A named limit: the limiter, the key that a request counts towards, and its cost.
///
/// The name is shown to clients, in the headers and in the body of a rejection. Names should differ
/// among the policies that apply to a request.
///
/// [`window`](Policy::window) and [`funnel`](Policy::funnel) create a limiter in this process with
/// a bounded number of keys. [`new`](Policy::new) takes any limiter in this process, and
/// [`new_async`](Policy::new_async) one whose calls are awaited, e.g. since its state is on a
/// server.
///
/// # Examples
///
/// A hundred requests a minute for each user, and a thousand for those that pay. A request without
/// a user is rejected with status 401:
///
/// ```
/// use std::time::Duration;
/// use zset_std::Quota;
/// use zset_tower::key::Extension;
/// use zset_tower::{MissingKey, Policy, RateLimitLayer};
///
/// /// Inserted into the extensions by the layer that authenticates.
/// #[derive(Clone, PartialEq, Eq, Hash)]
/// struct User(u64);
///
/// # fn pays(user: &User) -> bool { user.0 == 7 }
/// let minute = Duration::from_secs(60);
/// let (free, paid) = (Quota::new(100, minute)?, Quota::new(1000, minute)?);
/// let user = Extension::<User>::new();
/// let policy = Policy::window("per-user", free, user, MissingKey::Challenge("Bearer"))?
///     .with_quota_by(move |user: &User| if pays(user) { paid } else { free })?;
/// let layer = RateLimitLayer::new(policy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Policy {
    pub(crate) name: String,
    /// The name, as a structured field.
    quoted: String,
    /// The limiter's quota when the policy was created, with the capacity if it is a funnel.
    terms: Option<Funnel>,
    /// The unit of the quota, as a structured field; `None` if it is requests.
    unit: Option<String>,
    /// The usual limit and its item in `RateLimit-Policy`, if the quota is known.
    item: Option<(u32, HeaderValue)>,
    /// Returns the parameter `pk` of the headers.
    partition_key: Option<OfRequest<Option<String>>>,
    condition: Option<OfRequest<bool>>,
    cost: Option<OfRequest<u32>>,
    /// Whether a response is charged; `None` charges all requests.
    is_charged: Option<IsCharged>,
    /// Runs the futures of a policy in shadow mode; `None` in any other mode.
    spawn: Option<Spawn>,
    /// The value of `WWW-Authenticate` for requests without a key.
    pub(crate) challenge: Option<HeaderValue>,
    source: Box<dyn AnySource>,
    telemetry: Telemetry,
}

impl Policy {
    /// Creates a policy from a limiter in this process. **O(1)**.
    ///
    /// The headers show the quota of the limiter. If it changes later, they show the new one only
    /// if its limit differs.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the name is empty or not printable ASCII, or if `missing_key` has an
    /// invalid status or challenge.
    pub fn new<L, E>(
        name: &str,
        limiter: L,
        key: E,
        missing_key: MissingKey<E::Key>,
    ) -> Result<Self, PolicyError>
    where
        E: Key,
        L: KeyedLimiter<E::Key> + Send + Sync + 'static,
    {
        Self::of(name, key, missing_key, Limiter::Local(Arc::new(limiter)))
    }

    /// Creates a policy from a limiter whose calls are awaited and may fail, e.g. one whose state
    /// is on a server. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] as for [`new`](Self::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::AsyncKeyedLimiter;
    /// use zset_tower::key::{Key, PeerIp};
    /// use zset_tower::{FailedLimiter, MissingKey, Policy, PolicyError};
    ///
    /// /// Creates a policy from a limiter whose keys are strings.
    /// fn per_ip<L>(limiter: L) -> Result<Policy, PolicyError>
    /// where
    ///     L: AsyncKeyedLimiter<String, Error: std::error::Error + Send + Sync + 'static>,
    ///     L: Send + Sync + 'static,
    /// {
    ///     let key = PeerIp::new().map(|address| address.to_string());
    ///     let missing_key = MissingKey::deny();
    ///     Policy::new_async("per-ip", limiter, key, missing_key, FailedLimiter::Allow)
    /// }
    /// ```
    pub fn new_async<L, E>(
        name: &str,
        limiter: L,
        key: E,
        missing_key: MissingKey<E::Key>,
        failed_limiter: FailedLimiter,
    ) -> Result<Self, PolicyError>
    where
        E: Key,
        L: AsyncKeyedLimiter<E::Key, Error: std::error::Error + Send + Sync + 'static>,
        L: Send + Sync + 'static,
    {
        Self::of(name, key, missing_key, Limiter::remote(limiter, failed_limiter))
    }

    /// Creates a policy that allows at most `quota.count()` units in any period, exactly, for each
    /// key. **O(1)**.
    ///
    /// The number of keys is bounded, since clients choose them: above 100,000 keys in use, new
    /// ones share one window. A key has an entry for each allowed request of the last period; for
    /// large counts, [`funnel`](Self::funnel) needs less memory. For another bound, create the
    /// limiter yourself and pass it to [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// [`PolicyError`] as for [`new`](Self::new).
    pub fn window<E: Key<Key: Eq + Hash>>(
        name: &str,
        quota: Quota,
        key: E,
        missing_key: MissingKey<E::Key>,
    ) -> Result<Self, PolicyError> {
        let limiter =
            Keyed::new(SlidingWindow::new(quota)).with_max_keys(MAX_KEYS, WhenFull::SharedBucket);
        Self::with_keys(name, limiter, key, missing_key)
    }

    /// Creates a policy that allows units at the rate of a funnel, and up to its capacity at once,
    /// for each key; a [`Quota`] is a funnel with its count as capacity. **O(1)**.
    ///
    /// The number of keys is bounded as for [`window`](Self::window): above the bound, new keys
    /// share one funnel.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] as for [`new`](Self::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use http::header::AUTHORIZATION;
    /// use zset_std::{Funnel, Quota};
    /// use zset_tower::key::Header;
    /// use zset_tower::{MissingKey, Policy};
    ///
    /// // Ten a second, and up to fifty at once.
    /// let funnel = Funnel::new(Quota::new(10, Duration::from_secs(1))?).with_capacity(50)?;
    /// let key = Header::new(AUTHORIZATION);
    /// let policy = Policy::funnel("per-token", funnel, key, MissingKey::Challenge("Bearer"))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn funnel<E: Key<Key: Eq + Hash>>(
        name: &str,
        funnel: impl Into<Funnel>,
        key: E,
        missing_key: MissingKey<E::Key>,
    ) -> Result<Self, PolicyError> {
        let limiter = Keyed::new(funnel.into()).with_max_keys(MAX_KEYS, WhenFull::SharedBucket);
        Self::with_keys(name, limiter, key, missing_key)
    }

    /// Returns the policy with a condition: it applies only to requests for which `condition`
    /// returns `true`. **O(1)**.
    ///
    /// Other requests are not limited, whatever the policy's [`MissingKey`]: **a request to which
    /// no policy of the layer applies is unlimited**. Two policies for two tiers, for example, both
    /// miss a request without a user. So add a policy for all requests, or use one policy with a
    /// [per-key quota](Self::with_quota_by).
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
    /// A request of cost 0 is allowed even if no units are left. One whose cost exceeds the limit
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
    /// many are concurrent. Further requests are denied, even though those in flight may not be
    /// charged in the end. Keys without room [share the limit](zset_std::WhenFull::SharedBucket) of
    /// one bucket. The layer's other policies take their units as usual.
    ///
    /// A request without a response is charged: the service has failed or panicked, or the future
    /// was dropped, e.g. because the client disconnected. Otherwise, a client could avoid charges
    /// by not waiting for responses.
    ///
    /// With a limiter in this process, units are [held](zset_std::Hold), and recorded only when the
    /// response is available. Until then they count for all policies that share the limiter. If a
    /// request is denied only because of requests in flight, `Retry-After` is one second. A
    /// limiter whose calls are awaited, or one of your own, cannot hold units: it takes them before
    /// the call, and refunds them before the response is returned. They stay taken if the refund
    /// fails, or if the request took longer than a tenth of the time after which they would be
    /// available again anyway. A limiter refunds the newest units of a key, so a late refund would
    /// make later failures expire too early.
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
    /// reports, but never rejects. **O(1)**.
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
    /// - If it [charges by outcome](Self::charge_if), it decides when the response is available. A
    ///   request that is not charged only peeks: its decision is reported, but does not count as a
    ///   denial by the limiter. A request without a response is not counted if its decision must be
    ///   awaited.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{AsyncKeyedLimiter, Quota};
    /// use zset_tower::key::{Key, PeerIp};
    /// use zset_tower::{FailedLimiter, MissingKey, Policy, PolicyError, RateLimitLayer};
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
    /// let shared = Policy::new_async("shared", on_server, key, deny, FailedLimiter::Allow)?
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

    /// Returns the policy with a quota for each key: for tiers, and for limits from a database that
    /// change at run time. A funnel takes a [`Funnel`] to set the capacity as well. **O(1)**.
    ///
    /// The function is called once for each request with a key, or with the key that
    /// [`MissingKey::Shared`] sets. `K` is the type of the keys. The limiter's own quota is not
    /// used.
    ///
    /// All requests of a key share its state, so units allowed under one quota count under the next
    /// one, as in [`Keyed::check_with`], which lists the effects of changed periods. The headers
    /// show the quota of the request's key.
    ///
    /// On a server, a quota that the limiter does not support, such as a window longer than its
    /// own, makes that call fail, and [`FailedLimiter`] decides. A limiter that replaces the server
    /// in an outage uses its own quota.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the type of the keys is not `K`, or if the limiter has several quotas or
    /// accepts no quota with a call.
    ///
    /// # Examples
    ///
    /// The quota of a user is found when the user is authenticated. Users are compared by their id,
    /// so one who upgrades does not start again:
    ///
    /// ```
    /// use std::hash::{Hash, Hasher};
    /// use std::time::Duration;
    /// use zset_std::Quota;
    /// use zset_tower::key::Extension;
    /// use zset_tower::{MissingKey, Policy};
    ///
    /// #[derive(Clone)]
    /// struct User {
    ///     id: u64,
    ///     quota: Quota,
    /// }
    ///
    /// impl PartialEq for User {
    ///     fn eq(&self, other: &Self) -> bool {
    ///         self.id == other.id
    ///     }
    /// }
    ///
    /// impl Eq for User {}
    ///
    /// impl Hash for User {
    ///     fn hash<H: Hasher>(&self, state: &mut H) {
    ///         self.id.hash(state);
    ///     }
    /// }
    ///
    /// let quota = Quota::new(10, Duration::from_secs(1))?;
    /// let user = Extension::<User>::new();
    /// let policy = Policy::funnel("per-user", quota, user, MissingKey::Challenge("Bearer"))?
    ///     .with_quota_by(|user: &User| user.quota)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_quota_by<K: 'static, T: Into<Funnel>>(
        mut self,
        quota: impl Fn(&K) -> T + Send + Sync + 'static,
    ) -> Result<Self, PolicyError> {
        let terms_by_key: TermsByKey<K> = Arc::new(move |key| quota(key).into());
        self.source.set_terms_by_key(&terms_by_key)?;
        Ok(self)
    }

    /// Returns the policy with a unit of its quota to show in `RateLimit-Policy`, such as
    /// `content-bytes`, if its [cost](Self::with_cost) is not in requests. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the unit is empty or not printable ASCII.
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
    /// let policy = Policy::funnel("uploads", quota, Global::new(), MissingKey::Allow)?
    ///     .with_quota_unit("content-bytes")?
    ///     .with_cost(|head| {
    ///         let length = head.headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    ///         length.and_then(|it| it.parse().ok()).unwrap_or(u32::MAX)
    ///     });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_quota_unit(mut self, unit: &str) -> Result<Self, PolicyError> {
        self.unit = Some(headers::string(unit).ok_or(PolicyError::InvalidUnit)?);
        self.render();
        Ok(self)
    }

    /// Returns the policy with a partition key to show in both headers, as `pk`: it shows a client
    /// which of its requests share a quota. **O(1)**.
    ///
    /// A request for which `partition_key` returns `None` has none. The key is shown unchanged, so
    /// for a secret, such as a token, return a hash. Derive it from the same data as the policy's
    /// [`Key`](crate::key::Key): different keys of the limiter need different partition keys.
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
            let key = headers::byte_sequence(partition_key(head)?.as_ref());
            Some(format!(";pk={key}"))
        }));
        self
    }

    /// Renders the item of `RateLimit-Policy` that most responses show.
    fn render(&mut self) {
        self.item = self.terms.and_then(|terms| {
            let limit = terms.capacity();
            Some((limit, HeaderValue::try_from(self.item(limit, None)).ok()?))
        });
    }

    /// Creates a policy that reports how many keys its limiter has, sweeps and refuses.
    fn with_keys<E, L>(
        name: &str,
        limiter: Keyed<E::Key, L>,
        key: E,
        missing_key: MissingKey<E::Key>,
    ) -> Result<Self, PolicyError>
    where
        E: Key<Key: Eq + Hash>,
        L: zset_std::Limiter,
        Keyed<E::Key, L>: KeyedLimiter<E::Key> + Send + Sync + 'static,
    {
        #[cfg(not(feature = "metrics"))]
        return Self::new(name, limiter, key, missing_key);
        #[cfg(feature = "metrics")]
        {
            let (telemetry, limiter) = Telemetry::of_keys(name, limiter);
            Ok(Policy { telemetry, ..Self::new(name, limiter, key, missing_key)? })
        }
    }

    fn of<E: Key>(
        name: &str,
        key: E,
        missing_key: MissingKey<E::Key>,
        limiter: Limiter<E::Key>,
    ) -> Result<Self, PolicyError> {
        let challenge = challenge(&missing_key)?;
        let source = Source { key, missing_key, limiter, terms_by_key: None };
        let mut policy = Policy {
            name: name.to_owned(),
            quoted: headers::string(name).ok_or(PolicyError::InvalidName)?,
            terms: source.terms(),
            unit: None,
            item: None,
            partition_key: None,
            condition: None,
            cost: None,
            is_charged: None,
            spawn: None,
            challenge,
            source: Box::new(source),
            telemetry: Telemetry::default(),
        };
        policy.render();
        Ok(policy)
    }

    #[inline]
    pub(crate) fn applies(&self, head: &RequestHead<'_>) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition(head))
    }

    #[inline]
    fn cost(&self, head: &RequestHead<'_>) -> u32 {
        self.cost.as_ref().map_or(1, |cost| cost(head))
    }

    /// Takes the units of a request from this policy alone.
    #[inline]
    pub(crate) fn check(&self, head: &RequestHead<'_>) -> Step<Outcomes> {
        self.source.start(head, self.cost(head), Mode::Alone)
    }

    /// Prepares the check of a request, which is made together with those of other policies.
    pub(crate) fn prepare(&self, head: &RequestHead<'_>) -> Step<Outcomes> {
        let by_response = self.is_charged_by_response() && !self.is_shadow();
        let mode = if by_response { Mode::ByResponse } else { Mode::Together };
        self.source.start(head, self.cost(head), mode)
    }

    #[inline]
    pub(crate) fn is_charged_by_response(&self) -> bool {
        self.is_charged.is_some()
    }

    pub(crate) fn is_charged(&self, response: &Response<()>) -> bool {
        self.is_charged.as_ref().is_none_or(|is_charged| is_charged(response))
    }

    pub(crate) fn is_shadow(&self) -> bool {
        self.spawn.is_some()
    }

    /// Checks or peeks for a policy in shadow mode, and reports the outcome. Returns the future if
    /// there is anything to await.
    pub(crate) fn observe(
        self: &Arc<Self>,
        prepared: Step<Outcomes>,
        call: Call,
    ) -> Option<Later<()>> {
        let policy = Arc::clone(self);
        let mut check: Later<()> = Box::pin(async move {
            for outcome in prepared.wait().await.into_vec() {
                policy.report(&outcome.call(call).wait().await);
            }
        });
        let mut context = Context::from_waker(Waker::noop());
        check.as_mut().poll(&mut context).is_pending().then_some(check)
    }

    /// Passes the future of a policy in shadow mode to the caller's runtime.
    pub(crate) fn spawn(&self, check: Later<()>) {
        if let Some(spawn) = &self.spawn {
            spawn(check);
        }
    }

    pub(crate) fn report(&self, outcome: &Outcome) {
        self.telemetry.report(&self.name, &outcome.answer, self.is_shadow());
    }

    /// Returns the parameter `pk` of the headers, `;pk=:...:`, or an empty string.
    pub(crate) fn partition_key(&self, head: &RequestHead<'_>) -> String {
        self.partition_key.as_ref().and_then(|key| key(head)).unwrap_or_default()
    }

    /// Returns whether an allowed request needs only headers, without partition keys.
    pub(crate) fn is_plain(&self) -> bool {
        self.partition_key.is_none() && !self.is_charged_by_response() && !self.is_shadow()
    }

    /// Returns what the headers show of this policy, if it has decided.
    #[inline]
    pub(crate) fn line<'a>(&'a self, outcome: &'a Outcome) -> Option<Line<'a>> {
        let decision = outcome.decision()?;
        let policy = match &self.item {
            Some((limit, item)) if *limit == decision.limit && outcome.quota.is_none() => {
                Cow::Borrowed(item)
            }
            _ => Cow::Owned(self.item(decision.limit, outcome.quota).try_into().ok()?),
        };
        Some(Line { name: &self.quoted, policy, decision })
    }

    /// Returns the item of `RateLimit-Policy`. `limit` is the maximum number of units at once, and
    /// `quota` is that of the key, if it has its own.
    fn item(&self, limit: u32, quota: Option<Quota>) -> String {
        let mut item = self.quoted.clone();
        item.push_str(";q=");
        item.push_str(&limit.to_string());
        if let Some(unit) = &self.unit {
            item.push_str(";qu=");
            item.push_str(unit);
        }
        if let Some(quota) = quota.or_else(|| Some(self.terms(limit)?.quota())) {
            item.push_str(";w=");
            item.push_str(&window(quota, limit).to_string());
        }
        item
    }

    /// Returns the quota of the limiter. It is read again if the limit has changed.
    fn terms(&self, limit: u32) -> Option<Funnel> {
        match self.terms {
            Some(terms) if terms.capacity() != limit => self.source.terms(),
            terms => terms,
        }
    }
}

/// Checks that the response to a request without a key is valid. Returns its challenge, if it has
/// one.
fn challenge<K>(missing_key: &MissingKey<K>) -> Result<Option<HeaderValue>, PolicyError> {
    match missing_key {
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

/// Returns the seconds in which `limit` units are regained at the rate of the quota, rounded up.
fn window(quota: Quota, limit: u32) -> u64 {
    if limit == quota.count() {
        return headers::seconds(quota.period());
    }
    let second = u128::from(quota.count()) * Duration::from_secs(1).as_nanos();
    let window = (u128::from(limit) * quota.period().as_nanos()).div_ceil(second);
    u64::try_from(window).unwrap_or(u64::MAX).min(headers::MAX_INTEGER)
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Policy");
        debug
            .field("name", &self.name)
            .field("quota", &self.terms.map(Funnel::quota))
            .finish_non_exhaustive()
    }
}
