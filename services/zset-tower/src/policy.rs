//! [`Policy`]: a named limit.

mod bounded;
mod check;
mod error;
mod on_failure;
mod with;

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use http::{HeaderValue, Response};
use zset_std::{AsyncKeyedLimiter, KeyedLimiter, Quota};

use crate::decide::Outcomes;
use crate::key::{Key, MissingKey};
use crate::request_head::RequestHead;
use crate::step::{Later, Step};
use crate::structured;
use crate::telemetry::Telemetry;

pub(crate) use check::{Action, Outcome, Resolved, Subject};
use check::{Check, Engine, Keyed, Local, Remote};
pub use error::PolicyError;
pub use on_failure::OnFailure;

type Condition = Box<dyn Fn(&RequestHead<'_>) -> bool + Send + Sync>;
type PartitionKey = Box<dyn Fn(&RequestHead<'_>) -> Option<String> + Send + Sync>;
type IsCharged = Box<dyn Fn(&Response<()>) -> bool + Send + Sync>;
type Spawn = Box<dyn Fn(Later<()>) + Send + Sync>;
type Cost = Box<dyn Fn(&RequestHead<'_>) -> u32 + Send + Sync>;

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
/// A hundred requests a minute for each client, and a thousand for those that pay:
///
/// ```
/// use std::time::Duration;
/// use zset_std::Quota;
/// use zset_tower::key::PeerIp;
/// use zset_tower::{MissingKey, Policy, RateLimitLayer};
///
/// /// Inserted into the extensions by an earlier layer.
/// #[derive(Clone)]
/// struct Paying;
///
/// let minute = Duration::from_secs(60);
/// let deny = MissingKey::deny();
/// let free = Policy::window("free", Quota::new(100, minute)?, PeerIp::new(), deny)?
///     .when(|head| head.extensions.get::<Paying>().is_none());
/// let paid = Policy::window("paid", Quota::new(1000, minute)?, PeerIp::new(), deny)?
///     .when(|head| head.extensions.get::<Paying>().is_some());
/// let layer = RateLimitLayer::new(free).with_policy(paid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Policy {
    pub(crate) name: String,
    /// The name, as a structured field.
    pub(crate) quoted: String,
    quota: Option<Quota>,
    /// The unit of the quota, as a structured field, unless it is requests.
    unit: Option<String>,
    /// The usual limit and its item in `RateLimit-Policy`, if the quota is known.
    pub(crate) item: Option<(u32, HeaderValue)>,
    /// Returns the parameter `pk` of the headers.
    partition_key: Option<PartitionKey>,
    condition: Option<Condition>,
    cost: Option<Cost>,
    /// Whether a response is charged; `None` charges all requests.
    is_charged: Option<IsCharged>,
    /// Runs the futures of a policy in shadow mode.
    spawn: Option<Spawn>,
    /// The value of `WWW-Authenticate` for requests without a key.
    pub(crate) challenge: Option<HeaderValue>,
    check: Box<dyn Check>,
    pub(crate) telemetry: Telemetry,
}

impl Policy {
    /// Creates a policy from a limiter in this process. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the name is not printable ASCII, or if `missing_key` has an invalid
    /// status or challenge.
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
        Self::of(name, key, missing_key, Local(limiter))
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
    /// use zset_tower::{MissingKey, OnFailure, Policy, PolicyError};
    ///
    /// /// Creates a policy from a limiter whose keys are strings.
    /// fn per_ip<L>(limiter: L) -> Result<Policy, PolicyError>
    /// where
    ///     L: AsyncKeyedLimiter<String, Error: std::error::Error + Send + Sync + 'static>,
    ///     L: Send + Sync + 'static,
    /// {
    ///     let key = PeerIp::new().map(|address| address.to_string());
    ///     let missing_key = MissingKey::deny();
    ///     Policy::new_async("per-ip", limiter, key, missing_key, OnFailure::Pass)
    /// }
    /// ```
    pub fn new_async<L, E>(
        name: &str,
        limiter: L,
        key: E,
        missing_key: MissingKey<E::Key>,
        on_failure: OnFailure,
    ) -> Result<Self, PolicyError>
    where
        E: Key,
        L: AsyncKeyedLimiter<E::Key, Error: std::error::Error + Send + Sync + 'static>,
        L: Send + Sync + 'static,
    {
        Self::of(name, key, missing_key, Remote::new(limiter, on_failure))
    }

    fn of<E: Key>(
        name: &str,
        key: E,
        missing_key: MissingKey<E::Key>,
        engine: impl Engine<E::Key>,
    ) -> Result<Self, PolicyError> {
        Ok(Policy {
            name: name.to_owned(),
            quoted: structured::string(name).ok_or(PolicyError::InvalidName)?,
            quota: None,
            unit: None,
            item: None,
            partition_key: None,
            condition: None,
            cost: None,
            is_charged: None,
            spawn: None,
            challenge: missing_key.challenge()?,
            check: Box::new(Keyed::new(key, missing_key, engine)),
            telemetry: Telemetry::default(),
        })
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
    pub(crate) fn check(&self, head: &RequestHead<'_>, place: usize) -> Step<Outcomes> {
        self.check.check(head, self.cost(head), place)
    }

    /// Finds the key of a request, for a check together with other policies.
    pub(crate) fn resolve(&self, head: &RequestHead<'_>) -> Step<Resolved> {
        let by_response = self.is_charged_by_response() && !self.is_shadow();
        self.check.resolve(head, self.cost(head), by_response)
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
        subject: Step<Resolved>,
        action: Action,
    ) -> Option<Later<()>> {
        let policy = Arc::clone(self);
        let mut check: Later<()> = Box::pin(async move {
            let outcome = match subject.wait().await {
                Ok(mut subject) => subject.perform(action).wait().await,
                Err(outcome) => outcome,
            };
            policy.report(&outcome);
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
        self.telemetry.report(&self.name, outcome, self.is_shadow());
    }

    /// Returns the parameter `pk` of the headers, `;pk=:...:`, or nothing.
    pub(crate) fn partition_key(&self, head: &RequestHead<'_>) -> String {
        self.partition_key.as_ref().and_then(|key| key(head)).unwrap_or_default()
    }

    /// Whether an allowed request needs only its headers, without partition keys.
    pub(crate) fn is_plain(&self) -> bool {
        self.partition_key.is_none() && !self.is_charged_by_response() && !self.is_shadow()
    }

    /// Returns the item of `RateLimit-Policy` for a limit, i.e. the maximum number of units at
    /// once.
    pub(crate) fn item(&self, limit: u32) -> String {
        let mut item = self.quoted.clone();
        item.push_str(";q=");
        item.push_str(&limit.to_string());
        if let Some(unit) = &self.unit {
            item.push_str(";qu=");
            item.push_str(unit);
        }
        if let Some(quota) = self.quota {
            item.push_str(";w=");
            item.push_str(&window(quota, limit).to_string());
        }
        item
    }
}

/// Returns the seconds in which `limit` units are regained at the rate of the quota, rounded up: a
/// client that uses at most that many in any such window is never denied.
fn window(quota: Quota, limit: u32) -> u64 {
    if limit == quota.count() {
        return structured::seconds(quota.period());
    }
    let second = u128::from(quota.count()) * Duration::from_secs(1).as_nanos();
    let window = (u128::from(limit) * quota.period().as_nanos()).div_ceil(second);
    u64::try_from(window).unwrap_or(u64::MAX).min(structured::MAX_INTEGER)
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Policy");
        debug.field("name", &self.name).field("quota", &self.quota).finish_non_exhaustive()
    }
}
