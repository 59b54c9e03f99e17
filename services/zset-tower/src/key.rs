//! [`Key`]: finds the key whose limit a request counts towards.
//!
//! | type | the key of a request |
//! |---|---|
//! | [`PeerIp`] | the address at the other end of the connection |
//! | [`ForwardedFor`] | the client's address, as trusted proxies report it |
//! | [`Header`] | a header such as an API key |
//! | [`Extension`] | a value from an earlier layer, such as a user |
//! | [`Path`] | the path |
//! | [`Global`] | the same for all requests |
//! | [`from_fn`], [`from_async_fn`] | what a function returns |
//! | a tuple of keys | all of these keys together |
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//! use http::HeaderName;
//! use zset_std::Quota;
//! use zset_tower::key::{Header, Path};
//! use zset_tower::{MissingKey, Policy};
//!
//! // Ten requests a second for each pair of an API key and a path.
//! let key = (Header::new(HeaderName::from_static("x-api-key")), Path::new());
//! let quota = Quota::new(10, Duration::from_secs(1))?;
//! let policy = Policy::funnel("per-key", quota, key, MissingKey::deny())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod forwarded;
mod request;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use http::StatusCode;

pub use forwarded::ForwardedFor;
pub(crate) use forwarded::token;
pub use request::{Extension, Global, Header, Map, Path, PeerIp, from_async_fn, from_fn, network};

use crate::request_head::RequestHead;

/// Finds the key of a request.
///
/// The key decides whose limit a request counts towards, so a client must not be able to choose it
/// freely: see [`ForwardedFor`].
pub trait Key: Send + Sync + 'static {
    /// The type of the keys of the limiter.
    type Key: Clone + Send + Sync + 'static;

    /// Returns the key of a request, or `None` if the request has none.
    fn key(&self, head: &RequestHead<'_>) -> Found<Self::Key>;

    /// Returns the key converted by a function: for a limiter with a different type of keys.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_tower::key::{Key, PeerIp};
    ///
    /// // Limiters on a server have strings as keys.
    /// let key = PeerIp::new().map(|address| address.to_string());
    /// ```
    fn map<F, K>(self, convert: F) -> Map<Self, F>
    where
        Self: Sized,
        F: Fn(Self::Key) -> K + Clone + Send + Sync + 'static,
        K: Clone + Send + Sync + 'static,
    {
        Map { key: self, convert }
    }
}

/// The key of a request: ready, or to be awaited.
pub enum Found<K> {
    /// The key, or `None` if the request has none.
    Ready(Option<K>),
    /// Resolves to the key, or to `None` if the request has none.
    Later(Pin<Box<dyn Future<Output = Option<K>> + Send>>),
}

impl<K> Found<K> {
    async fn wait(self) -> Option<K> {
        match self {
            Found::Ready(key) => key,
            Found::Later(future) => future.await,
        }
    }
}

impl<K: fmt::Debug> fmt::Debug for Found<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Ready(key) => f.debug_tuple("Ready").field(key).finish(),
            Found::Later(_) => f.debug_tuple("Later").finish_non_exhaustive(),
        }
    }
}

/// What happens to a request without a key. There is no default, since each choice is wrong for
/// some services.
///
/// A client must not be able to avoid a limit by omitting its key, so use [`Allow`](Self::Allow)
/// only together with another policy that limits such requests.
///
/// This choice matters only for requests to which the policy applies: a request excluded by
/// [`Policy::when`](crate::Policy::when) passes, with a key or without.
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
    /// [`with_response`](crate::RateLimitLayer::with_response) can add a challenge that is known
    /// only at run time.
    Challenge(&'static str),
    /// The request counts towards this key, shared by all requests without a key.
    Shared(K),
}

impl<K> MissingKey<K> {
    /// Returns the choice to reject the request with status 403. **O(1)**.
    pub const fn deny() -> Self {
        MissingKey::Deny(StatusCode::FORBIDDEN)
    }
}
